package compact_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sess-tools/sess/pkg/compact"
)

// TestDropPiece: of a message that is asked in pieces, pieces are dropped, and it
// counts once.
func TestDropPiece(t *testing.T) {
	t.Parallel()
	b := &builder{t: t}
	b.user(strings.Repeat("x", 5000))
	b.user("last")
	r := request(b.path, compact.PromptOptions{MaxPrompt: 1000, Write: terse})
	drop := func(want int) {
		t.Helper()
		next(t, r)
		if n, ok := r.Drop(); n != want || !ok || r.Dropped() != 1 {
			t.Fatalf("%d dropped, %v, %d in all, want %d and 1", n, ok, r.Dropped(), want)
		}
		prompt, _, _ := next(t, r)
		if !strings.HasPrefix(prompt, "|[1 earlier message left out: the conversation is too long]\n\n[Continued]: xxx") {
			t.Fatalf("the prompt begins %.99q", prompt)
		}
	}
	next(t, r)
	r.Accept("")
	drop(1)
	drop(0) // at once
	r.Accept("")
	drop(0) // in another chunk
	prompt := ""
	for !r.Done() {
		prompt, _, _ = next(t, r)
		r.Accept("")
	}
	if !strings.HasSuffix(prompt, "[User]: last") {
		t.Errorf("the last prompt is %q", prompt)
	}
}

// TestDropOfMany: of calls and results that belong together and are too large for
// a chunk, one message is dropped after the other.
func TestDropOfMany(t *testing.T) {
	t.Parallel()
	b := &builder{t: t}
	b.call("0", "f", "{}", "1", "f", "{}", "2", "f", "{}", "3", "f", "{}", "4", "f", "{}", "5", "f", "{}")
	for i := range 6 {
		b.result(fmt.Sprint(i), strings.Repeat("x", 300), false)
	}
	r := request(b.path, compact.PromptOptions{MaxPrompt: 1000, Write: terse})
	next(t, r) // the calls and two results
	if n, ok := r.Drop(); n != 2 || !ok {
		t.Errorf("drops %d, %v, want the calls and a result", n, ok)
	}
}

// TestDropLeavesRoom: what is left of a chunk does not say how much a model takes.
func TestDropLeavesRoom(t *testing.T) {
	t.Parallel()
	b := &builder{t: t}
	b.user(strings.Repeat("x", 900))
	b.user("y")
	for range 10 {
		b.user(strings.Repeat("z", 200))
	}
	r := request(b.path, compact.PromptOptions{MaxPrompt: 1000, Write: terse})
	if prompt, _, _ := next(t, r); !strings.HasSuffix(prompt, "\n\n[User]: y") {
		t.Fatalf("the first chunk is %q", prompt)
	}
	if n, ok := r.Drop(); n != 1 || !ok {
		t.Errorf("drops %d, %v", n, ok)
	}
	if prompt, _, _ := next(t, r); strings.Count(prompt, "[User]: z") != 2 {
		t.Errorf("the next chunk is %q, want about half as much as before", prompt)
	}
}

// TestDropTiny: an overflow of next to nothing does not make chunks of nothing.
func TestDropTiny(t *testing.T) {
	t.Parallel()
	b := &builder{t: t}
	b.user("x")
	b.user("y")
	b.user(strings.Repeat("z", 985))
	r := request(b.path, compact.PromptOptions{MaxPrompt: 1000, Write: terse})
	next(t, r)
	if n, ok := r.Drop(); n != 1 || !ok {
		t.Errorf("drops %d, %v", n, ok)
	}
	chunks := 0
	for ; !r.Done(); chunks++ {
		next(t, r)
		r.Accept("")
	}
	if chunks < 15 || chunks > 25 {
		t.Errorf("1000 bytes take %d prompts", chunks)
	}
}
