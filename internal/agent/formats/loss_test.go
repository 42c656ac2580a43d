package formats_test

import (
	"testing"

	"github.com/sess-tools/sess/internal/agent/formats"
	"github.com/sess-tools/sess/pkg/session"
)

// Losses read as sentences: one of a thing, or several, and more of what.
func TestLossesRead(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{1: "a reply", 2: "2 replies"} {
		if got := formats.Counted(n, "a reply", "%d replies"); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
	e, err := session.ParseEntry(`{"type":"label","id":"a"}`)
	if err != nil {
		t.Fatal(err)
	}
	var lost formats.Lost
	for range 7 {
		lost.Entry(e, "codex")
	}
	target := formats.NewTarget(func(l formats.Loss) {
		if want := "entry a: label means nothing to codex, left out, and 6 more like it"; l.String() != want {
			t.Errorf("%s", l)
		}
	})
	lost.Tell(target)
}
