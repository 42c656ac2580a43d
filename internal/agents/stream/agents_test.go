package stream_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/stream"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// TestUsageOnce: what is recorded adds up to what the model was asked: in a run with a
// tool, and in two processes of which the second goes on with the session of the first. The
// mock behind the samples counts 100 tokens of input for the first request and 200 for the
// second, 7 of each read from a cache, and 11 and 12 of output.
func TestUsageOnce(t *testing.T) {
	t.Parallel()
	for _, program := range programs {
		input, output := int64(300), int64(23)
		switch program {
		case "opencode": // whose first request is for a title, and printed nowhere
			input, output = 200+300, 12+13
		case "claude": // there the cache is not a part of the input
			input = 300 + 14
		case "copilot": // it says nothing of tokens
			continue
		}
		samples := samplesOf(t, program)
		for _, scenario := range []string{"02b-partial", "03-tool", "09-resume"} {
			s, ok := samples[scenario]
			if !ok {
				continue
			}
			t.Run(program+"/"+scenario, func(t *testing.T) {
				t.Parallel()
				sum(t, inRuns(t, s), input, output)
				sum(t, record(t, s.all(), stream.Options{}), input, output) // and all as one
			})
		}
	}
}

// member returns a member of an entry that is to be, or of its message.
func member(i *stream.Item, name string) js.Value {
	if i.Type == session.TypeMessage {
		return js.Value(i.Message.Get(name))
	}
	for _, f := range i.Fields {
		if f.Name == name {
			return js.Value(f.Raw)
		}
	}
	return ""
}

// inRuns records each process of a sample for itself, each going on with the session of the one before.
func inRuns(t *testing.T, s sample) (all []*stream.Item) {
	t.Helper()
	totals := func(id string) js.Value {
		for _, i := range slices.Backward(all) {
			if details := member(i, "details"); details.Get("sessionId").Str() == id {
				return details
			}
		}
		return ""
	}
	for _, run := range s.runs {
		all = append(all, record(t, run, stream.Options{Totals: totals})...)
	}
	return all
}

// sum wants the usage of entries to add up.
func sum(t *testing.T, items []*stream.Item, input, output int64) {
	t.Helper()
	var in, out int64
	for _, i := range items {
		u := member(i, "usage")
		in, out = in+u.Get("input").Int()+u.Get("cacheRead").Int(), out+u.Get("output").Int()
	}
	if in != input || out != output {
		t.Errorf("input %d, output %d, want %d, %d", in, out, input, output)
	}
}

// TestUsageWhole: what is recorded adds up to what the stream counts in all: the steps of opencode, also that of a summary,
// and the results of qwen, also for sub-agents and for calls of which it prints nothing.
func TestUsageWhole(t *testing.T) {
	t.Parallel()
	for scenario, s := range samplesOf(t, "opencode") {
		if strings.HasPrefix(scenario, "14") { // no events
			continue
		}
		var input, output int64
		for line := range strings.Lines(string(s.all())) {
			if v := js.Value(strings.TrimSpace(line)); v.Get("type").Str() == "step_finish" {
				tokens := v.Get("part", "tokens")
				input += tokens.Get("input").Int() + tokens.Get("cache", "read").Int()
				output += tokens.Get("output").Int() + tokens.Get("reasoning").Int()
			}
		}
		t.Run("opencode/"+scenario, func(t *testing.T) { sum(t, inRuns(t, s), input, output) })
	}
	for scenario, s := range samplesOf(t, "qwen") {
		if strings.HasPrefix(scenario, "14") || scenario == "08b-sigint-tool" { // no events, or no result
			continue
		}
		var input, output int64
		for _, run := range s.runs {
			var last js.Value
			for line := range strings.Lines(string(run)) {
				if v := js.Value(strings.TrimSpace(line)); v.Get("type").Str() == "result" {
					last = v.Get("usage")
				}
			}
			input, output = input+last.Get("input_tokens").Int(), output+last.Get("output_tokens").Int()
		}
		t.Run("qwen/"+scenario, func(t *testing.T) {
			items := inRuns(t, s)
			sum(t, items, input, output)
			for _, i := range items {
				if i.Type == session.TypeUsage && (member(i, "model").Str() != "mock-model" || member(i, "provider").Str() != "qwen" || member(i, "kind").Str() != "rest") {
					t.Errorf("%v", i.Fields)
				}
			}
		})
	}
}

// TestCodexTurnWithoutAReply: what a turn used is recorded, though its last reply failed before.
func TestCodexTurnWithoutAReply(t *testing.T) {
	t.Parallel()
	const text = `{"type":"thread.started","thread_id":"019c0000-0000-7000-8000-000000000001"}
{"type":"turn.started"}
{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"half"}}
{"type":"error","message":"Reconnecting... 1/5"}
{"type":"turn.completed","usage":{"input_tokens":100,"cached_input_tokens":40,"output_tokens":7}}
{"type":"turn.started"}
{"type":"item.completed","item":{"id":"item_1","type":"agent_message","text":"whole"}}
{"type":"turn.completed","usage":{"input_tokens":300,"cached_input_tokens":40,"output_tokens":9}}
`
	first, _, _ := strings.Cut(text, `{"type":"item.completed","item":{"id":"item_1"`)
	begin, _, _ := strings.Cut(text, "\n")
	s := sample{runs: [][]byte{[]byte(first), []byte(begin + "\n" + strings.TrimPrefix(text, first))}}
	sum(t, inRuns(t, s), 300, 9)
	sum(t, record(t, []byte(text), stream.Options{}), 300, 9)
}

