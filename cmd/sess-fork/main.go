// Sess-fork makes a new session from the path of another, or from all of it.
//
// Usage:
//
//	sess-fork [flags] [SESSION]
//
// It prints the new session, or with --store or -o makes a file and prints its
// path. See sess-fork(1).
package main

import (
	"context"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/complete"
)

var tool = cli.Tool{
	Name:    "sess-fork",
	Writes:  true,
	Summary: "make a new session from a path of another",
	Args:    "[SESSION]",
	Examples: `sess-fork --at @before-refactor -o b.jsonl s.jsonl
sess-fork --at .^ s.jsonl | sess-append -t 'try it otherwise' > c.jsonl
sess-fork --branches --store --cwd . old.jsonl`,
	Common:   commonFlags,
	Complete: complete.Reader,
	New: func() ([]cli.Flag, cli.Action) {
		c := &config{}
		return c.flags(), c.run
	},
}

func main() { cli.Main(tool) }

func (c *config) run(ctx context.Context, s *cli.Streams, operands []string) error {
	name, err := address.OneOrNewest(ctx, s, operands)
	if err != nil {
		return err
	}
	if err := cli.Exclusive(cli.NameIf(c.all, "--branches"), cli.NameIf(c.at != "", "--at")); err != nil {
		return err
	}
	if err := c.dest.Check(); err != nil {
		return err
	}
	src, err := address.Read(ctx, s, name)
	if err != nil {
		return err
	}
	entries, err := c.entries(src)
	if err != nil {
		return err
	}
	lines, err := c.lines(src, entries)
	if err != nil {
		return err
	}
	c.dest.Read = []string{src.Path}
	return c.dest.Write(s, lines)
}
