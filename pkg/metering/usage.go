// Package metering has what a reply used: the tokens that an API or an agent counts, as the usage of a message of the format
// counts them, and what decides their price.
package metering

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
)

// counters are the tokens that a usage of the format counts.
var counters = []string{"input", "output", "cacheRead", "cacheWrite", "totalTokens"}

// NoUsage is a usage that counts nothing.
const NoUsage = `{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":` + noCost + `}`

// noCost is the cost in a usage that has none.
const noCost = `{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}`

// Counters returns the names of the tokens that a usage of the format counts.
func Counters() []string { return slices.Clone(counters) }

// CountsTokens reports whether a usage has a counter of the format, or nothing at all.
func CountsTokens(usage string) bool {
	some := false
	for key := range js.Members(usage) {
		name, _ := js.Value(key).Text()
		if name == "cost" || slices.Contains(counters, name) {
			return true
		}
		some = true
	}
	return !some
}

// UsageOf returns the usage of a message, with all counters that [CompleteUsage] gives, for
// raw: a usage of the format, or what an API reports of the tokens of one reply. Those are
// the usage of OpenAI's chat completions and responses, of Anthropic's messages and of the
// programs that follow them, Gemini's usageMetadata, and the counters of Ollama. A whole
// response will do. It is an error if raw has no counter that is known.
//
// The input of a usage is without what a cache held, and the output is with the tokens for
// reasoning, which reasoning counts once more, as cacheWrite1h does with those of cacheWrite
// that are to last an hour. What decides what a token costs is kept where it is not the usual:
// see [Price]. Members that no table here has are kept, too. A cost that is one number is the total.
func UsageOf(raw string) (string, error) {
	v := js.Value(raw)
	if !v.IsObject() {
		return "", errors.New("usage is no object")
	}
	whole := reported{js.DictOf(v, nil)}
	given := whole
	for _, name := range []string{"usage", "usageMetadata"} {
		if inner := whole.Get(name); inner.IsObject() { // raw is a whole response
			given = reported{js.DictOf(inner, nil)}
			break
		}
	}
	if slices.ContainsFunc(counters, func(name string) bool { return given.Get(name) != "" }) {
		return CompleteUsage(string(given.Value))
	}
	for _, d := range dialects {
		if given.has(d.signs...) {
			usage := given.Value
			if tier := whole.Get("service_tier"); given.Get("service_tier") == "" && tier != "" {
				usage = usage.Add(js.RawField("service_tier", tier))
			}
			if d.bare {
				usage = "{}"
			}
			return d.read(given).usage(given.cost(), PriceFields(usage))
		}
	}
	if CountsTokens(string(given.Value)) { // a cost, or nothing at all
		return CompleteUsage(string(given.Value))
	}
	return "", fmt.Errorf("a usage without one counter that is known: %s", KnownCounters())
}

// KnownCounters names the counters that [UsageOf] knows, those of the format first.
func KnownCounters() string {
	all := []string{strings.Join(counters, ", ")}
	for _, d := range dialects {
		all = append(all, strings.Join(d.signs, ", "))
	}
	return strings.Join(all, "; ")
}

// dialects are how APIs count tokens. A counter that is a sign tells them apart: none of
// them is another's.
var dialects = []struct {
	signs []string
	read  func(r reported) tokens
	bare  bool // the counters stand among the members of the response
}{
	{[]string{"prompt_tokens", "completion_tokens"}, chatTokens, false},
	{[]string{"input_tokens", "output_tokens"}, inputTokens, false},
	{[]string{"promptTokenCount", "candidatesTokenCount"}, geminiTokens, false},
	{[]string{"prompt_eval_count", "eval_count"}, func(r reported) tokens {
		return tokens{input: r.n("prompt_eval_count"), output: r.n("eval_count")}
	}, true},
	{[]string{"total_tokens", "totalTokenCount"}, func(r reported) tokens { // which tell nothing else
		return tokens{total: r.n("total_tokens", "totalTokenCount")}
	}, false},
}

