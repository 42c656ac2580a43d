package opencode

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// read reads the session of an archive that an id means.
func read(t testing.TB, a formats.Archive, id string) formatstest.Result {
	t.Helper()
	info, err := formats.Find(t.Context(), a, id)
	if err != nil {
		t.Fatal(err)
	}
	return formatstest.Read(t, Format, a, info)
}

// msg returns a message of an export: the n-th, of a role, with parts.
func msg(n int, role string, more string, parts ...string) string {
	for i, p := range parts {
		parts[i] = fmt.Sprintf(`{"id":"prt_%02d%02d","messageID":"msg_%02d",%s}`, n, i, n, p)
	}
	required := `"agent":"build","model":{"providerID":"p","modelID":"m"}`
	if role == "assistant" {
		required = `"agent":"build","mode":"build","providerID":"p","modelID":"m","path":{"cwd":"/","root":"/"},"cost":0,"tokens":` + noTokens + `,"finish":"stop"`
	}
	return fmt.Sprintf(`{"info":{"id":"msg_%02d","role":%q,"time":{"created":%d},%s%s},"parts":[%s]}`, n, role, 1000+n, required, more, strings.Join(parts, ","))
}

func textPart(text string) string { return `"type":"text","text":"` + text + `"` }

func toolPart(call, output, times string) string {
	return fmt.Sprintf(`"type":"tool","callID":%q,"tool":"bash","state":{"status":"completed","input":{},"output":%q,"title":"","metadata":{},"time":{"start":1,"end":2%s}}`, call, output, times)
}

func answers(n int) string { return fmt.Sprintf(`,"parentID":"msg_%02d"`, n) }

// exportOf returns an export of messages.
func exportOf(more string, messages ...string) []byte {
	about := strings.TrimSuffix(strings.TrimPrefix(info, `"info":`), "}") + more + "}"
	return []byte(`{"info":` + about + `,"messages":[` + strings.Join(messages, ",") + `]}`)
}

