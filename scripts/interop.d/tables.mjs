// Holds the tables of sess-table, read by DuckDB, to sess-stat and to docs/tables.md, and runs the questions of
// docs/recipes.md: tables.mjs NODE_API ROOT WORK SERVER [DIRECTORY...], with the tools in PATH. Each DIRECTORY has sessions of people.
// SERVER is a versitygw, whose bucket has to get the files of a directory; none is '-'.
import {spawnSync} from 'node:child_process'
import {mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync} from 'node:fs'
import {createRequire} from 'node:module'
import {basename, join} from 'node:path'
import {overBucket} from './gateway.mjs'

const [api, root, work, server, ...directories] = process.argv.slice(2)
const {DuckDBInstance} = createRequire(join(api, 'x.js'))('@duckdb/node-api')
let wrong = 0, right = 0

function check(what, got, want) {
	if (JSON.stringify(got) === JSON.stringify(want)) return right++
	wrong++
	console.log(`interop: tables of ${what}: got ${JSON.stringify(got)}, want ${JSON.stringify(want)}`)
}

function run(program, args) {
	const r = spawnSync(program, args, {env: {...process.env, HOME: work, TZ: 'UTC'}, encoding: 'utf8', maxBuffer: 1 << 28})
	if (r.error) throw r.error
	return r
}

// database returns a connection to the tables in a directory.
async function database(out) {
	const to = await (await DuckDBInstance.create()).connect()
	await to.run("set timezone = 'UTC'")
	await to.run("set memory_limit = '1GB'") // and nothing beside it: a view that compares all calls with all would not do
	await to.run(`set temp_directory = '${join(work, 'spilled')}'`)
	await to.run("set max_temp_directory_size = '0MB'")
	for (const statement of run('sess-table', ['--views', '-o', out]).stdout.split(/;\n/)) if (statement.trim()) await to.run(statement)
	return async sql => (await to.runAndReadAll(sql)).getRowObjectsJson()
}

// What a sum is of: session, model and day.
const sums = `select concat_ws(' ', session, coalesce(model, ''), strftime(made, '%Y-%m-%d')) as of, count(*)::int as calls, sum(copies)::int as copies,
	sum(input)::varchar as input, sum(output)::varchar as output, sum(cache_read)::varchar as cache_read, sum(cache_write)::varchar as cache_write,
	sum(reasoning)::varchar as reasoning, round(coalesce(sum(cost), 0), 12)::varchar as cost
	from usage_once group by all order by all`

// counted returns the same sums as sess-stat has them.
function counted(operands) {
	const r = run('sess-stat', ['--usage', '--by', 'session,model,day', '--json', ...operands]), sums = []
	if (r.status !== 0 && r.status !== 1) console.log(`interop: tables: sess-stat ends with ${r.status}: ${r.stderr}`)
	for (const line of r.stdout.split('\n').filter(l => l.startsWith('{"kind":"call"'))) {
		// The cost is taken from the text: a number of JavaScript has no 18 digits.
		const {key, session, calls, copies, tokens: known} = JSON.parse(line), [, cost] = line.match(/"cost":([^,]*)/)
		const decimal = cost === 'null' ? '0' : cost
		const tokens = known ?? {input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0} // a sum of a table is 0 where nothing is known
		sums.push({
			of: `${session} ${key.model ?? ''} ${key.day ?? ''}`.trimEnd(), calls, copies, input: `${tokens.input}`, output: `${tokens.output}`, cache_read: `${tokens.cacheRead}`,
			cache_write: `${tokens.cacheWrite}`, reasoning: `${tokens.reasoning}`, cost: fixed(decimal),
		})
	}
	return sums.sort((a, b) => (a.of < b.of ? -1 : 1))
}

// fixed writes a decimal with 12 digits behind the point.
function fixed(decimal) {
	if (decimal.includes('e')) return Number(decimal).toFixed(12)
	const [whole, rest = ''] = decimal.split('.')
	return `${whole}.${rest.padEnd(12, '0')}`
}

