package api

import (
	"cmp"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
)

// Iterations are the requests that Anthropic's API made on its own for one reply, from usage.iterations.
type Iterations struct {
	Own    js.Value // the usage of the reply without those: that of the last request to the model, which had its context
	Others []Iteration
}

// An Iteration is a request besides the last one.
type Iteration struct {
	Kind  string // "iteration" of the model itself, "advisor", "compaction", or the API's word for any other
	Model string // "" for that of the reply
	Usage js.Value
}

// The API's types of iterations.
const (
	iterationMessage = "message"
	iterationAdvisor = "advisor_message"
)

// IterationsOf takes a usage of Anthropic's API apart. Its counters are the sum of the requests to the model; what an
// advisor or a compaction used is beside it. Where the requests do not add up to it, they are left as one.
func IterationsOf(usage js.Value) Iterations {
	out := Iterations{Own: usage}
	var own []Iteration
	for it := range usage.Get("iterations").Elements() {
		i := Iteration{Kind: it.Get("type").Str(), Model: it.Get("model").Str(), Usage: it.Without("type", "model")}
		switch i.Kind {
		case iterationMessage:
			i.Kind = "iteration"
			own = append(own, i)
			continue
		case iterationAdvisor:
			i.Kind = "advisor"
		}
		out.Others = append(out.Others, i)
	}
	if len(own)+len(out.Others) == 0 {
		return out
	}
	out.Own = usage.Without("iterations")
	if len(own) < 2 || !addUp(usage, own) {
		return out
	}
	last := own[len(own)-1]
	for _, name := range append([]string{"cache_creation"}, anthropicCounters...) {
		if v := last.Usage.Get(name); v != "" {
			out.Own = out.Own.With(name, v)
		}
	}
	for _, name := range []string{"service_tier", "speed", "inference_geo"} {
		for i := range own {
			if v := usage.Get(name); v != "" && own[i].Usage.Get(name) == "" {
				own[i].Usage = own[i].Usage.Add(js.RawField(name, v))
			}
		}
	}
	out.Others = append(own[:len(own)-1:len(own)-1], out.Others...)
	return out
}

var anthropicCounters = []string{"input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"}

// addUp reports whether the counters of a usage are the sum of those of requests.
func addUp(usage js.Value, parts []Iteration) bool {
	for _, name := range anthropicCounters {
		sum := int64(0)
		for _, p := range parts {
			sum += Tokens(p.Usage.Get(name))
		}
		if sum != Tokens(usage.Get(name)) {
			return false
		}
	}
	return true
}

// Entry returns the model that a request was made to, for a reply of a model, its usage as the format has it, and the
// members of its usage entry.
func (i Iteration) Entry(model string) (by, usage string, fields []js.Field) {
	by, usage = cmp.Or(i.Model, model), Usage(i.Usage)
	return by, usage, []js.Field{
		js.StringField("kind", i.Kind), js.StringField("provider", UsageProvider(by)), Str("model", by), js.RawField("usage", usage),
	}
}

// ModelCounters are the counters of Claude Code's totals, and how a usage of the API and of the format call them.
var ModelCounters = [4][3]string{
	{"inputTokens", "input_tokens", "input"},
	{"outputTokens", "output_tokens", "output"},
	{"cacheReadInputTokens", "cache_read_input_tokens", "cacheRead"},
	{"cacheCreationInputTokens", "cache_creation_input_tokens", "cacheWrite"},
}

// ModelNamed returns the model that Claude Code's totals call so: it marks one whose context is larger.
func ModelNamed(name string) string { return strings.TrimSuffix(name, "[1m]") }

// ModelUsage returns the counters of the format for those that Claude Code's totals have of a model.
func ModelUsage(total js.Value) js.Value {
	var fields []js.Field
	for _, names := range ModelCounters {
		fields = append(fields, js.IntField(names[2], Tokens(total.Get(names[0]))))
	}
	return js.Value(js.Object(fields...))
}