// TestUnknownBaseline: a thread that was begun long before the stream, and of which nothing
// is recorded, has a total that is not this stream's.
func TestUnknownBaseline(t *testing.T) {
	t.Parallel()
	s := samplesOf(t, "codex")["09-resume"]
	warned := ""
	o := stream.Options{
		Live: true, Now: func() int64 { return 1_895_323_000_000 },
		Warn: func(format string, args ...any) { warned += fmt.Sprintf(format, args...) },
	}
	items, err := stream.Decode(s.runs[1], o)
	if err != nil || !strings.Contains(warned, "was begun before") {
		t.Errorf("%v, warned of %q", err, warned)
	}
	messages := recorded(items)
	last := messages[len(messages)-1]
	if last.Get("usage") != "" || js.Value(last.Get("details")).Get("cumulativeUsage") == "" {
		t.Errorf("recorded %s", last.Raw())
	}
}

// TestEnds has how a stream says that a reply failed, was cut or was interrupted.
func TestEnds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ program, scenario, stop, text, message string }{
		{"claude", "07-fatal", "error", "", "API Error: 400 bad request x"},
		{"claude", "08-sigint-text", "aborted", "Once upon a time there was a fox who never finished this ", ""},
		{"codex", "07-fatal", "error", "", "bad request x"},
		{"codex", "15-length", "error", "Hello cut at the", "max_output_tokens"},
		{"copilot", "07-fatal", "error", "", "400 bad request x"},
		{"copilot", "08-sigint-text", "aborted", "Once upon a time there was a fox who never finished this ", ""},
		{"gemini", "07c-fatal-after-tool", "error", "", "bad request x"},
		{"gemini", "08-sigint-text", "aborted", "Once upon a time there was a fox who never finished this ", ""},
		{"omp-18", "08-sigint-text", "aborted", "Once upon a time", ""},
		{"opencode", "07c-fatal-after-tool", "error", "", "bad request x"},
		{"opencode", "15-length", "length", "Hello cut at the", ""},
		{"pi-0.73", "08-sigint-text", "aborted", "Once upon a time", ""},
		{"pi-0.87", "08c-sigterm-text", "aborted", "Once upon a time", ""},
		{"pi-0.87", "15-length", "length", "Hello cut at the", ""},
		{"qwen", "15-length", "stop", "Hello cut at theB", ""},
		{"qwen", "07-fatal", "error", "", "[API Error: 400 bad request x]"},
		{"qwen", "06b-stream-error", "error", "Hello half of", "[API Error: mock stream error]"},
	} {
		t.Run(c.program+"/"+c.scenario, func(t *testing.T) {
			t.Parallel()
			s := samplesOf(t, c.program)[c.scenario]
			for _, m := range recorded(record(t, s.runs[0], stream.Options{})) {
				if m.Role() == session.RoleAssistant && m.Str("stopReason") == c.stop && strings.HasPrefix(m.Text(""), c.text) &&
					(c.text != "" || m.Text("") == "") && strings.Contains(m.Str("errorMessage"), c.message) {
					return
				}
			}
			t.Errorf("no reply with %q, %q, %q", c.stop, c.text, c.message)
		})
	}
}

// TestClaudeOrder has the rule that a message goes on behind the results of its first calls.
func TestClaudeOrder(t *testing.T) {
	t.Parallel()
	var got []string
	for _, m := range recorded(record(t, samplesOf(t, "claude")["04b-slow-parallel"].all(), stream.Options{Prompt: "go"})) {
		for b := range m.Blocks() {
			got = append(got, m.Role()+" "+b.Type)
		}
	}
	want := "user text assistant text assistant toolCall assistant toolCall toolResult text toolResult text assistant text"
	if strings.Join(got, " ") != want {
		t.Errorf("got %s\nwant %s", strings.Join(got, " "), want)
	}
}

// TestCompactions has what becomes of a compaction: in force where the stream says what it
// keeps, or that it keeps nothing.
func TestCompactions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		program, scenario, summary string
		keeps                      bool
	}{
		{"claude", "10-compaction", "This session is being continued", false},
		{"claude", "10b-auto-compaction", "This session is being continued", true},
		{"opencode", "10-compaction", "MOCK SUMMARY of the chat", false},
	} {
		t.Run(c.program+"/"+c.scenario, func(t *testing.T) {
			t.Parallel()
			for _, i := range record(t, samplesOf(t, c.program)[c.scenario].all(), stream.Options{}) {
				if i.Type == session.TypeCompaction {
					if !strings.HasPrefix(js.Unquote(i.Fields[0].Raw), c.summary) || (i.Of != nil) != c.keeps {
						t.Errorf("%.100s, keeps %v", i.Fields[0].Raw, i.Of)
					}
					return
				}
			}
			t.Error("no compaction")
		})
	}
}

// TestPiCompaction: pi names what a compaction keeps by an id of its own file, so it is
// kept beside the conversation, and a warning says so.
func TestPiCompaction(t *testing.T) {
	t.Parallel()
	warned, kept := "", false
	items, err := stream.Decode(samplesOf(t, "pi-0.87")["10-compaction"].all(), stream.Options{
		Warn: func(format string, args ...any) { warned += fmt.Sprintf(format, args...) },
	})
	for _, i := range items {
		if i.Type == session.TypeCompaction {
			t.Error("a compaction is in force")
		}
		kept = kept || i.Type == session.TypeCustom && js.Unquote(i.Fields[0].Raw) == "sess-record:compaction"
	}
	if err != nil || !kept || !strings.Contains(warned, "does not say which messages it keeps") {
		t.Errorf("%v, kept %v, warned of %q", err, kept, warned)
	}
}
