// Writes the table of prices and the table of costs, or compares them with --check:
// prices.mjs DIR OUT [--check], where DIR has @pydantic/genai-prices installed.
import {readFileSync, writeFileSync} from 'node:fs'
import {gzipSync, gunzipSync} from 'node:zlib'
import {join} from 'node:path'
import {pathToFileURL} from 'node:url'

const [dir, out, check] = process.argv.slice(2)
const home = join(dir, 'node_modules/@pydantic/genai-prices')
const {waitForUpdate, calcPrice} = await import(pathToFileURL(join(home, 'dist/index.js')))
const providers = await waitForUpdate()
const about = JSON.parse(readFileSync(join(home, 'package.json')))
const lock = JSON.parse(readFileSync(join(dir, 'package-lock.json'))).packages['node_modules/@pydantic/genai-prices']

// The date of a version: what the registry says of it when it was taken.
const dates = {'0.1.8': '2026-09-23'}
if (!dates[about.version]) throw new Error(`no date for version ${about.version}: add it to scripts/prices.d/prices.mjs`)

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

// What a member of a usage adds to a price is in no package: each has its source and date.
const surcharges = JSON.parse(readFileSync(new URL('surcharges.json', import.meta.url)))

const text = JSON.stringify({
	source: `${about.name} ${about.version}`, date: dates[about.version], integrity: lock.integrity,
	license: readFileSync(join(home, 'LICENSE'), 'utf8').trim(), surcharges, providers: table,
}) + '\n'
if (text.length > 250_000) throw new Error(`the table has ${text.length} bytes`)
for (const [name, content] of [['prices.json.gz', text], ['testdata/costs.tsv.gz', costs.join('\n') + '\n']]) {
	const path = join(out, name)
	if (!check) writeFileSync(path, gzipSync(content, {level: 9}))
	else if (gunzipSync(readFileSync(path)).toString() !== content) { console.log(`prices: ${name} differs from ${about.name} ${about.version}`); process.exitCode = 1 }
}
console.log(`prices: ${about.name} ${about.version}: ${Object.values(table).reduce((n, t) => n + Object.keys(t).length, 0)} models, ${text.length} bytes, ${costs.length} costs; without a price for text: ${left.length}`)
if (process.env.VERBOSE) console.log(left.join(' '))
