// Sess-history lists what was asked in sessions.
//
// Usage:
//
//	sess-history [flags] [WORD...]
//
// The messages that people typed are the history: there is no other. It prints them
// newest first, those that say the same once. See sess-history(1).
package main

import (
	"context"
	"errors"
	"runtime/debug"
	"time"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/complete"
	"github.com/sess-tools/sess/internal/core/pager"
	"github.com/sess-tools/sess/internal/core/selection"
)

var tool = cli.Tool{
	Name:    "sess-history",
	Summary: "list your prompts in sessions",
	Args:    "[WORD...]",
	Doc: "Prompts that have every WORD, newest first. Those that say the same are one row.\n" +
		selection.Which,
	Examples: `sess-history
sess-history -a -i tokenizer error
sess-history --agent all --since 7d --limit 20
sess-history -a -0 | fzf --read0
sess-history --json --all | jq -r .text`,
	Common:   commonFlags,
	Complete: complete.Reader,
	New: func() ([]cli.Flag, cli.Action) {
		c := &config{}
		return c.flags(), pager.Of(c.run)
	},
}

func main() { cli.Main(tool) }

func (c *config) run(ctx context.Context, s *cli.Streams, words []string) error {
	q, err := c.query(words, time.Now())
	if err != nil {
		return err
	}
	// All prompts are there until the oldest is found, unless there is a limit: to collect more often saves
	// memory, and hardly takes time.
	debug.SetGCPercent(50)
	found, err := c.sessions.Stored(ctx, s)
	if err != nil {
		return err
	}
	if c.database == "" {
		found.SayNothing(s)
	}
	list, unread, err := c.readAll(ctx, s, found.List, q)
	if err != nil {
		return err
	}
	if c.database != "" {
		more, err := c.readDatabase(ctx, s, q)
		if err != nil {
			return err
		}
		list = merge(list, more)
	}
	list, _ = c.newest(list)
	rows := c.fold(list)
	if err := c.print(s, rows); err != nil {
		return err
	}
	if err := errors.Join(found.Failed, unread); err != nil || len(rows) > 0 {
		return err
	}
	return cli.No("")
}
