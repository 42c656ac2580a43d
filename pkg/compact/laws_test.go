package compact_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// The laws of a plan, for any path and strategy:
//
//  1. New returns a plan or ErrNothing, and the same one for the same path.
//  2. Leaf is the path's last entry, at least one message is summarized, and
//     KeepRecent alone splits a turn.
//  3. A tool result and the call it answers stay on the same side of the cut.
//  4. Nothing is lost or doubled: what is summarized and what
//     the new context keeps make up the old context, in order; the system
//     messages fold to the same one.
//  5. KeepUser summarizes the whole conversation. With the entries appended, the
//     context is the system message in force, the summary and the copies.
//  6. LastTurn keeps the newest user message and all that follows. If it keeps
//     more than that, then because a call would be parted from its result.
//  7. With the entries appended there is nothing to compact, also if one without
//     messages follows and user messages are kept.
//  8. The next compaction has the summary in its prompt, its file lists contain
//     those before, and its cut is not before the last one.
func checkLaws(t tb, path []session.Entry, o compact.Options) {
	t.Helper()
	plan, err := compact.New(path, o)
	if err != nil {
		if !errors.Is(err, compact.ErrNothing) {
			t.Fatalf("error %v is not ErrNothing", err)
		}
		return
	}
	again, err := compact.New(path, o)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(asPi(plan), asPi(again)); diff != "" || !slices.Equal(raws(plan.Copies), raws(again.Copies)) {
		t.Fatalf("the second plan differs:\n%s", diff)
	}
	if plan.Strategy != o.Strategy || plan.Leaf != path[len(path)-1].ID() || (len(plan.Kept()) == 0) != (o.Strategy == compact.KeepUser) {
		t.Fatalf("strategy %s, first kept %s, leaf %s", plan.Strategy, plan.FirstKept, plan.Leaf)
	}
	if len(plan.Summarize)+len(plan.TurnPrefix) == 0 || len(plan.TurnPrefix) > 0 && !plan.SplitTurn || plan.SplitTurn && o.Strategy != compact.KeepRecent {
		t.Fatalf("%d + %d messages, split %v", len(plan.Summarize), len(plan.TurnPrefix), plan.SplitTurn)
	}
	checkPairs(t, plan)
	summary := summaryOf(plan)
	after := plan.After(added(t, plan, summary)...)
	switch {
	case o.Strategy == compact.KeepUser:
		checkCopies(t, path, plan, after)
		b := &builder{t: t, path: slices.Clip(after)}
		b.add(session.TypeLabel, `"targetId":"`+plan.Leaf+`","label":"l"`)
		checkNothing(t, b.path, o)
	case o.Strategy == compact.LastTurn:
		checkLastTurn(t, path, plan)
		checkContext(t, path, plan, after)
	default:
		checkContext(t, path, plan, after)
	}
	if !compact.NothingNew(after) {
		t.Fatal("there is something new behind the compaction")
	}
	checkNothing(t, after, o)
	checkNext(t, plan, after, plan.Text(summary), o)
}

func checkNothing(t tb, path []session.Entry, o compact.Options) {
	t.Helper()
	if p, err := compact.New(path, o); !errors.Is(err, compact.ErrNothing) {
		t.Fatalf("compacts what it compacted: %+v, %v", p, err)
	}
}

// checkAllLaws checks the laws for each strategy.
func checkAllLaws(t tb, path []session.Entry, o compact.Options) {
	t.Helper()
	for o.Strategy = range compact.Strategy(len(compact.Strategies())) {
		checkLaws(t, path, o)
	}
}

// checkPairs looks at the summarized messages for a call that is answered only
// by a kept message, which a context_edit may have taken out since.
func checkPairs(t tb, plan *compact.Plan) {
	t.Helper()
	open := map[string]bool{}
	see := func(m session.Message) (answered bool) {
		for _, c := range m.ToolCalls() {
			open[c.ID] = true
		}
		id := m.Str("toolCallId")
		if m.Role() != session.RoleToolResult || !open[id] {
			return false
		}
		delete(open, id)
		return true
	}
	for _, p := range slices.Concat(plan.Summarize, plan.TurnPrefix) {
		see(p.Message)
	}
	summarized := map[string]bool{}
	for id := range open {
		summarized[id] = true
	}
	edits := map[string]string{}
	for _, e := range plan.Kept() {
		if e.Type() == session.TypeContextEdit {
			edits[e.Str("targetId")] = e.Get("replacement")
		}
	}
	for _, e := range plan.Kept() {
		if e.Type() == session.TypeCompaction || edits[e.ID()] == "null" {
			continue
		}
		for _, m := range convo.EntryMessages(e) {
			for _, c := range m.ToolCalls() {
				delete(summarized, c.ID) // the id is used again
			}
			if id := m.Str("toolCallId"); see(m) && summarized[id] {
				t.Fatalf("%s is kept, the call it answers is not", e.ID())
			}
		}
	}
}

