package main

import (
	"fmt"

	"github.com/sess-tools/sess/internal/clikit"
	"github.com/sess-tools/sess/internal/operand"
	"github.com/sess-tools/sess/pkg/session"
)

// finish appends the compaction entry to a session that is held, after a last
// look at whether it makes the context smaller.
func (c *config) finish(s *clikit.Streams, t *operand.Target, made *compaction) error {
	e, err := t.Batch.Add(session.TypeCompaction, made.plan.Entry(made.summary)...)
	if err != nil {
		return err
	}
	before, after := made.plan.Gain(e)
	s.Notef("%s: context of about %d tokens, %d before", t.Name, after, before)
	if after >= before {
		return made.refused(fmt.Errorf("%s: the summary would not make the context smaller: about %d tokens, %d before", t.Name, after, before))
	}
	if !c.dryRun {
		if err := t.Commit(); err != nil {
			return err
		}
	}
	text := e.ID()
	switch {
	case c.json || c.dryRun:
		text = e.Raw()
	case t.Filter():
		return nil
	}
	_, err = fmt.Fprintln(s.Out, text)
	return err
}
