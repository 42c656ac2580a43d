// Holds sess-stat to what other counters of usage say where nothing is forked, and to the
// truth where something is: usage.mjs CCUSAGE CCUSAGE_PI ROOT WORK, with the tools in PATH.
import {execFileSync} from 'node:child_process'
import {chmodSync, copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync} from 'node:fs'
import {basename, join} from 'node:path'
import {zstdDecompressSync} from 'node:zlib'

const [ccusage, ccusagePi, root, work] = process.argv.slice(2)
chmodSync(ccusage, 0o755)
let wrong = 0, same = 0

const run = (program, args, env = {}) => execFileSync(program, args, {env: {...process.env, HOME: work, TZ: 'UTC', ...env}, stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 28}).toString()

const sum = (input, output, read, write, cost) => [input, output, read, write, cost].map(v => Number((v ?? 0).toFixed(9))).join(' ')

// ours returns the calls of a purpose, or all, as sess-stat counts them.
function ours(args, purpose, env) {
	for (const line of run('sess-stat', ['--json', '--by', 'purpose', '--cost', 'stored', ...args], env).trim().split('\n')) {
		const row = JSON.parse(line)
		const s = row.kind === (purpose ? 'call' : 'total') && (!purpose || row.key.purpose === purpose) && {...row.tokens, cost: row.cost}
		if (s) return s
	}
	return {input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0, cost: 0}
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

if (same < 30) { wrong++; console.log(`interop: usage: only ${same} were compared`) }
console.log(`interop: sess-stat and ccusage agree on ${same} of ${same + wrong}`)
process.exitCode = wrong ? 1 : 0
