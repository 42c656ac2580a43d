package compact_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/pkg/compact"
)

// TestCut has paths (see steps), and where they are cut .
func TestCut(t *testing.T) {
	t.Parallel()
	keep := func(tokens int64) compact.Options { return compact.Options{Keep: tokens} }
	lastTurn := compact.Options{Strategy: compact.LastTurn, Keep: 1} // it takes no heed of Keep
	for _, c := range []struct {
		name              string
		o                 compact.Options
		path              string
		firstKept         string // "" if there is nothing to do
		summarize, prefix string
	}{
		{"before a turn", keep(10), "u a u9 a", "3", "1 2", ""},
		{"within a turn", keep(10), "u a u a a10", "5", "1 2", "3 4"},
		{"as little as possible", keep(-1), "u a u", "3", "1 2", ""},
		{"metadata in front of the cut is kept", keep(10), "u a m l u10", "3", "", "1 2"},
		{"a result stays with its call", keep(12), "u c:x,y r:x n r10:y a", "6", "1 2 3", "4 5"},
		{"a result that comes late holds the cut back", keep(10), "u c:x u r10:x u", "5", "1 2 3 4", ""},
		{"a late result at the end", keep(10), "u c:x u5 r10:x", "2", "", "1"},
		{"a second result binds nothing", keep(10), "u c:x r:x u10 r2:x", "4", "1 2 3", ""},
		{"a failed attempt that was taken out", keep(10), "u a u20 a2 -4", "4", "1 2", "3"},
		{"an edit within the attempt that shows something", keep(10), "u a u20 a2 -4 ~1", "3", "1 2", ""},
		{"behind a compaction, with what it kept", keep(10), "u u a s2 u10", "5", "2 3", ""},

		{"two turns", lastTurn, "u a u a", "3", "1 2", ""},
		{"the question alone", lastTurn, "u a u", "3", "1 2", ""},
		{"one turn", lastTurn, "u a", "", "", ""},
		{"no user message", lastTurn, "a a", "", "", ""},
		{"a system message before", lastTurn, "y u a", "", "", ""},
		{"metadata before is not kept", lastTurn, "u a m u", "4", "1 2", ""},
		{"only metadata before", lastTurn, "m u", "", "", ""},
		{"no other role is a user", lastTurn, "a u n x b", "2", "1", ""},
		{"a question taken back", lastTurn, "u a u a u -5", "3", "1 2", ""},
		{"results are summarized", lastTurn, "u c:x r:x u", "4", "1 2 3", ""},
		{"a late result", lastTurn, "u c:x u r:x", "2", "1", ""},
		{"late results one into the other", lastTurn, "u c:x c:y r:x u r:y", "2", "1", ""},
		{"a late result of the first entry", lastTurn, "c:x u r:x", "", "", ""},
		{"a call without a result", lastTurn, "c:x u", "2", "1", ""},
		{"after a compaction", lastTurn, "u a s1 a u", "5", "1 2 4", ""},
		{"only a summary before", lastTurn, "u s2 u a", "", "", ""},

		{"no entries", keep(50), "", "", "", ""},
		{"one message", keep(50), "u90", "", "", ""},
		{"no messages", keep(50), "m l", "", "", ""},
		{"all fits", keep(50), "u a u", "", "", ""},
		{"results without calls", keep(50), "r90:x r90:y", "", "", ""},
		{"a compaction at the end", keep(50), "u90 a90 u90 a90 u90 s1", "", "", ""},
		{"one less than is kept by default", keep(0), "u u19999", "", "", ""},
		{"as much as is kept by default", keep(0), "u u20000", "2", "1", ""},
	} {
		b := &builder{t: t}
		b.steps(c.path)
		p, err := compact.New(b.path, c.o)
		if errors.Is(err, compact.ErrNothing) && c.firstKept == "" {
			continue
		}
		if err != nil || c.firstKept == "" {
			t.Errorf("%s: plan %+v, error %v; want to keep from %q on", c.name, p, err, c.firstKept)
			continue
		}
		got := []string{short(p.FirstKept), strings.Join(partIDs(p.Summarize), " "), strings.Join(partIDs(p.TurnPrefix), " ")}
		if diff := cmp.Diff([]string{c.firstKept, c.summarize, c.prefix}, got); diff != "" || p.SplitTurn != (c.prefix != "") || len(p.Copies) > 0 {
			t.Errorf("%s: split %v, %d copies, first kept, history and prefix (-want +got):\n%s", c.name, p.SplitTurn, len(p.Copies), diff)
		}
	}
}

func short(id string) string { return strings.TrimLeft(id, "0") }

func partIDs(parts []compact.Part) (out []string) {
	for _, p := range parts {
		out = append(out, short(p.EntryID))
	}
	return out
}
