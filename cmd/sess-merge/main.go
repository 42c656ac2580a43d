// Sess-merge merges copies of a session that have diverged.
//
// Usage:
//
//	sess-merge [flags] SESSION SESSION...
//	sess-merge --into [flags] SESSION SESSION...
//	sess-merge --git BASE OURS THEIRS [PATH]
//
// It prints the merged session, adds to the first one, or serves git as a merge
// driver. See sess-merge(1).
package main

import (
	"context"
	"errors"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/complete"
	"github.com/sess-tools/sess/internal/share/merge"
)

var tool = cli.Tool{
	Name:    "sess-merge",
	Writes:  true,
	Summary: "merge copies of a session that have diverged",
	Args:    "SESSION SESSION...",
	Examples: `sess-merge laptop.jsonl server.jsonl > both.jsonl
sess-merge --into s.jsonl copy.jsonl
git config merge.sess.driver 'sess-merge --git -- %O %A %B %P'`,
	Common:   commonFlags,
	Complete: complete.Reader,
	New: func() ([]cli.Flag, cli.Action) {
		c := &config{}
		return c.flags(), c.run
	},
}

func main() { cli.Main(tool) }

func (c *config) run(ctx context.Context, s *cli.Streams, operands []string) error {
	if err := c.check(operands); err != nil {
		return err
	}
	c.target.Settle()
	c.dest.Sync = c.target.Sync
	var err error
	switch {
	case c.git:
		err = c.gitDriver(ctx, s, operands)
	case c.into:
		err = c.intoFirst(ctx, s, operands)
	default:
		err = c.filter(ctx, s, operands)
	}
	return explained(err)
}

// explained gives an error its status, and says what can be done.
func explained(err error) error {
	if broken, ok := errors.AsType[*merge.SourceError](err); ok {
		return address.Locate(broken.Name, broken.Err)
	}
	if !errors.Is(err, merge.ErrConflict) {
		return err
	}
	hint := "--on-conflict ours or theirs takes one, both keeps both under two ids"
	switch {
	case errors.Is(err, merge.ErrOther):
		hint = "--unrelated merges them anyway"
	case errors.Is(err, merge.ErrDeleted):
		hint = "--deleted keep brings back what one copy has removed, drop removes it from both"
	case errors.Is(err, merge.ErrVersions):
		hint = "sess-check --migrate makes a copy in version 3 of each"
	}
	return cli.WithHint(cli.WithStatus(err, cli.ExitMalformed), "%s", hint)
}