// compare makes tables of sessions and compares the sums.
async function compare(what, operands, ...flags) {
	const out = join(work, `out-${what.replace(/\W+/g, '-')}`)
	rmSync(out, {recursive: true, force: true})
	const made = run('sess-table', [...flags, '-o', out, ...operands])
	if (made.status !== 0 && made.status !== 3) check(`${what}: ${made.stderr}`, made.status, 0)
	if (/other copies|a copy of session/.test(made.stderr)) console.log(`interop: tables of ${what}: ${made.stderr.trim()}`)
	const ask = await database(out), got = await ask(sums)
	check(what, got.map(r => ({...r, of: r.of.trimEnd()})).sort((a, b) => (a.of < b.of ? -1 : 1)), counted(operands))
	for (const [table, key] of Object.entries({sessions: 'session', messages: 'session, number', calls: 'session, number', usage: 'session, number'})) {
		const [{n}] = await ask(`select count(*) - count(distinct (${key})) as n from ${table}`)
		check(`${what}: keys of ${table} that come twice`, n, '0')
	}
	return {ask, rows: got.length}
}

const files = dir => readdirSync(dir, {recursive: true, withFileTypes: true}).filter(f => f.isFile() && /\.jsonl?$/.test(f.name) && f.name !== 'metadata.json').map(f => join(f.parentPath ?? f.path, f.name))

mkdirSync(work, {recursive: true})
const forks = join(root, 'internal/readers/usage/testdata/forks')
const {ask} = await compare('forks', [forks])

// Views take what the number of calls takes, and not its square.
async function many(count) {
	const dir = join(work, 'many')
	rmSync(dir, {recursive: true, force: true})
	mkdirSync(dir)
	for (let i = 0; i < count; i++) {
		const at = `2026-11-0${1 + i % 9}T03:04:0${i % 7}.678Z`, usage = {input: i, output: 7, cacheRead: 0, cacheWrite: 0, totalTokens: i + 7, cost: {total: 0.01}}
		const answer = {role: 'assistant', content: [{type: 'text', text: 'done'}], provider: 'anthropic', model: 'claude-sonnet-4-5', usage, stopReason: 'stop', timestamp: 1}
		writeFileSync(join(dir, `${i}.jsonl`), `${JSON.stringify({type: 'session', version: 3, id: `many-${i}`, timestamp: at, cwd: '/w'})}\n${JSON.stringify({type: 'message', id: 'a', parentId: null, timestamp: at, message: answer})}\n`)
	}
	await compare('many', [dir])
}
await many(3000)

// Several writers, of which one has less of a session that another one has whole, are as good as one that has all.
async function writers(sessions) {
	const out = join(work, 'writers'), less = join(work, 'less')
	for (const dir of [out, less]) rmSync(dir, {recursive: true, force: true})
	mkdirSync(less)
	const [first, ...rest] = files(sessions).sort(), lines = readFileSync(first, 'utf8').split('\n')
	writeFileSync(join(less, basename(first)), lines.slice(0, lines.length / 2).join('\n') + '\n')
	const half = Math.floor(rest.length / 2)
	for (const [name, operands] of [['a', [join(less, basename(first)), ...rest.slice(half)]], ['b', [first, ...rest.slice(0, half)]]]) {
		const made = run('sess-table', ['-o', join(out, `writer=${name}`), ...operands])
		check(`writer ${name}: ${made.stderr}`, made.status, 0)
	}
	const several = await database(join(out, 'writer=*'))
	check('several writers: sums', await several(sums), await ask(sums))
	for (const table of ['sessions', 'messages', 'calls', 'usage', 'calls_once']) {
		const count = `select count(*)::int as n, count(distinct session)::int as sessions from ${table}`
		check(`several writers: ${table}`, await several(count), await ask(count))
	}
}
await writers(forks)

