package metering_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/metering"
)

// What each API reports of one reply, in its own documented shape.
func TestUsageOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"ours", `{"input":3,"output":4}`, `{"input":3,"output":4,"cacheRead":0,"cacheWrite":0,"totalTokens":7,` + zeroCost + `}`},
		{"ours with what we do not know", `{"output":4,"prompt_tokens":9}`, `{"output":4,"prompt_tokens":9,"input":0,"cacheRead":0,"cacheWrite":0,"totalTokens":4,` + zeroCost + `}`},
		{"nothing", `{}`, zeroUsage},
		{"chat", `{"prompt_tokens":3,"completion_tokens":9,"total_tokens":12}`, counted("3,9,0,0,12")},
		{
			"chat with a cache", `{"prompt_tokens":100,"completion_tokens":9,"total_tokens":109,"prompt_tokens_details":{"cached_tokens":64,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":5}}`,
			counted("36,9,64,0,109,5"),
		},
		{"chat, a part alone", `{"completion_tokens":9}`, counted("0,9,0,0,9")},
		{"chat, thoughts in the total alone", `{"prompt_tokens":3,"completion_tokens":9,"total_tokens":40}`, counted("3,9,0,0,40")},
		{"chat with nulls", `{"prompt_tokens":3,"completion_tokens":9,"prompt_tokens_details":null,"total_tokens":null}`, counted("3,9,0,0,12")},
		{"deepseek", `{"prompt_tokens":30,"completion_tokens":9,"prompt_cache_hit_tokens":20,"prompt_cache_miss_tokens":10}`, counted("10,9,20,0,39")},
		{"litellm", `{"prompt_tokens":30,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":10},"cache_creation_input_tokens":5,"cache_read_input_tokens":10}`, counted("15,1,10,5,31")},
		{
			"openrouter", `{"prompt_tokens":3,"completion_tokens":9,"total_tokens":12,"cost":0.0125}`,
			`{"input":3,"output":9,"cacheRead":0,"cacheWrite":0,"totalTokens":12,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0.0125}}`,
		},
		{
			"xAI", `{"prompt_tokens":3,"completion_tokens":9,"total_tokens":12,"cost_in_usd_ticks":250000000}`,
			`{"input":3,"output":9,"cacheRead":0,"cacheWrite":0,"totalTokens":12,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0.025}}`,
		},
		{
			"a total alone", `{"total_tokens":12}`,
			`{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":12,` + zeroCost + `}`,
		},
		{
			"a cost of ours beside", `{"prompt_tokens":3,"cost":{"total":0.5}}`,
			`{"input":3,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":3,"cost":{"total":0.5,"input":0,"output":0,"cacheRead":0,"cacheWrite":0}}`,
		},
		{
			"responses", `{"input_tokens":100,"input_tokens_details":{"cached_tokens":64},"output_tokens":9,"output_tokens_details":{"reasoning_tokens":5},"total_tokens":109}`,
			counted("36,9,64,0,109,5"),
		},
		{"codex", `{"input_tokens":100,"cached_input_tokens":60,"cache_write_input_tokens":10,"output_tokens":9,"reasoning_output_tokens":5}`, counted("30,9,60,10,109,5")},
		{"qwen", `{"input_tokens":100,"output_tokens":9,"cache_read_input_tokens":60,"total_tokens":109}`, counted("40,9,60,0,109")},
		{
			"anthropic", `{"input_tokens":3,"cache_creation_input_tokens":7,"cache_read_input_tokens":60,"cache_creation":{"ephemeral_5m_input_tokens":7},"output_tokens":9,"service_tier":"standard"}`,
			counted("3,9,60,7,79"),
		},
		{
			"gemini", `{"promptTokenCount":100,"cachedContentTokenCount":60,"candidatesTokenCount":9,"thoughtsTokenCount":5,"toolUsePromptTokenCount":2,"totalTokenCount":116}`,
			counted("42,14,60,0,116,5"),
		},
		{
			"anthropic, a cache for an hour", `{"input_tokens":3,"output_tokens":9,"cache_creation_input_tokens":100,"cache_creation":{"ephemeral_5m_input_tokens":40,"ephemeral_1h_input_tokens":60},"service_tier":"batch"}`,
			`{"input":3,"output":9,"cacheRead":0,"cacheWrite":100,"cacheWrite1h":60,"totalTokens":112,"serviceTier":"batch",` + zeroCost + `}`,
		},
		{
			"anthropic, the usual tier", `{"input_tokens":3,"output_tokens":9,"cache_creation_input_tokens":1,"cache_creation":{"ephemeral_1h_input_tokens":60},"service_tier":"standard"}`,
			`{"input":3,"output":9,"cacheRead":0,"cacheWrite":60,"cacheWrite1h":60,"totalTokens":13,` + zeroCost + `}`,
		},
		{
			"anthropic, parts alone", `{"input_tokens":3,"output_tokens":9,"cache_creation_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":40,"ephemeral_1h_input_tokens":20}}`,
			`{"input":3,"output":9,"cacheRead":0,"cacheWrite":60,"cacheWrite1h":20,"totalTokens":72,` + zeroCost + `}`,
		},
		{"anthropic, parts and no sum", `{"input_tokens":3,"output_tokens":9,"cache_creation":{"ephemeral_5m_input_tokens":40}}`, counted("3,9,0,40,52")},
		{"anthropic, parts of less", `{"input_tokens":3,"output_tokens":9,"cache_creation_input_tokens":50,"cache_creation":{"ephemeral_5m_input_tokens":40}}`, counted("3,9,0,50,62")},
		{"chat, reasoning beside", `{"prompt_tokens":30,"completion_tokens":5,"total_tokens":42,"completion_tokens_details":{"reasoning_tokens":7}}`, counted("30,12,0,0,42,7")},
		{"chat, reasoning within", `{"prompt_tokens":30,"completion_tokens":9,"total_tokens":39,"completion_tokens_details":{"reasoning_tokens":7}}`, counted("30,9,0,0,39,7")},
		{"chat, a total of its own", `{"prompt_tokens":30,"completion_tokens":9,"total_tokens":41,"completion_tokens_details":{"reasoning_tokens":7}}`, counted("30,9,0,0,41,7")},
		{"chat, a total of less", `{"prompt_tokens":30,"completion_tokens":9,"total_tokens":38}`, counted("30,9,0,0,38")},
		{"gemini, thoughts within", `{"promptTokenCount":100,"candidatesTokenCount":9,"thoughtsTokenCount":5,"totalTokenCount":109}`, counted("100,9,0,0,109,5")},
		{"ollama", `{"model":"m","done":true,"total_duration":1,"prompt_eval_count":26,"eval_count":298}`, counted("26,298,0,0,324")},
		{"ollama, the prompt from its cache", `{"eval_count":298}`, counted("0,298,0,0,298")},
		{"a response of chat", `{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":9}}`, counted("3,9,0,0,12")},
		{
			"a response of another tier", `{"output":[],"service_tier":"flex","usage":{"input_tokens":3,"output_tokens":9}}`,
			`{"input":3,"output":9,"cacheRead":0,"cacheWrite":0,"totalTokens":12,"serviceTier":"flex",` + zeroCost + `}`,
		},
		{"a response", `{"output":[],"usage":{"input_tokens":3,"output_tokens":9}}`, counted("3,9,0,0,12")},
		{"a response of gemini", `{"candidates":[],"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":9}}`, counted("3,9,0,0,12")},
		{"more from a cache than there was", `{"prompt_tokens":3,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":9}}`, counted("0,1,3,0,4")},
		{"what is no count", `{"prompt_tokens":-3,"completion_tokens":1.5,"total_tokens":1e999}`, counted("0,0,0,0,0")},
		{"whole, however written", `{"prompt_tokens":3.0,"completion_tokens":1e1}`, counted("3,10,0,0,13")},
	} {
		if got, err := metering.UsageOf(c.in); err != nil || got != c.want {
			t.Errorf("%s: %v\n%s, want\n%s", c.name, err, got, c.want)
		}
	}
	for _, in := range []string{"", "null", "7", "[]", `{"tokens":3}`, `{"prompt_tokens":"3"}`, `{"prompt_tokens":null}`, `{"usage":{"words":1}}`, `{"output":[]}`} {
		if got, err := metering.UsageOf(in); err == nil {
			t.Errorf("%s: %s, %v", in, got, err)
		}
	}
}

