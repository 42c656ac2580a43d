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
	"slices"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/complete"
)

var tool = cli.Tool{
	Name:    "sess-path",
	Summary: "print the path from the root to the leaf",
	Args:    "[SESSION]",
	Examples: `sess-path s.jsonl > active.jsonl
sess-path --as openai s.jsonl
sess-path --as text --leaf newest-message s.jsonl
sess-path --where '.message.role == "user"' s.jsonl`,
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
	if err := c.check(); err != nil {
		return err
	}
	if !slices.Contains([]string{"text", "markdown", "state"}, c.as) { // something is made of the session
		ctx = address.Losses(ctx)
	}
	in, err := address.OpenAny(ctx, s, name)
	if err != nil {
		return err
	}
	defer in.Close()
	if done, err := c.copyLarge(s, in); done || err != nil {
		return err
	}
	read, err := c.read(in)
	if err != nil {
		return err
	}
	r := &renderer{config: c, reading: read, ctx: ctx, streams: s}
	r.initial, r.prompt = r.reinjected(), r.systemPrompt()
	if c.budget > 0 || c.last > 0 || c.turns > 0 {
		r.cut()
	}
	return r.render()
}
