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

	"github.com/urfave/cli/v2"

	"github.com/sess-tools/sess/internal/clikit"
	"github.com/sess-tools/sess/internal/operand"
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
		return []cli.Flag{
			clikit.String(&c.leaf, "leaf, l", "last", "end at `REF`, or by a rule: last, newest-message, longest"),
			clikit.Choice(&c.as, "as", forms, "print `FORM`"),
			clikit.Int64(&c.budget, "budget", 0, "keep the longest tail of at most `TOKENS`"),
			clikit.Bool(&c.system, "system", "include system prompts in what a model sees"),
			clikit.Bool(&c.reverse, "reverse", "leaf first; without the header"),
			clikit.Bool(&c.noHeader, "no-header", "leave out the header"),
			clikit.String(&c.where, "where", "", "only entries for which the gojq expression `EXPR` is true; without the header"),
			clikit.String(&c.jq, "jq", "", "print the results of the gojq expression `EXPR` for each entry, or for what --as prints"),
			clikit.Bool(&c.strict, "strict", "end with status 3 if anything is wrong with the session"),
		}, c.run
	},
}

func main() { clikit.Main(tool) }

type config struct {
	leaf, as, where, jq               string
	budget                            int64
	system, reverse, noHeader, strict bool
}

func (c *config) run(ctx context.Context, s *clikit.Streams, operands []string) error {
	name, err := operand.One(operands)
	if err != nil {
		return err
	}
	if err := c.check(); err != nil {
		return err
	}
	src, err := operand.Read(ctx, s, name)
	if err != nil {
		return err
	}
	leaf, err := src.Leaf(c.leaf)
	if err != nil {
		return err
	}
	path, problems := src.PathTo(leaf)
	if c.strict {
		if err := src.Strict(src.Problems, problems); err != nil {
			return err
		}
	}
	r := renderer{config: c, ctx: ctx, streams: s, src: src, leaf: leaf, path: path}
	if c.budget > 0 {
		r.cut()
	}
	if c.reverse {
		r.path = slices.Clone(r.path)
		slices.Reverse(r.path)
	}
	return r.render()
}

// check refuses flags that contradict each other.
func (c *config) check() error {
	switch {
	case c.budget < 0:
		return clikit.UsageError("--budget wants a number of tokens above 0")
	case c.reverse && c.as != "entries":
		return clikit.UsageError("--reverse goes with --as entries alone")
	case c.where != "" && c.as != "entries":
		return clikit.UsageError("--where selects entries: it goes with --as entries alone")
	case c.jq != "" && (c.as == "text" || c.as == "markdown"):
		return clikit.UsageError("--jq reads JSON, which --as %s does not print", c.as)
	}
	return nil
}
