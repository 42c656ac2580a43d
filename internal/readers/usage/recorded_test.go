package usage_test

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/stream"
	"github.com/sess-tools/sess/internal/readers/prices"
	"github.com/sess-tools/sess/internal/readers/usage"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// A run of Claude Code, as events.
type claudeRun struct {
	events []string
	cost   float64
}

func (r *claudeRun) begin() { r.add(`{"type":"system","subtype":"init","session_id":"s","tools":[]}`) }

// recorded returns what is recorded of the run of a session.
func (r *claudeRun) recorded(t *testing.T, id string) []*stream.Item {
	t.Helper()
	text := strings.ReplaceAll(strings.Join(r.events, "\n")+"\n", `"session_id":"s"`, `"session_id":"`+id+`"`)
	items, err := stream.Decode([]byte(text), stream.Options{Prompt: "do it"})
	if err != nil {
		t.Fatal(err)
	}
	return items
}

func (r *claudeRun) add(event string) { r.events = append(r.events, event) }

// says adds a reply of the agent, or of a sub-agent.
func (r *claudeRun) says(id, model string, input int, sub bool) {
	parent := "null"
	if sub {
		parent = `"toolu_1"`
	}
	r.add(fmt.Sprintf(`{"type":"assistant","message":{"id":%q,"role":"assistant","model":%q,"content":[{"type":"text","text":%q}],"usage":{"input_tokens":%d,"output_tokens":1}},"parent_tool_use_id":%s,"session_id":"s","uuid":%q}`,
		id, model, "words of "+id, input, parent, "u"+id))
}

// ends adds the result of a turn: what the turn's replies used, and what each model used in all, with its cost.
func (r *claudeRun) ends(input, output int, models string, cost float64) {
	r.cost = cost
	r.add(fmt.Sprintf(`{"type":"result","subtype":"success","is_error":false,"result":"done","session_id":"s","total_cost_usd":%v,"usage":{"input_tokens":%d,"output_tokens":%d},"modelUsage":{%s}}`, cost, input, output, models))
}

// used is what a model used, in modelUsage.
func used(model string, input, output int, cost float64) string {
	return fmt.Sprintf(`%q:{"inputTokens":%d,"outputTokens":%d,"cacheReadInputTokens":0,"cacheCreationInputTokens":0,"webSearchRequests":0,"costUSD":%v,"contextWindow":200000}`, model, input, output, cost)
}

// textOf returns the text of a session that begins with what was recorded.
func textOf(t *testing.T, items []*stream.Item) string {
	t.Helper()
	text := session.NewHeader(session.HeaderFields{ID: "s", CWD: "/"}) + "\n"
	b := session.Batch{Known: func(string) bool { return false }}
	if err := stream.AddTo(&b, items); err != nil {
		t.Fatal(err)
	}
	for _, e := range b.Entries {
		text += e.Raw() + "\n"
	}
	return text
}

