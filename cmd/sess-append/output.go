package main

import (
	"fmt"

	"github.com/sess-tools/sess/internal/clikit"
	"github.com/sess-tools/sess/internal/operand"
)

// print shows what was appended: the ids, or whole entries. A filter prints the
// session itself.
func (c *config) print(s *clikit.Streams, t *operand.Target) error {
	for _, e := range t.Batch.Entries {
		text := e.ID()
		switch {
		case c.json || c.dryRun:
			text = e.Raw()
		case t.Filter():
			return nil
		}
		if _, err := fmt.Fprintln(s.Out, text); err != nil {
			return err
		}
	}
	return nil
}
