package claude_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/sess-tools/sess/internal/agent/claude"
)

// Law: an entry is above another exactly if walking up from that one comes by it. Where
// parents form a cycle walking ends before an entry comes twice.
func TestAbove(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "entries")
		parents := make([]int, n)
		for i := range parents {
			least := -1
			if i > 0 && rapid.IntRange(0, 3).Draw(t, "chain") > 0 {
				least = i - 1 // deep trees are rare otherwise
			}
			parents[i] = rapid.IntRange(least, max(least, i-1)).Draw(t, "parent")
		}
		above := claude.Above(slices.Clone(parents))
		for j := range n {
			var line []int
			for i := j; i >= 0; i = parents[i] {
				line = append(line, i)
			}
			for i := range n {
				if got, want := above(i, j), slices.Contains(line, i); got != want {
					t.Fatalf("%v: %d above %d: %t", parents, i, j, got)
				}
			}
		}
	})
	circle := claude.Above([]int{1, 2, 0, 2}) // of which it is enough that it ends
	circle(0, 3)
}