// chatTokens counts what the chat completions API says, also in the words of DeepSeek,
// Moonshot and LiteLLM.
func chatTokens(r reported) tokens {
	return tokens{
		input: r.n("prompt_tokens"), output: r.n("completion_tokens"), total: OwnTotal(r.Value),
		cacheRead:  r.n("prompt_tokens_details.cached_tokens", "prompt_cache_hit_tokens", "cached_tokens"),
		cacheWrite: r.n("prompt_tokens_details.cache_write_tokens", "cache_creation_input_tokens"),
		reasoning:  r.n("completion_tokens_details.reasoning_tokens"),
	}.apart()
}

// inputTokens counts what the responses API says, what Anthropic's says, and what codex and
// Qwen Code say. Anthropic alone has the tokens of a cache beside those of the input. Where
// the words are the same, the total tells.
func inputTokens(r reported) tokens {
	written := r.n("cache_write_input_tokens", "cache_creation_input_tokens")
	parts := r.n("cache_creation.ephemeral_5m_input_tokens") + r.n("cache_creation.ephemeral_1h_input_tokens")
	t := tokens{
		input: r.n("input_tokens"), output: r.n("output_tokens"), total: OwnTotal(r.Value),
		cacheRead:  r.n("input_tokens_details.cached_tokens", "cached_input_tokens", "cache_read_input_tokens"),
		cacheWrite: max(written, parts), // some endpoints say only the parts
		cacheHour:  r.n("cache_creation.ephemeral_1h_input_tokens"),
		reasoning:  r.n("output_tokens_details.reasoning_tokens", "output_tokens_details.thinking_tokens", "reasoning_output_tokens"),
	}
	if r.has("input_tokens_details.cached_tokens", "cached_input_tokens", "cache_write_input_tokens") || r.has("total_tokens") && t.total == t.input+t.output {
		return t.apart()
	}
	if t.total == 0 && written > 0 && written < parts { // no total says so, but the sum of the parts contradicts them
		t.total = t.input + t.output + t.cacheRead + written
	}
	return t
}

// geminiTokens counts what Gemini's API says: thoughts stand beside the candidates.
func geminiTokens(r reported) tokens {
	thoughts := r.n("thoughtsTokenCount")
	return tokens{
		input:     r.n("promptTokenCount") + r.n("toolUsePromptTokenCount"),
		output:    r.n("candidatesTokenCount") + thoughts,
		cacheRead: r.n("cachedContentTokenCount"), reasoning: thoughts, total: OwnTotal(r.Value),
	}.apart()
}

// reported is what an API reports of the tokens of a reply.
type reported struct{ js.Dict }

// at returns the value at the end of a path of one or two member names.
func (r reported) at(path string) js.Value {
	if name, inner, ok := strings.Cut(path, "."); ok {
		return r.Get(name, inner)
	}
	return r.Get(path)
}

// cost returns what the API says that the reply cost, in USD, "" if it says nothing. A tick of xAI's is 1e-10 USD.
func (r reported) cost() js.Value {
	if ticks := r.Get("cost_in_usd_ticks").Float(); ticks > 0 {
		return js.Value(js.Stringify(strconv.FormatFloat(ticks/1e10, 'g', -1, 64)))
	}
	return r.Get("cost")
}

// has reports whether there is a number at the end of one of the paths.
func (r reported) has(paths ...string) bool {
	return slices.ContainsFunc(paths, func(path string) bool { return r.at(path).IsNumber() })
}

// n returns the count at the first of the paths that is there, 0 for a value that is no count: a
// whole number, of which JavaScript holds exactly the sum of a few.
func (r reported) n(paths ...string) int64 {
	for _, path := range paths {
		if v := r.at(path); v != "" {
			if f := v.Float(); f > 0 && f <= 1<<48 && f == math.Trunc(f) {
				return int64(f)
			}
			return 0
		}
	}
	return 0
}

// tokens are the counters of a usage. Those of cacheHour are among those of cacheWrite.
type tokens struct{ input, output, cacheRead, cacheWrite, cacheHour, reasoning, total int64 }

// apart returns the tokens with those of the cache taken from the input.
func (t tokens) apart() tokens {
	t.cacheRead = min(t.cacheRead, t.input)
	t.cacheWrite = min(t.cacheWrite, t.input-t.cacheRead)
	t.input -= t.cacheRead + t.cacheWrite
	return t
}

// ownTotals are the members by which usages of APIs and agents say how many tokens they count in all.
var ownTotals = []string{"total_tokens", "totalTokenCount", "total", "totalTokens"}

