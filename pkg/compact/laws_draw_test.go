package compact_test

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// A drawer makes a random session: turns as agents write them, and everything
// else that may stand between. Calls come in bundles, and their results late,
// doubled, for no call, or never.
type drawer struct {
	*builder
	r    *rapid.T
	open []string // ids of calls without a result
	n    int      // of ids and texts, which are all different
}

// drawPath makes a path of up to most steps.
func drawPath(r *rapid.T, most int) *drawer {
	d := &drawer{builder: &builder{t: r}, r: r}
	d.extend(most)
	return d
}

func (d *drawer) extend(most int) {
	for range rapid.IntRange(0, most).Draw(d.r, "steps") {
		rapid.SampledFrom(steps).Draw(d.r, "step").do(d)
	}
}

// A step has a name for the reports of rapid.
type step struct {
	name string
	do   func(d *drawer)
}

func (s step) String() string { return s.name }

// steps are what may come next, what is common more than once.
var steps = []step{
	{"user", func(d *drawer) { d.user("Please do " + d.text()) }},
	{"user", func(d *drawer) { d.user("Never do " + d.text() + "?") }},
	{"user with image", func(d *drawer) {
		d.message(`{"role":"user","content":[{"type":"image","data":"AA==","mimeType":"image/png"},{"type":"text","text":` + js.Quote(d.text()) + `}]}`)
	}},
	{"contextual user", func(d *drawer) { d.user("<environment_context>" + d.text() + "</environment_context>") }},
	{"assistant", func(d *drawer) { d.assistant("This is " + d.text() + ". Shall I go on?") }},
	{"calls", (*drawer).calls},
	{"calls", (*drawer).calls},
	{"result", (*drawer).answer},
	{"result", (*drawer).answer},
	{"result", (*drawer).answer},
	{"all results", func(d *drawer) {
		for len(d.open) > 0 {
			d.answer()
		}
	}},
	{"result again", func(d *drawer) { d.result(fmt.Sprintf("call%d", d.n-1), d.text(), false) }},
	{"result without call", func(d *drawer) { d.result("none", d.text(), false) }},
	{"failure", func(d *drawer) {
		d.message(`{"role":"assistant","content":[],"stopReason":"error","errorMessage":` + js.Quote(d.text()) + `}`)
	}},
	{"bash", func(d *drawer) {
		d.message(fmt.Sprintf(`{"role":"bashExecution","command":"make %d","output":%s,"exitCode":%d,"excludeFromContext":%t}`,
			d.n, js.Quote(d.text()), d.n%2, rapid.Bool().Draw(d.r, "excluded")))
	}},
	{"custom message", func(d *drawer) {
		d.add(session.TypeCustomMessage, `"customType":"x","display":true,"content":`+js.Quote(d.text()))
	}},
	{"custom", func(d *drawer) { d.add(session.TypeCustom, `"customType":"x","data":{"n":1}`) }},
	{"label", func(d *drawer) { d.add(session.TypeLabel, `"targetId":"00000001","label":"l"`) }},
	{"model change", func(d *drawer) { d.add(session.TypeModelChange, `"provider":"p","modelId":"m"`) }},
	{"system", func(d *drawer) { d.message(`{"role":"system","content":` + js.Quote(d.text()) + `}`) }},
	{"branch summary", func(d *drawer) {
		d.add(session.TypeBranchSummary, `"fromId":"00000001","summary":`+js.Quote("## Goal\n- "+d.text()))
	}},
	{"edit", func(d *drawer) { d.edit(`null`) }},
	{"edit", func(d *drawer) { d.edit(`{"content":"short"}`) }},
	{"foreign compaction", func(d *drawer) {
		hook := rapid.Bool().Draw(d.r, "hook")
		d.add(session.TypeCompaction, fmt.Sprintf(`"summary":%s,"firstKeptEntryId":%q,"tokensBefore":9,"details":{"readFiles":["old.go"],"modifiedFiles":["new.go"]},"fromHook":%t`,
			js.Quote("We did "+d.text()), d.earlier(), hook))
	}},
	{"compaction", func(d *drawer) {
		if plan, err := compact.New(d.path, drawOptions(d.r)); err == nil {
			d.append(plan, summaryOf(plan))
		}
	}},
}

// drawOptions draws what to keep and how.
func drawOptions(r *rapid.T) compact.Options {
	o := compact.Options{Keep: rapid.SampledFrom([]int64{-1, 1, 20, 60, 200}).Draw(r, "keep")}
	name := rapid.SampledFrom(compact.Strategies()).Draw(r, "strategy")
	o.Strategy, _ = compact.StrategyFor(name)
	return o
}

// text returns a text of up to some 50 tokens that comes but once.
func (d *drawer) text() string {
	d.n++
	return fmt.Sprintf("thing %d", d.n) + strings.Repeat(" four", rapid.SampledFrom([]int{0, 1, 10, 50}).Draw(d.r, "length"))
}

// earlier returns the id of an entry on the path, or of none.
func (d *drawer) earlier() string {
	return fmt.Sprintf("%08x", rapid.IntRange(0, len(d.path)).Draw(d.r, "entry"))
}

func (d *drawer) edit(replacement string) {
	d.add(session.TypeContextEdit, fmt.Sprintf(`"targetId":%q,"replacement":%s`, d.earlier(), replacement))
}

// calls adds a message with one to three calls.
func (d *drawer) calls() {
	var calls []string
	for range rapid.IntRange(1, 3).Draw(d.r, "calls") {
		d.n++
		id := fmt.Sprintf("call%d", d.n)
		d.open = append(d.open, id)
		calls = append(calls, id, rapid.SampledFrom([]string{"read", "edit", "write"}).Draw(d.r, "tool"), fmt.Sprintf(`{"path":"f%d.go"}`, d.n%7))
	}
	d.call(calls...)
}

// answer adds the result of a call that has none yet, not always of the first.
func (d *drawer) answer() {
	if len(d.open) == 0 {
		return
	}
	i := rapid.IntRange(0, len(d.open)-1).Draw(d.r, "which")
	d.result(d.open[i], d.text(), rapid.Bool().Draw(d.r, "failed"))
	d.open = slices.Delete(d.open, i, i+1)
}

// append appends what belongs to a compaction and returns it.
func (d *drawer) append(plan *compact.Plan, s compact.Summary) []session.Entry {
	d.t.Helper()
	b := batchOf(d.t, d.path, plan, s)
	d.path = plan.After(b.Entries...)
	return b.Entries
}

// batchOf returns the entries of a compaction, with ids as a builder gives.
func batchOf(t tb, path []session.Entry, plan *compact.Plan, s compact.Summary) *session.Batch {
	t.Helper()
	b := &session.Batch{Leaf: plan.Leaf}
	b.NewID = func(func(string) bool) (string, error) { return fmt.Sprintf("%08x", len(path)+len(b.Entries)+1), nil }
	if _, err := plan.AddTo(b, s); err != nil {
		t.Fatal(err)
	}
	return b
}
