package compact_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sess-tools/sess/pkg/compact"
)

var leftOut = regexp.MustCompile(`^\|\[([0-9]+) earlier messages? left out: [a-z ]+\]\n\n`)

// TestDrop: what is dropped, one overflow after the other.
func TestDrop(t *testing.T) {
	t.Parallel()
	words := func(n, size int) func(*builder) {
		return func(b *builder) {
			for i := range n {
				b.user(fmt.Sprintf("m%d%s", i, strings.Repeat(".", size)))
			}
		}
	}
	for _, c := range []struct {
		name  string
		build func(*builder)
		drops []int    // messages dropped at each overflow until nothing can be
		first []string // what the prompt after it begins with
	}{
		{"nothing", words(0, 0), nil, nil},
		{"one message", words(1, 0), nil, nil},
		{"two messages", words(2, 0), []int{1}, []string{"[User]: m1"}},
		{"eight messages", words(8, 100), []int{2, 2, 1, 1, 1}, []string{"[User]: m2", "[User]: m4", "[User]: m5", "[User]: m6", "[User]: m7"}},
		{
			"a long one first", func(b *builder) { b.user(long(100)); words(3, 0)(b) },
			[]int{1, 1, 1},
			[]string{"[User]: m0", "[User]: m1", "[User]: m2"},
		},
		{
			"a long one last", func(b *builder) { words(3, 0)(b); b.user(long(100)) },
			[]int{3},
			[]string{"[User]: fourfour"},
		},
		{"calls with their results", func(b *builder) {
			b.call("a", "f", "{}", "b", "g", "{}")
			b.result("a", "A", false)
			b.user("between")
			b.result("b", "B", false)
			words(1, 0)(b)
		}, []int{4}, []string{"[User]: m0"}},
		{"one call with its result", func(b *builder) { b.call("a", "f", "{}"); b.result("a", "A", false) }, nil, nil},
		{"messages without text", func(b *builder) {
			words(1, 0)(b)
			b.message(`{"role":"assistant","content":[{"type":"thinking","thinking":"t"}]}`)
			words(1, 0)(b)
		}, []int{1}, []string{"[User]: m0"}},
	} {
		for _, asked := range []bool{true, false} {
			b := &builder{t: t}
			c.build(b)
			r := request(b.path, compact.PromptOptions{})
			total := 0
			for i, want := range c.drops {
				if asked {
					next(t, r)
				}
				if n, ok := r.Drop(); n != want || !ok {
					t.Errorf("%s: overflow %d drops %d, %v, want %d", c.name, i, n, ok, want)
				}
				total += want
				prompt, chunk, chunks := next(t, r)
				note := fmt.Sprintf("|[%d earlier messages left out: the conversation is too long]\n\n", total)
				if total == 1 {
					note = "|[1 earlier message left out: the conversation is too long]\n\n"
				}
				if !strings.HasPrefix(prompt, note+c.first[i]) || chunk != 1 || chunks != 1 || r.Dropped() != total {
					t.Errorf("%s: chunk %d of %d, %d dropped, %q, want %q", c.name, chunk, chunks, r.Dropped(), prompt, note+c.first[i])
				}
			}
			before, _, _ := next(t, r)
			if n, ok := r.Drop(); ok || n != 0 {
				t.Errorf("%s: drops the last: %d, %v", c.name, n, ok)
			}
			if after, _, _ := next(t, r); after != before || r.Dropped() != total {
				t.Errorf("%s: a vain Drop changes the prompt to %q, %d dropped", c.name, after, r.Dropped())
			}
		}
	}
}

// TestDropKeepsSummary: the chunk behind an overflow is smaller, speaks of what
// is missing, and carries the summary so far; the one behind that does not speak
// of it again.
func TestDropKeepsSummary(t *testing.T) {
	t.Parallel()
	b := &builder{t: t}
	for range 40 {
		b.user(strings.Repeat("x", 91)) // 101 bytes with label and separator
	}
	r := request(b.path, compact.PromptOptions{MaxPrompt: 1026})
	var dropped []bool
	size := func() int {
		t.Helper()
		prompt, _, _, err := r.Next()
		if err != nil || !strings.HasPrefix(prompt, r.Summary()+"|") {
			t.Fatalf("%v, %q, want it to begin with %q", err, prompt, r.Summary())
		}
		dropped = append(dropped, strings.Contains(prompt, "[3 earlier messages left out"))
		return strings.Count(prompt, "[User]")
	}
	var sizes []int
	for range 2 {
		sizes = append(sizes, size())
		r.Accept("S")
	}
	sizes = append(sizes, size())
	r.Drop()
	sizes = append(sizes, size())
	r.Accept("S")
	sizes = append(sizes, size())
	if got, want := fmt.Sprint(sizes, dropped, r.Dropped()), "[10 10 10 7 7] [false false false true false] 3"; got != want {
		t.Errorf("messages in a prompt, told to be dropped, dropped: %s, want %s", got, want)
	}
}

// TestDropLaws: whatever overflows, the next prompt has less of the conversation,
// says how many messages are missing, and every message has been asked or is
// counted as dropped.
func TestDropLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := &builder{t: t}
		n := rapid.IntRange(1, 40).Draw(t, "messages")
		for i := range n {
			text := fmt.Sprintf("m%d;%s", i, strings.Repeat("é", rapid.IntRange(0, 200).Draw(t, "length")))
			switch {
			case i%3 == 1 && i+1 < n:
				b.call(fmt.Sprint(i+1), fmt.Sprintf("m%d;", i), "{}")
			case i%3 == 2:
				b.result(fmt.Sprint(i), text, false)
			default:
				b.user(text)
			}
		}
		r := request(b.path, compact.PromptOptions{MaxPrompt: rapid.IntRange(300, 3000).Draw(t, "limit")})
		seen, dropped := map[string]bool{}, 0
		for !r.Done() {
			prompt, _, _ := next(t, r)
			for rapid.IntRange(0, 2).Draw(t, "overflow") > 0 {
				before := len(leftOut.ReplaceAllString(prompt, "|"))
				count, ok := r.Drop()
				if !ok {
					break
				}
				dropped += count
				prompt, _, _ = next(t, r)
				said := leftOut.FindStringSubmatch(prompt)
				if after := len(leftOut.ReplaceAllString(prompt, "|")); said == nil || after >= max(before, 66) {
					t.Fatalf("%d bytes of conversation after the overflow, before %d:\n%s", after, before, prompt)
				}
				if left, err := strconv.Atoi(said[1]); err != nil || left > dropped || left < max(count, 1) {
					t.Fatalf("says that %d are missing, of %d dropped now and %d in all", left, count, dropped)
				}
			}
			for _, m := range regexp.MustCompile(`m[0-9]+;`).FindAllString(prompt, -1) {
				seen[m] = true
			}
			r.Accept("")
		}
		if r.Dropped() != dropped || len(seen)+dropped < n || dropped > n {
			t.Fatalf("%d messages, %d asked, %d dropped, %d by its own account", n, len(seen), dropped, r.Dropped())
		}
	})
}

// TestDropPiece: of a message that is asked in pieces, pieces are dropped, and it
// counts once.
func TestDropPiece(t *testing.T) {
	t.Parallel()
	b := &builder{t: t}
	b.user(strings.Repeat("x", 5000))
	b.user("last")
	r := request(b.path, compact.PromptOptions{MaxPrompt: 1000})
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
	r := request(b.path, compact.PromptOptions{MaxPrompt: 1000})
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
	r := request(b.path, compact.PromptOptions{MaxPrompt: 1000})
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
	r := request(b.path, compact.PromptOptions{MaxPrompt: 1000})
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
