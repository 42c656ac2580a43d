// Sess-handoff goes on with a session in another agent.
//
// Usage:
//
//	sess-handoff --to AGENT [flags] [SESSION] [-- COMMAND [ARG...]]
//
// It makes a session that the other agent's model accepts, puts it where that agent
// looks, reads it back, and prints the line to type. The source is only read. See
// sess-handoff(1).
package main

import (
	"context"

	"github.com/sess-tools/sess/internal/agents/handoff"
	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/complete"
)

var tool = cli.Tool{
	Name:    "sess-handoff",
	Summary: "continue a session in another agent",
	Args:    "[SESSION] [-- COMMAND [ARG...]]",
	Doc: "Without SESSION, the newest session of this directory, of any agent but the one it goes to.\n" +
		"Secrets are taken out. COMMAND summarizes what does not fit.",
	Command: true,
	Examples: `sess-handoff --to codex
eval "$(sess-handoff --to pi claude:)"
sess-handoff --to claude --budget 40k codex:019ed99c -- my-llm
claude "$(sess-handoff --brief codex:)"`,
	Common: commonFlags,
	Complete: func(ctx context.Context, at cli.Place, add func(cli.Candidate)) {
		if at.Kind == "AGENT" {
			at.Match(add, handoff.Targets()...)
			return
		}
		complete.Reader(ctx, at, add)
	},
	New: func() ([]cli.Flag, cli.Action) {
		c := &config{}
		return c.flags(), c.run
	},
}

func main() { cli.Main(tool) }

func (c *config) run(ctx context.Context, s *cli.Streams, operands []string) error {
	if err := c.check(operands); err != nil {
		return err
	}
	name, err := address.One(operands)
	if err != nil {
		return s.Dashes(err)
	}
	if err := c.importer(); err != nil {
		return err
	}
	j := &job{config: c, streams: s}
	if err := j.read(ctx, name); err != nil {
		return err
	}
	if err := j.make(ctx); err != nil {
		return err
	}
	return j.hand(ctx)
}