// OwnTotal returns the number of tokens that a usage, as its source has it, says that it counts in all; 0 if it does not say.
func OwnTotal(usage js.Value) int64 { return reported{js.DictOf(usage, nil)}.n(ownTotals...) }

// Output returns the tokens that a model wrote, those for reasoning among them: some sources count these within the output and some
// beside it, and the total of a source tells which. Output is as the source is read where there is none, and others are the tokens
// of the prompt. Where nothing adds up to the total, the output is as it was.
func Output(total, others, output, reasoning int64) int64 {
	switch total - others {
	case output + reasoning:
		return output + reasoning
	case output - reasoning:
		return output - reasoning
	}
	return output
}

// usage returns the usage with what the reply cost, which may be absent, and what decides a price. The
// total is the one that the source has, which readers compare with the sum.
func (t tokens) usage(cost js.Value, price []js.Field) (string, error) {
	t.output = Output(t.total, t.input+t.cacheRead+t.cacheWrite, t.output, t.reasoning)
	fields := []js.Field{
		js.IntField("input", t.input), js.IntField("output", t.output),
		js.IntField("cacheRead", t.cacheRead), js.IntField("cacheWrite", t.cacheWrite),
	}
	if hour := min(t.cacheHour, t.cacheWrite); hour > 0 {
		fields = append(fields, js.IntField("cacheWrite1h", hour))
	}
	if t.reasoning > 0 {
		fields = append(fields, js.IntField("reasoning", t.reasoning))
	}
	fields = append(fields, js.IntField("totalTokens", cmp.Or(t.total, t.input+t.output+t.cacheRead+t.cacheWrite)))
	if cost.IsNumber() {
		cost = js.Value(js.Object(
			js.IntField("input", 0), js.IntField("output", 0), js.IntField("cacheRead", 0), js.IntField("cacheWrite", 0), js.RawField("total", cost)))
	}
	if cost == "" { // then nothing else is missing
		return js.Object(append(append(fields, price...), js.RawField("cost", noCost))...), nil
	}
	return CompleteUsage(js.Object(append(append(fields, js.RawField("cost", cost)), price...)...))
}

// CompleteUsage returns a usage with all counters that pi needs, of tokens and of
// cost. Missing and null counters become 0, missing totals the sum of their parts.
// It is an error if raw is no usage.
func CompleteUsage(raw string) (string, error) {
	raw, err := withCounters(raw, "usage", "totalTokens")
	if err != nil {
		return "", err
	}
	given := js.Member(raw, "cost")
	cost := given
	if cost == "" || cost == "null" {
		cost = "{}"
	}
	if cost, err = withCounters(cost, "the cost of a usage", "total"); err != nil {
		return "", err
	}
	if cost != given {
		raw = string(js.Value(raw).With("cost", js.Value(cost)))
	}
	return raw, nil
}

// withCounters fills in the four counters of the object raw and their total.
func withCounters(raw, what, total string) (string, error) {
	if !strings.HasPrefix(raw, "{") {
		return "", fmt.Errorf("%s is no object", what)
	}
	var room [8]js.Field
	have := js.DictOf(js.Value(raw), room[:])
	var lacks []js.Field
	sum := 0.0
	for _, name := range []string{"input", "output", "cacheRead", "cacheWrite", total} {
		value := have.Own(name)
		switch {
		case value == "" || value == "null":
			fill := js.RawField(name, "0")
			if name == total && sum != 0 {
				fill.Raw = js.Stringify(strconv.FormatFloat(min(sum, math.MaxFloat64), 'g', -1, 64))
			}
			if value == "" {
				lacks = append(lacks, fill)
				continue
			}
			raw = string(added(raw, lacks).With(name, js.Value(fill.Raw)))
			lacks = nil
		case value.Type() != "number":
			return "", fmt.Errorf("%s of %s is no number", name, what)
		default:
			n, _ := strconv.ParseFloat(string(value), 64) // ±Inf beyond the range
			sum += n
		}
	}
	return string(added(raw, lacks)), nil
}

// added returns an object with the members that it lacks at its end.
func added(raw string, lacks []js.Field) js.Value {
	if len(lacks) == 0 {
		return js.Value(raw)
	}
	return js.Value(raw).Add(lacks...)
}
