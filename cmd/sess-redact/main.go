// Sess-redact takes secrets out of a session, or says whether there are any.
//
// Usage:
//
//	sess-redact [flags] [SESSION]
//	sess-redact --check [flags] [SESSION|DIR...]
//
// It is a filter: session in, session out, the same bytes but for the secrets. It never
// prints one. See sess-redact(1).
package main

import (
	"context"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/complete"
	"github.com/sess-tools/sess/internal/core/redact/rules"
)

var tool = cli.Tool{
	Name:    "sess-redact",
	Writes:  true,
	Summary: "take secrets out of a session, or check that there are none",
	Args:    "[SESSION|DIR...]",
	Examples: `sess-redact s.jsonl > clean.jsonl
sess-redact --with hash -o clean.jsonl s.jsonl
sess-redact --check s.jsonl
sess-ls -0 | xargs -0 -r sess-redact --check`,
	Common:   commonFlags,
	Complete: complete.Words(map[string]func() []string{"ID,ID": rules.IDs}),
	New: func() ([]cli.Flag, cli.Action) {
		c := &config{}
		return c.flags(), c.run
	},
}

func main() { cli.Main(tool) }

func (c *config) run(ctx context.Context, s *cli.Streams, operands []string) (err error) {
	defer func() { err = c.silent(err) }()
	defer caught(&err)
	if err := c.validate(); err != nil {
		return err
	}
	r, err := c.redactor(s)
	if err != nil {
		return err
	}
	if c.check {
		return c.checkAll(ctx, s, r, operands)
	}
	return c.filter(ctx, s, r, operands)
}
