// Sess-append adds entries to a session.
//
// Usage:
//
//	sess-append [flags] [SESSION]
//
// With a file it appends under a lock and prints the new ids; without one it
// copies the session from standard input to standard output and adds to it. See
// sess-append(1).
package main

import (
	"context"
	"errors"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/complete"
)

var tool = cli.Tool{
	Name:    "sess-append",
	Writes:  true,
	Summary: "add entries to a session",
	Args:    "[SESSION]",
	Examples: `printf 'fix it' | sess-append -r user s.jsonl
my-llm < prompt | sess-append -r assistant --model m1 s.jsonl
sess-new | sess-append -r user -t hi | sess-append -r assistant -t hello
sess-append --label before-refactor s.jsonl
sess-append --expect-leaf ID -t 'only if nobody else wrote' s.jsonl`,
	Common:   commonFlags,
	Complete: complete.Writer,
	New: func() ([]cli.Flag, cli.Action) {
		c := &config{}
		return c.flags(), c.run
	},
}

func main() { cli.Main(tool) }

func (c *config) run(ctx context.Context, s *cli.Streams, operands []string) (err error) {
	name, err := address.One(operands)
	if err != nil {
		return address.MeantText(err, "sess-append", operands)
	}
	if err := c.check(name); err != nil {
		return err
	}
	in, err := c.read(s) // before the lock: standard input may take its time
	if err != nil {
		return err
	}
	t, err := address.OpenTarget(ctx, s, name, c.target)
	if errors.Is(err, address.ErrAbsent) {
		return cli.WithHint(err, "sess-new -o FILE makes a session")
	}
	if err != nil {
		return unended(err)
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	t.Batch.Defaults, t.Batch.Force = c.defaults(), c.force
	if err := in.addTo(t); err != nil {
		return c.explained(err)
	}
	if len(t.Batch.Entries) == 0 && !t.Filter() {
		return cli.No("nothing to append")
	}
	if c.dryRun {
		return address.PrintEntries(s, t.Batch.Entries, true)
	}
	if err := t.Commit(); err != nil {
		return err
	}
	t.LeaveCrumb()
	return t.Acknowledge(c.json)
}
