package compact_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/session"
)

// cutCase is a path and where it is cut. The path is built by steps; the
// entries' ids are 1, 2, 3, …
type cutCase struct {
	name      string
	rules     compact.Rules
	keep      int64
	build     func(b *builder)
	firstKept string
	split     bool
	summarize []string
	prefix    []string
}

func TestCut(t *testing.T) {
	t.Parallel()
	for _, c := range cutCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := &builder{t: t}
			c.build(b)
			p, err := compact.New(b.path, compact.Options{Keep: c.keep, Rules: c.rules})
			if err != nil {
				t.Fatal(err)
			}
			got := cutCase{firstKept: short(p.FirstKept), split: p.SplitTurn, summarize: partIDs(p.Summarize), prefix: partIDs(p.TurnPrefix)}
			if got.firstKept != c.firstKept || got.split != c.split ||
				!cmp.Equal(got.summarize, c.summarize) || !cmp.Equal(got.prefix, c.prefix) {
				t.Errorf("first kept %s, split %v, history %v, prefix %v;\nwant %s, %v, %v, %v",
					got.firstKept, got.split, got.summarize, got.prefix, c.firstKept, c.split, c.summarize, c.prefix)
			}
		})
	}
}

func short(id string) string { return strings.TrimLeft(id, "0") }

func partIDs(parts []compact.Part) (out []string) {
	for _, p := range parts {
		out = append(out, short(p.EntryID))
	}
	return out
}

var cutCases = []cutCase{
	{
		name: "before a turn", keep: 10,
		build:     func(b *builder) { b.user("a"); b.assistant("b"); b.user(long(9)); b.assistant("d") },
		firstKept: "3", summarize: []string{"1", "2"},
	},
	{
		name: "within a turn", keep: 10,
		build:     func(b *builder) { b.user("a"); b.assistant("b"); b.user("c"); b.assistant("d"); b.assistant(long(10)) },
		firstKept: "5", split: true, summarize: []string{"1", "2"}, prefix: []string{"3", "4"},
	},
	{
		name: "as little as possible", keep: -1,
		build:     func(b *builder) { b.user("a"); b.assistant("b"); b.user("c") },
		firstKept: "3", summarize: []string{"1", "2"},
	},
	{
		name: "metadata in front of the cut is kept", keep: 10,
		build: func(b *builder) {
			b.user("a")
			b.assistant("b")
			b.add(session.TypeModelChange, "")
			b.add(session.TypeLabel, "")
			b.user(long(10))
		},
		firstKept: "3", split: true, prefix: []string{"1", "2"},
	},
	{
		name: "a result stays with its call", keep: 12,
		build: func(b *builder) {
			b.user("a")
			b.call("x", "read", "{}", "y", "read", "{}")
			b.result("x", "1", false)
			b.add(session.TypeCustomMessage, `"customType":"t","display":true,"content":"note"`)
			b.result("y", long(10), false)
			b.assistant("b")
		},
		firstKept: "6", split: true, prefix: []string{"4", "5"}, summarize: []string{"1", "2", "3"},
	},
	{
		name: "a result that comes late holds the cut back", keep: 10,
		build: func(b *builder) {
			b.user("a")
			b.call("x", "read", "{}")
			b.user("meanwhile")
			b.result("x", long(10), false)
			b.user("b")
		},
		firstKept: "5", summarize: []string{"1", "2", "3", "4"},
	},
	{
		name: "a late result at the end", keep: 10,
		build: func(b *builder) {
			b.user("a")
			b.call("x", "read", "{}")
			b.user(long(5))
			b.result("x", long(10), false)
		},
		firstKept: "2", split: true, prefix: []string{"1"},
	},
	{
		name: "a second result binds nothing", keep: 10,
		build: func(b *builder) {
			b.user("a")
			b.call("x", "read", "{}")
			b.result("x", "1", false)
			b.user(long(10))
			b.result("x", "again", false)
		},
		firstKept: "4", summarize: []string{"1", "2", "3"},
	},
	{
		name: "a failed attempt that was taken out", keep: 10,
		build: func(b *builder) {
			b.user("a")
			b.assistant("b")
			b.user(long(20))
			failed := b.assistant("overflow")
			b.add(session.TypeContextEdit, `"targetId":"`+failed+`","replacement":null`)
		},
		firstKept: "4", split: true, summarize: []string{"1", "2"}, prefix: []string{"3"},
	},
	{
		name: "an edit within the attempt that shows something", keep: 10,
		build: func(b *builder) {
			first := b.user("a")
			b.assistant("b")
			b.user(long(20))
			failed := b.assistant("overflow")
			b.add(session.TypeContextEdit, `"targetId":"`+failed+`","replacement":null`)
			b.add(session.TypeContextEdit, `"targetId":"`+first+`","replacement":{"content":"short"}`)
		},
		firstKept: "3", summarize: []string{"1", "2"},
	},
	{
		name: "behind a compaction, with what it kept", keep: 10,
		build: kept, firstKept: "5", summarize: []string{"2", "3"},
	},
	{
		name: "behind a compaction, by the rules of pi 0.73", rules: compact.Pi073, keep: 10,
		build: kept, firstKept: "5", summarize: []string{"2", "3"},
	},
	{
		name: "pi 0.73 without the entry kept first starts behind the compaction", rules: compact.Pi073, keep: 10,
		build: func(b *builder) {
			b.user("a")
			b.add(session.TypeCompaction, `"summary":"s","firstKeptEntryId":"gone","tokensBefore":1`)
			b.user("b")
			b.user(long(10))
		},
		firstKept: "4", summarize: []string{"3"},
	},
}

// kept has a compaction that kept a part of the path.
func kept(b *builder) {
	b.user("a")
	first := b.user("b")
	b.assistant("c")
	b.add(session.TypeCompaction, `"summary":"s","firstKeptEntryId":"`+first+`","tokensBefore":1`)
	b.user(long(10))
}
