// Noop is a tool that does nothing: what any sess-* tool takes to start, to read
// its flags and to end.
package main

import (
	"context"

	"github.com/sess-tools/sess/internal/tool/clikit"
)

type config struct {
	text  string
	count int
	json  bool
}

var tool = clikit.Tool{
	Name:    "noop",
	Summary: "do nothing",
	Args:    "[SESSION]",
	New: func() ([]clikit.Flag, clikit.Action) {
		c := &config{}
		flags := []clikit.Flag{
			clikit.String(&c.text, "text, t", "", "ignore `TEXT`"),
			clikit.Int(&c.count, "count", 0, "ignore the number `N`"),
			clikit.Bool(&c.json, "json", "change nothing"),
		}
		return flags, func(context.Context, *clikit.Streams, []string) error { return nil }
	},
}

func main() { clikit.Main(tool) }
