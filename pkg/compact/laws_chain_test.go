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

// The laws of a session that is compacted as it grows, by any strategy:
//
//  1. A second plan is the same as the first.
//  2. A tool result of the new context has its call, if it had it before.
//  3. Gain is what the contexts before and after measure; only what makes the
//     context smaller is written.
//  4. The text of the compaction before reaches the next prompt, unless an edit
//     took it out of the context.
//  5. The file lists only grow then, and what was modified stays modified.
//  6. Without anything new compacting ends: after at most two more steps, each
//     of which makes the context smaller, there is nothing to compact.
type chain struct {
	*drawer
	o     compact.Options
	text  string // of the newest compaction the chain has written
	files map[string]bool
}

func TestChainLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		const rounds = 5
		c := &chain{drawer: drawPath(r, 25), o: drawOptions(r)}
		for range rounds {
			c.compact()
			from := len(c.path)
			c.extend(8)
			for _, e := range c.path[from:] {
				if e.Type() == session.TypeCompaction { // another's, or by other options
					c.text, c.files = "", nil
				}
			}
		}
	})
}

// compact checks a compaction and appends it if it gains anything.
func (c *chain) compact() {
	plan, err := compact.New(c.path, c.o)
	if errors.Is(err, compact.ErrNothing) {
		return
	}
	if err != nil {
		c.r.Fatal(err)
	}
	again, err := compact.New(c.path, c.o)
	if err != nil {
		c.r.Fatal(err)
	}
	if diff := cmp.Diff(c.asked(plan), c.asked(again)); diff != "" {
		c.r.Fatalf("the second plan differs:\n%s", diff)
	}
	c.checkCarried(plan)
	s := c.summary(plan)
	added := batchOf(c.r, c.path, plan, s).Entries
	after := plan.After(added...)
	checkCalls(c.r, c.path, after)
	if !c.gains(plan, added) {
		return
	}
	c.path, c.text, c.files = after, plan.Text(s), files(plan)
	c.settle()
}

// asked is all a caller sees of a plan.
func (*chain) asked(p *compact.Plan) []string {
	out := append(raws(p.Copies), p.FirstKept, p.Prompt("x"), p.HistoryPrompt(""), p.PrefixPrompt(""))
	return append(out, p.Text(summaryOf(p)), p.System, p.PreviousSummary)
}

// summary is that of a model, or an extract.
func (c *chain) summary(plan *compact.Plan) compact.Summary {
	if rapid.Bool().Draw(c.r, "extract") {
		return summaryOf(plan)
	}
	c.n++
	return plan.Answer("## Goal\nthe work, " + c.drawer.text())
}

// gains checks what Gain says against the contexts.
func (c *chain) gains(plan *compact.Plan, added []session.Entry) bool {
	before, after := plan.Gain(added...)
	was, is := sum(convo.MessagesOf(convo.Project(c.path))), sum(convo.MessagesOf(convo.Project(plan.After(added...))))
	if before != was || after != is {
		c.r.Fatalf("gain from %d to %d tokens, the contexts have %d and %d", before, after, was, is)
	}
	return after < before
}

// checkCarried looks for what the compaction before left to this one.
func (c *chain) checkCarried(plan *compact.Plan) {
	if !slices.ContainsFunc(convo.MessagesOf(convo.Project(c.path)), func(m session.Message) bool {
		return m.Role() == session.RoleCompactionSummary && m.Str("summary") == c.text
	}) {
		return
	}
	if c.text != "" && (plan.PreviousSummary != c.text || !strings.Contains(plan.HistoryPrompt(""), c.text) || !strings.Contains(plan.Prompt(""), c.text)) {
		c.r.Fatalf("not in the prompt: %s", c.text)
	}
	listed := files(plan)
	for name, modified := range c.files {
		if now, ok := listed[name]; !ok || modified && !now {
			c.r.Fatalf("%s is no longer listed as it was", name)
		}
	}
}

// settle compacts on, with nothing new but perhaps a label.
func (c *chain) settle() {
	const most = 2
	b := &builder{t: c.r, path: c.path}
	if rapid.Bool().Draw(c.r, "label") {
		b.add(session.TypeLabel, `"targetId":"00000001","label":"l"`)
	}
	for n := 0; ; n++ {
		plan, err := compact.New(b.path, c.o)
		if errors.Is(err, compact.ErrNothing) {
			return
		}
		if err != nil {
			c.r.Fatal(err)
		}
		added := batchOf(c.r, b.path, plan, plan.Answer("s")).Entries
		before, after := plan.Gain(added...)
		if n == most || after >= before {
			c.r.Fatalf("compacts again after %d compactions of nothing new, from %d tokens to %d, keeping from %s", n, before, after, plan.FirstKept)
		}
		b.path = plan.After(added...)
		b.add(session.TypeLabel, `"targetId":"00000001","label":"l"`)
	}
}

// checkCalls looks for results that have lost their call.
func checkCalls(t tb, before, after []session.Entry) {
	t.Helper()
	had := answered(convo.MessagesOf(convo.Project(before)))
	for result, has := range answered(convo.MessagesOf(convo.Project(after))) {
		if had[result] && !has {
			t.Fatalf("lost its call: %s", result)
		}
	}
}

// answered tells of the tool results among messages whether the call they answer
// stands before them. A second result answers nothing.
func answered(messages []session.Message) map[string]bool {
	open, out := map[string]bool{}, map[string]bool{}
	for _, m := range messages {
		for _, c := range m.ToolCalls() {
			open[c.ID] = true
		}
		if m.Role() == session.RoleToolResult {
			id := m.Str("toolCallId")
			out[m.Raw()] = open[id]
			delete(open, id)
		}
	}
	return out
}