// reversible holds an export to coming back as it was, but for how it is laid out.
func reversible(t *testing.T, data []byte, r formatstest.Result) {
	t.Helper()
	text, losses := export(t, r)
	var want, got any
	if err := errors.Join(json.Unmarshal(data, &want), json.Unmarshal([]byte(text), &got)); err != nil {
		t.Fatal(err)
	}
	for _, v := range []any{want, got} { // what opencode fills in
		about := v.(map[string]any)["info"].(map[string]any)
		for _, name := range []string{"cost", "tokens", "directory", "projectID"} {
			delete(about, name)
		}
		for _, m := range v.(map[string]any)["messages"].([]any) {
			delete(m.(map[string]any)["info"].(map[string]any), "sessionID")
			for _, p := range m.(map[string]any)["parts"].([]any) {
				delete(p.(map[string]any), "sessionID")
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || len(losses) > 0 {
		t.Errorf("it comes back otherwise, %q:\n%s", losses, diff)
	}
}

func check(t *testing.T, r formatstest.Result, losses int, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, said(t, r.Session(t))); diff != "" || len(r.Losses) != losses {
		t.Errorf("losses %v\n%s", r.Losses, diff)
	}
}

func messagesOf(entries []session.Entry) (out []session.Entry) {
	for _, e := range entries {
		if e.Type() == session.TypeMessage {
			out = append(out, e)
		}
	}
	return out
}

// compacted returns a compaction and its summary.
func compacted(n int, tail string) []string {
	if tail != "" {
		tail = `,"tail_start_id":"` + tail + `"`
	}
	return []string{
		msg(n, "user", "", `"type":"compaction","auto":true`+tail),
		msg(n+1, "assistant", answers(n)+`,"summary":true`, textPart(fmt.Sprint("summary ", n))),
	}
}

func TestOlderCompaction(t *testing.T) {
	t.Parallel()
	first := []string{msg(1, "user", "", textPart("one")), msg(2, "assistant", answers(1), textPart("two"))}
	between := []string{msg(5, "user", "", textPart("five")), msg(6, "assistant", answers(5), textPart("six"))}
	last := msg(9, "user", "", textPart("nine"))
	for name, c := range map[string]struct {
		tails [2]string
		said  []string
	}{
		"no tails":           {[2]string{"", ""}, []string{`["user","What did we do so far?"]`, `["assistant","summary 7"]`, `["user","nine"]`}},
		"tails":              {[2]string{"msg_02", "msg_05"}, []string{`["user","What did we do so far?"]`, `["assistant","summary 7"]`, `["user","five"]`, `["assistant","six"]`, `["user","nine"]`}},
		"older one kept":     {[2]string{"", "msg_02"}, []string{`["user","What did we do so far?"]`, `["assistant","summary 7"]`, `["assistant","two"]`, `["user","five"]`, `["assistant","six"]`, `["user","nine"]`}},
		"a tail that is not": {[2]string{"", "msg_77"}, []string{`["user","What did we do so far?"]`, `["assistant","summary 3"]`, `["user","five"]`, `["assistant","six"]`, `["user","What did we do so far?"]`, `["assistant","summary 7"]`, `["user","nine"]`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := exportOf("", slices.Concat(first, compacted(3, c.tails[0]), between, compacted(7, c.tails[1]), []string{last})...)
			r := importOne(t, data)
			check(t, r, 0, c.said...)
			reversible(t, data, r)
		})
	}
}

// Results that opencode has pruned are edits, in front of what was said after that.
func TestPruned(t *testing.T) {
	t.Parallel()
	data := exportOf("", msg(1, "user", "", textPart("one")), msg(2, "assistant", answers(1), toolPart("c", "long", `,"compacted":1003`), toolPart("d", "short", "")),
		msg(3, "user", "", textPart("three")), msg(4, "user", "", textPart("four")))
	r := importOne(t, data)
	check(t, r, 0, `["user","one"]`, `["assistant","",[["c","bash","{}"],["d","bash","{}"]]]`, `["tool","c","[Old tool result content cleared]"]`, `["tool","d","short"]`, `["user","three"]`, `["user","four"]`)
	reversible(t, data, r)
	var order []string
	for _, e := range r.Session(t).Entries {
		if e.Type() == session.TypeMessage || e.Type() == session.TypeContextEdit {
			order = append(order, e.Type()+" "+e.Role())
		}
	}
	if diff := cmp.Diff([]string{"message user", "message assistant", "message toolResult", "message toolResult", "context_edit ", "message user", "message user"}, order); diff != "" {
		t.Error(diff)
	}
}

// The results that opencode marks are those that are edited here.
func TestPrunedSamples(t *testing.T) {
	t.Parallel()
	n := 0
	for _, name := range []string{"genuine", "pruned-before"} {
		data := corpus.Session(t, "opencode/prune/"+name+".json")
		r := importOne(t, data)
		edits := strings.Count(r.Text(), `"type":"context_edit"`)
		if marks := strings.Count(string(data), `"compacted":`); edits != marks || marks == 0 {
			t.Errorf("%s: %d edits, %d marks", name, edits, marks)
		}
		n += edits
		text, _ := export(t, r)
		if strings.Count(text, `"compacted":`) != edits {
			t.Errorf("%s: other marks are written", name)
		}
	}
	t.Log(n, "edits")
}

// Replies that failed.
func TestFailures(t *testing.T) {
	t.Parallel()
	failure := func(name string) string {
		return answers(1) + `,"error":{"name":"` + name + `","data":{"message":"why"}}`
	}
	for name, c := range map[string]struct{ message, stop string }{
		"error":            {msg(2, "assistant", failure("APIError"), textPart("two")), "error"},
		"error at once":    {msg(2, "assistant", failure("UnknownError")), "error"},
		"aborted":          {msg(2, "assistant", failure("MessageAbortedError"), textPart("two")), "stop"},
		"aborted at once":  {msg(2, "assistant", failure("MessageAbortedError")), "aborted"},
		"aborted thinking": {msg(2, "assistant", failure("MessageAbortedError"), `"type":"reasoning","text":"hm","time":{"start":1}`), "aborted"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := exportOf("", msg(1, "user", "", textPart("one")), c.message)
			r := importOne(t, data)
			want := []string{`["user","one"]`}
			if c.stop == "stop" {
				want = append(want, `["assistant","two"]`)
			}
			check(t, r, 0, want...)
			reversible(t, data, r)
			messages := messagesOf(r.Session(t).Entries)
			m, _ := messages[1].Message()
			if m.Str("stopReason") != c.stop || m.Str("errorMessage") != "why" {
				t.Error(m.Raw())
			}
		})
	}
	// A reply of ours that was aborted says nothing to opencode's model either.
	ours := `{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}
{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"one","timestamp":1}}
{"type":"message","id":"b","parentId":"a","timestamp":"2026-01-02T03:04:07.000Z","message":{"role":"assistant","content":[{"type":"text","text":"two"}],"stopReason":"aborted","timestamp":1}}`
	text, losses := export(t, formatstest.Result{Lines: strings.Split(ours, "\n")})
	if !strings.Contains(text, "UnknownError") || len(losses) > 0 {
		t.Errorf("%q\n%s", losses, text)
	}
	check(t, importOne(t, []byte(text)), 0, `["user","one"]`)
}

// What was reverted is a branch; the session stands where it was reverted to.
func TestRevert(t *testing.T) {
	t.Parallel()
	talk := []string{
		msg(1, "user", "", textPart("one")), msg(2, "assistant", answers(1), textPart("two"), toolPart("c", "three", "")),
		msg(3, "user", "", textPart("four")), msg(4, "assistant", answers(3), textPart("five")),
	}
	for name, c := range map[string]struct {
		revert string
		said   []string
		left   int // messages on other branches
	}{
		"message":       {`{"messageID":"msg_03"}`, []string{`["user","one"]`, `["assistant","two",[["c","bash","{}"]]]`, `["tool","c","three"]`}, 2},
		"first message": {`{"messageID":"msg_01"}`, nil, 5},
		"part":          {`{"messageID":"msg_02","partID":"prt_0201"}`, []string{`["user","one"]`, `["assistant","two"]`}, 4},
		"first part":    {`{"messageID":"msg_02","partID":"prt_0200"}`, []string{`["user","one"]`}, 4},
		"unknown":       {`{"messageID":"msg_99"}`, []string{`["user","one"]`, `["assistant","two",[["c","bash","{}"]]]`, `["tool","c","three"]`, `["user","four"]`, `["assistant","five"]`}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := exportOf(`,"revert":`+c.revert, slices.Clone(talk)...)
			r := importOne(t, data)
			check(t, r, 0, c.said...)
			if name != "unknown" { // of which nothing is known to opencode either
				reversible(t, data, r)
			}
			s := r.Session(t)
			path := formatstest.Path(s)
			if left := len(messagesOf(s.Entries)) - len(messagesOf(path)); left != c.left {
				t.Errorf("%d messages on other branches", left)
			}
			more := append(slices.Clone(r.Lines), fmt.Sprintf(`{"type":"message","id":"next","parentId":%q,"timestamp":"2026-01-02T03:04:05.000Z","message":{"role":"user","content":"on","timestamp":1}}`, path[len(path)-1].ID()))
			text, losses := export(t, formatstest.Result{Lines: more})
			if strings.Contains(text, `"revert"`) || c.left > 0 && (len(losses) == 0 || !strings.Contains(losses[0], fmt.Sprint(c.left, " message"))) || strings.Contains(text, `"four"`) != (c.left == 0) {
				t.Errorf("going on, %q:\n%s", losses, text)
			}
			check(t, importOne(t, []byte(text)), 0, append(slices.Clone(c.said), `["user","on"]`)...)
		})
	}
}

