package compact_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/session"
)

func TestMoved(t *testing.T) {
	t.Parallel()
	compaction := func(b *builder) {
		b.add(session.TypeCompaction, `"summary":"s","firstKeptEntryId":"00000003","tokensBefore":1`)
	}
	tests := []struct {
		name string
		then func(b *builder)
		fits []compact.Strategy
	}{
		{"nothing", func(*builder) {}, []compact.Strategy{compact.KeepRecent, compact.KeepUser, compact.LastTurn}},
		{"a message", func(b *builder) { b.user("more") }, []compact.Strategy{compact.KeepRecent, compact.LastTurn}},
		{"a label", func(b *builder) { b.add(session.TypeLabel, `"targetId":"00000001","label":"x"`) }, []compact.Strategy{compact.KeepRecent, compact.KeepUser, compact.LastTurn}},
		{"a compaction", compaction, nil},
		{"a compaction and a message", func(b *builder) { compaction(b); b.user("more") }, nil},
		{"the loss of a message that was summarized", func(b *builder) { b.add(session.TypeContextEdit, `"targetId":"00000001","replacement":null`) }, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, strategy := range []compact.Strategy{compact.KeepRecent, compact.KeepUser, compact.LastTurn} {
				b := &builder{t: t}
				b.user("first " + strings.Repeat("word ", 100))
				b.assistant("answer")
				b.user("second")
				b.assistant("answer")
				plan, err := compact.New(b.path, compact.Options{Keep: 5, Strategy: strategy})
				if err != nil {
					t.Fatal(err)
				}
				tt.then(b)
				fits := false
				for _, s := range tt.fits {
					fits = fits || s == strategy
				}
				moved, err := plan.Moved(b.path)
				if fits != (err == nil) || err != nil && !errors.Is(err, compact.ErrMoved) {
					t.Errorf("%v: %v", strategy, err)
				}
				if fits && (moved.FirstKept != plan.FirstKept || moved.Leaf != b.path[len(b.path)-1].ID()) {
					t.Errorf("%v: cut at %s, leaf %s", strategy, moved.FirstKept, moved.Leaf)
				}
			}
		})
	}
}

// TestMovedLaws states for any path that has grown since it was planned for: if
// the plan moves, then nothing is lost or doubled (see checkContext), and no call
// is parted from its result. A message that was summarized may have been edited
// meanwhile, as --prune does: then the summary speaks of the message as it was.
// And a summary comes back from its Reply as it was.
func TestMovedLaws(t *testing.T) {
	t.Parallel()
	moves := 0
	rapid.Check(t, func(r *rapid.T) {
		all := fromBytes(r, rapid.SliceOfN(rapid.Byte(), 2, 80).Draw(r, "operations"))
		n := rapid.IntRange(0, len(all)).Draw(r, "planned")
		o := compact.Options{Keep: rapid.Int64Range(1, 400).Draw(r, "keep"), Rules: rapid.SampledFrom(bothRules).Draw(r, "rules")}
		plan, err := compact.New(all[:n], o)
		if err != nil {
			return
		}
		s := compact.Summary{History: "## Goal\nhistory", TurnPrefix: "## Original Request\nprefix"}
		if got := plan.Text(plan.Answer(plan.Reply(s))); got != plan.Text(s) {
			r.Fatalf("came back as %q, was %q", got, plan.Text(s))
		}
		moved, err := plan.Moved(all)
		if err != nil {
			return
		}
		moves++
		checkPairs(r, moved)
		added := entryOf(r, moved, compact.Extract(moved))
		o.FirstKept = moved.FirstKept
		now, err := compact.New(all, o)
		if err != nil || !slices.Equal(ids(now.Summarize), ids(moved.Summarize)) || !slices.Equal(ids(now.TurnPrefix), ids(moved.TurnPrefix)) {
			r.Fatalf("%v: the summary speaks of other entries", err)
		}
		if o.Rules == compact.Pi15 {
			checkContext(r, all, now, moved.After(added))
		}
	})
	if moves == 0 {
		t.Error("no plan moved")
	}
}
