package jqmap_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/all"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/test/drawn"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/pkg/js"
)

// What the maps of one agent have to do beyond their cases.

const copilotStart = `{"type":"session.start","data":{"sessionId":"s1","copilotVersion":"1.0.102","startTime":"2026-03-04T05:06:07.000Z","context":{"cwd":"/w/p"}},"id":"start","timestamp":"2026-03-04T05:06:07.000Z","parentId":null}`

// The title is that of the file beside the session, unless the file is not below the home.
func TestBesideOutside(t *testing.T) {
	t.Parallel()
	path := formatstest.File(t, "home/s1/events.jsonl", copilotStart+"\n")
	formatstest.Put(t, strings.TrimSuffix(path, "events.jsonl")+"workspace.yaml", "id: s1\nname: The parser\n")
	r := formatstest.One(t, format(t, "copilot"), source(path))
	if r.Info.Name != "The parser" || !strings.Contains(r.Text(), `"name":"The parser"`) {
		t.Errorf("%+v\n%s", r.Info, r.Text())
	}
	want(t, outline(t, r)[1:], "start: custom copilot:session.start < "+r.Session(t).Entries[0].ID())
	outside := formatstest.File(t, "secret", "name: secret\n")
	path = formatstest.File(t, "home/s2/events.jsonl", copilotStart+"\n")
	link(t, outside, strings.TrimSuffix(path, "events.jsonl")+"workspace.yaml")
	if r := formatstest.One(t, format(t, "copilot"), source(path)); r.Info.Name != "" {
		t.Errorf("a link that leads out of the home was followed: %q", r.Info.Name)
	}
	path = formatstest.File(t, "elsewhere/s3/events.jsonl", copilotStart+"\n")
	formatstest.Put(t, strings.TrimSuffix(path, "events.jsonl")+"workspace.yaml", "name: The parser\n")
	home := t.TempDir()
	link(t, filepath.Dir(path), filepath.Join(home, "s3"))
	if r := formatstest.One(t, format(t, "copilot"), source(home)); r.Info.Name != "The parser" {
		t.Errorf("the directory of the session is behind a link: titled %q", r.Info.Name)
	}
}

// The title is a scalar of YAML in any of its forms, on one line.
func TestTitleInYAML(t *testing.T) {
	t.Parallel()
	deep := "a: &a [x]\n"
	for i := range 30 {
		deep += fmt.Sprintf("a%d: &a%d [*a, *a]\n", i, i)
	}
	for yaml, want := range map[string]string{
		"name: The parser # of course\n":             "The parser",
		"name: \"a: \\u00e9\\t\\\"quoted\\\"\"\n":    "a: é\t\"quoted\"",
		"name: 'it''s'\n":                            "it's",
		"summary: |-\n  two\n  lines\n":              "two lines",
		"summary: >\n  two\n  lines\n":               "two lines",
		"name: plain\n  on two lines\nid: x\n":       "plain on two lines",
		"name: \"\"\nsummary: The other\n":           "The other",
		"name: null\nsummary: The other\n":           "The other",
		"summary: second\nname: first\n":             "first",
		"{\"name\": \"in JSON\"}\n":                  "in JSON",
		"name: 007\n":                                "007",
		"name: 2026-01-02\n":                         "2026-01-02",
		"name: &n same\nsummary: *n\n":               "same",
		"summary: *n\n":                              "", // no YAML
		"name: [a, list]\n":                          "",
		"nested:\n  name: inner\n":                   "",
		"\xef\xbb\xbfname: with a mark\r\nid: x\r\n": "with a mark",
		"---\nname: one document\n---\nname: two\n":  "one document",
		deep + "name: of aliases\n":                  "of aliases",
		"":                                           "",
	} {
		path := formatstest.File(t, "home/s1/events.jsonl", copilotStart+"\n")
		formatstest.Put(t, strings.TrimSuffix(path, "events.jsonl")+"workspace.yaml", yaml)
		if r := formatstest.One(t, format(t, "copilot"), source(path)); r.Info.Name != want {
			t.Errorf("%q is titled %q, want %q", yaml, r.Info.Name, want)
		}
	}
}

