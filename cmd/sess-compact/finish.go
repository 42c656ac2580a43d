package main

import (
	"context"
	"errors"
	"slices"

	"github.com/sess-tools/sess/internal/clikit"
	"github.com/sess-tools/sess/internal/operand"
	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/session"
)

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
	o := j.target
	o.ExpectLeaf = j.leaf
	t, moved := operand.OpenTarget(j.ctx, j.streams, name, o)
	if !errors.Is(moved, session.ErrLeafMoved) || j.expect != "" || j.done == nil {
		return t, moved
	}
	o.ExpectLeaf, o.Whole = "", true
	t, err := operand.OpenTarget(j.ctx, j.streams, name, o)
	if err != nil {
		return nil, err
	}
	if err := j.follow(t.Source(), moved); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// follow makes the entries anew for the leaf that a session has now, if the path
// to it goes on from the leaf that was planned for and its cut still is one:
// otherwise it returns moved. What came meanwhile is kept.
func (j *job) follow(src *operand.Source, moved error) error {
	leaf, _ := src.Session.Leaf()
	path, _ := src.PathTo(leaf)
	at := slices.IndexFunc(path, func(e session.Entry) bool { return e.ID() == j.leaf })
	if at < 0 {
		return moved
	}
	j.path, j.batch = path, src.Draft()
	if err := j.edit(j.edits); err != nil {
		return err
	}
	plan, err := j.done.plan.Moved(j.current())
	if errors.Is(err, compact.ErrMoved) {
		return moved
	}
	if err != nil {
		return err
	}
	if _, err := plan.AddTo(&j.batch, j.done.Summary); err != nil {
		return err
	}
	j.streams.Notef("%s: the leaf moved while the summary was made; added behind %s", src.Name, path[len(path)-1].ID())
	return j.accept(plan, j.done.own)
}

// printEntries prints the ids of the entries, or the entries.
func (j *job) printEntries() error {
	for _, e := range j.batch.Entries {
		text := e.ID()
		if j.json || j.dryRun {
			text = e.Raw()
		}
		if err := j.println(text); err != nil {
			return err
		}
	}
	return nil
}