// A fork has ids of its own, so that opencode takes it for another session.
func TestFork(t *testing.T) {
	t.Parallel()
	data := exports(t)["genuine-05-compacted-auto-e03e51aedffeSpAUGWhbkIFG5n.json"]
	r := importOne(t, data)
	fork := slices.Clone(r.Lines)
	fork[0] = strings.Replace(fork[0], "ses_e03e51aedffeSpAUGWhbkIFG5n", "01a1fc13-4173-73d3-8273-e3e1ca1285c1", 1)
	first, _ := export(t, r)
	second, losses := export(t, formatstest.Result{Lines: fork})
	importable(t, second)
	for _, id := range regexp.MustCompile(`"(?:ses|msg|prt)_[^"]*"`).FindAllString(first, -1) {
		if strings.Contains(second, id) {
			t.Errorf("%s is in the fork too", id)
		}
	}
	if diff := cmp.Diff(said(t, r.Session(t)), said(t, importOne(t, []byte(second)).Session(t))); diff != "" || len(losses) > 0 {
		t.Errorf("%q\n%s", losses, diff)
	}
}

// Entries that are no longer those of their message: what is there is written.
func TestEditedByHand(t *testing.T) {
	t.Parallel()
	r := importOne(t, exportOf("", msg(1, "user", "", textPart("one")), msg(2, "assistant", answers(1), textPart("two"), toolPart("c", "three", "")), msg(3, "user", "", textPart("four"))))
	for name, c := range map[string]struct {
		old, new string
		said     []string
	}{
		"another text":   {`"text":"two"`, `"text":"deux"`, []string{`["user","one"]`, `["assistant","deux",[["c","bash","{}"]]]`, `["tool","c","three"]`, `["user","four"]`}},
		"another result": {`"text":"three"`, `"text":"trois"`, []string{`["user","one"]`, `["assistant","two",[["c","bash","{}"]]]`, `["tool","c","trois"]`, `["user","four"]`}},
		"failed":         {`"isError":false`, `"isError":true`, []string{`["user","one"]`, `["assistant","two",[["c","bash","{}"]]]`, `["tool","c","three"]`, `["user","four"]`}},
		"another call":   {`"name":"bash"`, `"name":"zsh"`, []string{`["user","one"]`, `["assistant","two",[["c","zsh","{}"]]]`, `["tool","c","three"]`, `["user","four"]`}},
		"no result":      {`"type":"message","id":"prt_0201"`, `"type":"note","id":"prt_0201"`, []string{`["user","one"]`, `["assistant","two",[["c","bash","{}"]]]`, `["tool","c","No result provided"]`, `["user","four"]`}},
		"no reply":       {`"type":"message","id":"msg_02"`, `"type":"note","id":"msg_02"`, []string{`["user","one"]`, `["user","four"]`}},
		"not kept":       {`"kept":{"opencode"`, `"kept":{"other"`, []string{`["user","one"]`, `["assistant","two",[["c","bash","{}"]]]`, `["tool","c","three"]`, `["user","four"]`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lines := slices.Clone(r.Lines)
			for i := range lines {
				lines[i] = strings.ReplaceAll(lines[i], c.old, c.new)
			}
			changed := formatstest.Result{Lines: lines}
			if slices.Equal(lines, r.Lines) {
				t.Fatal("nothing changed")
			}
			if diff := cmp.Diff(c.said, said(t, changed.Session(t))); diff != "" {
				t.Fatalf("sess-path says otherwise:\n%s", diff)
			}
			text, _ := export(t, changed)
			importable(t, text)
			check(t, importOne(t, []byte(text)), 0, c.said...)
		})
	}
}

