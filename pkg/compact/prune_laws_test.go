package compact_test

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// The laws of pruning, for any path:
//
//  1. Prune returns edits or ErrNothing, and the same edits for the same path.
//  2. With the edits appended, nothing else is to be pruned.
//  3. Only the content of results changes: no message comes or goes, so every
//     call keeps its result. Each edit names a result that is no error, of no
//     excluded tool, and not in the last turns.
//  4. The context gets smaller, to what Prune says.
//  5. An edit names a result once, and is an entry pi reads: its replacement has
//     content that is a string or an array.
func checkPruneLaws(t tb, path []session.Entry, o compact.PruneOptions) {
	t.Helper()
	p, err := compact.PruneLimited(path, o)
	if err != nil {
		if !errors.Is(err, compact.ErrNothing) {
			t.Fatalf("error %v is not ErrNothing", err)
		}
		return
	}
	b := &builder{t: t, path: slices.Clone(path)}
	before := convo.MessagesOf(convo.Project(b.path))
	if again := b.prune(o); len(again) != len(p.Edits) {
		t.Fatalf("prunes %q, then %+v", again, p.Edits)
	}
	checkEdits(t, path, p.Edits, o)
	after := convo.MessagesOf(convo.Project(b.path))
	checkPruned(t, before, after, len(p.Edits))
	if was, is := sum(before), sum(after); p.Before != was || p.After != is || is >= was {
		t.Fatalf("%d tokens before and %d after; Prune says %d and %d", was, is, p.Before, p.After)
	}
	if ids := b.prune(o); ids != nil {
		t.Fatalf("prunes again: %q", ids)
	}
}

func sum(messages []session.Message) (tokens int64) {
	for _, m := range messages {
		tokens += convo.Estimate(m)
	}
	return tokens
}

func checkEdits(t tb, path []session.Entry, edits []compact.Edit, o compact.PruneOptions) {
	t.Helper()
	var turns int // user messages from here on
	newer := map[string]int{}
	for _, p := range slices.Backward(convo.Project(path)) {
		for _, m := range slices.Backward(p.Messages) {
			newer[p.Entry.ID()] = turns
			if m.Role() == session.RoleUser {
				turns++
			}
		}
	}
	seen := map[string]bool{}
	for _, e := range edits {
		i := slices.IndexFunc(path, func(x session.Entry) bool { return x.ID() == e.TargetID })
		if i < 0 || seen[e.TargetID] {
			t.Fatalf("%s is no entry of the path, or twice", e.TargetID)
		}
		seen[e.TargetID] = true
		m, _ := path[i].Message()
		if m.Role() != session.RoleToolResult || m.Get("isError") == "true" || slices.Contains(o.Tools, e.Tool) || newer[e.TargetID] < o.Turns {
			t.Fatalf("prunes %s of tool %s, %d turns back: %s", e.TargetID, e.Tool, newer[e.TargetID], m.Raw())
		}
		replacement := session.NewMessage(e.Fields()[1].Raw)
		if c := replacement.Get("content"); c == "" || c[0] != '"' && c[0] != '[' {
			t.Fatalf("replacement %s", replacement.Raw())
		}
	}
}

func checkPruned(t tb, before, after []session.Message, edits int) {
	t.Helper()
	if len(before) != len(after) {
		t.Fatalf("%d messages, before %d", len(after), len(before))
	}
	changed := 0
	for i, m := range before {
		if m.Raw() == after[i].Raw() {
			continue
		}
		changed++
		if m.Role() != session.RoleToolResult || m.Get("toolCallId") != after[i].Get("toolCallId") || m.Get("isError") != after[i].Get("isError") {
			t.Fatalf("%s became %s", m.Raw(), after[i].Raw())
		}
	}
	if changed != edits {
		t.Fatalf("%d messages changed by %d edits", changed, edits)
	}
}

// prunable is fromBytes with more of what pruning looks at: long results,
// images, tools by name, content in other forms, and results pruned before.
func prunable(t tb, ops []byte) []session.Entry {
	t.Helper()
	b := &builder{t: t}
	for i, op := range ops {
		arg := int(op / 16)
		if op%2 == 0 || i%3 == 2 {
			b.operation(int(op%16), arg, i)
			continue
		}
		content := textContent(long(arg * 6))
		switch op % 16 {
		case 1:
			b.user("next")
			continue
		case 3:
			content = `[{"type":"text","text":"a","more":1.0}, ` + image + `]`
		case 5:
			content = js.Quote(long(30))
		case 7:
			if arg > 0 && arg <= len(b.path) {
				b.add(session.TypeContextEdit, `"targetId":"`+b.path[len(b.path)-arg].ID()+`","replacement":{"content":"`+compact.PrunedPrefix+`9 characters]"}`)
			}
			continue
		}
		b.output("call"+string(rune('0'+arg%5)), content, []string{"", `,"toolName":"skill"`, `,"isError":true`, `,"toolName":"bash"`}[arg%4])
	}
	return b.path
}

func TestPruneLaws(t *testing.T) {
	t.Parallel()
	pruned := 0
	rapid.Check(t, func(r *rapid.T) {
		path := prunable(r, rapid.SliceOfN(rapid.Byte(), 0, 60).Draw(r, "operations"))
		o := compact.PruneOptions{
			Turns:   rapid.IntRange(-1, 3).Draw(r, "turns"),
			Protect: rapid.SampledFrom([]int64{-1, 1, 20, 90}).Draw(r, "protect"),
			Minimum: rapid.SampledFrom([]int64{-1, 1, 50}).Draw(r, "minimum"),
			Tools:   rapid.SampledFrom([][]string{{}, {"skill"}, {"bash", "read"}}).Draw(r, "tools"),
		}
		if o.Turns == 0 {
			o.Turns = 2
		}
		checkPruneLaws(r, path, o)
		if _, err := compact.PruneLimited(path, o); err == nil {
			pruned++
		}
	})
	if pruned == 0 {
		t.Error("no path had anything to prune")
	}
}

// FuzzPrune checks the laws of checkPruneLaws.
func FuzzPrune(f *testing.F) {
	f.Add([]byte{1, 0xf9, 0xfd, 1, 0xf9, 1, 2}, int8(1), int64(10), int64(-1))
	f.Add([]byte{1, 0xf9, 0x13, 0xfb, 0x17, 0xfd, 0x1f, 0xf9, 1}, int8(-1), int64(-1), int64(-1))
	f.Fuzz(func(t *testing.T, ops []byte, turns int8, protect, minimum int64) {
		o := compact.PruneOptions{Turns: int(turns), Protect: protect, Minimum: minimum, Tools: []string{"skill"}}
		if o.Turns == 0 {
			o.Turns = 2
		}
		checkPruneLaws(t, prunable(t, ops[:min(len(ops), 300)]), o)
	})
}

// TestPruneCorpus checks the laws for the paths of real sessions.
func TestPruneCorpus(t *testing.T) {
	t.Parallel()
	goldenFiles(t, func(t *testing.T, path []session.Entry, _ func(string) []byte) {
		t.Helper()
		checkPruneLaws(t, path, compact.PruneOptions{Turns: 1, Protect: 100, Minimum: -1})
		checkPruneLaws(t, path, compact.PruneOptions{Turns: 2})
	})
}
