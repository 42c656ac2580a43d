// Sess-tree draws the tree of a session.
//
// Usage:
//
//	sess-tree [--heads | --labels | --dot] [flags] [SESSION]
//
// Every entry is one line, runs without branches are folded, and the active
// path is marked. See sess-tree(1).
package main

import (
	"context"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/complete"
	"github.com/sess-tools/sess/internal/core/pager"
	"github.com/sess-tools/sess/internal/core/tree"
)

var tool = cli.Tool{
	Name:    "sess-tree",
	Summary: "draw the tree of a session",
	Args:    "[SESSION]",
	Examples: `sess-tree s.jsonl
sess-tree --full s.jsonl | less
sess-tree --heads s.jsonl
sess-tree --labels s.jsonl
sess-tree --dot s.jsonl > s.dot`,
	Common:   commonFlags,
	Complete: complete.Reader,
	New: func() ([]cli.Flag, cli.Action) {
		c := &config{}
		return c.flags(), pager.Of(c.run)
	},
}

func main() { cli.Main(tool) }

func (c *config) run(ctx context.Context, s *cli.Streams, operands []string) error {
	name, err := address.OneOrNewest(ctx, s, operands)
	if err != nil {
		return err
	}
	switch {
	case c.heads && c.labels:
		return cli.UsageError("--heads and --labels are two lists: take one")
	case c.dot && (c.heads || c.labels):
		return cli.UsageError("--dot draws the whole tree: it goes with neither --heads nor --labels")
	case c.prompts && (c.full || c.heads || c.labels || c.dot || c.json):
		return cli.UsageError("--prompts is a drawing of its own")
	case c.dot && c.json:
		return cli.UsageError("--dot prints no JSON")
	}
	src, err := address.ReadAny(ctx, s, name)
	if err != nil {
		return err
	}
	leaf, err := src.Leaf(c.leaf)
	if err != nil {
		return err
	}
	path, problems := src.PathIndex(leaf)
	src.Warn(problems)
	shape := tree.New
	if c.full || c.json || c.heads || c.labels {
		shape = tree.Whole
	}
	return c.print(s, shape(src.Session, path), src, name)
}
