package compact_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

func TestStrategyNames(t *testing.T) {
	t.Parallel()
	want := []string{"keep-recent", "keep-user", "last-turn"}
	if diff := cmp.Diff(want, compact.Strategies()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for i, name := range want {
		if s, ok := compact.StrategyFor(name); !ok || s != compact.Strategy(i) || s.String() != name {
			t.Errorf("%s: %d, %v, %s", name, s, ok, s)
		}
	}
	if s, ok := compact.StrategyFor("newest"); ok || s != compact.KeepRecent {
		t.Errorf("a strategy of no name: %d, %v", s, ok)
	}
	for _, s := range []compact.Strategy{-1, 3} {
		if got := s.String(); got != "unknown strategy" {
			t.Errorf("%d: %s", s, got)
		}
	}
}

func TestNothingNew(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{
		"": true, "l m": true, "u l": false, "u s1": true, "u s1 l": true, "u s1 u l": false, "s1 b": false, "s1 u s1": true, "s1 s1 u": false,
	} {
		b := &builder{t: t}
		b.steps(path)
		if got := compact.NothingNew(b.path); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
	b := &builder{t: t}
	b.steps("s1")
	b.add(session.TypeBranchSummary, `"summary":"","fromId":"root"`)
	if !compact.NothingNew(b.path) {
		t.Error("a summary of nothing is new")
	}
}

func raws(parts []compact.Part) (out []string) {
	for _, p := range parts {
		out = append(out, p.EntryID+" "+p.Message.Raw())
	}
	return out
}

func checkCopies(t tb, path []session.Entry, plan *compact.Plan, after []session.Entry) {
	t.Helper()
	var all, copies []session.Message
	for _, p := range plan.Summarize {
		all = append(all, p.Message)
	}
	for _, p := range plan.Copies {
		copies = append(copies, p.Message)
	}
	if diff := cmp.Diff(conversation(convo.MessagesOf(convo.Project(path))), conversation(all)); diff != "" {
		t.Fatalf("summarized (-context +plan):\n%s", diff)
	}
	old, _ := convo.FoldSystem(convo.MessagesOf(convo.Project(path)))
	context := convo.MessagesOf(convo.Project(after))
	if old.Raw() != "" {
		if context[0].Raw() != old.Raw() {
			t.Fatalf("the context begins with %s, want %s", context[0].Raw(), old.Raw())
		}
		context = context[1:]
	}
	if context[0].Role() != session.RoleCompactionSummary || array(context[1:]) != array(copies) {
		t.Fatalf("the context is %s\nwant the summary and %s", array(context), array(copies))
	}
}

func checkLastTurn(t tb, path []session.Entry, plan *compact.Plan) {
	t.Helper()
	projection := convo.Project(path)
	first, last := -1, -1 // kept, and the last user message
	calls := map[string]int{}
	var pairs [][2]int // of a call and its result
	for i, p := range projection {
		if p.Entry.ID() == plan.FirstKept {
			first = i
		}
		for _, m := range p.Messages {
			for _, c := range m.ToolCalls() {
				calls[c.ID] = i
			}
			switch id := m.Str("toolCallId"); m.Role() {
			case session.RoleUser:
				last = i
			case session.RoleToolResult:
				if call, ok := calls[id]; ok {
					pairs = append(pairs, [2]int{call, i})
					delete(calls, id)
				}
			}
		}
	}
	if first < 0 || last < first {
		t.Fatalf("keeps from %d on (%s), the last user message is %d", first, plan.FirstKept, last)
	}
	for i := first + 1; i <= last; i++ {
		parted := func(pair [2]int) bool { return pair[0] < i && i <= pair[1] }
		if !slices.ContainsFunc(pairs, parted) {
			t.Fatalf("keeps from %d on (%s), though the cut could fall before %d; the last user message is %d", first, plan.FirstKept, i, last)
		}
	}
}

// TestEstimate: another estimate moves the cut, and is what
// Gain goes by.
func TestEstimate(t *testing.T) {
	t.Parallel()
	b := &builder{t: t}
	for range 4 {
		b.user(long(10))
		b.assistant(long(10))
	}
	each := func(session.Message) int64 { return 5 }
	for _, c := range []struct {
		estimate  func(session.Message) int64
		firstKept string
		gain      [2]int64
	}{
		{nil, "7", [2]int64{80, 21}},
		{each, "5", [2]int64{40, 25}},
	} {
		p, err := compact.New(b.path, compact.Options{Keep: 20, Estimate: c.estimate})
		if err != nil {
			t.Fatal(err)
		}
		before, after := p.Gain(added(t, p, compact.Summary{History: "S"})...)
		if short(p.FirstKept) != c.firstKept || [2]int64{before, after} != c.gain || p.TokensBefore != 80 {
			t.Errorf("first kept %s, %d tokens (%d before, %d after), want %s, %v",
				short(p.FirstKept), p.TokensBefore, before, after, c.firstKept, c.gain)
		}
	}
}

// array is messages as one JSON array.
func array(messages []session.Message) string {
	raws := make([]string, len(messages))
	for i, m := range messages {
		raws[i] = m.Raw()
	}
	return "[" + strings.Join(raws, ",") + "]"
}
