package session_test

import (
	"bytes"
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
