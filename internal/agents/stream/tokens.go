package stream

import (
	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/pkg/js"
)

// tokens are counters of a run; those of cached are among those of input.
type tokens struct{ input, cached, output int64 }

// minus returns what was used since.
func (t tokens) minus(before tokens) tokens {
	return tokens{max(0, t.input-before.input), max(0, t.cached-before.cached), max(0, t.output-before.output)}
}

// plus returns the sum.
func (t tokens) plus(more tokens) tokens {
	return tokens{t.input + more.input, t.cached + more.cached, t.output + more.output}
}

// spentIn returns the tokens of the usage of an entry.
func spentIn(usage js.Value) tokens {
	n := func(name string) int64 { return api.Tokens(usage.Get(name)) }
	return tokens{n("input") + n("cacheRead"), n("cacheRead"), n("output")}
}

// usage returns the tokens as the usage of a message, whose input does not count what was
// read from a cache.
func (t tokens) usage() string {
	return js.Object(js.IntField("input", max(0, t.input-t.cached)), js.IntField("output", t.output), js.IntField("cacheRead", t.cached))
}
