package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/internal/tool/operand"
	"github.com/sess-tools/sess/internal/tool/tty"
	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// printFigures prints how large the context is, and answers whether that is too
// much.
func (j *job) printFigures() error {
	f := compact.Measure(j.path, j.trigger())
	if err := j.println(figuresJSON(f)); err != nil {
		return err
	}
	if !f.Needed {
		return errNoNeed
	}
	return nil
}

// printReportOf prints what a compaction has taken out of the context.
func (j *job) printReportOf() error {
	leaf, _ := j.src.Session.Leaf()
	at, err := j.src.Session.Resolve(j.reportOf, leaf)
	if err != nil {
		return fmt.Errorf("%s: %w", j.src.Name, err)
	}
	if at < 0 {
		return clikit.UsageError("--report-of wants an entry")
	}
	path, _ := j.src.PathTo(at)
	r, err := compact.ReportOn(path, j.src.Session.Entries[at].ID())
	if errors.Is(err, compact.ErrNoReport) {
		return clikit.No("%s: %s is no compaction, nor a context_edit", j.src.Name, j.reportOf)
	}
	if err != nil {
		return err
	}
	return j.printReport(r)
}

func (j *job) printReport(r *compact.Report) error {
	if j.json {
		return j.println(reportJSON(r))
	}
	var b strings.Builder
	if err := r.Text(&b); err != nil {
		return err
	}
	_, err := io.WriteString(j.streams.Out, tty.CleanLines(b.String()))
	return err
}

// printPrompt prints one prompt for everything, however long it is.
func (j *job) printPrompt(plan *compact.Plan, focus string) error {
	text, err := plan.PromptWith(j.promptOptions(focus))
	if err != nil {
		return err
	}
	return j.printText(text)
}

// printText prints a prompt as a command would get it.
func (j *job) printText(text string) error {
	text, err := j.clean(text)
	if err != nil {
		return err
	}
	return j.println(js.ValidText(text))
}

// println prints a text, with control characters made visible on a terminal.
func (j *job) println(text string) error {
	_, err := fmt.Fprintln(j.streams.Out, text)
	return err
}

// filter compacts the session on standard input. If there is nothing to do it
// still goes through.
func (c *config) filter(ctx context.Context, s *clikit.Streams) error {
	t, err := operand.OpenTarget(ctx, s, "-", operand.TargetOptions{})
	if err != nil {
		return err
	}
	j := c.job(ctx, s, t.Source())
	err = j.work()
	switch {
	case c.looks():
		return err
	case clikit.Status(err) == clikit.ExitNo:
		return errors.Join(t.Commit(), err)
	case err != nil:
		return err
	case c.dryRun:
		return j.printEntries()
	}
	if err = t.Adopt(&j.batch); err == nil {
		err = t.Commit()
	}
	if err == nil {
		err = s.Flush()
	}
	if err != nil {
		return j.rescue("", err)
	}
	return nil
}

// write adds the entries to the session. What was paid for and cannot be added is
// kept in a file.
func (j *job) write(name string) error {
	if j.dryRun {
		return j.printEntries()
	}
	if err := j.append(name); err != nil {
		return j.rescue(name, err)
	}
	return j.streams.Acknowledge(operand.Appended(j.batch.Entries), j.printEntries)
}

func (j *job) append(name string) error {
	t, err := j.open(name)
	if err != nil {
		return err
	}
	if err = t.Adopt(&j.batch); err == nil {
		err = t.Commit()
	}
	return errors.Join(err, t.Close())
}

// open opens the session for adding to it, if its leaf still is the one the
// entries were made for, or if they can be made anew for the one it is now.
func (j *job) open(name string) (*operand.Target, error) {
	o, follow := j.target, j.follow
	if o.Whole = true; j.expect != "" || j.done == nil {
		follow = nil
	}
	return operand.OpenBehind(j.ctx, j.streams, name, j.leaf, o, follow)
}

// follow makes the entries anew for the leaf at the end of a path, if the cut still is
// one. What came meanwhile is kept.
func (j *job) follow(src *operand.Source, path []session.Entry) (bool, error) {
	j.path, j.batch = path, src.Draft()
	if err := j.edit(j.edits); err != nil {
		return false, err
	}
	plan, err := j.done.plan.Moved(j.current())
	if errors.Is(err, compact.ErrMoved) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if _, err := plan.AddTo(&j.batch, j.done.Summary); err != nil {
		return false, err
	}
	j.streams.Notef("%s: the leaf moved while the summary was made; added behind %s", src.Name, path[len(path)-1].ID())
	return true, j.accept(plan, j.done.own)
}

// printEntries prints the ids of the entries, or the entries.
func (j *job) printEntries() error {
	return operand.PrintEntries(j.streams, j.batch.Entries, j.json || j.dryRun)
}
