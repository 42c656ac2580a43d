// Sess-grep searches what was said in sessions.
//
// Usage:
//
//	sess-grep [flags] PATTERN [SESSION|DIR...]
//
// It is grep(1) over the decoded text of the entries, and says of each row where in
// the tree of the session it is. See sess-grep(1).
package main

import (
	"context"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/complete"
	"github.com/sess-tools/sess/internal/core/pager"
	"github.com/sess-tools/sess/internal/core/selection"
)

var tool = cli.Tool{
	Name:    "sess-grep",
	Summary: "search what was said in sessions",
	Args:    "PATTERN [SESSION|DIR...]",
	Doc: selection.Which + "\n" +
		"A session on standard input is read if that is a pipe or a file.",
	Examples: `sess-grep 'nil map' s.jsonl
sess-grep -i --all 'panic: .*nil map'
sess-grep -l -0 --all panic: | xargs -0 -r -n1 sess-check -q
sess-grep --json --tool bash --status fail . s.jsonl
sess-grep --agent all --since 7d -w TODO`,
	Common:   commonFlags,
	Complete: complete.Words(map[string]func() []string{"FIELD,FIELD": func() []string { return append(fieldNames(), "all") }}),
	New: func() ([]cli.Flag, cli.Action) {
		c := &config{}
		return c.flags(), pager.Of(c.run)
	},
}

func main() { cli.Main(tool) }

func (c *config) run(ctx context.Context, s *cli.Streams, operands []string) error {
	s.Quiet = s.Quiet || c.quiet || c.noMessages
	if err := c.check(); err != nil {
		return err
	}
	given := operands
	pattern, operands, err := c.pattern(s, operands)
	if err != nil {
		return err
	}
	search, err := c.search(s, pattern)
	if err != nil {
		return err
	}
	found, err := c.sessions.Find(ctx, s, operands)
	if err != nil {
		return c.asOnePattern(s, err, given)
	}
	if !c.quiet {
		found.SayNothing(s)
	}
	err = search.run(ctx, found)
	if line := c.inOrder(given); line != "" && cli.Status(err) == cli.ExitUsage {
		err = cli.WithHint(cli.UsageError("%v", err), "the pattern stands in front: sess-grep %s", line)
	} else {
		err = c.asOnePattern(s, err, given)
	}
	if !c.quiet {
		found.TellOutputs(ctx, s, false, "not searched")
	}
	return err
}
