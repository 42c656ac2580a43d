package compact_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/session"
)

func (b *builder) unprune() {
	b.t.Helper()
	edits, err := compact.Unprune(b.path)
	if err != nil {
		b.t.Fatal(err)
	}
	b.edits(edits)
}

func TestUnprune(t *testing.T) {
	t.Parallel()
	spaced := `[ {"type":"text","text":"` + strings.Repeat(`\u00e9`, 60) + `","n":1.0} ,` + image + `]`
	for _, c := range []struct {
		name, content string
		edits         []string // replacements after the result
		want          string   // content in the end
	}{
		{"bytes", spaced, []string{`{"content":"[Tool output pruned: 60 characters, 1 image]"}`}, spaced},
		{"an edit before", textContent("a"), []string{`{"content":[{"type":"text","text":"b"}]}`, `{"content":"[Tool output pruned: 1 character]"}`}, textContent("b")},
		{"text before", textContent("a"), []string{`{"content":"b"}`, `{"content":"[Tool output pruned: 1 character]"}`}, textContent("b")},
		{"pruned twice", textContent("a"), []string{`{"content":"[Tool output pruned: 1 character]"}`, `{"content":"[Tool output pruned: 1 character]"}`}, textContent("a")},
		{"taken out, then pruned", textContent("a"), []string{`null`, `{"content":"[Tool output pruned: 1 character]"}`}, textContent("a")},
		{"of null", `null`, []string{`{"content":"[Tool output pruned: 0 characters]"}`}, `[]`},
		{"of a string", `"a"`, []string{`{"content":"[Tool output pruned: 1 character]"}`}, textContent("a")},
	} {
		b := &builder{t: t}
		id := b.output("x", c.content, `,"details":{"n":1.0}`)
		for _, replacement := range c.edits {
			b.add(session.TypeContextEdit, `"targetId":"`+id+`","replacement":`+replacement)
		}
		b.unprune()
		want := []string{`{"role":"toolResult","toolCallId":"x","content":` + c.want + `,"details":{"n":1.0}}`}
		if diff := cmp.Diff(want, b.context()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestUnpruneNothing(t *testing.T) {
	t.Parallel()
	for name, build := range map[string]func(b *builder, id string){
		"nothing pruned":   func(*builder, string) {},
		"edited since":     func(b *builder, id string) { b.prune(everything); b.edit(id, `{"content":"short"}`) },
		"taken out since":  func(b *builder, id string) { b.prune(everything); b.edit(id, `null`) },
		"given back":       func(b *builder, _ string) { b.prune(everything); b.unprune() },
		"no longer in it":  func(b *builder, _ string) { b.prune(everything); b.compaction(b.user("kept")) },
		"a user message":   func(b *builder, _ string) { b.edit(b.user("u"), `{"content":"[Tool output pruned: 1 character]"}`) },
		"another wording":  func(b *builder, id string) { b.edit(id, `{"content":"[Old tool result content cleared]"}`) },
		"a longer wording": func(b *builder, id string) { b.edit(id, `{"content":"[Tool output pruned: 1 character], so"}`) },
		"more than a block": func(b *builder, id string) {
			b.edit(id, `{"content":["",{"type":"image"},{"type":"text","text":"[Tool output pruned: 1 character]"}]}`)
		},
	} {
		b := &builder{t: t}
		build(b, b.output("x", textContent(long(50)), ""))
		if edits, err := compact.Unprune(b.path); !errors.Is(err, compact.ErrNothing) {
			t.Errorf("%s: %+v, %v", name, edits, err)
		}
	}
}

func (b *builder) edit(id, replacement string) {
	b.t.Helper()
	b.add(session.TypeContextEdit, `"targetId":"`+id+`","replacement":`+replacement)
}

func (b *builder) compaction(first string) {
	b.t.Helper()
	b.add(session.TypeCompaction, `"summary":"s","firstKeptEntryId":"`+first+`","tokensBefore":1`)
}

// TestPruneKept: what a compaction keeps is pruned like the rest. The edit
// stands at the leaf, so it is behind its target and in every context that has
// the target; the next compactions carry it along.
func TestPruneKept(t *testing.T) {
	t.Parallel()
	b := &builder{t: t}
	b.user("before")
	gone := b.output("x", textContent(long(100)), "")
	first := b.user("kept")
	b.call("c", "read", "{}")
	id := b.output("c", textContent(long(100)), "")
	b.compaction(first)
	b.user("after")
	whole := b.context()
	if diff := cmp.Diff([]string{id}, b.prune(everything)); diff != "" {
		t.Fatalf("pruned; %s is not in the context:\n%s", gone, diff)
	}
	small := b.context()
	check := func(when string, want []string) {
		t.Helper()
		if diff := cmp.Diff(want[1:], b.context()[1:]); diff != "" { // but for the summary
			t.Fatalf("%s (-want +got):\n%s", when, diff)
		}
	}
	b.compaction(first)
	check("compacted again", small)
	b.unprune()
	check("given back", whole)
	b.compaction(first)
	check("compacted after that", whole)
	if diff := cmp.Diff([]string{id}, b.prune(everything)); diff != "" {
		t.Fatalf("pruned again:\n%s", diff)
	}
	check("pruned again", small)
}
