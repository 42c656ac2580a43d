// Sess-assert checks what an agent did in sessions.
//
// Usage:
//
//	sess-assert GATE... [flags] [SESSION|DIR...]
//
// Each gate is a flag, such as --no-call 'run:git push*'. The status says whether all of them hold. See
// sess-assert(1).
package main

import (
	"context"

	"github.com/sess-tools/sess/internal/core/calls"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/complete"
	"github.com/sess-tools/sess/internal/core/redact/rules"
)

const name = "sess-assert"

var tool = cli.Tool{
	Name:    name,
	Summary: "check what an agent did",
	Args:    "[SESSION|DIR...]",
	Doc: "The status is 0 if all gates hold, 1 if one does not, 2 if not all could be read, and 3 if there is no session.\n" +
		"A CALL is KIND or TOOL, alone or with a colon and a GLOB behind it: run:git push*, write:src/**, WebFetch.",
	Examples: `sess-assert --no-call 'run:git push*' s.jsonl
sess-assert --fixed 'run:go test*' --wrote-only 'internal/**' s.jsonl
sess-assert --order 'run:go test*,run:git commit*' --max-calls 200 s.jsonl
sess-assert --no-call fetch --github --all`,
	Common:   commonFlags,
	Complete: complete.Words(map[string]func() []string{"CALL": calls.Kinds, "CALL,CALL": calls.Kinds}),
	New: func() ([]cli.Flag, cli.Action) {
		c := &config{}
		return c.flags(), c.run
	},
}

func main() { cli.Main(tool) }

func (c *config) run(ctx context.Context, s *cli.Streams, operands []string) (err error) {
	if err := c.check(); err != nil {
		return err
	}
	if !c.noRedact {
		if c.secrets, err = rules.Configured(s); err != nil {
			return err
		}
	}
	s.Gate()
	found, err := c.sessions.Find(ctx, s, operands)
	if err != nil {
		return err
	}
	return c.assert(ctx, s, found)
}
