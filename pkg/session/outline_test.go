package session_test

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/pkg/session"
)

// shape is what a session says of how it hangs together.
func shape(s *session.Session) map[string]any {
	var entries []any
	for i, e := range s.Entries {
		parent, _ := s.Parent(i)
		ms, ok := e.Timestamp()
		var calls []string
		role, answers, foreign := "", "", ""
		if m, is := e.Message(); is {
			role, answers, foreign = m.Role(), m.Str("toolCallId"), m.Foreign()
			for _, c := range m.ToolCalls() {
				calls = append(calls, c.ID)
			}
		}
		entries = append(entries, []any{
			e.Line(), e.Offset(), e.Type(), e.ID(), e.ParentID(), parent, ms, ok, role, answers, foreign, calls,
			e.Str("targetId"), e.Str("firstKeptEntryId"),
		})
	}
	newest, _ := s.NewestMessage()
	longest, _ := s.Longest()
	return map[string]any{
		"entries": entries, "problems": s.Problems, "heads": s.Heads(), "newest": newest, "longest": longest,
		"header": s.Header.Raw(), "lines": s.Lines, "torn": s.Torn,
	}
}

// The outline of a session says the same of its tree as all of it.
func skimAgrees(t *testing.T, data []byte) {
	t.Helper()
	want, werr := session.Read(bytes.NewReader(data))
	got, gerr := session.ReadOutline(bytes.NewReader(data))
	if diff := cmp.Diff(werr, gerr); diff != "" {
		t.Fatalf("(-read +skim)\n%s", diff)
	}
	if werr != nil {
		return
	}
	if diff := cmp.Diff(shape(want), shape(got)); diff != "" {
		t.Errorf("(-read +skim)\n%s", diff)
	}
	for i, e := range want.Entries {
		for j, f := range want.Entries[:i] {
			if e.SameLine(f) != got.Entries[i].SameLine(got.Entries[j]) {
				t.Errorf("entries %d and %d are the same to one alone", j, i)
			}
		}
		if i > 50 {
			break
		}
	}
}

func TestReadOutline(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"pi/sessions", "omp"} {
		for _, file := range corpus.Sessions(t, dir) {
			skimAgrees(t, corpus.Session(t, file))
		}
	}
}

func FuzzReadOutline(f *testing.F) {
	for _, file := range corpus.Sessions(f, "omp") {
		if data := corpus.Session(f, file); len(data) < 10_000 {
			f.Add(data)
		}
	}
	const header = `{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/"}` + "\n"
	for _, line := range []string{
		`{"type":"message","id":"a","parentId":null,"message":{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"n","arguments":{}}]}}`,
		` {"id":"a", "message" : { "role" : "toolResult" , "toolCallId" : "c" , "content" : "x" } , "type" : "message" } `,
		`{"type":"message","id":"a","\u006dessage":{"role":"user"},"message":5}`,
		`{"type":"message","id":"a","message":{"role":"user","role":"assistant","content":[{"type":"text"},{"type":"toolCall"}],"content":"x"}}`,
		`{"type":"message","id":"a","message":{"role":"user","timestamp":7},"timestamp":"2026-01-02T03:04:05.000Z"}`,
		`{"type":"message","id":"a","message":{"role":"assistant","content":[{"type":"toolCall","id":"c"},{"type":"tool_use","id":"d"},{"type":"x"}],"tool_calls":[{"type":"y"}],"usage":{"prompt_tokens":3}}}`,
		`{"type":"message","id":"a","message":{"role":"user","content":[{"type":"image","source":{}},"x",{"t\u0079pe":"text"}],"content":[{"type":"thinking","signature":"s"}],"details":[{"type":"z"}]}}`,
		`{"type":"message","id":"a","message":{"role":"assistant","content":[[{"type":"x"}],{"data":1,"type":"image"},{"type":5}],"usage":{"input":3},"usage":{"x":1}}}`,
		`{}`, `{"message":{}}`, `{"message":[],"id":"x"}`,
	} {
		f.Add([]byte(header + line + "\n" + line + "\n"))
	}
	f.Fuzz(func(t *testing.T, data []byte) { skimAgrees(t, data) })
}

// TestReadCut: what is cut is not kept, and the session says the same of its tree.
func TestReadCut(t *testing.T) {
	t.Parallel()
	const header = `{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/"}` + "\n"
	line := func(id, text string) string {
		return `{"type":"message","id":"` + id + `","parentId":null,"message":{"role":"user","content":"` + text + `"}}` + "\n"
	}
	data := []byte(header + line("a", "one") + line("a", "two") + line("b", "one") + line("b", "one") + " \n[1]\n" + line("c", strings.Repeat("x", 300_000)) + line("d", "\xff") + `{"torn`)
	many := header
	for i := range 4000 { // more than one block
		many += line(fmt.Sprint("n", i), strings.Repeat("n", 200))
	}
	data = append([]byte(many), data[len(header):]...)
	short := regexp.MustCompile(`"content":"[^"]*"`)
	whole, err := session.Read(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for name, cut := range map[string]func(string) string{
		"nothing": func(line string) string { return line },
		"texts":   func(line string) string { return short.ReplaceAllString(line, `"content":""`) },
	} {
		got, err := session.ReadCut(bytes.NewReader(data), cut)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(shape(whole), shape(got)); diff != "" {
			t.Errorf("%s (-whole +cut)\n%s", name, diff)
		}
		for i, e := range got.Entries {
			if want := cut(whole.Entries[i].Raw()); e.Raw() != want {
				t.Errorf("%s: entry %d is %.60s, want %.60s", name, i, e.Raw(), want)
			}
		}
	}
	old := strings.Replace(string(data), `"version":3`, `"version":1`, 1)
	got, err := session.ReadCut(strings.NewReader(old), func(string) string { return `{"type":"x"}` })
	if err != nil {
		t.Fatal(err)
	}
	if e := got.Entries[0]; e.Type() != session.TypeMessage {
		t.Errorf("an entry of an old version is cut: %s", e.Raw())
	}
}
