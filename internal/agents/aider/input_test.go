package aider_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/agents/aider"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/internal/test/must"
)

func TestInputHistory(t *testing.T) {
	t.Parallel()
	got := formatstest.Import(t, aider.Aider, &formats.Source{Path: sample("input.history")}, false)
	want := []said{{"user", "fix the parser bug"}, {"user", "multi\nline\n\nend"}, {"user", ""}, {"user", "# not a comment"}, {"user", "no final newline"}}
	if diff := cmp.Diff(want, model(t, got)); diff != "" {
		t.Error(diff)
	}
	s := got[0].Session(t)
	if at, _ := s.Entries[0].Timestamp(); at != 1795230692699 || s.Header.Timestamp != "2026-11-21T03:11:32.699Z" {
		t.Errorf("at %d, %s", at, s.Header.Raw())
	}
}

func TestDetect(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"sample1.md": true, "chat-history-part.md": true, "input.history": true, "events1.jsonl": false} {
		if got := aider.Aider.Detect(name, []byte(must.Read(t, sample(name)))); got != want {
			t.Errorf("%s: %t", name, got)
		}
	}
	for text, want := range map[string]bool{"": false, "# a heading\n\ntext\n": false, "# aider chat started at noon\n": false} {
		if got := aider.Aider.Detect("x.md", []byte(text)); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}

// Ids stay when the file grows, sessions of one second have different ones, and a
// file with aider's name says where the project is.
func TestListing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, ".aider.chat.history.md")
	const one = "\n# aider chat started at 2025-06-14 09:32:41\n\n> hello  \n"
	var before []string
	for _, text := range []string{one + one, one + one + strings.Replace(one, "41", "59", 1)} {
		formatstest.Put(t, path, text)
		a := formatstest.Open(t, aider.Aider, &formats.Source{Path: dir})
		var ids []string
		for info, err := range a.List(t.Context(), formats.Query{}) {
			if err != nil || info.CWD != dir || info.Created.Format("15:04:05.000 MST")[:6] != "09:32:" {
				t.Errorf("%+v, %v", info, err)
			}
			ids = append(ids, info.ID)
		}
		if ids[0] == ids[1] || before != nil && !cmp.Equal(before, ids[:2]) {
			t.Errorf("ids %q, then %q", before, ids)
		}
		before = ids
	}
	if len(before) != 3 {
		t.Errorf("ids %q", before)
	}
}

// A line ends behind each of Python's line ends, and nowhere else.
func TestLineEnd(t *testing.T) {
	t.Parallel()
	for r := rune(0); r < 0x3000; r++ {
		want := len("ab" + string(r) + "c")
		if strings.ContainsRune(aider.LineEnds, r) {
			want--
		}
		if got := aider.LineEnd("ab" + string(r) + "c"); got != want {
			t.Errorf("%U: %d, want %d", r, got, want)
		}
	}
	if got := aider.LineEnd("a\r\nb"); got != 3 {
		t.Errorf("a carriage return and a line feed: %d", got)
	}
}
