package compact_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// codexRounds are the compactions of one session by codex: after so many
// entries, the texts of each user message kept, and the summary.
type codexRounds struct {
	Rounds []struct {
		Entries int
		Kept    [][]string
		Summary string
	}
}

// TestCodex compacts what codex 0.169 compacted, as often as codex did, and
// compares what is left of the conversation, message by message. Codex puts the
// summary last, the session format puts it first.
func TestCodex(t *testing.T) {
	t.Parallel()
	const cases = 23
	files := corpus.Golden(t, "codex/compact/0.169")
	compared := 0
	for _, name := range slices.Sorted(maps.Keys(files)) {
		base, ok := strings.CutSuffix(name, ".jsonl")
		if !ok {
			continue
		}
		compared++
		t.Run(base, func(t *testing.T) {
			t.Parallel()
			var want codexRounds
			if err := json.Unmarshal(files[base+".kept.json"], &want); err != nil {
				t.Fatal(err)
			}
			s, err := session.Read(bytes.NewReader(files[name]))
			if err != nil {
				t.Fatal(err)
			}
			compareRounds(t, s.Entries, want)
		})
	}
	if compared != cases {
		t.Errorf("%d sessions compared, want %d", compared, cases)
	}
}

func compareRounds(t *testing.T, entries []session.Entry, want codexRounds) {
	t.Helper()
	var path []session.Entry
	done := 0
	for i, round := range want.Rounds {
		for _, e := range entries[done:round.Entries] {
			leaf := ""
			if len(path) > 0 {
				leaf = path[len(path)-1].ID()
			}
			path = append(path, e.WithParent(leaf))
		}
		done = round.Entries
		plan, err := compact.New(path, compact.Options{Strategy: compact.KeepUser})
		if err != nil {
			t.Fatal(err)
		}
		if i > 0 && plan.PreviousSummary != want.Rounds[i-1].Summary {
			t.Errorf("round %d: previous summary %q", i, plan.PreviousSummary)
		}
		path = plan.After(added(t, plan, compact.Summary{History: round.Summary})...)
		context := convo.MessagesOf(convo.Project(path))
		if got := context[0].Str("summary"); context[0].Role() != session.RoleCompactionSummary || got != round.Summary {
			t.Errorf("round %d: the context begins with %s %q", i, context[0].Role(), got)
		}
		kept := [][]string{}
		for _, m := range context[1:] {
			kept = append(kept, textsOf(t, m))
		}
		if diff := cmp.Diff(round.Kept, kept); diff != "" {
			t.Errorf("round %d (-codex +sess):\n%.4000s", i, diff)
		}
	}
	if done != len(entries) {
		t.Errorf("%d entries of %d", done, len(entries))
	}
}

// textsOf returns the texts of a user message that has nothing else.
func textsOf(t *testing.T, m session.Message) []string {
	t.Helper()
	texts := []string{}
	for b := range m.Blocks() {
		if b.Type != "text" {
			t.Fatalf("a block of type %s", b.Type)
		}
		texts = append(texts, b.Str("text"))
	}
	if m.Role() != session.RoleUser {
		t.Fatalf("a message of role %s is kept", m.Role())
	}
	return texts
}

// added returns the entries of the compaction, with ids that no path has.
func added(t tb, plan *compact.Plan, s compact.Summary) []session.Entry {
	t.Helper()
	n := 0
	b := session.Batch{Leaf: plan.Leaf, Now: 1767323045678, NewID: func(func(string) bool) (string, error) {
		n++
		return plan.Leaf + strings.Repeat("'", n), nil
	}}
	e, err := plan.AddTo(&b, s)
	if err != nil {
		t.Fatal(err)
	}
	if last := b.Entries[len(b.Entries)-1]; e.Raw() != last.Raw() || e.Type() != session.TypeCompaction {
		t.Fatalf("AddTo returns %s, the last entry added is %s", e.Raw(), last.Raw())
	}
	return b.Entries
}
