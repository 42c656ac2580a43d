package claude_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/claude"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

var words = rapid.SampledFrom([]string{"a", "two\nlines", "é\u2028\"\\", "<b>", "x y ", "\x01", "{\"type\":\"text\"}"})

// generated makes a session of ours: branches, calls with their results, images,
// summaries, names.
func generated(t *rapid.T) *session.Session {
	var lines []string
	b := formats.NewBuilder("x", func(l string) error { lines = append(lines, l); return nil }, func(formats.Loss) {})
	must := func(id string, err error) string {
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	if err := b.Header(session.HeaderFields{ID: "s", Time: 1767323045000, CWD: "/w"}); err != nil {
		t.Fatal(err)
	}
	var safe []string // where a branch may begin
	at := int64(1767323045000)
	for n := range rapid.IntRange(0, 12).Draw(t, "entries") {
		at += 1000
		p := formats.Place{Key: fmt.Sprint(n), Time: at}
		if len(safe) > 0 && rapid.IntRange(0, 4).Draw(t, "branch") == 0 {
			p.Parent = rapid.SampledFrom(safe).Draw(t, "parent")
		}
		switch rapid.IntRange(0, 6).Draw(t, "kind") {
		case 0, 1:
			safe = append(safe, must(b.Message(p, api.User([]string{api.Text(words.Draw(t, "text"))}))))
		case 2:
			blocks := []string{api.Thinking(words.Draw(t, "thought"), "c2ln"), api.Text(words.Draw(t, "text"))}
			safe = append(safe, must(b.Message(p, api.Assistant(blocks, js.StringField("api", "anthropic-messages")))))
		case 3:
			var calls []string
			for k := range rapid.IntRange(1, 3).Draw(t, "calls") {
				calls = append(calls, api.ToolCall(fmt.Sprintf("toolu_%d_%d", n, k), "Bash", `{"n":1.50,"a":{}}`))
			}
			must(b.Message(p, api.Assistant(calls)))
			for k := range calls {
				failed := rapid.Bool().Draw(t, "failed")
				blocks := []string{api.Text(words.Draw(t, "result"))}
				if rapid.Bool().Draw(t, "image") {
					blocks = append(blocks, api.Image("image/png", "iVBORw0KGgo="))
				}
				id := must(b.Message(formats.Place{Key: fmt.Sprint(n, k)}, api.ToolResult(fmt.Sprintf("toolu_%d_%d", n, k), "Bash", blocks, failed)))
				if k == len(calls)-1 {
					safe = append(safe, id)
				}
			}
		case 4:
			safe = append(safe, must(b.Message(p, api.User([]string{api.Text("look"), api.Image("image/png", "iVBORw0KGgo=")}))))
		case 5:
			if p.Parent == "" && len(safe) > 0 {
				kept := ""
				if slices.Contains(safe, b.Leaf()) && rapid.Bool().Draw(t, "keep") {
					kept = b.Leaf()
				}
				safe = []string{must(b.Compaction(p, "summary of "+fmt.Sprint(n), kept, 100))}
			}
		case 6:
			must(b.Add(p, session.TypeSessionInfo, js.StringField("name", "name "+fmt.Sprint(n))))
		}
	}
	s := formatstest.Parse(t, strings.Join(lines, "\n")+"\n")
	return s
}

// Laws: what comes back of an export shows a model the same, has the same messages
// on all branches, the same name and times; and then exports to the same bytes.
func TestExportImports(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		s := generated(rt)
		if len(s.Entries) == 0 {
			return // which is refused
		}
		out := exported(rt, s)
		back, lost := imported(rt, out)
		if len(lost) > 0 {
			rt.Fatalf("%v", lost)
		}
		want, _ := shown(t, s)
		got, _ := shown(t, back)
		if diff := cmp.Diff(want, got); diff != "" {
			rt.Fatalf("%s%s", diff, out)
		}
		if diff := cmp.Diff(census(s), census(back)); diff != "" {
			rt.Fatalf("%s%s", diff, out)
		}
		if again := exported(rt, back); again != out {
			rt.Fatalf("%s", cmp.Diff(strings.Split(out, "\n"), strings.Split(again, "\n")))
		}
	})
}

// census counts what a session has on all branches.
func census(s *session.Session) map[string]int {
	out := map[string]int{"name " + session.NameOf(s.Header, s.Entries): 1}
	for _, e := range s.Entries {
		at, _ := e.Timestamp()
		switch e.Type() {
		case session.TypeMessage:
			m, _ := e.Message()
			out[fmt.Sprintf("%d %s %s", at, m.Role(), m.Get("content"))]++
		case session.TypeCompaction:
			out[fmt.Sprintf("%d %s", at, e.Str("summary"))]++
		}
	}
	return out
}

// exported returns the lines of a session of which nothing is lost.
func exported(t formatstest.T, s *session.Session) string {
	t.Helper()
	out, lost := formatstest.Export(t, claude.Claude, s, "")
	if len(lost) > 0 {
		t.Fatal(lost)
	}
	return out
}

// imported returns the session of lines.
func imported(t formatstest.T, text string) (*session.Session, []formats.Loss) {
	t.Helper()
	source := func() *formats.Source { return &formats.Source{Stdin: strings.NewReader(text)} }
	formatstest.UsedIn(t, claude.Claude, source())
	r := formatstest.One(t, claude.Claude, source())
	return r.Session(t), r.Losses
}