// charged returns the calls of a session with what they used and cost in all, and what a listing says of it.
func charged(t *testing.T, text string) (calls []usage.Call, tokens prices.Tokens, cost prices.Money, listed session.Spent) {
	t.Helper()
	read, err := usage.Read(strings.NewReader(text), usage.Options{})
	if err != nil {
		t.Fatal(err)
	}
	table, err := prices.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	info, err := session.ScanInfo(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	costing := &usage.Costing{Mode: usage.Auto, Table: table}
	for _, c := range read.Calls {
		tokens, cost = tokens.Add(c.Tokens), cost.Add(costing.Of(&c).Cost)
	}
	return read.Calls, tokens, cost, info.Spent
}

// TestClaudeTotals: what is recorded of a run adds up to what its results say, in tokens and in cost, and each call counts once:
// for the reader of calls, and for a listing.
func TestClaudeTotals(t *testing.T) {
	t.Parallel()
	const sonnet, haiku = "claude-sonnet-4-6", "claude-haiku-4-5"
	for _, tt := range []struct {
		name                 string
		run                  func(r *claudeRun)
		calls, input, output int64
		cost                 float64
	}{
		{"one reply", func(r *claudeRun) {
			r.says("m1", sonnet, 100, false)
			r.ends(100, 30, used(sonnet, 100, 30, 0.5), 0.5)
		}, 1, 100, 30, 0.5},
		{"two replies", func(r *claudeRun) {
			r.says("m1", sonnet, 100, false)
			r.says("m2", sonnet, 200, false)
			r.ends(300, 30, used(sonnet, 300, 30, 0.63), 0.63)
		}, 2, 300, 30, 0.63},
		{"two turns, counted up", func(r *claudeRun) {
			r.says("m1", sonnet, 100, false)
			r.ends(100, 10, used(sonnet, 100, 10, 0.5), 0.5)
			r.says("m2", sonnet, 200, false)
			r.ends(200, 20, used(sonnet, 300, 30, 0.75), 0.75)
		}, 2, 300, 30, 0.75},
		{"two turns, the second begun anew", func(r *claudeRun) {
			r.says("m1", sonnet, 100, false)
			r.ends(100, 10, used(sonnet, 100, 10, 0.5), 0.5)
			r.says("m2", sonnet, 80, false)
			r.ends(80, 5, used(sonnet, 80, 5, 0.25), 0.25)
		}, 2, 180, 15, 0.75},
		{"a sub-agent with a model of its own", func(r *claudeRun) {
			r.says("m1", sonnet, 100, false)
			r.says("s1", haiku, 9000, true)
			r.says("m2", sonnet, 200, false)
			r.ends(300, 30, used(sonnet, 300, 30, 0.25)+","+used(haiku, 9000, 400, 0.125), 0.375)
		}, 4, 9300, 430, 0.375},
		{"a sub-agent with the same model", func(r *claudeRun) {
			r.says("m1", sonnet, 100, false)
			r.ends(100, 30, used(sonnet, 9100, 430, 0.375), 0.375)
		}, 2, 9100, 430, 0.375},
		{"a long context", func(r *claudeRun) {
			r.says("m1", sonnet, 100, false)
			r.ends(100, 30, used(sonnet+"[1m]", 100, 30, 0.5), 0.5)
		}, 1, 100, 30, 0.5},
		{"a result behind nothing that was said", func(r *claudeRun) {
			r.says("m1", sonnet, 100, false)
			r.ends(100, 30, used(sonnet, 100, 30, 0.5), 0.5)
			r.ends(0, 0, used(sonnet, 100, 30, 0.5)+","+used(haiku, 70, 7, 0.125), 0.625)
		}, 2, 170, 37, 0.625},
	} {
		r := &claudeRun{}
		r.begin()
		tt.run(r)
		text := textOf(t, r.recorded(t, "s"))
		calls, tokens, cost, listed := charged(t, text)
		got, want := fmt.Sprintf("%d %d %d %s", len(calls), tokens.Input, tokens.Output, cost.Decimal(6)), fmt.Sprintf("%d %d %d %.6f", tt.calls, tt.input, tt.output, tt.cost)
		if got != want {
			t.Errorf("%s: %s, want %s in\n%s", tt.name, got, want, text)
		}
		if listed.Input != tt.input || listed.Output != tt.output || math.Abs(listed.Cost-tt.cost) > 1e-9 {
			t.Errorf("%s: a listing has %+v", tt.name, listed)
		}
	}
}

// TestClaudeKilled: replies of a run that has no result are priced by the table, also if a later run has one.
func TestClaudeKilled(t *testing.T) {
	t.Parallel()
	r := &claudeRun{}
	r.begin()
	r.says("m1", "claude-sonnet-4-6", 100_000, false)
	killed := r.recorded(t, "s")
	r = &claudeRun{}
	r.begin()
	r.says("m2", "claude-sonnet-4-6", 100, false)
	r.ends(100, 30, used("claude-sonnet-4-6", 100, 30, 0.5), 0.5)
	text := textOf(t, append(killed, r.recorded(t, "other")...))
	if calls, _, _, _ := charged(t, text); len(calls) != 2 || calls[0].Billed || calls[1].Stored != prices.USD/2 {
		t.Errorf("%+v", calls)
	}
	if details := js.Value(text[strings.LastIndex(text, `"details":`)+len(`"details":`):]); !strings.HasPrefix(string(details), `{"usageFrom":"result"`) {
		t.Errorf("%s", details)
	}
}

// TestFilesOfRC1: files that 1.0.0-rc.1 imported and recorded have the usage of a reply in each of its parts, and the cost of a
// run on its last reply alone. Both count right.
func TestFilesOfRC1(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"rc1-split.jsonl": "1 1100 0.002800", "rc1-recorded.jsonl": "2 202000 0.630000"} {
		calls, tokens, cost, s := charged(t, must.Read(t, filepath.Join("testdata", name)))
		if got := fmt.Sprintf("%d %d %s", len(calls), tokens.Total(), cost.Decimal(6)); got != want || s.Input+s.Output+s.CacheRead+s.CacheWrite != tokens.Total() {
			t.Errorf("%s: %s, want %s; a listing has %+v", name, got, want, s)
		}
	}
}
