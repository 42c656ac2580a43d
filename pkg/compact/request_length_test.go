package compact

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sess-tools/sess/pkg/session"
)

// TestLength: the length of a piece of the conversation is that of its text.
func TestLength(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var s subject
		for range rapid.IntRange(0, 5).Draw(t, "messages") {
			text := strings.Repeat("x", rapid.IntRange(1, 9).Draw(t, "length"))
			s.parts = append(s.parts, Part{Message: session.NewMessage(`{"role":"user","content":"` + text + `"}`)})
		}
		r := newRequest(s, PromptOptions{})
		at := func(name string) place {
			p := place{item: rapid.IntRange(0, len(r.items)).Draw(t, name)}
			if p.item < len(r.items) {
				p.byte = rapid.IntRange(0, len(r.items[p.item].text)-1).Draw(t, name)
			}
			return p
		}
		end := at("end")
		r.at = at("at")
		if got, want := r.length(r.at, end), len(r.conversation(end)); got != want {
			t.Fatalf("%v to %v: %d, want %d", r.at, end, got, want)
		}
	})
}
