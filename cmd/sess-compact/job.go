package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/brief"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/redact"
	secretrules "github.com/sess-tools/sess/internal/core/redact/rules"
	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/session"
)

// The answers "no". --if-needed is polled, so "not needed" prints nothing.
var (
	errNoNeed  = cli.No("")
	errNothing = cli.No("nothing to compact")
)

// A job is one run: a session as it was read, and the entries to be added to
// it, which are made before the session is locked.
type job struct {
	*config
	ctx     context.Context
	streams *cli.Streams
	src     *address.Source
	path    []session.Entry // to the leaf
	leaf    string          // its id
	batch   session.Batch
	secrets *redact.Redactor // of --redact, nil: they stay
	cut     string           // id of the entry of --first-kept
	edits   []compact.Edit   // of --prune, in the batch
	done    *done
	paid    *unsent // nil if nothing is lost with the entries
}

// done is a compaction that is in the batch.
type done struct {
	made
	plan *compact.Plan
}

func (c *config) job(ctx context.Context, s *cli.Streams, src *address.Source) *job {
	j := &job{config: c, ctx: ctx, streams: s, src: src, batch: src.Draft()}
	leaf, _ := src.Session.Leaf()
	j.path, _ = src.PathTo(leaf)
	j.leaf = j.batch.Leaf
	return j
}

// work prints the plan or the report that was asked for, or makes the entries.
func (j *job) work() (err error) {
	if j.redact {
		if j.secrets, err = secretrules.Configured(j.streams); err != nil {
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
	case j.sizes():
		f := compact.Measure(j.path, j.trigger())
		if err := j.println(figuresJSON(f)); err != nil {
			return err
		}
		if !f.Needed {
			return errNoNeed
		}
		return nil
	case j.reportOf != "":
		return j.printReportOf()
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
	if cli.Status(err) == cli.ExitNo && len(j.batch.Entries) > 0 {
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
		return cli.UsageError("--first-kept wants an entry")
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

// current is the path with the entries that have been made. A long path is copied only if
// there are some.
func (j *job) current() []session.Entry { return append(slices.Clip(j.path), j.batch.Entries...) }

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
	plan, err := j.makePlan()
	if err != nil {
		return err
	}
	switch {
	case j.plan:
		return j.println(planJSON(plan, j.instructions))
	case j.report:
		return j.printReport(brief.Planned(plan, j.src.Header.CWD))
	case j.prompt:
		// One prompt for everything, however long it is.
		seen, err := j.asked(plan)
		if err != nil {
			return err
		}
		return j.printText(seen.PromptWith(j.promptOptions()))
	}
	summary, err := j.summarize(plan)
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
		return cli.No("%v", err)
	}
	return cli.CommandFailed(err)
}

func (j *job) makePlan() (*compact.Plan, error) {
	path := j.current()
	if compact.NothingNew(path) {
		return nil, errNothing
	}
	plan, err := compact.New(path, j.options())
	if errors.Is(err, compact.ErrNothing) {
		return nil, errNothing
	}
	return plan, err
}

// A text that was paid for, and the flags that make the same entry of it.
type unsent struct {
	text  string
	flags []string
}

// pay notes a summary that is lost unless it is written or kept.
func (j *job) pay(text string, flags ...string) {
	flags = append(flags, "--no-require") // it has been accepted
	if j.estimator != compact.DefaultEstimator {
		flags = append(flags, "--estimator", j.estimator)
	}
	j.paid = &unsent{text, flags}
}

// again are the flags that plan the same compaction.
func (j *job) again(plan *compact.Plan) []string {
	flags := []string{"--first-kept", plan.FirstKept}
	switch plan.Strategy {
	case compact.KeepUser:
		flags = []string{"--strategy", j.strategy, "--keep", strconv.FormatInt(j.config.keep, 10), "--expect-leaf", j.leaf}
	case compact.LastTurn:
		flags = append(flags, "--strategy", j.strategy)
	}
	if len(j.edits) > 0 {
		flags = append(flags, "--prune", "--prune-protect", strconv.FormatInt(j.pruneProtect, 10))
	}
	return flags
}

// rescue saves the summary that could not be written for the reason in err, if one
// was paid for, and says where it is and how to use it.
func (j *job) rescue(name string, err error) error {
	if j.paid == nil {
		return err
	}
	file, kept := j.src.Keep("the summary", ".md", j.paid.text+"\n")
	if file == "" {
		return errors.Join(err, kept)
	}
	if j.branch != "" && errors.Is(err, session.ErrLeafMoved) {
		kept = fmt.Errorf("%w; it does not cover what was added meanwhile", kept)
	}
	apply := slices.Concat([]string{"sess-compact", "--summary-file", file}, j.paid.flags)
	switch {
	case name == "" || name == "-":
		return errors.Join(err, cli.WithHint(kept, "to use it, as a filter of the same session: %s", cli.ShellWords(apply)))
	case errors.Is(err, session.ErrLeafMoved) && j.branch == "" && j.expect == "":
		copied := strings.TrimSuffix(file, ".md") + ".jsonl"
		fork := []string{"sess-fork", "--at", j.leaf, "-o", copied, name}
		return errors.Join(err, cli.WithHint(kept, "to use it in a copy of what it is of: %s && %s", cli.ShellWords(fork), cli.ShellWords(append(apply, copied))))
	}
	return errors.Join(err, cli.WithHint(kept, "to use it: %s", cli.ShellWords(append(apply, name))))
}
