// Sess-table writes sessions as tables, for any engine that reads Parquet.
//
// Usage:
//
//	sess-table [flags] -o DIR|s3://BUCKET[/PREFIX] [SESSION|DIR...]
//
// It writes the days of which a session is new or has changed, and prints the files. See sess-table(1).
package main

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/complete"
	"github.com/sess-tools/sess/internal/core/redact/rules"
	"github.com/sess-tools/sess/internal/core/selection"
)

var tool = cli.Tool{
	Name:    "sess-table",
	Summary: "write sessions as tables of Parquet",
	Args:    "[SESSION|DIR...]",
	Doc: "It writes the days of which a session is new or has changed, and prints the files.\n" +
		"Without SESSION or DIR it reads the store as sess-ls lists it.",
	Examples: `sess-table --all -o tables
sess-table --agent all --content --redact -o tables
sess-table --views -o tables`,
	Common:   commonFlags,
	Complete: complete.Words(map[string]func() []string{"TABLE,TABLE": tableNames}),
	New: func() ([]cli.Flag, cli.Action) {
		c := &config{now: time.Now}
		return c.flags(), c.run
	},
}

func main() { cli.Main(tool) }

func (c *config) run(ctx context.Context, s *cli.Streams, operands []string) (err error) {
	if err := c.check(); err != nil {
		return err
	}
	if c.views {
		return c.printViews(s, operands)
	}
	if c.redact {
		if c.rules, err = rules.Read(s, rules.Added{}); err != nil {
			return err
		}
	}
	c.sessions.Exact = true // a table that lacks a session is wrong
	c.sessions.Rows = wholeRemote(operands)
	t, err := c.prepare(s)
	if err != nil {
		return err
	}
	if err := t.find(ctx, operands); err != nil {
		return err
	}
	if slices.ContainsFunc(t.sought.List, func(src selection.Source) bool { return src.Name == "-" }) {
		return cli.UsageError("standard input cannot be read twice: name the session's file")
	}
	t.sought.SayNothing(s)
	if err := t.open(ctx); err != nil {
		return err
	}
	defer t.lock.Close()
	if len(t.mark.raw) > 0 {
		if err = t.bringUpToDate(ctx); !errors.Is(err, errStale) {
			return err
		}
		t.mark.forget()
		if err := t.find(ctx, operands); err != nil {
			return err
		}
	}
	return t.bringUpToDate(ctx)
}
