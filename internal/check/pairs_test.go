package check_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sess-tools/sess/internal/check"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// Law: on every path of a tree of calls and results, a result is one without a call
// before it if and only if convo.Pair finds no call in front of it.
func TestPairsAgree(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lines := []string{header, user("e0", "")}
		for i := range rapid.IntRange(1, 12).Draw(t, "entries") {
			id, parent := fmt.Sprintf("e%d", i+1), fmt.Sprintf("e%d", rapid.IntRange(max(0, i-2), i).Draw(t, "parent"))
			callID := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "call")
			if rapid.Bool().Draw(t, "calls") {
				lines = append(lines, call(id, parent, callID))
			} else {
				lines = append(lines, answer(id, parent, callID))
			}
		}
		input := text(lines...)
		found, err := check.Check(strings.NewReader(input), check.Options{})
		if err != nil {
			t.Fatal(err)
		}
		orphans := map[string]bool{}
		for _, f := range found {
			if f.Kind == check.OrphanResult {
				orphans[f.ID] = true
			}
		}
		s, err := session.Read(strings.NewReader(input))
		if err != nil {
			t.Fatal(err)
		}
		for _, head := range s.Heads() {
			path, _ := s.Path(head)
			for i, p := range convo.Pair(convo.MessagesOf(convo.Project(path))) {
				e := path[i] // each entry has one message
				if e.Role() == session.RoleToolResult && orphans[e.ID()] != (p.Reply == convo.Orphan || p.Reply > i) {
					t.Fatalf("%s: %t, but convo.Pair says %d\n%s", e.ID(), orphans[e.ID()], p.Reply, input)
				}
			}
		}
	})
}
