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
	compaction := func(b *builder) {
		b.add(session.TypeCompaction, `"summary":"s","firstKeptEntryId":"00000001","tokensBefore":1`)
	}
	for name, c := range map[string]struct {
		build func(b *builder)
		want  bool
	}{
		"no entries":            {func(*builder) {}, true},
		"no messages":           {func(b *builder) { b.add(session.TypeLabel, ""); b.add(session.TypeModelChange, "") }, true},
		"no compaction":         {func(b *builder) { b.user("a"); b.add(session.TypeLabel, "") }, false},
		"a compaction last":     {func(b *builder) { b.user("a"); compaction(b) }, true},
		"no message follows":    {func(b *builder) { b.user("a"); compaction(b); b.add(session.TypeLabel, "") }, true},
		"a message follows":     {func(b *builder) { b.user("a"); compaction(b); b.user("b"); b.add(session.TypeLabel, "") }, false},
		"a summary follows":     {func(b *builder) { compaction(b); b.add(session.TypeBranchSummary, `"summary":"x","fromId":"root"`) }, false},
		"an empty one follows":  {func(b *builder) { compaction(b); b.add(session.TypeBranchSummary, `"summary":"","fromId":"root"`) }, true},
		"between two of them":   {func(b *builder) { compaction(b); b.user("a"); compaction(b) }, true},
		"after the second only": {func(b *builder) { compaction(b); compaction(b); b.user("a") }, false},
	} {
		b := &builder{t: t}
		c.build(b)
		if got := compact.NothingNew(b.path); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// The laws of a plan that keeps user messages or the last turn, for any path:
//
//  1. New returns a plan or ErrNothing, and the same one for the same path.
//  2. No turn is split.
//  3. KeepUser summarizes the whole conversation. With the entries appended, the
//     context is the system message in force, the summary and the copies.
//  4. LastTurn keeps the newest user message and all that follows. What it
//     summarizes and what the new context keeps make up the old context, and no
//     result is kept whose call is not. If it keeps more than that, then because
//     a call would be parted from its result.
//  5. With the entries appended there is nothing to compact, also if one without
//     messages follows and user messages are kept.
//  6. The next compaction has the summary in its prompt, and its file lists
//     contain those before.
func checkStrategyLaws(t tb, path []session.Entry, o compact.Options) {
	t.Helper()
	plan, err := compact.New(path, o)
	if errors.Is(err, compact.ErrNothing) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	again, err := compact.New(path, o)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(asPi(plan), asPi(again)); diff != "" || !slices.Equal(raws(plan.Copies), raws(again.Copies)) {
		t.Fatalf("the second plan differs:\n%s", diff)
	}
	if plan.Strategy != o.Strategy || plan.SplitTurn || len(plan.TurnPrefix) > 0 || len(plan.Summarize) == 0 {
		t.Fatalf("strategy %s, split %v, %d messages and %d of a turn", plan.Strategy, plan.SplitTurn, len(plan.Summarize), len(plan.TurnPrefix))
	}
	summary := compact.Extract(plan)
	after := plan.After(added(t, plan, summary)...)
	if o.Strategy == compact.KeepUser {
		checkCopies(t, path, plan, after)
	} else {
		checkLastTurn(t, path, plan)
		checkContext(t, path, plan, after)
	}
	if p, err := compact.New(after, o); !errors.Is(err, compact.ErrNothing) || !compact.NothingNew(after) {
		t.Fatalf("compacts what it compacted: %+v, %v", p, err)
	}
	b := &builder{t: t, path: slices.Clone(after)}
	b.add(session.TypeLabel, `"targetId":"`+plan.Leaf+`","label":"l"`)
	if p, err := compact.New(b.path, o); !errors.Is(err, compact.ErrNothing) && o.Strategy == compact.KeepUser {
		t.Fatalf("compacts its copies: %+v, %v", p, err)
	}
	checkNext(t, plan, after, plan.Text(summary), o)
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
	checkPairs(t, plan)
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

var newStrategies = []compact.Strategy{compact.KeepUser, compact.LastTurn}

func TestStrategyLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		path := fromBytes(r, rapid.SliceOfN(rapid.Byte(), 0, 80).Draw(r, "operations"))
		checkStrategyLaws(r, path, compact.Options{
			Keep: rapid.Int64Range(1, 400).Draw(r, "keep"), Strategy: rapid.SampledFrom(newStrategies).Draw(r, "strategy"),
			Rules: rapid.SampledFrom(bothRules).Draw(r, "rules"),
		})
	})
}

// TestStrategyCorpus checks the laws for the paths of real sessions.
func TestStrategyCorpus(t *testing.T) {
	t.Parallel()
	goldenFiles(t, func(t *testing.T, _ compact.Rules, path []session.Entry, _ func(string) []byte) {
		t.Helper()
		for _, s := range newStrategies {
			checkStrategyLaws(t, path, compact.Options{Keep: 100, Strategy: s})
		}
	})
}

// TestEstimate: another estimate moves the cut under either rule, and is what
// Gain goes by.
func TestEstimate(t *testing.T) {
	t.Parallel()
	b := &builder{t: t}
	for range 4 {
		b.user(long(10))
		b.assistant(long(10))
	}
	each := func(session.Message) int64 { return 5 }
	for _, rules := range bothRules {
		for _, c := range []struct {
			estimate  func(session.Message) int64
			firstKept string
			gain      [2]int64
		}{
			{nil, "7", [2]int64{80, 21}},
			{each, "5", [2]int64{40, 25}},
		} {
			p, err := compact.New(b.path, compact.Options{Keep: 20, Rules: rules, Estimate: c.estimate})
			if err != nil {
				t.Fatal(err)
			}
			before, after := p.Gain(added(t, p, compact.Summary{History: "S"})...)
			if short(p.FirstKept) != c.firstKept || [2]int64{before, after} != c.gain || p.TokensBefore != 80 {
				t.Errorf("rules %d: first kept %s, %d tokens (%d before, %d after), want %s, %v",
					rules, short(p.FirstKept), p.TokensBefore, before, after, c.firstKept, c.gain)
			}
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
