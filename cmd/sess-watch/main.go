// Sess-watch says what an agent is doing, and until when.
//
// Usage:
//
//	sess-watch [flags] [SESSION...] [-- COMMAND [ARG...]]
//
// It prints what sessions say while they are written, and when the state of an agent changes; or
// waits until it is one that is wanted. See sess-watch(1).
package main

import (
	"context"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/complete"
	"github.com/sess-tools/sess/internal/core/pager"
	"github.com/sess-tools/sess/internal/readers/status"
)

var tool = cli.Tool{
	Name:    "sess-watch",
	Summary: "show what an agent is doing, and wait for it",
	Args:    "[SESSION...] [-- COMMAND [ARG...]]",
	Doc: "Rows as they come: ENTRY:ROLE:TEXT, and ENTRY:state:STATE at first and when that changes.\n" +
		"A terminal gets a table of several sessions, drawn in place; -v gives the rows.\n" +
		"COMMAND is run for each row of a state, with it on standard input.",
	Command: true,
	Examples: `sess-watch --once --agent all
sess-watch claude:
sess-watch --state waiting --timeout 1h codex: && echo 'your turn'
sess-watch -q --state failed -a -- mail -s 'an agent failed' me`,
	Common:   commonFlags,
	Complete: complete.Words(map[string]func() []string{"STATE,STATE": func() []string { return append(status.Names(), waiting) }}),
	New: func() ([]cli.Flag, cli.Action) {
		c := &config{}
		return c.flags(), c.run
	},
}

func main() { cli.Main(tool) }

func (c *config) run(ctx context.Context, s *cli.Streams, operands []string) error {
	if err := c.check(s); err != nil {
		return err
	}
	if !c.once && len(c.until) > 0 {
		s.Gate()
	}
	found, err := c.sessions.FindOrNewest(ctx, s, operands)
	if err != nil {
		return s.Dashes(err)
	}
	found.SayNothing(s)
	if !c.once {
		s.Unfold() // what happens is said when it does
	}
	w := &watcher{config: c, streams: s, single: found.Single, named: operands, quiet: s.Quiet}
	if err := w.begin(ctx, found); err != nil {
		return err
	}
	if c.once {
		return pager.Of(func(context.Context, *cli.Streams, []string) error { return w.list() })(ctx, s, operands)
	}
	return w.follow(ctx)
}
