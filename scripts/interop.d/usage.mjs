// Holds sess-stat to what other counters of usage say where nothing is forked, and to the
// truth where something is: usage.mjs CCUSAGE CCUSAGE_PI ROOT WORK [DIRECTORY...], with the tools in PATH. Each DIRECTORY has
// sessions of people below the names of their agents, which are compared too, and have the same sums in all tools.
import {execFileSync, spawnSync} from 'node:child_process'
import {chmodSync, copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync} from 'node:fs'
import {basename, dirname, join} from 'node:path'
import {zstdDecompressSync} from 'node:zlib'

const [ccusage, ccusagePi, root, work, ...directories] = process.argv.slice(2)
chmodSync(ccusage, 0o755)
let wrong = 0, same = 0

const run = (program, args, env = {}) => execFileSync(program, args, {env: {...process.env, HOME: work, TZ: 'UTC', ...env}, stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 28}).toString()

const sum = (input, output, read, write, cost) => [input, output, read, write, cost].map(v => Number((v ?? 0).toFixed(9))).join(' ')

// nothing is what was used of which nothing is told, as ccusage counts it.
const nothing = {input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0}

// ours returns the calls of a purpose, or all, as sess-stat counts them.
function ours(args, purpose, env) {
	for (const line of run('sess-stat', ['--json', '--by', 'purpose', '--cost', 'stored', ...args], env).trim().split('\n')) {
		const row = JSON.parse(line)
		const s = row.kind === (purpose ? 'call' : 'total') && (!purpose || row.key.purpose === purpose) && {...row.tokens ?? nothing, cost: row.cost}
		if (s) return s
	}
	return {...nothing, cost: 0}
}
const ourSum = s => sum(s.input, s.output, s.cacheRead, s.cacheWrite, s.cost)

function theirs(args, env) {
	const t = JSON.parse(run(ccusage, [...args, '--offline', '--json'], env)).totals ?? {}
	return {...t, cost: t.totalCost ?? t.costUSD}
}
const theirSum = t => sum(t.inputTokens, t.outputTokens, t.cacheReadTokens, t.cacheCreationTokens, t.cost)

// oldPi is what the line of ccusage before it counts, which knows forks.
function oldPi(dir) {
	const t = JSON.parse(run(process.execPath, [ccusagePi, 'session', '--json', '--piPath', dir])).totals
	return sum(t.inputTokens, t.outputTokens, t.cacheReadTokens, t.cacheCreationTokens, t.totalCost)
}

function compare(what, got, want) {
	if (got === want) return same++
	wrong++
	console.log(`interop: usage of ${what}: sess-stat has ${got}, want ${want}`)
}

function fresh(name) {
	const dir = join(work, name)
	rmSync(dir, {recursive: true, force: true})
	mkdirSync(dir, {recursive: true})
	return dir
}

// pi: every genuine session alone, all together, and a store of forks.
const all = join(fresh('pi-all'), '--p--')
mkdirSync(all)
for (const version of readdirSync(join(root, 'testdata/pi/genuine'))) {
	const from = join(root, 'testdata/pi/genuine', version)
	for (const name of readdirSync(from).filter(n => n.endsWith('.jsonl') || n.endsWith('.jsonl.zst'))) {
		let data = readFileSync(join(from, name))
		if (name.endsWith('.zst')) data = zstdDecompressSync(data)
		const dir = join(fresh('pi-one'), '--p--')
		mkdirSync(dir)
		for (const d of [dir, all]) writeFileSync(join(d, name.replace('.zst', '')), data)
		const one = join(work, 'pi-one')
		compare(`pi, ${name}`, ourSum(ours(['-a', one], 'reply')), theirSum(theirs(['pi', 'session', '--pi-path', one])))
	}
}
compare('pi, all genuine sessions and their forks', ourSum(ours(['-a', join(work, 'pi-all')], 'reply')), oldPi(join(work, 'pi-all')))
const forks = join(fresh('forks'), '--srv-p--')
mkdirSync(forks)
for (const name of readdirSync(join(root, 'internal/readers/usage/testdata/forks'))) copyFileSync(join(root, 'internal/readers/usage/testdata/forks', name), join(forks, name))
compare('pi, a store of forks', ourSum(ours(['-a', join(work, 'forks')], 'reply')), oldPi(join(work, 'forks')))