// The entries of a session add up to what was used, whether a shutdown counts all runs so far or its own.
func TestDrawnRuns(t *testing.T) {
	t.Parallel()
	f := format(t, "copilot")
	for _, r := range drawn.Cases(t, 500) {
		lines, alone, n := []string{copilotStart}, r.IntN(2) == 0, 0
		var all [3][3]int64 // of models: input with what a cache held, what it held, output
		var used [3]int64
		for range 1 + r.IntN(4) {
			run := all
			if alone {
				run = [3][3]int64{}
			}
			for range 1 + r.IntN(4) {
				m, in, out := r.IntN(3), 1+r.Int64N(1e6), 1+r.Int64N(1e4)
				call := [3]int64{in, r.Int64N(in), out}
				for i := range call {
					all[m][i], run[m][i], used[i] = all[m][i]+call[i], run[m][i]+call[i], used[i]+call[i]
				}
				n++
				lines = append(lines, fmt.Sprintf(`{"type":"assistant.message","data":{"content":"x","model":"m%d","outputTokens":%d},"id":"a%d","timestamp":"2026-03-04T05:06:08.000Z"}`, m, out, n))
			}
			var metrics []string
			for m, u := range run {
				metrics = append(metrics, fmt.Sprintf(`"m%d":{"usage":{"inputTokens":%d,"cacheReadTokens":%d,"outputTokens":%d}}`, m, u[0], u[1], u[2]))
			}
			n++
			lines = append(lines, fmt.Sprintf(`{"type":"session.shutdown","data":{"modelMetrics":{%s}},"id":"d%d","timestamp":"2026-03-04T05:06:09.000Z"}`, strings.Join(metrics, ","), n))
		}
		var got [3]int64
		models := map[string][3]int64{}
		for _, e := range read(t, f, "events.jsonl", lines...).Session(t).Entries {
			usage, model := js.Value(e.Get("usage")), e.Str("model")
			if m, ok := e.Message(); ok {
				usage, model = js.Value(m.Get("usage")), m.Str("model")
			}
			of := models[model]
			for i, v := range []int64{usage.Get("input").Int() + usage.Get("cacheRead").Int(), usage.Get("cacheRead").Int(), usage.Get("output").Int()} {
				got[i], of[i] = got[i]+v, of[i]+v
			}
			models[model] = of
		}
		for m, u := range all {
			if of := models[fmt.Sprintf("m%d", m)]; of != u || got != used {
				t.Fatalf("m%d used %v, want %v, and all %v, want %v; alone %v:\n%s", m, of, u, got, used, alone, strings.Join(lines, "\n"))
			}
		}
	}
}

const geminiStart = `{"sessionId":"s1","projectHash":"ab","startTime":"2026-03-04T05:06:07.000Z","kind":"main"}`

// said returns a message of Gemini CLI.
func said(typ, id, content string, more ...string) string {
	return fmt.Sprintf(`{"id":%q,"timestamp":"2026-03-04T05:06:08.000Z","type":%q,"content":%s%s}`, id, typ, content, strings.Join(more, ""))
}

const geminiTokens = `,"tokens":{"input":100,"output":10,"cached":40,"thoughts":3,"tool":2,"total":115}`

