package compact_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/pkg/session"
)

func (b *builder) edit(id, replacement string) {
	b.t.Helper()
	b.add(session.TypeContextEdit, `"targetId":"`+id+`","replacement":`+replacement)
}

func (b *builder) compaction(first string) {
	b.t.Helper()
	b.add(session.TypeCompaction, `"summary":"s","firstKeptEntryId":"`+first+`","tokensBefore":1`)
}

// TestPruneKept: what a compaction keeps is pruned like the rest. The edit
// stands at the leaf, so it is behind its target and in every context that has
// the target; the next compactions carry it along.
func TestPruneKept(t *testing.T) {
	t.Parallel()
	b := &builder{t: t}
	b.user("before")
	gone := b.output("x", textContent(long(100)), "")
	first := b.user("kept")
	b.call("c", "read", "{}")
	id := b.output("c", textContent(long(100)), "")
	b.compaction(first)
	b.user("after")
	if diff := cmp.Diff([]string{id}, b.prune(everything)); diff != "" {
		t.Fatalf("pruned; %s is not in the context:\n%s", gone, diff)
	}
	small := b.context()
	check := func(when string, want []string) {
		t.Helper()
		if diff := cmp.Diff(want[1:], b.context()[1:]); diff != "" { // but for the summary
			t.Fatalf("%s (-want +got):\n%s", when, diff)
		}
	}
	b.compaction(first)
	check("compacted again", small)
}