// The columns are those of the page.
const types = {text: 'VARCHAR', int32: 'INTEGER', int64: 'BIGINT', bool: 'BOOLEAN', timestamp: 'TIMESTAMP WITH TIME ZONE', 'decimal(18,12)': 'DECIMAL(18,12)', 'list<text>': 'VARCHAR[]', 'list<list<text>>': 'VARCHAR[][]'}
const page = {}
let table = ''
const told = readFileSync(join(root, 'docs/tables.md'), 'utf8')
for (const line of told.split('\n')) {
	table = line.match(/^## ([a-z]+)$/)?.[1] ?? table
	const [, name, type] = line.match(/^\| `([a-z0-9_]+)` \| ([^ |]+)/) ?? []
	if (name) (page[table] ??= []).push([name, types[type]])
}
for (const name of ['sessions', 'messages', 'calls', 'usage']) {
	const got = (await ask(`describe ${name}`)).map(c => [c.column_name, c.column_type])
	check(`columns of ${name}`, got, [...page[name], ['day', 'VARCHAR']])
}

// What the page has DuckDB read of a table without the views is that table, and the views are those of the page.
const [, reads] = told.match(/^\| DuckDB \| `([^`]+)`/m)
const days = 'select count(*) as n, count(distinct day) as days from '
check('what DuckDB reads', await ask(days + reads.replace('DIR', join(work, 'out-forks'))), await ask(days + 'usage'))
const views = [...told.split('\n## Counting once\n')[1].split('\n## ')[0].matchAll(/^\| `(\w+)` \|/gm)].map(m => m[1])
check('views of the page', views, ['usage_once', 'calls_once', 'ancestors'])
for (const view of views) await ask(`select * from ${view}`)

// bucket writes to a server over a directory, whose files are the objects of the bucket.
function bucket(sessions) {
	const held = join(work, 'server'), out = join(work, 'out-forks')
	return overBucket(server, held, async endpoint => {
		const to = ['-o', `s3://shared/tables?endpoint=${endpoint}`, sessions]
		const first = run('sess-table', to)
		check(`a bucket: ${first.stderr}`, first.status, 0)
		check('a bucket, nothing new', run('sess-table', to).status, 1)
		const names = dir => readdirSync(dir, {recursive: true, withFileTypes: true}).filter(f => f.isFile() && f.name !== '.sess-table.cache').map(f => join(f.parentPath ?? f.path, f.name).slice(dir.length + 1)).sort()
		const at = join(held, 'shared', 'tables')
		check('a bucket: objects', names(at), names(out))
		for (const name of names(out)) check(`a bucket: bytes of ${name}`, readFileSync(join(at, name)).equals(readFileSync(join(out, name))), true)
		check('a bucket: sums', await (await database(at))(sums), await (await database(out))(sums))
	})
}
if (server === '-') console.log('interop: tables: skipped: no versitygw, to whose bucket tables are written')
else await bucket(forks)

// The questions of a team lead.
const questions = [...readFileSync(join(root, 'docs/recipes.md'), 'utf8').matchAll(/```sql\n([^]*?)```/g)].map(m => m[1])
check('questions in docs/recipes.md', questions.length, 5)

// Sessions of people: as files, and as their agents keep them, which tells copies of codex by what they say.
let sessions = 0
for (const directory of directories) {
	for (const agent of ['claude', 'codex', 'opencode', 'gemini', 'copilot', 'qwen', 'pi']) {
		let found = []
		try {
			found = files(join(directory, agent))
		} catch (e) {
			if (e.code !== 'ENOENT') throw e
		}
		for (const at of ['', `${agent}:`]) {
			const named = found.map(f => at + f).filter(f => run('sess-path', ['--as', 'state', f]).status === 0)
			if (named.length === 0) continue
			const {ask, rows} = await compare(`${directory.split('/').at(-1)} ${at}${agent}`, named, '--content')
			sessions += rows
			for (const sql of questions) await ask(sql)
		}
	}
}
console.log(`interop: tables: ${right} comparisons are right, ${wrong} wrong; ${sessions} sums of sessions of people`)
process.exit(wrong ? 1 : 0)