// Before 0.40 a session is one document, printed over many lines.
func TestGeminiDocument(t *testing.T) {
	t.Parallel()
	text := strings.TrimSuffix(geminiStart, "}") + `,"summary":"A title","messages":[` + said("user", "u1", `"hi"`) + "," + said("gemini", "g1", `"hello"`, geminiTokens) + `]}`
	var printed strings.Builder
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	e := json.NewEncoder(&printed)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	for _, source := range []string{text, printed.String()} {
		path := formatstest.File(t, "session-1.json", source)
		f, ok := formats.Detect([]formats.Format{format(t, "gemini")}, path, []byte(source))
		if !ok {
			t.Fatalf("it is not detected: %s", source)
		}
		r := formatstest.One(t, f, &formats.Source{Path: path})
		got := outline(t, r)[1:]
		head := r.Session(t).Entries[0].ID()
		title := r.Session(t).Entries[1].ID()
		want(t, got, title+": session_info A title < "+head, "u1: user hi < "+title, "g1: assistant hello < u1")
		if r.Info.ID != "s1" || r.Info.Name != "A title" || len(r.Losses) > 0 {
			t.Errorf("%+v %v", r.Info, r.Losses)
		}
	}
	for at := 1; at < len(text); at += 13 { // a part of a document is none
		path := formatstest.File(t, "session-1.json", text[:at])
		if results, err := formatstest.TryAll(t.Context(), format(t, "gemini"), source(path)); err == nil || !strings.Contains(err.Error(), path) || len(results) > 0 {
			t.Fatalf("%d bytes: %v, %v", at, results, err)
		}
	}
}

// chunk returns a line of Grok Build with a part of a message.
func chunk(kind, text, more string) string {
	return fmt.Sprintf(`{"method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"%s_chunk"%s,"content":{"type":"text","text":%q}}},"timestamp":1772600700}`, kind, more, text)
}

