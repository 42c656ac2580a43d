// Sess-doctor looks for what keeps the tools from working on this machine.
//
// Usage:
//
//	sess-doctor [flags]
//
// It prints one line for each thing it looks at: ok, warn or fail. See
// sess-doctor(1).
package main

import (
	"context"

	"github.com/sess-tools/sess/internal/core/cli"
)

type config struct{ json, offline bool }

var tool = cli.Tool{
	Name:    "sess-doctor",
	Summary: "find problems that keep the tools from working",
	Examples: `sess-doctor
sess-doctor --json --offline | jq 'select(.status != "ok")'`,
	Common: commonFlags,
	New: func() ([]cli.Flag, cli.Action) {
		c := &config{}
		return []cli.Flag{
			cli.Bool(&c.json, "json", "print a JSON object for each line"),
			cli.Bool(&c.offline, "offline", "do not ask the summarizer for an answer"),
		}, c.run
	},
}

func main() { cli.Main(tool) }

func (c *config) run(ctx context.Context, s *cli.Streams, operands []string) error {
	if len(operands) > 0 {
		return cli.UsageError("unexpected operand %q", operands[0])
	}
	failed := 0
	for _, examine := range []check{versions, storeDir, locks, cache, environment, agents, maps, secrets, c.summarizer, mergeDriver, terminals} {
		for _, f := range examine(ctx, s) {
			if f.Status == fail {
				failed++
			}
			if err := c.print(s, f); err != nil {
				return err
			}
		}
		if err := s.Flush(); err != nil { // a later check may take seconds
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if failed > 0 {
		return cli.No("")
	}
	return nil
}
