package main

import (
	"context"
	"errors"

	"github.com/sess-tools/sess/internal/core/check"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/screen"
)

func (c *config) run(ctx context.Context, s *cli.Streams, operands []string) error {
	if err := c.check(operands); err != nil {
		return err
	}
	switch {
	case c.repair:
		return c.repairOne(ctx, s, operands)
	case c.migrate:
		return c.migrateOne(ctx, s, operands)
	}
	names, err := c.names(ctx, s, operands)
	if err != nil {
		return err
	}
	threshold := check.Error
	if c.strict {
		threshold = check.Warning
	}
	if sc := screen.On(s.Out, s.OutFile(), ""); sc != nil && !c.json {
		c.screen = &screened{Screen: sc}
	}
	bad, failed := false, error(nil)
	for _, name := range names {
		all, err := c.checkOne(ctx, s, name)
		if err != nil {
			failed = errors.Join(failed, err) // and go on with the others
			continue
		}
		worst, found := check.Worst(all)
		bad = bad || found && worst >= threshold
	}
	if c.screen != nil && !s.Quiet {
		failed = errors.Join(failed, c.screen.foot())
	}
	if failed != nil {
		return failed
	}
	switch {
	case bad && c.strict:
		return cli.WithStatus(errors.New("it has problems, and --strict allows none"), cli.ExitMalformed)
	case bad:
		return cli.No("")
	}
	return nil
}
