package session

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
)

// careful is ScanInfo with every line read with care.
func careful(data []byte) (Info, error) {
	s := infoScan{info: Info{Exact: true}}
	for l, err := range jsonl.Lines(bytes.NewReader(data)) {
		if err == nil {
			s.lines++
			err = s.examine(l)
		}
		if err != nil {
			return Info{}, err
		}
	}
	return s.result()
}

// A listing that glances at lines says what one says that reads them, but of
// lines that look like an object and are none.
func FuzzInfo(f *testing.F) {
	const header = `{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/"}` + "\n"
	for _, line := range []string{
		`{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"hi","timestamp":5}}`,
		`{"type":"message","timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"assistant","content":[{"type":"text","text":"a\n"},{"type":"text","text":"b"}]}}`,
		` { "message" : {"content":[{"type":"text","text":""},{"type":"text","text":""}],"role":"user"} , "type" : "message" } ` + "\r",
		`{"type":"message","message":{"role":"user","content":"x"},"message":7}`,
		`{"type":"message","message":{"role":"user","content":"x","role":"toolResult"},"message":{"role":"user"}}`,
		`{"type":"session_info","name":" a name "}`, `{"type":"session"}`, `[]`, `{}`, "", "  ", `{"a":1}}`, `{"a":1}{"b":2}`,
		`{"type":"message","message":{"role":"us`, `{"t\u0079pe":"message","message":{"role":"user","content":[{"type":"text","text":"y"}],"timestamp":-3}}`,
	} {
		f.Add([]byte(header + line + "\n" + line))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for line := range bytes.Lines(data) {
			if trimmed := bytes.TrimSpace(line); len(trimmed) > 0 && trimmed[0] == '{' && !js.Valid(trimmed) {
				if trimmed[len(trimmed)-1] == '}' {
					return
				}
			}
		}
		want, werr := careful(data)
		got, gerr := InfoReader{}.Of(data)
		if (werr == nil) != (gerr == nil) || werr != nil && werr.Error() != gerr.Error() {
			t.Fatalf("%v, want %v", gerr, werr)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-careful +glance)\n%s", diff)
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
