package exchange

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

func schema(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

// export returns what a format makes of a session, and what is lost.
func export(t *testing.T, name string, s *session.Session, change func(*formats.Target)) (text string, losses []formats.Loss, err error) {
	t.Helper()
	f, ok := formats.Lookup(Formats(), name)
	if !ok {
		t.Fatal(name)
	}
	var out strings.Builder
	target := formats.NewTarget(func(l formats.Loss) { losses = append(losses, l) })
	target.Out = &out
	if versions := f.About().Versions; len(versions) > 0 {
		target.Version = versions[0]
	}
	if change != nil {
		change(target)
	}
	err = f.Export(t.Context(), s, target)
	return out.String(), losses, err
}

// eachSession visits the sessions of pi and of oh-my-pi in testdata.
func eachSession(t *testing.T, visit func(name string, s *session.Session)) {
	t.Helper()
	n := 0
	for _, path := range slices.Concat(corpus.PiSessions(t), corpus.Sessions(t, "omp")) {
		s, err := corpus.Read(t, path)
		if err != nil || !slices.ContainsFunc(s.Entries, func(e session.Entry) bool { _, ok := e.Message(); return ok }) {
			continue
		}
		n++
		visit(path, s)
	}
	if n < 20 {
		t.Fatalf("only %d sessions", n)
	}
}

// What is written is what the schema of its readers allows, of every session.
func TestSchemas(t *testing.T) {
	t.Parallel()
	for _, f := range Formats() {
		name := f.About().Name
		compiled := schema(t, name)
		eachSession(t, func(path string, s *session.Session) {
			for _, content := range []bool{false, true} {
				if content && !f.About().Content {
					continue
				}
				text, _, err := export(t, name, s, func(t *formats.Target) { t.Content = content })
				if err != nil {
					t.Errorf("%s of %s: %v", name, path, err)
					return
				}
				v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
				if err == nil {
					err = compiled.Validate(v)
				}
				if err != nil {
					t.Errorf("%s of %s: %v", name, path, err)
				}
			}
		})
	}
}

// A trajectory is numbered without gaps, its results answer calls of their own step, and its sums are those of its steps and of the calls beside them.
func TestTrajectories(t *testing.T) {
	t.Parallel()
	type call struct {
		ID string `json:"tool_call_id"`
	}
	type trajectory struct {
		Steps []struct {
			ID          int    `json:"step_id"`
			Calls       []call `json:"tool_calls"`
			Observation struct {
				Results []struct {
					Call *string `json:"source_call_id"`
				}
			}
			Metrics struct {
				Prompt int64 `json:"prompt_tokens"`
			}
		}
		Final struct {
			Prompt int64 `json:"total_prompt_tokens"`
			Steps  int   `json:"total_steps"`
		} `json:"final_metrics"`
	}
	calls := 0
	eachSession(t, func(path string, s *session.Session) {
		text, _, err := export(t, "atif", s, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got trajectory
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatal(err)
		}
		var prompt int64
		for i, step := range got.Steps {
			if prompt += step.Metrics.Prompt; step.ID != i+1 {
				t.Errorf("%s: step %d is number %d", path, i+1, step.ID)
			}
			for _, r := range step.Observation.Results {
				if r.Call == nil {
					continue
				}
				calls++
				if !slices.Contains(step.Calls, call{*r.Call}) {
					t.Errorf("%s: step %d has a result of %s, and no such call", path, step.ID, *r.Call)
				}
			}
		}
		leaf, _ := s.Leaf()
		entries, _ := s.Path(leaf)
		for _, e := range entries { // summaries, and calls that were made aside
			if usage := js.Value(e.Get("usage")); e.Type() != session.TypeMessage && e.Type() != session.TypeCustom {
				prompt += usage.Get("input").Int() + usage.Get("cacheRead").Int() + usage.Get("cacheWrite").Int()
			}
		}
		if got.Final.Prompt != prompt || got.Final.Steps != len(got.Steps) {
			t.Errorf("%s: %d tokens and %d steps, want %d and %d", path, got.Final.Prompt, got.Final.Steps, prompt, len(got.Steps))
		}
	})
	if calls < 20 {
		t.Errorf("only %d results", calls)
	}
}

// Spans form a tree with one root, have the conversation's id, and are the same each time. Without --content none has a word of
// what was said.
func TestSpans(t *testing.T) {
	t.Parallel()
	const said = "a word that nobody else says"
	s := corpus.ParseText(t, corpus.Join(
		`{"type":"session","version":3,"id":"01a1","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}`,
		corpus.Line("session_init", "a0", "", `"systemPrompt":"`+said+`","tools":["bash"]`),
		corpus.Line("message", "a1", "a0", `"message":{"role":"user","content":"`+said+`"}`),
		corpus.Line("message", "a2", "a1", `"message":{"role":"assistant","provider":"p","model":"m","stopReason":"toolUse","usage":{"input":1,"output":2,"cacheRead":4,"cacheWrite":8},"content":[{"type":"thinking","thinking":"`+said+`"},{"type":"text","text":"`+said+`"},{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"`+said+`"}}]}`),
		corpus.Line("message", "a3", "a2", `"message":{"role":"toolResult","toolCallId":"c1","toolName":"bash","isError":true,"content":[{"type":"text","text":"`+said+`"}]}`),
		corpus.Line("message", "a4", "a3", `"message":{"role":"toolResult","toolCallId":"gone","toolName":"bash","content":[{"type":"text","text":"`+said+`"}]}`),
	))
	text, losses, err := export(t, "otlp", s, nil)
	if err != nil || strings.Contains(text, said) {
		t.Errorf("%v: %s", err, text)
	}
	if len(losses) != 1 {
		t.Errorf("%v", losses)
	}
	again, _, _ := export(t, "otlp", s, nil)
	if text != again {
		t.Error("another time it is another text")
	}
	full, _, _ := export(t, "otlp", s, func(t *formats.Target) { t.Content = true })
	if n := strings.Count(full, said); n != 7 { // system, user, answer: 3, arguments, result
		t.Errorf("said %d times: %s", n, full)
	}
	for _, want := range []string{
		`"key":"gen_ai.usage.input_tokens","value":{"intValue":"13"}`, `"key":"error.type","value":{"stringValue":"tool_error"}`, `"name":"invoke_agent sess"`, `"name":"chat m"`, `"name":"execute_tool bash"`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
	eachSession(t, func(path string, s *session.Session) {
		text, _, err := export(t, "otlp", s, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			ResourceSpans []struct {
				ScopeSpans []struct {
					Spans []struct {
						SpanID, ParentSpanID string
						Attributes           []struct{ Key string }
					}
				}
			}
		}
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatal(err)
		}
		ids, roots := map[string]bool{}, 0
		for _, span := range got.ResourceSpans[0].ScopeSpans[0].Spans {
			if span.ParentSpanID == "" {
				roots++
			} else if !ids[span.ParentSpanID] {
				t.Errorf("%s: a span whose parent is not in front of it", path)
			}
			if ids[span.SpanID] {
				t.Errorf("%s: two spans %s", path, span.SpanID)
			}
			ids[span.SpanID] = true
			if !slices.ContainsFunc(span.Attributes, func(a struct{ Key string }) bool { return a.Key == "gen_ai.conversation.id" }) {
				t.Errorf("%s: a span without the conversation's id", path)
			}
		}
		if roots != 1 {
			t.Errorf("%s: %d roots", path, roots)
		}
	})
}

// A trajectory has the version of the agent that its newest line names, and the cost of the path, unless that is not known.
func TestVersionAndCost(t *testing.T) {
	t.Parallel()
	kept := func(line string) string { return `"kept":{"AGENT":{"lines":[` + line + `]}}` }
	for _, tt := range []struct{ agent, old, line string }{
		{"claude", `{"type":"user","version":"2.0.1"}`, `{"type":"assistant","version":"2.1.332"}`},
		{"codex", `{}`, `{"type":"session_meta","payload":{"cli_version":"2.1.332"}}`},
		{"copilot", `{}`, `{"type":"session.start","data":{"copilotVersion":"2.1.332"}}`},
		{"claude", `{"version":"2.1.332"}`, `{"version":3}`},
	} {
		s := corpus.ParseText(t, strings.ReplaceAll(corpus.Join(
			`{"type":"session","version":3,"id":"01a1","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}`,
			corpus.Line("custom", "a0", "", `"customType":"`+tt.agent+`:line",`+kept(tt.old)),
			corpus.Line("message", "a1", "a0", `"message":{"role":"user","content":"hi"},`+kept(tt.line)),
			corpus.Line("message", "a2", "a1", `"message":{"role":"assistant","content":[],"usage":{"input":1,"cost":{"total":0.5}}}`),
			corpus.Line("message", "b2", "a1", `"message":{"role":"assistant","content":[],"usage":{"input":1,"cost":{"total":0.5}}}`),
		), "AGENT", tt.agent))
		price := func(usd float64, why error) func(*formats.Target) {
			return func(t *formats.Target) {
				t.Price = func(_ context.Context, lines jsonl.Content) (float64, error) {
					if n := len(lines); n != 4 {
						why = fmt.Errorf("%d lines of the path", n)
					}
					return usd, why
				}
			}
		}
		text, _, err := export(t, "atif", s, price(1.25, nil))
		if err != nil || !strings.Contains(text, `"version":"2.1.332"`) || !strings.Contains(text, `"total_cost_usd":1.25`) {
			t.Errorf("%s: %v: %s", tt.agent, err, text)
		}
		text, losses, err := export(t, "atif", s, price(0, errors.New("1 call has no price")))
		if err != nil || strings.Contains(text, "total_cost_usd") || !strings.Contains(fmt.Sprint(losses), "1 call has no price") {
			t.Errorf("%s without a price: %v, %v: %s", tt.agent, err, losses, text)
		}
	}
}

// Versions, tools and the system prompt of a session_init are there.
func TestInit(t *testing.T) {
	t.Parallel()
	s := corpus.ParseText(t, corpus.Join(
		`{"type":"session","version":3,"id":"01a1","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}`,
		corpus.Line("session_init", "a0", "", `"systemPrompt":"Be brief.","tools":["read",{"name":"bash","description":"runs","inputSchema":{"type":"object"}}]`),
		corpus.Line("message", "a1", "a0", `"message":{"role":"user","content":"hi"}`),
		corpus.Line("message", "a2", "a1", `"message":{"role":"assistant","content":[],"usage":{"input":1,"cost":{"total":0}}}`),
	))
	old, _, _ := export(t, "atif", s, nil)
	line, _, _ := export(t, "sft", s, nil)
	if strings.Contains(old, "cost_usd") {
		t.Errorf("a cost that nobody knows: %s", old)
	}
	for text, wants := range map[string][]string{
		old:  {`"ATIF-v1.7"`, `"message":"Be brief.","source":"system","step_id":1`, `{"function":{"name":"read"},"type":"function"}`, `"parameters":{"type":"object"}`},
		line: {`{"messages":[{"content":"Be brief.","role":"system"},{"content":"hi","role":"user"},{"content":"","role":"assistant"}],"tools":[{"function":{"name":"read"}`},
	} {
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("no %s in %s", want, text)
			}
		}
	}
	if _, _, err := export(t, "sft", corpus.ParseText(t, corpus.Join(`{"type":"session","version":3,"id":"01a1"}`)), nil); err == nil {
		t.Error("an empty session is exported")
	}
	f, _ := formats.Lookup(Formats(), "atif")
	if _, err := f.Open(t.Context(), nil); err == nil {
		t.Error("a format that is only written is read")
	}
}