// Chunks are one message, however many there are, and four times as many allocate four times as much: copying the list
// for each would allocate sixteen times as much.
func TestGrokChunks(t *testing.T) { // not parallel: it counts what is allocated
	read := func(n int) uint64 {
		const first = `,"_meta":{"promptIndex":0}`
		lines := []string{chunk("user_message", "a", first), chunk("user_message", "b", first), chunk("agent_thought", "hm", "")}
		for range n {
			lines = append(lines, chunk("agent_message", "x", ""))
		}
		f := format(t, "grok")
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r := read(t, f, "updates.jsonl", lines...)
		runtime.ReadMemStats(&after)
		if text := r.Text(); !strings.Contains(text, `"text":"ab"`) || !strings.Contains(text, `"text":"`+strings.Repeat("x", n)+`"`) || len(r.Lines) != 3 {
			t.Errorf("%d chunks become\n%s", n, text)
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	if few, many := read(1_000), read(4_000); many > 6*few {
		t.Errorf("%d bytes are allocated for 1,000 chunks, %d for 4,000", few, many)
	}
}

// record returns a line of Qwen Code.
func record(uuid, parent, typ, more string) string {
	if parent != "null" {
		parent = `"` + parent + `"`
	}
	return fmt.Sprintf(`{"uuid":%q,"parentUuid":%s,"sessionId":"s1","timestamp":"2026-03-04T05:06:07.000Z","type":%q,"cwd":"/w/p"%s}`, uuid, parent, typ, more)
}

func parts(role, list string) string {
	return fmt.Sprintf(`,"message":{"role":%q,"parts":[%s]}`, role, list)
}

// Lines of Qwen Code look like Claude Code's, and are Qwen Code's.
func TestQwenIsNotClaude(t *testing.T) {
	t.Parallel()
	for name, head := range map[string]string{
		"user":   record("u1", "null", "user", parts("user", `{"text":"hi"}`)),
		"system": record("s1", "null", "system", `,"subtype":"session_context","isSidechain":false`) + "\n" + record("a1", "s1", "assistant", parts("model", `{"text":"hi"}`)),
	} {
		if f, ok := formats.Detect(all.Formats(), "s1.jsonl", []byte(head+"\n")); !ok || f.About().Name != "qwen" {
			t.Errorf("%s: %v", name, f)
		}
	}
	claude := `{"parentUuid":null,"isSidechain":false,"type":"user","message":{"role":"user","content":"about \"parts\":[ of things"},"uuid":"u","timestamp":"2026-03-04T05:06:07.000Z","sessionId":"s"}`
	if f, ok := formats.Detect(all.Formats(), "s.jsonl", []byte(claude+"\n")); !ok || f.About().Name != "claude" {
		t.Errorf("Claude Code's: %v", f)
	}
}

// Gemini's usage: input has what a cache held and not what tools took, output not the thoughts.
func geminiUsage(source string) (input, output int64) {
	seen := map[string]bool{}
	add := func(m js.Value) {
		u := m.Get("tokens")
		if seen[m.Get("id").Str()] || u == "" {
			return
		}
		seen[m.Get("id").Str()] = true
		input += u.Get("input").Int() + u.Get("tool").Int() - u.Get("cached").Int()
		output += u.Get("output").Int() + u.Get("thoughts").Int()
	}
	for line := range strings.Lines(source) {
		v := js.Value(strings.TrimSpace(line))
		add(v)
		for m := range v.Get("$set", "messages").Elements() {
			add(m)
		}
	}
	return input, output
}

// Kimi Code's usage: each record of it is one call.
func kimiUsage(source string) (input, output int64) {
	for line := range strings.Lines(source) {
		v := js.Value(strings.TrimSpace(line))
		if e := v.Get("event"); v.Get("type").Str() == "usage.record" || e.Get("uuid").Str() == "s5" && e.Get("type").Str() == "step.end" {
			u := v.Get("usage")
			if u == "" { // the one step of the sample that no record tells
				u = e.Get("usage")
			}
			input, output = input+u.Get("inputOther").Int(), output+u.Get("output").Int()
		}
	}
	return input, output
}

// Thoughts are counted among the candidates, or beside them: the total tells.
func qwenUsage(source string) (input, output int64) {
	for line := range strings.Lines(source) {
		v := js.Value(strings.TrimSpace(line))
		if u := v.Get("usageMetadata"); u != "" {
			input += u.Get("promptTokenCount").Int() - u.Get("cachedContentTokenCount").Int()
			output += u.Get("totalTokenCount").Int() - u.Get("promptTokenCount").Int()
		}
		if e := v.Get("systemPayload", "uiEvent"); strings.Contains(e.Get("prompt_id").Str(), "managed-") && e.Get("event.name").Str() == "qwen-code.api_response" {
			input += e.Get("input_token_count").Int() - e.Get("cached_content_token_count").Int()
			output += e.Get("output_token_count").Int()
		}
	}
	return input, output
}

// What requests of kimi-cli used is what wire.jsonl says of each once, whether their replies are in the session or not; a reply
// that is there has its own.
func TestDrawnKimiSteps(t *testing.T) {
	t.Parallel()
	f := format(t, "kimicli")
	for _, r := range drawn.Cases(t, 300) {
		wire, context := []string{`{"type":"metadata","protocol_version":"1.3"}`}, []string{`{"role":"_checkpoint","id":0}`}
		at, ids := 1772600700.5, 0
		event := func(typ, payload string) {
			at += float64(r.IntN(5000)) / 1000
			wire = append(wire, fmt.Sprintf(`{"timestamp":%f,"message":{"type":%q,"payload":%s}}`, at, typ, payload))
		}
		var used [4]int64
		own := map[string]int64{} // output by the id of a reply that is in the session
		for step := range 1 + r.IntN(20) {
			if r.IntN(3) == 0 {
				q := fmt.Sprintf("question %d", r.IntN(3))
				event("TurnBegin", fmt.Sprintf(`{"user_input":%q}`, q))
				context = append(context, fmt.Sprintf(`{"role":"user","content":%q}`, q))
			}
			event("StepBegin", `{"n":1}`)
			text := []string{"", "ok", fmt.Sprintf("step %d", step)}[r.IntN(3)]
			if text != "" {
				event("ContentPart", fmt.Sprintf(`{"type":"text","text":%q}`, text))
			}
			var calls, results []string
			for range r.IntN(3) {
				ids++
				id := fmt.Sprintf("Shell:%d", ids%4) // they begin anew
				calls = append(calls, fmt.Sprintf(`{"type":"function","id":%q,"function":{"name":"Shell","arguments":"{}"}}`, id))
				event("ToolCall", calls[len(calls)-1])
				results = append(results, id)
			}
			usage := [4]int64{r.Int64N(1e5), 1 + r.Int64N(1e4), r.Int64N(1e5), r.Int64N(100)}
			for i, n := range usage {
				used[i] += n
			}
			told := fmt.Sprintf(`{"input_other":%d,"output":%d,"input_cache_read":%d,"input_cache_creation":%d}`, usage[0], usage[1], usage[2], usage[3])
			if r.IntN(4) == 0 {
				event("StatusUpdate", fmt.Sprintf(`{"token_usage":{"input_other":1,"output":1},"message_id":"m%d"}`, step)) // before it is whole
			}
			event("StatusUpdate", fmt.Sprintf(`{"token_usage":%s,"message_id":"m%d"}`, told, step))
			there := text != "ok" && text != "" && r.IntN(4) > 0 // else replies that say the same stand for each other
			if there {
				own[fmt.Sprintf("m%d", step)] = usage[1]
				context = append(context, fmt.Sprintf(`{"role":"assistant","content":%q,"tool_calls":[%s]}`, text, strings.Join(calls, ",")))
			}
			for _, id := range results {
				event("ToolResult", fmt.Sprintf(`{"tool_call_id":%q,"return_value":{"is_error":false}}`, id))
				if there {
					context = append(context, fmt.Sprintf(`{"role":"tool","content":"x","tool_call_id":%q}`, id))
				}
			}
		}
		path := formatstest.File(t, "h/s1/context.jsonl", strings.Join(context, "\n")+"\n")
		formatstest.Put(t, filepath.Join(filepath.Dir(path), "wire.jsonl"), strings.Join(wire, "\n")+"\n")
		var got [4]int64
		for _, e := range formatstest.One(t, f, source(path)).Session(t).Entries {
			usage := js.Value(e.Get("usage"))
			if m, ok := e.Message(); ok {
				usage = js.Value(m.Get("usage"))
				if id := m.Str("responseId"); m.Role() == "assistant" {
					if usage.Get("output").Int() != own[id] {
						t.Fatalf("the reply %q used %s, want an output of %d", id, usage, own[id])
					}
					delete(own, id)
				}
			}
			for i, name := range []string{"input", "output", "cacheRead", "cacheWrite"} {
				got[i] += usage.Get(name).Int()
			}
		}
		if got != used || len(own) > 0 {
			t.Fatalf("used %v, want %v; replies without a usage: %v\n%s\n\n%s", got, used, own, strings.Join(wire, "\n"), strings.Join(context, "\n"))
		}
	}
}

// A wire.jsonl alone is no session, and says where that is.
func TestKimiWireAlone(t *testing.T) {
	t.Parallel()
	for _, lines := range []string{
		`{"type": "metadata", "protocol_version": "1.3"}` + "\n" + `{"timestamp": 1772600700.5, "message": {"type": "TurnBegin", "payload": {"user_input": "hi"}}}` + "\n",
		`{"type": "metadata", "protocol_version": "1.10"}` + "\n" + `{"timestamp": 1772600700, "message": {"type": "StepBegin", "payload": {"n": 1}}}` + "\n",
	} {
		path := formatstest.File(t, "h/s1/wire.jsonl", lines)
		f, ok := formats.Detect(all.Formats(), path, []byte(lines))
		if !ok || f.About().Name != "kimicli" {
			t.Fatalf("it is not detected: %v", f)
		}
		if results, err := formatstest.TryAll(t.Context(), f, source(path)); err == nil || !strings.Contains(err.Error(), "context.jsonl beside it") || len(results) > 0 {
			t.Errorf("%v, %v", results, err)
		}
	}
}
