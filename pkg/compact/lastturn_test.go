package compact_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/session"
)

func TestLastTurn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		build     func(b *builder)
		firstKept string // "" if there is nothing to do
		summarize []string
	}{
		{"two turns", func(b *builder) { b.user("a"); b.assistant("b"); b.user("c"); b.assistant("d") }, "3", []string{"1", "2"}},
		{"the question alone", func(b *builder) { b.user("a"); b.assistant("b"); b.user("c") }, "3", []string{"1", "2"}},
		{"one turn", func(b *builder) { b.user("a"); b.assistant("b") }, "", nil},
		{"no user message", func(b *builder) { b.assistant("a"); b.assistant("b") }, "", nil},
		{"a system message before", func(b *builder) { b.message(`{"role":"system","content":"s"}`); b.user("a"); b.assistant("b") }, "", nil},
		{"metadata before is not kept", func(b *builder) {
			b.user("a")
			b.assistant("b")
			b.add(session.TypeModelChange, `"provider":"p","modelId":"m"`)
			b.user("c")
		}, "4", []string{"1", "2"}},
		{"only metadata before", func(b *builder) { b.add(session.TypeModelChange, `"provider":"p","modelId":"m"`); b.user("c") }, "", nil},
		{"no other role is a user", func(b *builder) {
			b.assistant("a")
			b.user("b")
			b.add(session.TypeCustomMessage, `"customType":"x","display":true,"content":"c"`)
			b.message(`{"role":"bashExecution","command":"ls","output":"x","exitCode":0}`)
			b.add(session.TypeBranchSummary, `"summary":"b","fromId":"root"`)
		}, "2", []string{"1"}},
		{"a question taken back", func(b *builder) {
			b.user("a")
			b.assistant("b")
			b.user("c")
			b.assistant("d")
			id := b.user("e")
			b.add(session.TypeContextEdit, `"targetId":"`+id+`","replacement":null`)
		}, "3", []string{"1", "2"}},
		{"a late result", func(b *builder) {
			b.user("a")
			b.call("x", "bash", `{}`)
			b.user("wait")
			b.result("x", "r", false)
		}, "2", []string{"1"}},
		{"late results one into the other", func(b *builder) {
			b.user("a")
			b.call("x", "bash", `{}`)
			b.call("y", "bash", `{}`)
			b.result("x", "r", false)
			b.user("wait")
			b.result("y", "r", false)
		}, "2", []string{"1"}},
		{"a late result of the first entry", func(b *builder) { b.call("x", "bash", `{}`); b.user("wait"); b.result("x", "r", false) }, "", nil},
		{"a call without a result", func(b *builder) { b.call("x", "bash", `{}`); b.user("b") }, "2", []string{"1"}},
		{"after a compaction", func(b *builder) {
			b.user("a")
			b.assistant("b")
			b.add(session.TypeCompaction, `"summary":"s","firstKeptEntryId":"00000001","tokensBefore":1`)
			b.assistant("d")
			b.user("e")
		}, "5", []string{"1", "2", "4"}},
		{"only a summary before", func(b *builder) {
			b.user("a")
			b.add(session.TypeCompaction, `"summary":"s","firstKeptEntryId":"00000002","tokensBefore":1`)
			b.user("c")
			b.assistant("d")
		}, "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := &builder{t: t}
			c.build(b)
			p, err := compact.New(b.path, compact.Options{Strategy: compact.LastTurn, Rules: compact.Pi073, Keep: 1})
			if c.firstKept == "" {
				if !errors.Is(err, compact.ErrNothing) {
					t.Errorf("plan %+v, error %v; want ErrNothing", p, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if short(p.FirstKept) != c.firstKept || p.SplitTurn || len(p.Copies) > 0 || !cmp.Equal(partIDs(p.Summarize), c.summarize) {
				t.Errorf("first kept %s, split %v, %d copies, history %v;\nwant %s, history %v",
					short(p.FirstKept), p.SplitTurn, len(p.Copies), partIDs(p.Summarize), c.firstKept, c.summarize)
			}
			got := added(t, p, compact.Summary{History: "S"})
			if e := got[0]; len(got) != 1 || e.Str("firstKeptEntryId") != p.FirstKept ||
				e.Get("details") != `{"readFiles":[],"modifiedFiles":[],"strategy":"last-turn"}` {
				t.Errorf("%d entries, the first is %s", len(got), e.Raw())
			}
		})
	}
}

// zeroClaw are sample sessions of ZeroClaw as they stood when they were
// compacted, or stand now: the ids and roles of their rows, and the row that the
// history begins with that ZeroClaw keeps, "" if it does nothing. It was found
// by ZeroClaw's rule from the databases, with rows of the same role in a row as
// one message.
var zeroClaw = []struct {
	session string
	rows    string
	kept    string
}{
	{"direct chat, compacted once", "1u 2a 3u 4a 6u", "6"},
	{"group, closed", "8u 9a", ""},
	{"group, rows of the same role in a row", "10u 11u 12a 13a 14t 16u", "16"},
	{"thread, summary in the state", "17u 18a 19u 20a", "19"},
	{"compacted by hand after a turn", "21u 22a 23u 24a", "23"},
	{"empty", "", ""},
	{"second layout", "1u 2a", ""},
	{"second layout, several messages in one", "3u 4a", ""},
}

func TestZeroClaw(t *testing.T) {
	t.Parallel()
	for _, c := range zeroClaw {
		b := &builder{t: t}
		rows := strings.Fields(c.rows)
		for _, row := range rows {
			switch row[len(row)-1] {
			case 'u':
				b.user(row)
			case 'a':
				b.assistant(row)
			default:
				b.result("c1", row, false)
			}
		}
		kept := ""
		p, err := compact.New(b.path, compact.Options{Strategy: compact.LastTurn})
		if err == nil {
			e := p.Kept()[0]
			m, _ := e.Message()
			kept = strings.TrimRight(m.Text(""), "uat")
		} else if !errors.Is(err, compact.ErrNothing) {
			t.Fatal(err)
		}
		if kept != c.kept {
			t.Errorf("%s: keeps from row %q on, ZeroClaw from %q", c.session, kept, c.kept)
		}
	}
}