// codex: every rollout, forks of which the parent is there among them.
const codex = fresh('codex-home')
const rollouts = readdirSync(join(root, 'testdata/codex/home/sessions'), {recursive: true}).filter(n => n.endsWith('.jsonl.zst'))
mkdirSync(join(codex, 'sessions/2026/11/21'), {recursive: true})
for (const name of rollouts) writeFileSync(join(codex, 'sessions/2026/11/21', basename(name, '.zst')), zstdDecompressSync(readFileSync(join(root, 'testdata/codex/home/sessions', name))))
const mine = {}
for (const line of run('sess-stat', ['--agent', 'codex', '--json', '--by', 'session', '--cost', 'stored'], {CODEX_HOME: codex}).trim().split('\n').map(JSON.parse)) if (line.kind === 'call') mine[line.session] = line.tokens
for (const s of JSON.parse(run(ccusage, ['codex', 'session', '--offline', '--json'], {CODEX_HOME: codex})).sessions) {
	const row = mine[s.sessionFile.slice(-36)]
	compare(`codex, ${s.sessionFile}`, sum(row?.input, row?.output, row?.cacheRead, row?.reasoning), sum(s.inputTokens, s.outputTokens, s.cacheReadTokens, s.reasoningOutputTokens))
}

// Claude Code: every genuine session alone. Its writes to a cache are in no detail that
// ccusage looks for.
for (const name of readdirSync(join(root, 'testdata/claude/genuine')).filter(n => n.endsWith('.jsonl'))) {
	const text = readFileSync(join(root, 'testdata/claude/genuine', name), 'utf8')
	const dir = join(fresh('claude-home'), 'projects/-w')
	mkdirSync(dir, {recursive: true})
	const file = name.startsWith('agent-') ? name : `${text.match(/"sessionId":"([^"]*)"/)[1]}.jsonl`
	writeFileSync(join(dir, file), text)
	const s = ours(['--agent', 'claude', '-a'], '', {CLAUDE_CONFIG_DIR: join(work, 'claude-home')}), t = theirs(['claude', 'session', '--mode', 'display'], {CLAUDE_CONFIG_DIR: join(work, 'claude-home')})
	compare(`claude, ${name}`, sum(s.input, s.output, s.cacheRead), sum(t.inputTokens, t.outputTokens, t.cacheReadTokens))
}

// opencode: every database but that of forks, which ccusage counts with all copies.
const homes = fresh('opencode-homes')
writeFileSync(join(homes, 'homes.tar'), zstdDecompressSync(readFileSync(join(root, 'testdata/opencode/homes-1.18.tar.zst'))))
run('tar', ['-C', homes, '-xf', join(homes, 'homes.tar')])
for (const name of readdirSync(homes).filter(n => /^\d\d-/.test(n))) {
	const dir = join(fresh('opencode-data'), 'opencode')
	mkdirSync(dir)
	for (const file of readdirSync(join(homes, name)).filter(n => n.startsWith('opencode.db'))) copyFileSync(join(homes, name, file), join(dir, file))
	const s = ours(['--agent', 'opencode', ...(name.includes('fork') ? ['--copies'] : [])], '', {XDG_DATA_HOME: join(work, 'opencode-data')})
	const t = theirs(['opencode', 'session'], {OPENCODE_DATA_DIR: dir})
	compare(`opencode, ${name}`, sum(s.input, s.input + s.output + s.cacheRead + s.cacheWrite, s.cacheRead, s.cacheWrite, s.cost), sum(t.inputTokens, t.totalTokens, t.cacheReadTokens, t.cacheCreationTokens, t.cost))
}

// Sessions of people: where each is put for both counters. Of an agent that is not here, ccusage reads no such file. It leaves
// what was thought out of the output (apart), has what a cache held in the input too (held), and knows no helpers (replies).
const places = {
	claude: {file: (text, name) => `projects/-w/${/^agent-/.test(name) ? name.slice(0, -6) : text.match(/"sessionId":"([-0-9a-f]{36})"/)?.[1] ?? '01a1fc0e-0000-7000-8000-000000000000'}.jsonl`, env: dir => ({CLAUDE_CONFIG_DIR: dir}), args: ['claude', 'session', '--mode', 'display']},
	codex: {file: text => `sessions/2026/11/21/rollout-2026-11-21T00-00-00-${text.match(/"id":"([^"]*)"/)[1]}.jsonl`, env: dir => ({CODEX_HOME: dir}), args: ['codex', 'session']},
	opencode: {lay: layOut, env: dir => ({XDG_DATA_HOME: dir, OPENCODE_DATA_DIR: join(dir, 'opencode')}), args: ['opencode', 'session'], apart: true},
	pi: {file: () => '--p--/s.jsonl', env: dir => ({PI_CODING_AGENT_SESSION_DIR: dir}), args: ['pi', 'session', '--pi-path', join(work, 'people')], paid: true},
	gemini: {file: (_, name) => `.gemini/tmp/p/chats/session-2026-01-01T00-00-s${name.endsWith('l') ? '.jsonl' : '.json'}`, env: dir => ({GEMINI_CLI_HOME: dir, GEMINI_DATA_DIR: join(dir, '.gemini')}), args: ['gemini', 'session'], apart: true},
	qwen: {file: () => 'projects/-w/chats/s.jsonl', env: dir => ({QWEN_HOME: dir, QWEN_DATA_DIR: dir}), args: ['qwen', 'session'], held: true, replies: true},
}
// Where ccusage has another sum, and why.
const differ = {
	'claude/daaain+claude-code-log/representative/': {theirs: sum(0, 0, 0, 0, 0), because: 'it passes over lines with spaces behind colons'},
}

