package compact_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/session"
)

// long is a text of n tokens.
func long(n int) string { return strings.Repeat("four", n) }

func TestNothing(t *testing.T) {
	t.Parallel()
	for name, build := range map[string]func(b *builder){
		"no entries":  func(*builder) {},
		"one message": func(b *builder) { b.user(long(90)) },
		"no messages": func(b *builder) { b.add(session.TypeModelChange, ""); b.add(session.TypeLabel, "") },
		"all fits":    func(b *builder) { b.user("a"); b.assistant("b"); b.user("c") },
		"results without calls": func(b *builder) {
			b.result("x", long(90), false)
			b.result("y", long(90), false)
		},
		"a compaction at the end": func(b *builder) {
			first := b.user(long(90))
			for range 5 {
				b.assistant(long(90))
				b.user(long(90))
			}
			b.add(session.TypeCompaction, `"summary":"s","firstKeptEntryId":"`+first+`","tokensBefore":1`)
		},
	} {
		b := &builder{t: t}
		build(b)
		for _, rules := range bothRules {
			if p, err := compact.New(b.path, compact.Options{Keep: 50, Rules: rules}); !errors.Is(err, compact.ErrNothing) {
				t.Errorf("%s, rules %d: plan %+v, error %v; want ErrNothing", name, rules, p, err)
			}
		}
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, compaction, want string }{
		{"carried", `"details":{"readFiles":["r","e"],"modifiedFiles":["e","w"]},"fromHook":false`, "\n\n<read-files>\nnested\nr\nread\n</read-files>\n\n<modified-files>\ne\nw\n</modified-files>"},
		{"of a hook", `"details":{"readFiles":["r"]},"fromHook":true`, "\n\n<read-files>\nnested\nread\n</read-files>"},
		{"of an oh-my-pi extension", `"details":{"readFiles":["r"]},"fromExtension":true`, "\n\n<read-files>\nnested\nread\n</read-files>"},
		{"details of another shape", `"details":{"readFiles":"r","modifiedFiles":[1,null]}`, "\n\n<read-files>\nnested\nread\n</read-files>"},
		{"no details", `"details":[]`, "\n\n<read-files>\nnested\nread\n</read-files>"},
	} {
		b := &builder{t: t}
		b.add(session.TypeCompaction, `"summary":"s","firstKeptEntryId":"none","tokensBefore":1,`+c.compaction)
		b.user("a")
		b.call("x", "read", `{"path":"read"}`, "y", "Read", `{"path":"other name"}`, "z", "write", `["no object"]`, "", "edit", `{"path":7}`)
		b.message(`{"role":"toolResult","toolCallId":"x","content":[],"nestedCalls":{"calls":[{"name":"read","arguments":{"path":"nested"}},"no call"]}}`)
		b.message(`{"role":"toolResult","toolCallId":"y","content":[],"nestedCalls":"none"}`)
		b.user(long(20))
		p, err := compact.New(b.path, compact.Options{Keep: 10})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, p.Files.Text()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// TestNoID: an entry without an id cannot be named as the first one kept.
func TestNoID(t *testing.T) {
	t.Parallel()
	b := &builder{t: t}
	b.user("a")
	e, err := session.ParseEntry(`{"type":"message","message":{"role":"user","content":"` + long(20) + `"}}`)
	if err != nil {
		t.Fatal(err)
	}
	if p, err := compact.New(append(b.path, e), compact.Options{Keep: 10}); !errors.Is(err, compact.ErrNothing) {
		t.Errorf("plan %+v, error %v; want ErrNothing", p, err)
	}
}

func TestGain(t *testing.T) {
	t.Parallel()
	b := &builder{t: t}
	b.user(long(100))
	b.assistant(long(50))
	b.user(long(10))
	p, err := compact.New(b.path, compact.Options{Keep: 10})
	if err != nil {
		t.Fatal(err)
	}
	before, after := p.Gain(entryOf(t, p, compact.Summary{History: long(7)}))
	if before != 160 || after != 17 {
		t.Errorf("%d tokens before and %d after, want 160 and 17", before, after)
	}
}

func TestShouldCompact(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tokens int64
		want   bool
	}{{99, false}, {100, false}, {101, true}} {
		if got := compact.ShouldCompact(c.tokens, 120, 20); got != c.want {
			t.Errorf("%d tokens: %v", c.tokens, got)
		}
	}
}

func TestDefaultKeep(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tokens int
		err    error
	}{{compact.DefaultKeep - 1, compact.ErrNothing}, {compact.DefaultKeep, nil}} {
		b := &builder{t: t}
		b.user("a")
		b.user(long(c.tokens))
		if _, err := compact.New(b.path, compact.Options{}); !errors.Is(err, c.err) {
			t.Errorf("%d tokens: %v, want %v", c.tokens, err, c.err)
		}
	}
}
