// Sess-check finds damage in sessions, and writes repaired copies.
//
// Usage:
//
//	sess-check [flags] [SESSION...]
//
// It prints one finding a line and ends with status 1 if there are errors. See
// sess-check(1).
package main

import (
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/complete"
)

var tool = cli.Tool{
	Name:    "sess-check",
	Summary: "find damage in sessions and repair copies",
	Args:    "[SESSION...]",
	Examples: `sess-check s.jsonl
sess-ls --all -0 | sess-check -q -0
sess-check --repair -o mended.jsonl s.jsonl
sess-check --migrate -o v3.jsonl old.jsonl`,
	Common:   commonFlags,
	Complete: complete.Reader,
	New: func() ([]cli.Flag, cli.Action) {
		c := &config{}
		return c.flags(), c.run
	},
}

func main() { cli.Main(tool) }