// conversation returns the messages of a context that a compaction divides.
func conversation(messages []session.Message) (out []string) {
	for _, m := range messages {
		if m.Role() != session.RoleSystem && m.Role() != session.RoleCompactionSummary {
			out = append(out, m.Raw())
		}
	}
	return out
}

func checkContext(t tb, path []session.Entry, plan *compact.Plan, after []session.Entry) {
	t.Helper()
	old, now := convo.MessagesOf(convo.Project(path)), convo.MessagesOf(convo.Project(after))
	var parts []session.Message
	for _, p := range slices.Concat(plan.Summarize, plan.TurnPrefix) {
		parts = append(parts, p.Message)
	}
	if diff := cmp.Diff(conversation(old), append(conversation(parts), conversation(now)...)); diff != "" {
		t.Fatalf("summarized and kept (-before +after):\n%s", diff)
	}
	oldSystem, _ := convo.FoldSystem(old)
	nowSystem, _ := convo.FoldSystem(now)
	if oldSystem.Raw() != nowSystem.Raw() {
		t.Fatalf("system message %s, before %s", nowSystem.Raw(), oldSystem.Raw())
	}
}

func checkNext(t tb, plan *compact.Plan, after []session.Entry, summary string, o compact.Options) {
	t.Helper()
	b := &builder{t: t, path: after}
	b.user("go on")
	b.assistant(strings.Repeat("long ", 400))
	b.user("and on")
	o.Keep = 20
	next, err := compact.New(b.path, o)
	if err != nil {
		t.Fatal(err)
	}
	if next.PreviousSummary != summary || !strings.Contains(next.HistoryPrompt(""), "<previous-summary>\n"+summary+"\n</previous-summary>") ||
		!strings.Contains(next.Prompt(""), summary) {
		t.Fatalf("the previous summary is not in the prompt")
	}
	listed := files(next)
	for name, modified := range files(plan) {
		if now, ok := listed[name]; !ok || modified && !now {
			t.Fatalf("file %s is no longer listed", name)
		}
	}
	if len(next.Kept()) > len(plan.Kept())+len(b.path)-len(after)+1 {
		t.Fatalf("keeps from %s, before from %s", next.FirstKept, plan.FirstKept)
	}
}

// files returns the files a plan lists and whether they were modified.
func files(p *compact.Plan) map[string]bool {
	out := map[string]bool{}
	read, modified := p.Files.Lists()
	for _, name := range read {
		out[name] = false
	}
	for _, name := range modified {
		out[name] = true
	}
	return out
}

func TestLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		path := fromBytes(r, rapid.SliceOfN(rapid.Byte(), 0, 80).Draw(r, "operations"))
		o := compact.Options{Keep: rapid.Int64Range(1, 400).Draw(r, "keep")}
		checkAllLaws(r, path, o)
	})
}

// FuzzCut checks the laws of checkAllLaws.
func FuzzCut(f *testing.F) {
	f.Add([]byte{0, 2, 0x13, 0x15, 0x20, 0x22, 0x30}, int64(20))
	f.Add([]byte{0, 0x14, 0x18, 0x15, 0x17, 0xf0, 0x2f, 0x10, 0x22}, int64(10))
	f.Add([]byte{0xd, 0, 2, 0xf0, 0xf2, 0x1e, 0x2e, 0x3f, 0xf0, 0xf2, 0xf5}, int64(50))
	f.Fuzz(func(t *testing.T, ops []byte, keep int64) {
		checkAllLaws(t, fromBytes(t, ops[:min(len(ops), 300)]), compact.Options{Keep: keep})
	})
}

// TestCorpusLaws checks the laws for the paths of real sessions.
func TestCorpusLaws(t *testing.T) {
	t.Parallel()
	goldenFiles(t, func(t *testing.T, path []session.Entry, _ func(string) []byte) {
		t.Helper()
		for _, keep := range []int64{50, 2000} {
			checkAllLaws(t, path, compact.Options{Keep: keep})
		}
	})
}
