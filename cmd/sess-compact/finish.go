package main

import (
	"errors"
	"fmt"

	"github.com/sess-tools/sess/internal/operand"
)

// write adds the entries to the session, if its leaf still is the one they were
// made for.
func (j *job) write(name string) error {
	if j.dryRun {
		return j.printEntries()
	}
	j.target.ExpectLeaf = j.leaf
	t, err := operand.OpenTarget(j.ctx, j.streams, name, j.target)
	if err != nil {
		return err
	}
	err = t.Adopt(&j.batch)
	if err == nil {
		err = t.Commit()
	}
	if err == nil {
		err = j.printEntries()
	}
	return errors.Join(err, t.Close())
}

// printEntries prints the ids of the entries, or the entries.
func (j *job) printEntries() error {
	for _, e := range j.batch.Entries {
		text := e.ID()
		if j.json || j.dryRun {
			text = e.Raw()
		}
		if _, err := fmt.Fprintln(j.streams.Out, text); err != nil {
			return err
		}
	}
	return nil
}
