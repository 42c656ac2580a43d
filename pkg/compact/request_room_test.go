package compact_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/sess-tools/sess/pkg/compact"
)

var errTemplate = errors.New("no such field")

// TestRequestRoom: when there is no prompt, or only a smaller one.
func TestRequestRoom(t *testing.T) {
	t.Parallel()
	b := &builder{t: t}
	for range 40 {
		b.user(strings.Repeat("x", 100))
	}
	long := &builder{t: t}
	long.user(strings.Repeat("x", 5000))
	words := func(d compact.PromptData) (string, error) {
		if d.Conversation == "" {
			return "", nil
		}
		return strings.Repeat(".", 700) + d.Conversation, nil
	}
	own := func(format string) func(compact.PromptData) (string, error) {
		return func(d compact.PromptData) (string, error) {
			return strings.NewReplacer("C", d.Conversation, "P", d.PreviousSummary).Replace(format), nil
		}
	}
	for _, c := range []struct {
		name  string
		o     compact.PromptOptions
		reply string
		err   error
	}{
		{"long instructions", compact.PromptOptions{MaxPrompt: 1000, Write: own(strings.Repeat(".", 800) + "C")}, "", compact.ErrNoRoom},
		{"summary too long", compact.PromptOptions{MaxPrompt: 1000, Write: own("PC")}, strings.Repeat("s", 800), compact.ErrNoRoom},
		{"summary not too long", compact.PromptOptions{MaxPrompt: 1000, Write: own("PC")}, strings.Repeat("s", 700), nil},
		{"nothing to ask", compact.PromptOptions{MaxPrompt: 1000, Write: own(strings.Repeat(".", 997))}, "", nil},
		{"tiny", compact.PromptOptions{MaxPrompt: 60, Write: own("C")}, "", compact.ErrNoRoom},
		{"conversation twice", compact.PromptOptions{MaxPrompt: 1000, Write: own("C\nC")}, "", nil},
		{"conversation too often", compact.PromptOptions{MaxPrompt: 1000, Write: own(strings.Repeat("C", 30))}, "", compact.ErrNoRoom},
		{"no conversation", compact.PromptOptions{MaxPrompt: 1000, Write: own("hello")}, "", nil},
		{"words with the conversation", compact.PromptOptions{MaxPrompt: 1000, Write: words}, "", nil},
		{"words with a long message", compact.PromptOptions{MaxPrompt: 1000, Write: words}, "", nil},
		{"error", compact.PromptOptions{Write: func(compact.PromptData) (string, error) { return "", errTemplate }}, "", errTemplate},
	} {
		writes := 0
		write := c.o.Write
		c.o.Write = func(d compact.PromptData) (string, error) { writes++; return write(d) }
		path := b.path
		switch c.name {
		case "nothing to ask":
			path = nil
		case "words with a long message":
			path = long.path
		}
		r := request(path, c.o)
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
		prompt, _, chunks, err := request(b.path, compact.PromptOptions{MaxPrompt: limit, Write: terse}).Next()
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
		if prompt, _, _ := next(t, request(b.path, compact.PromptOptions{MaxPrompt: 1000, Write: terse})); len(prompt) != want {
			t.Errorf("%d bytes first: prompt of %d, want %d", before, len(prompt), want)
		}
	}
}
