// Sess-export converts a session to another agent's format.
//
// Usage:
//
//	sess-export [flags] FORMAT [SESSION]
//
// It prints the session, or with -o makes files and prints their paths. It says in a table which parts
// the format cannot hold. See sess-export(1).
package main

import (
	"context"
	"fmt"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
)

var tool = cli.Tool{
	Name:    "sess-export",
	Summary: "convert a session to another agent's format",
	Args:    "FORMAT [SESSION]",
	Doc: "FORMAT is one of " + names() + ".\n" +
		"sess-path --as prints requests to APIs.",
	Examples: `sess-export omp -o s.omp.jsonl s.jsonl
sess-export pi --for pi-0.73 < s.jsonl
sess-export omp --strict --losses lost.jsonl s.jsonl`,
	Common:   commonFlags,
	Complete: completing,
	New: func() ([]cli.Flag, cli.Action) {
		c := &config{}
		return c.flags(), c.run
	},
}

func main() { cli.Main(tool) }

func (c *config) run(ctx context.Context, s *cli.Streams, operands []string) error {
	format, name, err := c.operands(ctx, s, operands)
	if err != nil {
		return err
	}
	src, err := c.read(ctx, s, name)
	if err != nil {
		return err
	}
	if c.strict {
		if err := src.Strict(src.Problems); err != nil {
			return err
		}
	}
	target, losses, err := c.target(s, src)
	if err != nil {
		return err
	}
	if err := c.export(ctx, format, src, target, losses); err != nil {
		return err
	}
	for _, path := range target.Made {
		if _, err := fmt.Fprintln(s.Out, path); err != nil {
			return err
		}
	}
	for _, path := range target.Moved {
		s.Infof("the file that was there is %s now", path)
	}
	if len(target.Made) > 0 && len(target.Next) > 0 {
		s.Infof("go on with: %s", address.InDirectory(src.Header.CWD, target.Next))
	}
	return nil
}
