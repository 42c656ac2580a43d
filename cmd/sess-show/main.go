// Sess-show shows a session to people: as a page, on the terminal, or as Markdown.
//
// Usage:
//
//	sess-show [flags] [SESSION...]
//
// On a terminal it opens a pager, and into a pipe it prints text. See sess-show(1).
package main

import (
	"context"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/complete"
	"github.com/sess-tools/sess/internal/core/redact/rules"
)

var tool = cli.Tool{
	Name:    "sess-show",
	Summary: "show a session as a page, on the terminal, or as Markdown",
	Args:    "[SESSION...]",
	Examples: `sess-show s.jsonl
sess-show --redact -o s.html s.jsonl
sess-show --as markdown --leaf @fix s.jsonl > s.md
sess-ls -0 | xargs -0 -r sess-show -o pages/`,
	Common:   commonFlags,
	Complete: complete.Reader,
	New: func() ([]cli.Flag, cli.Action) {
		c := &config{}
		return c.flags(), c.run
	},
}

func main() { cli.Main(tool) }

func (c *config) run(ctx context.Context, s *cli.Streams, operands []string) (err error) {
	if err := c.check(operands); err != nil {
		return err
	}
	if c.redact {
		if c.secrets, err = rules.Configured(s); err != nil {
			return err
		}
	}
	if c.directory() {
		return c.makeDirectory(ctx, s, operands)
	}
	name, err := address.OneOrNewest(ctx, s, operands)
	if err != nil {
		return err
	}
	d, err := c.read(ctx, s, name)
	if err != nil {
		return err
	}
	return c.show(ctx, s, d)
}