// counted is a usage of input, output, cacheRead, cacheWrite, total and perhaps reasoning.
func counted(numbers string) string {
	var n []json.Number
	if err := json.Unmarshal([]byte("["+numbers+"]"), &n); err != nil {
		panic(err)
	}
	s := `{"input":` + string(n[0]) + `,"output":` + string(n[1]) + `,"cacheRead":` + string(n[2]) + `,"cacheWrite":` + string(n[3])
	if len(n) > 5 {
		s += `,"reasoning":` + string(n[5])
	}
	return s + `,"totalTokens":` + string(n[4]) + `,` + zeroCost + `}`
}

// Law: a usage of any text is complete, and its parts are no more than its total.
func FuzzUsageOf(f *testing.F) {
	for _, seed := range []string{
		`{"prompt_tokens":3,"completion_tokens":9,"prompt_tokens_details":{"cached_tokens":5}}`,
		`{"input_tokens":3,"output_tokens":9007199254740992,"cache_read_input_tokens":9007199254740992,"total_tokens":1}`,
		`{"promptTokenCount":1,"thoughtsTokenCount":2}`, `{"eval_count":1}`, `{"usage":{"input":1}}`, `{"cost":3,"input_tokens":1}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		if !js.Valid([]byte(raw)) {
			t.Skip()
		}
		got, err := metering.UsageOf(raw)
		if err != nil {
			return
		}
		if again, err := metering.CompleteUsage(got); err != nil || again != got {
			t.Fatalf("%s: not complete: %s, %v", raw, again, err)
		}
		n := func(name string) float64 { return js.Value(got).Get(name).Float() }
		if js.Value(raw).Get("totalTokens") != "" || js.Value(raw).Get("usage", "totalTokens") != "" || js.Value(raw).Get("usageMetadata", "totalTokens") != "" {
			return // as it was given
		}
		own := js.Value(raw)
		for _, name := range []string{"usage", "usageMetadata"} {
			if inner := own.Get(name); inner.IsObject() {
				own = inner
				break
			}
		}
		sum := n("input") + n("output") + n("cacheRead") + n("cacheWrite")
		if told := float64(metering.OwnTotal(own)); told > 0 && n("totalTokens") != told && n("totalTokens") != sum || told == 0 && sum > n("totalTokens") && !math.IsInf(sum, 1) {
			// The one thing below the sum is a sum of cache writes that says less than its parts.
			if told > 0 || own.Get("cache_creation") == "" {
				t.Fatalf("%s: the parts are %g: %s", raw, sum, got)
			}
		}
	})
}

const (
	zeroUsage = `{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,` + zeroCost + `}`
	zeroCost  = `"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}`
)

func TestCompleteUsage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{`{}`, zeroUsage},
		{zeroUsage, zeroUsage},
		{
			`{"input":1,"output":2,"cacheRead":3,"cacheWrite":4}`,
			`{"input":1,"output":2,"cacheRead":3,"cacheWrite":4,"totalTokens":10,` + zeroCost + `}`,
		},
		{
			`{"input":null,"totalTokens":null,"output":2,"cost":null}`,
			`{"input":0,"totalTokens":2,"output":2,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0},"cacheRead":0,"cacheWrite":0}`,
		},
		{
			`{"totalTokens":99,"input":1, "cost" : {"input":0.25,"output":0.5}}`,
			`{"totalTokens":99,"input":1, "cost" : {"input":0.25,"output":0.5,"cacheRead":0,"cacheWrite":0,"total":0.75},"output":0,"cacheRead":0,"cacheWrite":0}`,
		},
		{`{"input":1e400,"output":0,"cacheRead":0,"cacheWrite":0,` + zeroCost + `}`, `{"input":1e400,"output":0,"cacheRead":0,"cacheWrite":0,` + zeroCost + `,"totalTokens":1.7976931348623157e+308}`},
	} {
		got, err := metering.CompleteUsage(c.in)
		if err != nil || got != c.want {
			t.Errorf("%s: %v\n%s, want\n%s", c.in, err, got, c.want)
		}
		if again, err := metering.CompleteUsage(got); err != nil || again != got {
			t.Errorf("%s: not complete: %s, %v", c.in, again, err)
		}
	}
	for _, in := range []string{"", "null", "7", `"x"`, "[]", `{"output":true}`, `{"cost":1}`, `{"cost":{"input":"1"}}`} {
		if got, err := metering.CompleteUsage(in); err == nil {
			t.Errorf("%s: %s, %v", in, got, err)
		}
	}
}
