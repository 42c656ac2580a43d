// Runs the SQL of docs/tables.md for ClickHouse, and holds its answers to sess-stat: clickhouse.mjs CHDB ROOT WORK SERVER, with the tools in
// PATH. SERVER is a versitygw, from whose bucket the same tables are read; none is '-'.
import {spawnSync} from 'node:child_process'
import {copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync} from 'node:fs'
import {createRequire} from 'node:module'
import {join} from 'node:path'
import {overBucket} from './gateway.mjs'

const [chdb, root, work, server] = process.argv.slice(2)
const {Session} = createRequire(join(chdb, 'x.js'))('chdb')
let wrong = 0, right = 0

function check(what, got, want) {
	if (JSON.stringify(got) === JSON.stringify(want)) return right++
	wrong++
	console.log(`interop: ClickHouse, ${what}: got ${JSON.stringify(got)}, want ${JSON.stringify(want)}`)
}

function run(program, args) {
	const r = spawnSync(program, args, {env: {...process.env, HOME: work, TZ: 'UTC'}, encoding: 'utf8', maxBuffer: 1 << 28})
	if (r.error) throw r.error
	return r
}

// Sessions of several days, with copies of calls, and one of which nobody knows when it was begun.
rmSync(work, {recursive: true, force: true})
const sessions = join(work, 'sessions'), forks = join(root, 'internal/readers/usage/testdata/forks')
mkdirSync(sessions, {recursive: true})
for (const name of readdirSync(forks).filter(n => n.endsWith('.jsonl'))) copyFileSync(join(forks, name), join(sessions, name))
const [first] = readdirSync(sessions).sort()
const [header, ...lines] = readFileSync(join(sessions, first), 'utf8').split('\n')
const {timestamp: _, ...untimed} = JSON.parse(header)
writeFileSync(join(sessions, 'untimed.jsonl'), [JSON.stringify({...untimed, id: 'untimed'}), ...lines].join('\n'))

const tables = join(work, 'tables')
for (const out of [tables, join(tables, '..', 'several', 'writer=red'), join(tables, '..', 'several', 'writer=blue')]) {
	const made = run('sess-table', ['-o', out, sessions])
	check(`making ${out}: ${made.stderr}`, made.status, 0)
}

// The blocks of the page: views of one writer, those of several, and the view that takes the place of one for DuckDB.
const page = readFileSync(join(root, 'docs/tables.md'), 'utf8').match(/^## ClickHouse\n([^]*?)^## /m)[1]
const blocks = [...page.matchAll(/```sql\n([^]*?)```/g)].map(m => m[1])
check('blocks of the page', blocks.length, 3)
const [one, several, ancestors] = blocks
const statements = text => text.split(/;\n/).filter(s => s.trim())
const once = statements(run('sess-table', ['--views', '-o', tables]).stdout.replace(/^--.*$/gm, '')).slice(4).map(s => (s.includes('view ancestors') ? ancestors.replace(/;\s*$/, '') : s))

// ask makes views in a new database, and returns what asks it. A process has one session.
const s = new Session(join(work, 'database'))
let databases = 0
function ask(views) {
	s.query(`create database d${++databases}`)
	s.query(`use d${databases}`)
	s.query('set join_use_nulls = 1')
	for (const sql of [...statements(views), ...once]) s.query(sql)
	return sql => s.query(sql, 'JSONCompactEachRow').split('\n').filter(Boolean).map(l => JSON.parse(l))
}

// counted has what sess-stat says of each session, model and day.
const decimal = n => Number(n).toFixed(12)
const counted = run('sess-stat', ['--usage', '--by', 'session,model,day', '--json', sessions]).stdout.split('\n').filter(l => l.startsWith('{"kind":"call"')).map(l => JSON.parse(l))
	.map(r => [r.session, r.key.model, r.key.day, r.calls, r.copies, r.tokens.input, r.tokens.output, r.tokens.cacheRead, decimal(r.cost)]).sort()
const answer = asked => asked(`select session, model, toDate(made) as made_on, count(), sum(copies), sum(input), sum(output), sum(cache_read), sum(cost)
	from usage_once group by session, model, made_on`).map(([session, model, day, ...n]) => [session, model, day, ...n.slice(0, -1).map(Number), decimal(n.at(-1))]).sort()
const counts = asked => ['sessions', 'messages', 'calls', 'usage'].map(t => asked(`select count(), count(distinct session), countIf(day = 'unknown') from ${t}`)[0].map(Number))

const whole = ask(one.replaceAll('tables/', `${tables}/`)), of = counts(whole)
check('what was used', answer(whole), counted)
check('sessions', of[0], [readdirSync(sessions).length, readdirSync(sessions).length, 1])
const united = ask(several.replaceAll('tables/', `${join(work, 'several')}/`))
check('several writers: what was used', answer(united), counted)
check('several writers', counts(united), of)

// bucket reads the tables in the bucket of a server.
const bucket = () => overBucket(server, join(work, 'server'), endpoint => {
	const made = run('sess-table', ['-o', `s3://shared/tables?endpoint=${endpoint}`, sessions])
	check(`a bucket: ${made.stderr}`, made.status, 0)
	const far = one.replaceAll(/file\('tables\/(.*?)'\)/g, `s3('${endpoint}/shared/tables/$1', 'key', 'hunter2hunter2')`)
	const asked = ask(far)
	check('a bucket: what was used', answer(asked), counted)
	check('a bucket', counts(asked), of)
})
if (server === '-') console.log('interop: ClickHouse: skipped: no versitygw, from whose bucket tables are read')
else await bucket()

console.log(`interop: ClickHouse: ${right} comparisons are right, ${wrong} wrong`)
process.exit(wrong ? 1 : 0)
