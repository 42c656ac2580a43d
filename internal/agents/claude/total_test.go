package claude_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/pkg/session"
)

// What Claude Code counts in all and no reply says is an entry of its own, unless it may be a sub-agent's, whose calls are
// those of another session. A total of less than the replies have is told.
func TestCostState(t *testing.T) {
	t.Parallel()
	const (
		head  = `"isSidechain":false,"cwd":"/w","sessionId":"11111111-1111-4111-8111-111111111111","version":"2.1.332"`
		asked = `{"parentUuid":null,` + head + `,"type":"user","message":{"role":"user","content":"go"},"uuid":"a","timestamp":"2026-11-21T10:00:01.000Z"}`
	)
	says := func(content, more string) string {
		return `{"parentUuid":"a",` + head + more + `,"type":"assistant","message":{"model":"claude-opus-4-6","id":"m1","role":"assistant","content":[` + content +
			`],"stop_reason":"end_turn","usage":{"input_tokens":100,"output_tokens":20,"cache_read_input_tokens":5}},"uuid":"b","timestamp":"2026-11-21T10:00:02.000Z"}`
	}
	total := func(models string) string {
		return `{"type":"cost-state","sessionId":"11111111-1111-4111-8111-111111111111","totalCostUSD":1,"modelUsage":{` + models + `}}`
	}
	model := func(name string, in, out, read int) string {
		return fmt.Sprintf(`%q:{"inputTokens":%d,"outputTokens":%d,"cacheReadInputTokens":%d,"costUSD":0.5}`, name, in, out, read)
	}
	const text, agent = `{"type":"text","text":"hi"}`, `{"type":"tool_use","id":"t","name":"Agent","input":{"prompt":"x"}}`
	own := model("claude-opus-4-6[1m]", 100, 20, 5)
	for name, tt := range map[string]struct {
		lines []string
		want  []string // the entries, and the loss
	}{
		"adds up":     {[]string{says(text, ""), total(own)}, nil},
		"a helper":    {[]string{says(text, ""), total(own + "," + model("claude-haiku-4-5", 7, 3, 0))}, []string{"claude-haiku-4-5 7 3 0 "}},
		"and more":    {[]string{says(text, ""), total(model("claude-opus-4-6", 130, 21, 5))}, []string{"claude-opus-4-6 30 1 0 "}},
		"told twice":  {[]string{says(text, ""), total(model("claude-opus-4-6", 130, 21, 5)), total(model("claude-opus-4-6", 130, 21, 5))}, []string{"claude-opus-4-6 30 1 0 "}},
		"less":        {[]string{says(text, ""), total(model("claude-opus-4-6", 60, 20, 5))}, []string{`claude-opus-4-6 0 0 0 {"parts":125,"total":85}`, "usage: its calls have 125 tokens, its own total says 85: the calls count"}},
		"less, twice": {[]string{says(text, ""), total(model("claude-opus-4-6", 60, 20, 5)), total(model("claude-opus-4-6", 60, 20, 5))}, []string{`claude-opus-4-6 0 0 0 {"parts":125,"total":85}`, "usage: its calls have 125 tokens, its own total says 85: the calls count"}},
		"an agent":    {[]string{says(agent, ""), total(model("claude-opus-4-6", 130, 21, 5))}, nil},
		"a copy":      {[]string{says(text, `,"forkedFrom":{"sessionId":"x","messageUuid":"y"}`), total(model("claude-opus-4-6", 60, 20, 5))}, []string{"claude-opus-4-6 60 20 5 "}},
	} {
		s, losses := imported(t, asked+"\n"+strings.Join(tt.lines, "\n")+"\n")
		var got []string
		for _, e := range s.Entries {
			if usage := session.NewMessage(e.Get("usage")); e.Type() == session.TypeUsage {
				got = append(got, fmt.Sprintf("%s %s %s %s %s", e.Str("model"), usage.Get("input"), usage.Get("output"), usage.Get("cacheRead"), usage.Get("totals")))
			}
		}
		for _, l := range losses {
			if l.Kind == "usage" {
				got = append(got, l.Kind+": "+l.What)
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}

// Claude Code talks to the endpoints of other makers as well: a model that is not Anthropic's has no provider that the file names, in a
// reply, in a request on its way and in what only a total counts.
func TestProvider(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]string{"claude-opus-4-6": "anthropic", "us.anthropic.claude-opus-4-6-v1:0": "anthropic", "glm-5.2": "unknown", "kimi-k3": "unknown"} {
		s, _ := imported(t, `{"parentUuid":null,"isSidechain":false,"cwd":"/w","sessionId":"11111111-1111-4111-8111-111111111111","version":"2.1.332","type":"assistant","message":{"model":"`+model+
			`","id":"m1","role":"assistant","content":[{"type":"text","text":"hi"}],"stop_reason":"end_turn","usage":{"input_tokens":100,"output_tokens":20,"iterations":[{"type":"compaction","input_tokens":7,"output_tokens":3},{"type":"message","input_tokens":100,"output_tokens":20}]}},"uuid":"b","timestamp":"2026-11-21T10:00:02.000Z"}
{"type":"cost-state","sessionId":"11111111-1111-4111-8111-111111111111","totalCostUSD":1,"modelUsage":{"`+model+`":{"inputTokens":200,"outputTokens":23}}}
`)
		var got []string
		for _, e := range s.Entries {
			if m, ok := e.Message(); ok {
				got = append(got, m.Role()+" "+m.Str("provider"))
			} else if e.Type() == session.TypeUsage {
				got = append(got, e.Str("kind")+" "+e.Str("provider"))
			}
		}
		if diff := cmp.Diff([]string{"compaction " + want, "assistant " + want, "rest " + want}, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", model, diff)
		}
	}
}