// layOut puts an export of opencode where its releases before 1.2 have sessions.
function layOut(dir, text) {
	const {info, messages} = JSON.parse(text), put = (name, v) => {
		const path = join(dir, 'opencode/storage', `${name}.json`)
		mkdirSync(dirname(path), {recursive: true})
		writeFileSync(path, JSON.stringify(v))
	}
	put(`session/p/${info.id}`, info)
	for (const m of messages) {
		put(`message/${info.id}/${m.info.id}`, m.info)
		for (const p of m.parts) put(`part/${m.info.id}/${p.id}`, p)
	}
}

// tokensOf returns the sum of rows of sess-stat, nothing for a session without calls, of which it says so.
function tokensOf(args, env) {
	const r = spawnSync('sess-stat', ['--usage', '--json', '--cost', 'stored', ...args], {env: {...process.env, HOME: work, TZ: 'UTC', ...env}, encoding: 'utf8', maxBuffer: 1 << 28})
	if (r.status === 1) return {...nothing, cost: 0}
	const total = JSON.parse(r.stdout.trim().split('\n').at(-1))
	return {...total.tokens ?? nothing, cost: total.cost}
}

// people compares the sessions below a directory, whose paths begin with their agents.
function people(directory) {
	for (const path of readdirSync(directory, {recursive: true}).filter(f => /\.jsonl?$/.test(f) && !/metadata\.json$/.test(f)).sort()) {
		const agent = /^(claude|codex|opencode|pi|gemini|qwen|copilot|kimi)(?![a-z])/.exec(path)?.[0], source = join(directory, path), session = join(work, 'session.jsonl')
		if (!agent || spawnSync('sess-import', ['-q', '--force', '-o', session, agent, source]).status !== 0) continue // wild.mjs has what is no session
		const s = tokensOf([session]), [listed] = run('sess-ls', ['--exact', '--json', session]).trim().split('\n').map(JSON.parse)
		compare(`${path}, in a list`, ourSum({...listed.tokens ?? nothing, cost: listed.cost}), ourSum(s))
		const place = places[agent]
		if (!place || place.lay && !JSON.parse(readFileSync(source, 'utf8')).messages) continue // it is read where it lies
		const home = fresh('people'), text = readFileSync(source, 'utf8')
		if (place.lay) place.lay(home, text)
		else {
			const file = join(home, place.file(text, basename(path)))
			mkdirSync(dirname(file), {recursive: true})
			writeFileSync(file, text)
		}
		compare(`${path}, in its home`, ourSum(tokensOf(agent === 'pi' ? ['-a', home] : ['--agent', agent, '-a'], place.env(home))), ourSum(s))
		const t = theirs(place.args, place.env(home)), why = Object.entries(differ).find(([name]) => path.startsWith(name))?.[1]
		const said = theirSum({...t, cost: place.paid ? t.cost : 0})
		const m = place.replies ? ours([session], 'reply') : s
		const mine = sum(m.input + (place.held ? m.cacheRead : 0), m.output - (place.apart ? m.reasoning : 0), m.cacheRead, m.cacheWrite, place.paid ? m.cost : 0)
		if (!why) compare(path, mine, said)
		else compare(`${path}, which ccusage counts otherwise: ${why.because}`, said, why.theirs)
	}
}
directories.forEach(people)

if (same < 30) { wrong++; console.log(`interop: usage: only ${same} were compared`) }
console.log(`interop: sess-stat and ccusage agree on ${same} of ${same + wrong}`)
process.exitCode = wrong ? 1 : 0
