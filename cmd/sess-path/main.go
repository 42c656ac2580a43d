// Sess-path prints the path from the root of a session to its leaf.
//
// Usage:
//
//	sess-path [flags] [SESSION]
//
// By default the path is printed as a session, byte for byte; --as prints what
// a model sees of it. See sess-path(1).
package main

import (
	"context"
	"errors"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/sess-tools/sess/internal/clikit"
	"github.com/sess-tools/sess/internal/operand"
	"github.com/sess-tools/sess/pkg/session"
)

var tool = clikit.Tool{
	Name:    "sess-path",
	Summary: "print the path from the root to the leaf",
	Args:    "[SESSION]",
	Examples: `sess-path s.jsonl > active.jsonl
sess-path --as openai s.jsonl
sess-path --as text --leaf newest-message s.jsonl
sess-path --where '.message.role == "user"' s.jsonl`,
	New: func() ([]cli.Flag, clikit.Action) {
		c := &config{}
		return c.flags(), c.run
	},
}

func main() { clikit.Main(tool) }

func (c *config) run(ctx context.Context, s *clikit.Streams, operands []string) error {
	name, err := operand.One(operands)
	if err != nil {
		return err
	}
	if err := c.check(); err != nil {
		return err
	}
	in, err := operand.Open(ctx, s, name)
	if err != nil {
		return err
	}
	defer in.Close()
	if done, err := c.copyLarge(s, in); done || err != nil {
		return err
	}
	r, err := c.renderer(ctx, s, in)
	if err != nil {
		return err
	}
	r.initial = r.lost()
	if c.budget > 0 {
		r.cut()
	}
	if c.reverse {
		r.path = slices.Clone(r.path)
		slices.Reverse(r.path)
	}
	return r.render()
}

// renderer reads the path, from the end of the session if that has all that is
// to be printed.
func (c *config) renderer(ctx context.Context, s *clikit.Streams, in *operand.Input) (*renderer, error) {
	if c.contextAlone() {
		src, path, err := in.Recent(recentSession)
		if !errors.Is(err, session.ErrWhole) {
			return &renderer{config: c, ctx: ctx, streams: s, src: src, path: path}, err
		}
	}
	if c.contextAndState() {
		if r, err := c.sparse(ctx, s, in); !errors.Is(err, session.ErrWhole) {
			return r, err
		}
	}
	src, err := in.Session()
	if err != nil {
		return nil, err
	}
	leaf, err := src.Leaf(c.leaf)
	if err != nil {
		return nil, err
	}
	path, problems := src.PathTo(leaf)
	problems = slices.Concat(problems, c.resolve(src, path))
	if c.strict {
		if err := src.Strict(src.Problems, problems); err != nil {
			return nil, err
		}
	}
	return &renderer{config: c, ctx: ctx, streams: s, src: src, leaf: leaf, path: path}, nil
}
