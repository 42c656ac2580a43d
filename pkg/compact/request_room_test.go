package compact_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/sess-tools/sess/pkg/compact"
)

// TestRequestRoom: when there is no prompt, or only a smaller one.
func TestRequestRoom(t *testing.T) {
	t.Parallel()
	b := &builder{t: t}
	for range 40 {
		b.user(strings.Repeat("x", 100))
	}
	long := &builder{t: t}
	long.user(strings.Repeat("x", 5000))
	words := func(conversation, _ string) string {
		if conversation == "" {
			return ""
		}
		return strings.Repeat(".", 700) + conversation
	}
	own := func(format string) func(conversation, previous string) string {
		return func(conversation, previous string) string {
			return strings.NewReplacer("C", conversation, "P", previous).Replace(format)
		}
	}
	for _, c := range []struct {
		name  string
		most  int
		write func(conversation, previous string) string
		reply string
		err   error
	}{
		{"long instructions", 1000, own(strings.Repeat(".", 800) + "C"), "", compact.ErrNoRoom},
		{"summary too long", 1000, own("PC"), strings.Repeat("s", 800), compact.ErrNoRoom},
		{"summary not too long", 1000, own("PC"), strings.Repeat("s", 650), nil},
		{"nothing to ask", 1000, own(strings.Repeat(".", 997)), "", nil},
		{"tiny", 60, own("C"), "", compact.ErrNoRoom},
		{"conversation twice", 1000, own("C\nC"), "", nil},
		{"conversation too often", 1000, own(strings.Repeat("C", 30)), "", compact.ErrNoRoom},
		{"no conversation", 1000, own("hello"), "", nil},
		{"words with the conversation", 1000, words, "", nil},
		{"words with a long message", 1000, words, "", nil},
	} {
		writes := 0
		path := b.path
		switch c.name {
		case "nothing to ask":
			path = nil
		case "words with a long message":
			path = long.path
		}
		r := compact.Requested(partsOf(path), compact.PromptOptions{MaxPrompt: c.most}, func(conversation, previous string) string {
			writes++
			return c.write(conversation, previous)
		})
		var err error
		for err == nil && !r.Done() {
			var prompt string
			var chunk, chunks int
			writes = 0
			if prompt, chunk, chunks, err = r.Next(); len(prompt)+around > 1000 || chunks < chunk {
				t.Errorf("%s: prompt of %d bytes, %d of %d", c.name, len(prompt), chunk, chunks)
			}
			if writes > 5 {
				t.Errorf("%s: %d attempts at a prompt", c.name, writes)
			}
			r.Accept(c.reply)
		}
		if !errors.Is(err, c.err) || (err == nil) != r.Done() {
			t.Errorf("%s: %v, done %v, want %v", c.name, err, r.Done(), c.err)
		}
	}
}

func TestMaxPrompt(t *testing.T) {
	t.Parallel()
	b := &builder{t: t}
	b.user(strings.Repeat("中", 1_000_000))
	for limit, want := range map[int]int{
		0: compact.DefaultMaxPrompt, -1: compact.DefaultMaxPrompt, 500_000: 500_000, 2_000_000: compact.HardMaxPrompt,
	} {
		prompt, _, chunks, err := request(b.path, compact.PromptOptions{MaxPrompt: limit}).Next()
		if n := len(prompt) + around; err != nil || n > want || n < want-3 || chunks != 1+3_000_000/(want-100) {
			t.Errorf("limit %d: prompt of %d bytes, %d chunks, %v", limit, n, chunks, err)
		}
	}
}

// TestPieceFills: a message that has to be cut begins where there is room for it,
// but not for a few bytes.
func TestPieceFills(t *testing.T) {
	t.Parallel()
	for before, want := range map[int]int{100: 997, 900: 997, 940: 941} {
		b := &builder{t: t}
		b.user(strings.Repeat("x", before-len("[User]: ")))
		b.user(strings.Repeat("y", 5000))
		if prompt, _, _ := next(t, request(b.path, compact.PromptOptions{MaxPrompt: 1000})); len(prompt) != want {
			t.Errorf("%d bytes first: prompt of %d, want %d", before, len(prompt), want)
		}
	}
}
