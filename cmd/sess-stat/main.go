// Sess-stat adds up what sessions used and cost.
//
// Usage:
//
//	sess-stat [flags] [SESSION|DIR...]
//
// It counts each call of a model once, however many forks have a copy of it, or shows
// what fills the context of one session. See sess-stat(1).
package main

import (
	"context"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/complete"
	"github.com/sess-tools/sess/internal/core/pager"
	"github.com/sess-tools/sess/internal/core/screen"
	"github.com/sess-tools/sess/internal/core/selection"
	"github.com/sess-tools/sess/internal/readers/usage"
)

var tool = cli.Tool{
	Name:    "sess-stat",
	Summary: "add up what sessions used and cost",
	Args:    "[SESSION|DIR...]",
	Doc: selection.Which + "\n" +
		"A session on standard input is read if that is a pipe or a file.",
	Examples: `sess-stat --all --by day,model
sess-stat --usage --max-cost 2 --strict-prices s.jsonl
sess-stat --context --by tool s.jsonl
sess-stat --agent all --since 7d --by agent,model --json`,
	Common:   commonFlags,
	Complete: complete.Words(map[string]func() []string{"KEY,KEY": func() []string { return append(usage.Keys(), usage.ContextKeys()...) }}),
	New: func() ([]cli.Flag, cli.Action) {
		c := &config{}
		return c.flags(), pager.Of(c.run)
	},
}

func main() { cli.Main(tool) }

func (c *config) run(ctx context.Context, s *cli.Streams, operands []string) error {
	if err := c.check(); err != nil {
		return err
	}
	if c.limited() {
		s.Gate()
	}
	found, err := c.find(ctx, s, operands)
	if err != nil {
		return err
	}
	found.SayNothing(s)
	if c.whole() {
		ctx = address.Whole(ctx, c.strict)
	}
	r := &report{config: c, streams: s}
	if len(found.List) == 1 {
		r.session = found.List[0].Label()
	}
	if !c.json && !c.csv && c.plot == "" && c.svg == "" {
		r.screen = screen.On(s.Out, s.OutFile(), s.Color)
	}
	switch c.modeFor(found) {
	case modeContext:
		return r.context(ctx, found)
	case modeCompactions:
		return r.compactions(ctx, found)
	}
	return r.usage(ctx, found)
}
