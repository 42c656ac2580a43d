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
	var u formats.Unheld
	for range 7 {
		u.Add(e)
	}
	target := formats.NewTarget(func(l formats.Loss) {
		if want := "entry a: label means nothing to codex, and 6 more of that type"; l.String() != want {
			t.Errorf("%s", l)
		}
	})
	u.Tell(target, "codex", "")
}
