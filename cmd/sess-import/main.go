// Sess-import makes sessions of those of other agents.
//
// Usage:
//
//	sess-import [flags] [FORMAT] [SOURCE]
//
// It prints the session, or with --store or -o makes files and prints their
// paths. It reports what a session cannot hold. See sess-import(1).
package main

import (
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/memo"
)

var tool = importer(nil, nil)

// importer is the tool; with --each it is run by itself, and finds archives that are open, and the memo.
func importer(opened *archives, said *memo.Memo) cli.Tool {
	return cli.Tool{
		Name:    "sess-import",
		Summary: "convert other agents' sessions",
		Args:    "[FORMAT] [SOURCE]",
		Doc: "FORMAT is one of " + names() + ".\n" +
			"Without it the format is detected.",
		Examples: `sess-import old.jsonl > s.jsonl
sess-import openai chat.json | sess-path --as text
sess-import pi --all --store
sess-import omp --session 01a1fc12 --store
sess-import pi --list
sess-import --detect chat.json`,
		Common:   commonFlags,
		Complete: completing,
		New: func() ([]cli.Flag, cli.Action) {
			c := &config{opened: opened, memo: said}
			return c.flags(), c.run
		},
	}
}

func main() { cli.Main(tool) }