// Hostile sources are read or refused, with the file's name, and stay as they are.
func TestHostile(t *testing.T) {
	t.Parallel()
	sample := must.Read(t, samples(t)[0])
	const user = `{"parentUuid":%s,"isSidechain":false,"type":"user","message":{"role":"user","content":"x"},"uuid":%q,"timestamp":"2026-11-21T10:00:01.000Z","cwd":"/w","sessionId":"s1"}` + "\n"
	deep := strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000)
	tests := map[string]struct{ text, refused, lost string }{
		"empty":       {"", "no session of Claude Code", ""},
		"words":       {"hello\n", "no session of Claude Code", ""},
		"NULs":        {strings.Repeat("\x00", 500) + "\n" + sample, "", "not JSON, line of 500"},
		"torn":        {sample + `{"parentUuid":"x`, "", "torn last line of 16"},
		"fused":       {strings.Replace(sample, "}\n{", "}{", 1), "", "2 values on one line"},
		"deep":        {`{"a":` + deep + "}\n" + sample, "", "not JSON, line of"},
		"no UTF-8":    {fmt.Sprintf(strings.Replace(user, `"x"`, "\"\xff\"", 1), "null", "u1"), "", "invalid UTF-8"},
		"cycle":       {fmt.Sprintf(user, `"b"`, "a") + fmt.Sprintf(user, `"a"`, "b"), "", "cycle"},
		"self":        {fmt.Sprintf(user, `"a"`, "a"), "", "its parent is not in the file"},
		"twice":       {fmt.Sprintf(user, "null", "a") + fmt.Sprintf(user, "null", "a"), "", ""},
		"again":       {fmt.Sprintf(user, "null", "a") + fmt.Sprintf(user, `"a"`, "a"), "", "1 line has a uuid that another line has"},
		"no content":  {strings.ReplaceAll(fmt.Sprintf(user, "null", "a"), `"content":"x"`, `"parts":[]`), "", "a message without content"},
		"backwards":   {fmt.Sprintf(user, `"b"`, "c") + fmt.Sprintf(user, `"a"`, "b") + fmt.Sprintf(user, "null", "a"), "", ""},
		"numbers":     {`{"type":7,"uuid":8,"message":9,"parentUuid":10}` + "\n" + fmt.Sprintf(user, "null", "a"), "", ""},
		"odd content": {fmt.Sprintf(strings.Replace(user, `"x"`, `[7,{"type":"tool_result"},{"type":"video"},null]`, 1), "null", "a"), "", "content of type"},
		"no reply":    {`{"type":"assistant","uuid":"a","parentUuid":null,"sessionId":"s","message":{"id":"m","content":{"a":1},"usage":[],"stop_reason":4}}` + "\n", "", ""},
		"path as id":  {strings.ReplaceAll(fmt.Sprintf(user, "null", "a"), `"s1"`, `"../../x"`), "", ""},
		"strange ids": {fmt.Sprintf(user, "null", "../\n\"") + fmt.Sprintf(user, `"../\n\""`, " "), "", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := formatstest.File(t, "f.jsonl", tt.text)
			formatstest.UsedIn(t, claude.Claude, &formats.Source{Path: path})
			a := formatstest.Open(t, claude.Claude, &formats.Source{Path: path})
			for _, err := range a.List(t.Context(), formats.Query{}) {
				if tt.refused != "" && (err == nil || !strings.HasPrefix(err.Error(), path+": "+tt.refused)) || tt.refused == "" && err != nil {
					t.Fatalf("%v", err)
				}
			}
			if tt.refused != "" {
				return
			}
			told := ""
			for _, r := range formatstest.Import(t, claude.Claude, &formats.Source{Path: path}, false) {
				for _, l := range r.Losses {
					if !strings.HasPrefix(l.Where, path+":") {
						t.Errorf("lost at %s: %s", l.Where, l.What)
					}
					told += l.What
				}
			}
			if (tt.lost == "") != (told == "") || !strings.Contains(told, tt.lost) {
				t.Errorf("told %q", told)
			}
		})
	}
}

// FuzzImport's laws: nothing panics; what is imported is a session, twice the same;
// and unless something was lost, its export has the lines that came in.
func FuzzImport(f *testing.F) {
	for _, path := range samples(f) {
		if data := must.Read(f, path); len(data) < 8000 {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		a := formatstest.Open(t, claude.Claude, &formats.Source{Stdin: strings.NewReader(text)})
		for _, err := range a.List(t.Context(), formats.Query{}) {
			if err != nil {
				t.Skip()
			}
		}
		r := formatstest.Import(t, claude.Claude, &formats.Source{Stdin: strings.NewReader(text)}, false)[0]
		out, _ := formatstest.Export(t, claude.Claude, r.Session(t), "")
		if len(r.Losses) > 0 {
			return
		}
		var want []string
		for l := range strings.SplitSeq(text, "\n") {
			if l = strings.Trim(l, " \t\r"); l != "" {
				want = append(want, l)
			}
		}
		if got := strings.Split(strings.TrimSuffix(out, "\n"), "\n"); !cmp.Equal(want, got) {
			t.Error(cmp.Diff(want, got))
		}
	})
}
