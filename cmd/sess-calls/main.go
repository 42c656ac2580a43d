// Sess-calls lists what an agent did in sessions.
//
// Usage:
//
//	sess-calls [flags] [SESSION|DIR...]
//
// It prints a row for each call of a tool: its entry, its kind, how it ended, and its subject. See
// sess-calls(1).
package main

import (
	"context"

	"github.com/sess-tools/sess/internal/core/calls"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/complete"
	"github.com/sess-tools/sess/internal/core/pager"
)

var tool = cli.Tool{
	Name:    "sess-calls",
	Summary: "list what an agent did",
	Args:    "[SESSION|DIR...]",
	Doc: "A row for each call: ENTRY:KIND:STATUS:TARGET, with the session in front if there are several.\n" +
		"Without SESSION or DIR it reads standard input, at a terminal the newest session here.",
	Examples: `sess-calls s.jsonl
sess-calls --status fail claude:
sess-calls --touched '*.go' --kind write s.jsonl
sess-calls --run 'git push*' --all
sess-calls -q --kind run --where '.status == 137' s.jsonl && echo 'out of memory'
diff <(sess-calls --plain a.jsonl) <(sess-calls --plain b.jsonl)`,
	Common:   commonFlags,
	Complete: complete.Words(map[string]func() []string{"KIND,KIND": calls.Kinds, "STATUS": calls.Outcomes}),
	New: func() ([]cli.Flag, cli.Action) {
		c := &config{}
		return c.flags(), pager.Of(c.run)
	},
}

func main() { cli.Main(tool) }

func (c *config) run(ctx context.Context, s *cli.Streams, operands []string) error {
	s.Quiet = s.Quiet || c.quiet
	if err := c.check(s); err != nil {
		return err
	}
	found, err := c.sessions.FindOrNewest(ctx, s, operands)
	if err != nil {
		return err
	}
	if !c.quiet {
		found.SayNothing(s)
	}
	return c.list(ctx, s, found)
}
