package codex

import "github.com/sess-tools/sess/internal/formats"

// counts are tokens, each counted once: codex counts those from a cache as input, and
// those for reasoning as output.
type counts struct{ input, output, read, write, total int64 }

// usageOf reads a usage of codex.
func usageOf(raw string, at span) counts {
	var input, cached, written, output, total int64
	members(raw, at, func(key string, v span) {
		n, _ := v.number(raw)
		n = max(n, 0)
		switch key {
		case `"input_tokens"`:
			input = n
		case `"cached_input_tokens"`:
			cached = n
		case `"cache_write_input_tokens"`:
			written = n
		case `"output_tokens"`:
			output = n
		case `"total_tokens"`:
			total = n
		}
	})
	return counts{input: max(input-cached-written, 0), output: output, read: cached, write: written, total: total}
}

// text returns the usage as a message has it. What it cost is not known.
func (u counts) text() string {
	n := formats.Int
	return `{"input":` + n(u.input) + `,"output":` + n(u.output) + `,"cacheRead":` + n(u.read) + `,"cacheWrite":` + n(u.write) +
		`,"totalTokens":` + n(u.total) + `,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}`
}
