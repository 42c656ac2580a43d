package session

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/pkg/js"
)

// infoOf is what a listing says of a session that is read whole.
func infoOf(data []byte) (Info, error) {
	s, err := Read(bytes.NewReader(data))
	if err != nil {
		return Info{}, err
	}
	h := s.Header
	i := Info{ID: h.ID, CWD: h.CWD, Name: s.Name, ParentSession: h.ParentSession, Version: h.Version, Entries: len(s.Entries), Exact: true}
	if ms, ok := js.ParseTime(h.Timestamp); ok {
		i.Created = time.UnixMilli(ms).UTC()
	}
	i.Modified = i.Created
	newest := int64(0)
	i.Spent = SpentOn(s.Entries)
	for _, e := range s.Entries {
		if e.typ == TypeMessage {
			i.Messages++
		}
		m, ok := e.Message()
		if !ok || m.role != RoleUser && m.role != RoleAssistant || m.Get("content") == "" {
			continue
		}
		if ms := messageTime(e, m); ms > newest {
			newest, i.Modified = ms, time.UnixMilli(ms).UTC()
		}
		text := m.Text(" ")
		if m.role == RoleUser && i.FirstMessage == "" {
			i.FirstMessage = text
		}
		if prompt := js.Trim(m.Text("\n")); m.role == RoleUser && prompt != "" && len(i.Prompts) < MostPrompts &&
			!js.Value(m.Get("synthetic")).Truthy() && m.Str("attribution") != "agent" {
			i.Prompts = append(i.Prompts, abridged(prompt))
		}
		if text != "" {
			i.LastMessage = text
		}
	}
	return i, nil
}

// Law: a listing says of a session what reading all of it says.
func FuzzInfo(f *testing.F) {
	const header = `{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/"}` + "\n"
	for _, line := range []string{
		`{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"hi","timestamp":5}}`,
		`{"type":"message","timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"assistant","content":[{"type":"text","text":"a\n"},{"type":"text","text":"b"}]}}`,
		` { "message" : {"content":[{"type":"text","text":""},{"type":"text","text":""}],"role":"user"} , "type" : "message" } ` + "\r",
		`{"type":"message","message":{"role":"user","content":"x"},"message":7}`,
		`{"type":"message","message":{"role":"user","content":"x","role":"toolResult"},"message":{"role":"user"}}`,
		`{"type":"usage","usage":{"input":7}}`, `{"type":"custom","usage":{"input":7}}`,
		`{"type":"message","message":{"role":"assistant","content":[],"responseId":"r","model":"m","usage":{"input":7,"output":1}}}`,
		`{"type":"session_info","name":" a name "}`, `{"type":"session"}`, `[]`, `{}`, "", "  ", `{"a":1}}`, `{"a":1}{"b":2}`,
		`{"type":"message","message":{"role":"us`, `{"t\u0079pe":"message","message":{"role":"user","content":[{"type":"text","text":"y"}],"timestamp":-3}}`,
	} {
		f.Add([]byte(header + line + "\n" + line))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		want, werr := infoOf(data)
		got, gerr := InfoReader{}.Of(data)
		if (werr == nil) != (gerr == nil) || werr != nil && werr.Error() != gerr.Error() {
			t.Fatalf("%v, want %v", gerr, werr)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-read +listed)\n%s", diff)
		}
		for omit := range LastMessage | Expenses + 1 {
			want := got
			if omit&LastMessage != 0 {
				want.LastMessage = ""
			}
			if omit&Expenses != 0 {
				want.Spent = Spent{}
			}
			some, _ := InfoReader{Omit: omit}.Of(data)
			streamed, _ := InfoReader{Omit: omit}.Read(bytes.NewReader(data))
			if diff := cmp.Diff([2]Info{want, want}, [2]Info{some, streamed}); diff != "" {
				t.Errorf("omitting %b: (-want +got, streamed)\n%s", omit, diff)
			}
		}
	})
}
