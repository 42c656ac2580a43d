// Sess-new makes a new session.
//
// Usage:
//
//	sess-new [flags]
//
// It prints a session header, or with --store or -o makes a file and prints its
// path. See sess-new(1).
package main

import (
	"context"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/complete"
)

var tool = cli.Tool{
	Name:    "sess-new",
	Writes:  true,
	Summary: "make a new session",
	Examples: `sess-new > s.jsonl
S=$(sess-new --store --title "fix the parser")
S=$(sess-new --store --defer) && sess-append -t hi "$S"
sess-new | sess-append -r user -t hi | sess-path --as text`,
	Common:   commonFlags,
	Complete: complete.Reader,
	New: func() ([]cli.Flag, cli.Action) {
		c := &config{dest: address.Destination{Crumb: true}}
		return c.flags(), c.run
	},
}

func main() { cli.Main(tool) }

func (c *config) run(ctx context.Context, s *cli.Streams, operands []string) error {
	if len(operands) > 0 {
		return cli.WithHint(cli.UsageError("unexpected operand %q", operands[0]), "-o makes a file: sess-new -o %s", cli.ShellWords(operands[:1]))
	}
	if err := c.dest.Check(); err != nil {
		return err
	}
	h, err := c.header(ctx, s)
	if err != nil {
		return err
	}
	lines, err := c.lines(s, h)
	if err != nil {
		return err
	}
	return c.dest.Write(s, lines)
}
