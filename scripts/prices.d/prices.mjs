// Writes the table of prices and the table of costs, or compares them with --check:
// prices.mjs DIR OUT [--check], where DIR has both packages installed.
import {readFileSync, readdirSync, writeFileSync} from 'node:fs'
import {gzipSync, gunzipSync} from 'node:zlib'
import {join} from 'node:path'
import {pathToFileURL} from 'node:url'

const [dir, out, check] = process.argv.slice(2)
const home = join(dir, 'node_modules/@pydantic/genai-prices'), second = join(dir, 'node_modules/@earendil-works/pi-ai')
const {waitForUpdate, calcPrice} = await import(pathToFileURL(join(home, 'dist/index.js')))
const providers = await waitForUpdate()
const {calculateCost} = await import(pathToFileURL(join(second, 'dist/models.js')))
const lock = JSON.parse(readFileSync(join(dir, 'package-lock.json'))).packages

// A source is a package by its name, version, and date: what the registry says of the version when it was taken.
const dates = {'@pydantic/genai-prices 0.1.8': '2026-09-23', '@earendil-works/pi-ai 1.6.0': '2026-11-20'}
const [base, more] = [home, second].map(path => {
	const {name, version} = JSON.parse(readFileSync(join(path, 'package.json')))
	const source = `${name} ${version}`, date = dates[source], {integrity} = lock[`node_modules/${name}`]
	if (!date) throw new Error(`no date for ${source}: add it to scripts/prices.d/prices.mjs`)
	return {source, date, integrity}
})
const notice = name => readFileSync(join(out, `LICENSE.${name}`), 'utf8').trim()

// Rates by their names in the table, in USD for a million tokens; request in USD for one.
const rates = {input_mtok: 'input', output_mtok: 'output', cache_read_mtok: 'cacheRead', cache_write_mtok: 'cacheWrite',
	cache_write_1h_mtok: 'cacheWrite1h', output_reasoning_mtok: 'reasoning'}

const rate = v => typeof v === 'object' ? [v.base, ...[...v.tiers].sort((a, b) => a.start - b.start).flatMap(t => [t.start, t.price])] : v

function row({prices, constraint}) {
	const r = {}
	if (constraint?.type === 'start_date') r.since = constraint.start_date
	if (constraint?.type === 'time_of_date') { r.from = constraint.start_time; r.to = constraint.end_time }
	for (const [key, name] of Object.entries(rates)) if (prices[key] !== undefined) r[name] = rate(prices[key])
	if (prices.requests_kcount !== undefined) r.request = prices.requests_kcount / 1000
	return r
}

// Names that a rule of matching accepts and that are names themselves.
function* names(match) {
	for (const m of match.or ?? match.and ?? []) yield* names(m)
	for (const s of [match.equals, match.starts_with]) if (s) yield s.toLowerCase().replace(/[-@.:/]+$/, '')
}

const found = (provider, id) => calcPrice({}, id, {providerId: provider, timestamp: new Date()})
const same = (p, m, id) => { const f = found(p.id, id); return f?.provider.id === p.id && f.model.id === m.id }

const table = {}, costs = [], left = []
for (const p of providers) {
	const models = {}, taken = new Set(p.models.map(m => m.id.toLowerCase()))
	for (const m of p.models) {
		const rows = (Array.isArray(m.prices) ? m.prices : [{prices: m.prices}])
		const [id, ...aliases] = [...new Set([m.id.toLowerCase(), ...names(m.match)])].filter((a, i) => (i === 0 || !taken.has(a)) && same(p, m, a))
		// A model without any price is free; one with prices for sound or pages alone is not for us.
		if (!id || models[id] || !rows.every(r => r.prices.input_mtok !== undefined || Object.keys(r.prices).length === 0)) { left.push(`${p.id}:${m.id}`); continue }
		;[id, ...aliases].forEach(a => taken.add(a))
		models[id] = {...(aliases.length ? {aliases} : {}), ...(m.context_window ? {window: m.context_window} : {}), prices: rows.map(row)}
		cases(p, id, m, rows)
	}
	table[p.id] = models
}

// cases adds what some calls of a model cost: at a time of each row, and above each tier.
function cases(p, id, m, rows) {
	const times = rows.map(({constraint: c}) => c?.type === 'start_date' ? c.start_date + 'T12:00:00.000Z' : c?.type === 'time_of_date' ? `2026-09-01T${c.start_time.slice(0, 5)}:00.000Z` : '2025-06-01T17:00:00.000Z')
	const starts = rows.flatMap(r => Object.values(r.prices)).filter(v => typeof v === 'object').flatMap(v => v.tiers.map(t => t.start))
	const uses = [[1000, 0, 0, 0, 0, 0], [0, 5003, 0, 0, 0, 0], [0, 0, 1999, 0, 0, 0], [0, 0, 0, 3001, 0, 0], [17, 40000, 600, 900, 777, 333]]
	for (const s of [...new Set(starts)].sort((a, b) => a - b)) uses.push([s, 0, 0, 0, 11, 0], [s - 9, 4, 3, 3, 11, 0])
	for (const time of [...new Set(times)]) for (const [input, read, write, write1h, output, reasoning] of uses) {
		const usage = {input_tokens: input + read + write + write1h, cache_read_tokens: read, cache_write_tokens: write + write1h, cache_write_1h_tokens: write1h,
			output_tokens: output, output_reasoning_tokens: reasoning}
		const cost = calcPrice(usage, id, {providerId: p.id, timestamp: new Date(time)})
		costs.push([p.id, id, time, input, output, read, write, write1h, reasoning, cost.total_price].join('\t'))
	}
}

