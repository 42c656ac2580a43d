package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/sess-tools/sess/internal/guard/redact"
	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/internal/tool/operand"
	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/session"
)

// The answers "no". --if-needed is polled, so "not needed" prints nothing.
var (
	errNoNeed  = clikit.No("")
	errNothing = clikit.No("nothing to compact")
)

// A job is one run: a session as it was read, and the entries to be added to
// it, which are made before the session is locked.
type job struct {
	*config
	ctx     context.Context
	streams *clikit.Streams
	src     *operand.Source
	path    []session.Entry // to the leaf
	leaf    string          // its id
	batch   session.Batch
	form    *form            // of --template
	secrets *redact.Redactor // of --redact, nil: they stay
	cut     string           // id of the entry of --first-kept
	edits   []compact.Edit   // of --prune and --unprune, in the batch
	done    *done
	paid    *unsent // nil if nothing is lost with the entries
}

// done is a compaction that is in the batch.
type done struct {
	made
	plan *compact.Plan
}

func (c *config) job(ctx context.Context, s *clikit.Streams, src *operand.Source) *job {
	j := &job{config: c, ctx: ctx, streams: s, src: src, batch: src.Draft()}
	leaf, _ := src.Session.Leaf()
	j.path, _ = src.PathTo(leaf)
	j.leaf = j.batch.Leaf
	return j
}

// work prints what is asked for, or makes the entries.
func (j *job) work() (err error) {
	if j.form, err = readForm(j.template); err != nil {
		return err
	}
	if j.redact {
		if j.secrets, err = redact.Default(); err != nil {
			return err
		}
	}
	if !j.looks() && !j.dryRun {
		if err := j.src.Addable(); err != nil {
			return err
		}
	}
	if err := j.references(); err != nil {
		return err
	}
	switch {
	case j.figures:
		return j.printFigures()
	case j.reportOf != "":
		return j.printReportOf()
	case j.unprune:
		return j.restore()
	case j.branch != "":
		return j.leaveBranch()
	}
	if j.ifNeeded && !j.needed() {
		return errNoNeed
	}
	if j.prune {
		if err := j.takeOut(); err != nil || !j.looks() && !j.goesOn() {
			return err
		}
	}
	err = j.compact()
	if clikit.Status(err) == clikit.ExitNo && len(j.batch.Entries) > 0 {
		return nil // what was pruned stays pruned
	}
	return err
}

// references looks up the entries that flags name.
func (j *job) references() error {
	if err := j.src.Expect(j.expect); err != nil || j.firstKept == "" {
		return err
	}
	leaf, _ := j.src.Session.Leaf()
	at, err := j.src.Session.Resolve(j.firstKept, leaf)
	if err != nil {
		return fmt.Errorf("%s: %w", j.src.Name, err)
	}
	if at < 0 {
		return clikit.UsageError("--first-kept wants an entry")
	}
	j.cut = j.src.Session.Entries[at].ID()
	return nil
}

// options says how to cut.
func (j *job) options() compact.Options {
	o := j.config.options()
	o.FirstKept = j.cut
	return o
}

func (j *job) needed() bool { return compact.Measure(j.current(), j.trigger()).Needed }

// current is the path with the entries that have been made.
func (j *job) current() []session.Entry { return slices.Concat(j.path, j.batch.Entries) }

// goesOn reports whether a compaction follows the pruning: if one is asked for
// and, with --if-needed, the pruning was not enough.
func (j *job) goesOn() bool {
	if j.ifNeeded {
		return j.needed()
	}
	return len(j.streams.Command) > 0 || j.summary != ""
}

// compact plans, gets the summary and makes the entry.
func (j *job) compact() error {
	plan, focus, given, err := j.makePlan()
	if err != nil {
		return err
	}
	switch {
	case j.plan:
		return j.println(planJSON(plan, focus))
	case j.report:
		return j.printReport(plan.Report())
	case j.prompt:
		return j.printPrompt(plan, focus)
	}
	summary, err := j.summarize(plan, focus, given)
	if err != nil {
		return err
	}
	if _, err := plan.AddTo(&j.batch, summary.Summary); err != nil {
		return err
	}
	if err := j.accept(plan, summary.own); err != nil {
		return err
	}
	j.done = &done{summary, plan}
	if summary.paid {
		j.pay(plan.Reply(summary.Summary), j.again(plan)...)
	}
	return nil
}

// accept looks at whether the entries make the context smaller. If our own
// summary does not, that is an answer and no failure.
func (j *job) accept(plan *compact.Plan, own bool) error {
	made := j.batch.Entries[len(j.batch.Entries)-len(plan.Copies)-1:]
	before, after := plan.Gain(made...)
	j.streams.Notef("%s: context of about %d tokens, %d before", j.src.Name, after, before)
	gain, _ := compact.ParseMinGain(j.minGain)
	if gain.Enough(before, after) {
		return nil
	}
	err := fmt.Errorf("%s: the summary would not make the context smaller: about %d tokens, %d before", j.src.Name, after, before)
	if after < before {
		err = fmt.Errorf("%s: the summary would save less than %s: about %d tokens, %d before", j.src.Name, j.minGain, after, before)
	}
	j.batch.Entries = j.batch.Entries[:len(j.batch.Entries)-len(made)]
	if own {
		return clikit.No("%v", err)
	}
	return clikit.CommandFailed(err)
}

// makePlan plans, and lets the hook have a look. It returns what to tell the
// summarizer as well, and the summary if the hook gave one.
func (j *job) makePlan() (plan *compact.Plan, focus string, given *string, err error) {
	path := j.current()
	if compact.NothingNew(path) {
		return nil, "", nil, errNothing
	}
	plan, err = compact.New(path, j.options())
	if errors.Is(err, compact.ErrNothing) {
		return nil, "", nil, errNothing
	}
	if err != nil || j.hook == "" || j.plan || j.prompt || j.report {
		return plan, j.instructions, nil, err
	}
	return j.askHook(plan)
}