// A session has a total of its own: what it has more than its messages is an entry for it, and what it has less is said.
func TestTotalOfSession(t *testing.T) {
	t.Parallel()
	used := func(input int) string {
		return fmt.Sprintf(`"cost":1,"tokens":{"input":%d,"output":2,"reasoning":1,"cache":{"read":4,"write":0}}`, input)
	}
	messages := []string{msg(1, "user", "", textPart("q")), msg(2, "assistant", `,"parentID":"msg_01",`+used(100), textPart("a"))}
	for name, tt := range map[string]struct {
		about string
		want  []string
	}{
		"none":     {"", nil},
		"zero":     {`,"cost":0,"tokens":{"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}}`, nil},
		"equal":    {"," + used(100), nil},
		"more":     {"," + used(150), []string{"rest 50/0"}},
		"less":     {"," + used(70), []string{"rest 0/77 of 107"}},
		"no usage": {`,"cost":0,"tokens":7`, nil},
	} {
		data := exportOf(tt.about, messages...)
		r := importOne(t, data)
		var got []string
		for _, e := range r.Session(t).Entries {
			if usage := js.Value(e.Get("usage")); e.Type() == session.TypeUsage {
				line := fmt.Sprintf("%s %d/%d", js.Value(e.Get("kind")).Str(), usage.Get("input").Int(), usage.Get("totals", "total").Int())
				if parts := usage.Get("totals", "parts"); parts != "" {
					line += " of " + string(parts)
				}
				got = append(got, line)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
		reversible(t, data, r)
	}
}

// What a message used is all that its steps used, also of one that said nothing, and of the summary of a compaction.
func TestUsageOfSteps(t *testing.T) {
	t.Parallel()
	const start = `"type":"step-start"`
	ended := func(input int) string {
		return fmt.Sprintf(`"type":"step-finish","reason":"stop","cost":0.5,"tokens":{"input":%d,"output":2,"reasoning":1,"cache":{"read":4,"write":0}}`, input)
	}
	last := func(input int) string {
		return fmt.Sprintf(`,"parentID":"msg_01","cost":1,"tokens":{"input":%d,"output":2,"reasoning":1,"cache":{"read":4,"write":0}}`, input)
	}
	both := func(input int) string { // of two steps
		return strings.NewReplacer(`"output":2`, `"output":4`, `"reasoning":1`, `"reasoning":2`, `"read":4`, `"read":8`).Replace(last(input))
	}
	asked := msg(1, "user", "", textPart("q"))
	for name, tt := range map[string]struct {
		messages []string
		want     []string
	}{
		"one step":                 {[]string{asked, msg(2, "assistant", last(100), start, textPart("a"), ended(100))}, []string{"message 100"}},
		"two steps":                {[]string{asked, msg(2, "assistant", last(20), start, textPart("a"), ended(100), start, textPart("b"), ended(20))}, []string{"message 100", "message 20"}},
		"a silent step in front":   {[]string{asked, msg(2, "assistant", last(20), start, ended(100), start, textPart("b"), ended(20))}, []string{"message 20", "usage 100"}},
		"a silent step at the end": {[]string{asked, msg(2, "assistant", last(20), start, textPart("a"), ended(100), start, ended(20))}, []string{"message 100", "usage 20"}},
		"a silent step in between": {[]string{asked, msg(2, "assistant", last(3), start, textPart("a"), ended(100), start, ended(20), start, textPart("b"), ended(3))}, []string{"message 100", "message 3", "usage 20"}},
		"nothing said":             {[]string{asked, msg(2, "assistant", last(20), start, ended(100), start, ended(20))}, []string{"message 20", "usage 100"}},
		"less than its step":       {[]string{asked, msg(2, "assistant", last(20), start, textPart("a"), ended(100))}, []string{"message 100", "differ 27 of 107"}},
		"less than its steps":      {[]string{asked, msg(2, "assistant", last(30), start, textPart("a"), ended(100), start, textPart("b"), ended(20))}, []string{"message 100", "message 20", "differ 37 of 134"}},
		"all of its steps":         {[]string{asked, msg(2, "assistant", both(120), start, textPart("a"), ended(100), start, textPart("b"), ended(20))}, []string{"message 100", "message 20"}},
		"more than its step":       {[]string{asked, msg(2, "assistant", last(130), start, textPart("a"), ended(100))}, []string{"message 130"}},
		"more than its steps":      {[]string{asked, msg(2, "assistant", both(150), start, textPart("a"), ended(100), start, textPart("b"), ended(20))}, []string{"message 100", "message 20", "usage 30"}},
		"a cost that is none":      {[]string{asked, msg(2, "assistant", last(100)+`,"cost":{"usd":1}`, start, textPart("a"))}, []string{"message 100"}},
		"a summary that was tried again": {[]string{
			asked, msg(2, "user", "", `"type":"compaction","auto":false`),
			msg(3, "assistant", strings.Replace(last(20), "msg_01", "msg_02", 1)+`,"summary":true`, start, ended(100), start, textPart("S"), ended(20)),
		}, []string{"compaction 120"}},
	} {
		data := exportOf("", tt.messages...)
		r := importOne(t, data)
		var got []string
		for _, e := range r.Session(t).Entries {
			usage := js.Value(e.Get("usage"))
			if m, ok := e.Message(); ok {
				usage = js.Value(m.Get("usage"))
			}
			if n := usage.Get("input").Int(); n > 0 {
				got = append(got, fmt.Sprintf("%s %d", e.Type(), n))
			}
			if both := usage.Get("totals"); both != "" {
				got = append(got, fmt.Sprintf("differ %d of %d", both.Get("total").Int(), both.Get("parts").Int()))
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
		if name != "a cost that is none" { // a member that is there twice
			reversible(t, data, r)
		}
	}
}

// A title that says when the session was begun is none, in a list and in the session; an export gives it back.
func TestUntitled(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{
		"New session - 2026-11-21T03:15:00.591Z":            "",
		"Child session - 2026-11-21T03:15:00.591Z":          "",
		"New session - 2026-11-21":                          "New session - 2026-11-21",
		"Review the New session - 2026-11-21T03:15:00.591Z": "Review the New session - 2026-11-21T03:15:00.591Z",
		"Parse the dates":                                   "Parse the dates",
	} {
		about := js.Value(js.Object(js.StringField("id", "ses_1"), js.StringField("title", title)))
		if got := header(about).Title; got != want {
			t.Errorf("%s: the title %q", title, got)
		}
	}
}