// The providers of the second source that sell models themselves, by their names in the table. The prices of gateways and of
// Azure are those of the makers.
const sellers = {anthropic: 'anthropic', openai: 'openai', 'openai-codex': 'openai', google: 'google', 'google-vertex': 'google', xai: 'x-ai',
	deepseek: 'deepseek', mistral: 'mistral', moonshotai: 'moonshotai', minimax: 'minimax', zai: 'zai', groq: 'groq', 'amazon-bedrock': 'aws',
	cerebras: 'cerebras', fireworks: 'fireworks', together: 'together', baseten: 'baseten', meta: 'meta', xiaomi: 'xiaomi'}

// knownAs reports which of the table's models of a provider has a name.
const knownAs = (models, id) => models[id] ?? Object.values(models).find(m => m.aliases?.includes(id))
const plain = v => Array.isArray(v) ? v[0] : v

let added = 0
const others = {}
for (const file of readdirSync(join(second, 'dist/providers/data')).filter(f => sellers[f.replace(/\.json$/, '')]).sort()) {
	const provider = sellers[file.replace(/\.json$/, '')], models = others[provider] ??= {}
	const first = provider === 'zai' ? {...table.zhipuai, ...table.zai} : table[provider] ?? {} // the same maker, in China
	for (const m of Object.values(JSON.parse(readFileSync(join(second, 'dist/providers/data', file)))).flatMap(of => Object.values(of))) {
		const id = m.id.toLowerCase(), cost = m.cost
		if (m.type !== 'chat' || !(cost.input > 0)) continue
		// The table looks for a model without its region, date and version, too.
		const bare = id.replace(/^(global|us|us-gov|eu|apac|au|jp|ca|in)\./, '')
		const has = [id, bare, bare.replace(/(-20\d{6}|-20\d\d-\d\d-\d\d|-latest)?(-v\d+(:\d+)?)?$/, '')].map(name => knownAs(first, name)).find(Boolean)
		if (has && !models[id]) differ(provider, id, has.prices, cost)
		if (has || models[id]) continue
		const tiers = [...cost.tiers ?? []].sort((a, b) => a.inputTokensAbove - b.inputTokensAbove)
		const r = {}
		// A price of 0 for a cache says that there is none of its own.
		for (const [name, v] of Object.entries({input: cost.input, output: cost.output, cacheRead: cost.cacheRead || undefined, cacheWrite: cost.cacheWrite || undefined}))
			if (v !== undefined) r[name] = tiers.length ? [v, ...tiers.flatMap(t => [t.inputTokensAbove, t[name]])] : v
		if (r.cacheWrite !== undefined) r.cacheWrite1h = tiers.length ? [2 * cost.input, ...tiers.flatMap(t => [t.inputTokensAbove, 2 * t.input])] : 2 * cost.input
		models[id] = {...(m.contextWindow ? {window: m.contextWindow} : {}), prices: [r]}
		added++
		for (const n of [1000, ...tiers.map(t => t.inputTokensAbove + 9)]) {
			const usage = {input: n, output: 777, cacheRead: r.cacheRead === undefined ? 0 : 5003, cacheWrite: r.cacheWrite === undefined ? 0 : 1500, cacheWrite1h: r.cacheWrite === undefined ? 0 : 900, cost: {}}
			costs.push([provider, id, more.date + 'T12:00:00.000Z', usage.input, usage.output, usage.cacheRead, usage.cacheWrite - usage.cacheWrite1h, usage.cacheWrite1h, 0, calculateCost({...m, cost}, usage).total].join('\t'))
		}
	}
}

// differ tells of prices that both sources have, of today and without tiers.
function differ(provider, id, rows, cost) {
	const now = rows.at(-1), far = ['input', 'output'].filter(n => now[n] !== undefined && Math.abs(plain(now[n]) - cost[n]) > 0.05 * cost[n])
	if (far.length) console.log(`prices: ${provider}/${id}: ${far.map(n => `${n} ${plain(now[n])}, and ${cost[n]} by the second`).join('; ')}`)
}

// What a member of a usage adds to a price is in no package: each has its source and date.
const surcharges = JSON.parse(readFileSync(new URL('surcharges.json', import.meta.url)))

const text = JSON.stringify({
	source: `${base.source} of ${base.date}, ${more.source}`, date: more.date, integrity: [base.integrity, more.integrity],
	license: `${readFileSync(join(home, 'LICENSE'), 'utf8').trim()}\n\n${notice('pi-ai')}`, surcharges, providers: table,
}) + '\n'
if (text.length > 250_000) throw new Error(`the table has ${text.length} bytes`)
for (const [name, content] of [['prices.json.gz', text], ['more.json.gz', JSON.stringify(others) + '\n'], ['testdata/costs.tsv.gz', costs.join('\n') + '\n']]) {
	const path = join(out, name)
	if (!check) writeFileSync(path, gzipSync(content, {level: 9}))
	else if (gunzipSync(readFileSync(path)).toString() !== content) { console.log(`prices: ${name} differs from ${base.source} and ${more.source}`); process.exitCode = 1 }
}
console.log(`prices: ${base.source} and ${more.source}: ${Object.values(table).reduce((n, t) => n + Object.keys(t).length, 0)} models, ${added} of them from the second, ${text.length} bytes, ${costs.length} costs; without a price for text: ${left.length}`)
if (process.env.VERBOSE) console.log(left.join(' '))
