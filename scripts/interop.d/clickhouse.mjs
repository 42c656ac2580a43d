// Runs the SQL of docs/tables.md for ClickHouse, and holds its answers to sess-stat: clickhouse.mjs CHDB ROOT WORK SERVER, with the tools in
// PATH. SERVER is a versitygw, from whose bucket the same tables are read; none is '-'.
import {spawn, spawnSync} from 'node:child_process'
import {copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync} from 'node:fs'
import {createRequire} from 'node:module'
import {createServer} from 'node:net'
import {join} from 'node:path'

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

// The blocks of the page: views of one writer, a question, and views of several.
const page = readFileSync(join(root, 'docs/tables.md'), 'utf8').match(/^## ClickHouse\n([^]*?)^## /m)[1]
const blocks = [...page.matchAll(/```sql\n([^]*?)```/g)].map(m => m[1])
check('blocks of the page', blocks.length, 3)
const [one, question, several] = blocks
const statements = text => text.split(/;\n/).filter(s => s.trim())

// ask makes views in a new database, and returns what asks it. A process has one session.
const s = new Session(join(work, 'database'))
let databases = 0
function ask(views) {
	s.query(`create database d${++databases}`)
	s.query(`use d${databases}`)
	for (const sql of statements(views)) s.query(sql)
	return sql => s.query(sql, 'JSONCompactEachRow').split('\n').filter(Boolean).map(l => JSON.parse(l))
}

// counted has what sess-stat says of each day and model.
const decimal = n => Number(n).toFixed(12)
const counted = run('sess-stat', ['--usage', '--by', 'day,model', '--json', sessions]).stdout.split('\n').filter(l => l.startsWith('{"kind":"call"')).map(l => JSON.parse(l))
	.map(r => [r.key.day, r.key.model, r.calls, decimal(r.cost)]).sort()
const answer = asked => statements(question).flatMap(sql => asked(sql)).map(([day, model, calls, usd]) => [day, model, Number(calls), decimal(usd)]).sort()
const counts = asked => ['sessions', 'messages', 'calls', 'usage'].map(t => asked(`select count(), count(distinct session), countIf(day = 'unknown') from ${t}`)[0].map(Number))

const whole = ask(one.replaceAll('tables/', `${tables}/`)), of = counts(whole)
check('what each model cost by day', answer(whole), counted)
check('sessions', of[0], [readdirSync(sessions).length, readdirSync(sessions).length, 1])
const united = ask(several.replaceAll('tables/', `${join(work, 'several')}/`))
check('several writers, by day', answer(united), counted)
check('several writers', counts(united), of)

// bucket reads the tables in the bucket of a server.
async function bucket() {
	const held = join(work, 'server')
	mkdirSync(join(held, 'shared'), {recursive: true})
	const port = await new Promise(free => {
		const s = createServer().listen(0, '127.0.0.1', () => {
			const {port} = s.address()
			s.close(() => free(port))
		})
	})
	const endpoint = `http://127.0.0.1:${port}`
	const gateway = spawn(server, ['--port', `127.0.0.1:${port}`, 'posix', held], {env: {...process.env, ROOT_ACCESS_KEY: 'key', ROOT_SECRET_KEY: 'hunter2hunter2'}, stdio: 'ignore'})
	try {
		for (let tries = 0; tries < 3000 && !(await fetch(endpoint).catch(() => null)); tries++) await new Promise(r => setTimeout(r, 10))
		Object.assign(process.env, {AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'hunter2hunter2', XDG_CACHE_HOME: join(held, 'cache')})
		const made = run('sess-table', ['-o', `s3://shared/tables?endpoint=${endpoint}`, sessions])
		check(`a bucket: ${made.stderr}`, made.status, 0)
		const far = one.replaceAll(/file\('tables\/(.*?)'\)/g, `s3('${endpoint}/shared/tables/$1', 'key', 'hunter2hunter2')`)
		const asked = ask(far)
		check('a bucket, by day', answer(asked), counted)
		check('a bucket', counts(asked), of)
	} finally {
		gateway.kill()
	}
}
if (server === '-') console.log('interop: ClickHouse: skipped: no versitygw, from whose bucket tables are read')
else await bucket()

console.log(`interop: ClickHouse: ${right} comparisons are right, ${wrong} wrong`)
process.exit(wrong ? 1 : 0)
