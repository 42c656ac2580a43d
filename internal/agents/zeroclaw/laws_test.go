package zeroclaw_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/zeroclaw"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/pkg/js"
)

// draw makes a session: a tree of messages with compactions that keep something or nothing.
func draw(t *rapid.T) string {
	var b strings.Builder
	b.WriteString(`{"type":"session","version":3,"id":"s1","timestamp":"2026-01-02T03:04:05.678Z","cwd":"/w"}` + "\n")
	words := rapid.SampledFrom([]string{"a", "", " b ", "c\nd", "é😀", "[Session Compaction Summary]\nx", "\u0085e\u200b", "\x00"})
	n := rapid.IntRange(0, 12).Draw(t, "entries")
	for i := range n {
		parent := "null"
		if i > 0 {
			at := i - 1
			if rapid.IntRange(0, 5).Draw(t, "branch") == 0 {
				at = rapid.IntRange(0, i-1).Draw(t, "parent")
			}
			parent = fmt.Sprintf("%q", fmt.Sprint("e", at))
		}
		fmt.Fprintf(&b, `{"type":%s,"id":"e%d","parentId":%s,"timestamp":"2026-01-02T03:%02d:06.%03dZ"}`+"\n",
			drawEntry(t, words, i), i, parent, i, rapid.IntRange(0, 999).Draw(t, "ms"))
	}
	return b.String()
}

func drawEntry(t *rapid.T, words *rapid.Generator[string], i int) string {
	text := words.Draw(t, "text")
	quoted := api.Text(text)
	switch rapid.IntRange(0, 6).Draw(t, "kind") {
	case 0:
		kept := fmt.Sprint("e", rapid.IntRange(0, max(i-1, 0)).Draw(t, "kept"))
		if rapid.Bool().Draw(t, "nothing kept") {
			kept = fmt.Sprint("e", i)
		}
		return `"compaction","summary":` + js.Quote(text) + `,"firstKeptEntryId":"` + kept + `","tokensBefore":1`
	case 1:
		return `"session_info","name":"n"`
	case 2, 3:
		return `"message","message":{"role":"assistant","content":[` + quoted + `]}`
	}
	return `"message","message":{"role":"user","content":[` + quoted + `]}`
}

// Export and import give the same view, title and time; and the second database is the
// first.
func TestThereAndBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		text := draw(rt)
		s, dir := formatstest.Parse(rt, text), t.TempDir()
		first, second := filepath.Join(dir, "a.db"), filepath.Join(dir, "b.db")
		formatstest.ExportTo(t, zeroclaw.ZeroClaw, s, first)
		back := imported(t, first)[0].Session(t)
		if diff := cmp.Diff(history(s), history(back)); diff != "" {
			rt.Errorf("%s\n(-before +after) %s", text, diff)
		}
		if s.Name != "" && back.Name != s.Name || back.Header.Timestamp != s.Header.Timestamp {
			rt.Errorf("name %q, time %s", back.Name, back.Header.Timestamp)
		}
		formatstest.ExportTo(t, zeroclaw.ZeroClaw, back, second)
		if diff := cmp.Diff(dump(t, first), dump(t, second)); diff != "" {
			rt.Errorf("%s\n(-first +second) %s", text, diff)
		}
	})
}

func TestLaws(t *testing.T) {
	t.Parallel()
	formatstest.Laws(t, zeroclaw.ZeroClaw, formatstest.Corpus{
		Sources: map[string]string{"memory.db": string(corpus.Session(t, "zeroclaw/memory.db"))}, File: "memory.db", Whole: true,
		Dump: func(t testing.TB, path string) string { return fmt.Sprint(dump(t, path)) },
	})
}
