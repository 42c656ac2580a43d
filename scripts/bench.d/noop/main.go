// Noop is a tool that does nothing: what any sess-* tool takes to start, to read
// its flags and to end.
package main

import (
	"context"

	"github.com/sess-tools/sess/internal/core/cli"
)

type config struct {
	text  string
	count int
	json  bool
}

var tool = cli.Tool{
	Name:    "noop",
	Summary: "do nothing",
	Args:    "[SESSION]",
	New: func() ([]cli.Flag, cli.Action) {
		c := &config{}
		flags := []cli.Flag{
			cli.String(&c.text, "text, t", "", "ignore `TEXT`"),
			cli.Int(&c.count, "count", 0, "ignore the number `N`"),
			cli.Bool(&c.json, "json", "change nothing"),
		}
		return flags, func(context.Context, *cli.Streams, []string) error { return nil }
	},
}

func main() { cli.Main(tool) }
