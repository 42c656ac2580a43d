// Sess-ls lists sessions.
//
// Usage:
//
//	sess-ls [flags] [DIR...]
//
// Without directories it lists the sessions of the store that belong to the
// working directory. See sess-ls(1).
package main

import (
	"context"
	"runtime/debug"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/complete"
	"github.com/sess-tools/sess/internal/core/pager"
	"github.com/sess-tools/sess/internal/core/selection"
)

var tool = cli.Tool{
	Name:    "sess-ls",
	Summary: "list sessions",
	Doc:     selection.Which,
	Args:    "[FILE|DIR...]",
	Examples: `sess-ls
sess-ls --all --since 7d --sort size
sess-path --as text "$(sess-ls --recent --paths)"
sess-ls --all --until 30d -0 | xargs -0 ls -l
sess-ls --json --where '.messages > 100' ~/.pi/agent/sessions/*/
sess-ls --agent all --since 7d`,
	Common:   commonFlags,
	Complete: complete.Reader,
	New: func() ([]cli.Flag, cli.Action) {
		c := &config{}
		return c.flags(), pager.Of(c.run)
	},
}

func main() { cli.Main(tool) }

func (c *config) run(ctx context.Context, s *cli.Streams, operands []string) error {
	s.Fold()
	if err := c.sessions.Here(s, operands); err != nil {
		return err
	}
	keep, err := c.selection(ctx, s)
	if err != nil {
		return err
	}
	// All rows are there until the last is found: to collect more often saves a
	// fifth of the memory, and hardly takes time.
	debug.SetGCPercent(50)
	switch operands, err = c.addresses(ctx, s, operands); {
	case err != nil:
		return err
	case c.remote():
		return c.listRemote(ctx, s, keep)
	case len(c.sessions.Agents) > 0:
		return c.listAgents(ctx, s, operands, keep)
	}
	return c.listFiles(ctx, s, operands, keep)
}
