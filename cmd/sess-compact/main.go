// Sess-compact replaces the older part of a session's context by a summary.
//
// Usage:
//
//	sess-compact [flags] [SESSION] [-- COMMAND [ARG...]]
//
// It plans the cut, has the command summarize the entries in front of it, and appends a compaction
// entry. See sess-compact(1).
package main

import (
	"context"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/complete"
)

var tool = cli.Tool{
	Name:    "sess-compact",
	Writes:  true,
	Summary: "summarize the older part of a session's context",
	Args:    "[SESSION] [-- COMMAND [ARG...]]",
	Command: true,
	Examples: `sess-compact s.jsonl -- claude -p --tools "" --no-session-persistence
sess-compact --if-needed --window 200000 s.jsonl -- my-llm
sess-compact --print-prompt s.jsonl | llm > summary.md
sess-compact --plan s.jsonl`,
	Common:   commonFlags,
	Complete: complete.Reader,
	New: func() ([]cli.Flag, cli.Action) {
		c := &config{}
		return c.flags(), c.run
	},
}

func main() { cli.Main(tool) }

func (c *config) run(ctx context.Context, s *cli.Streams, operands []string) error {
	name, err := address.One(operands)
	if err != nil && len(operands) > 1 && !s.HasCommand {
		return cli.WithHint(err, "a command comes after two dashes: %s", cli.ShellWords([]string{"sess-compact", operands[0], "--", operands[1]}))
	}
	if err != nil {
		return err
	}
	if err := c.check(s, name); err != nil {
		return err
	}
	if name == "" || name == "-" {
		return c.filter(ctx, s)
	}
	read := address.Read
	if c.looks() {
		read = address.ReadAny
	}
	src, err := read(ctx, s, name)
	if err != nil {
		return err
	}
	j := c.job(ctx, s, src)
	if err := j.work(); err != nil || c.looks() {
		return err
	}
	if j.dryRun {
		return j.printEntries()
	}
	if err := j.append(name); err != nil {
		return j.rescue(name, err) // what was paid for is kept in a file
	}
	return j.streams.Acknowledge(address.Appended(j.batch.Entries), j.printEntries)
}
