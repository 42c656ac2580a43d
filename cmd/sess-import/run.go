package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/core/cli"
)

// run does what the flags say.
func (c *config) run(ctx context.Context, s *cli.Streams, operands []string) (err error) {
	defer func() {
		if _, ok := errors.AsType[*formats.ExpansionError](err); ok {
			err = cli.WithHint(err, "zstd -dc FILE | sess-import FORMAT reads all of it")
		}
	}()
	if operands, err = c.checked(operands); err != nil {
		return err
	}
	if c.rules = onceRules(s); c.redact {
		if _, err := c.rules(); err != nil {
			return err
		}
	}
	if done, err := c.others(ctx, s, operands); done {
		return err
	}
	src, err := c.source(s, operands)
	if err != nil {
		return err
	}
	defer func() { err = join(err, src.Close()) }()
	format, err := c.format(ctx, src)
	if err != nil {
		return err
	}
	if c.detect {
		_, err := fmt.Fprintln(s.Out, format.About().Name)
		return err
	}
	job, err := c.job(ctx, s, format, src)
	if err != nil {
		return err
	}
	defer func() { err = join(err, job.losses.Close("NOT KEPT")) }()
	if c.memo == nil {
		defer job.said.memo.Close()
	}
	if !c.list && job.remembers() && !src.IsDir() { // a database, which takes longer to open
		if _, done, err := job.recall(ctx, formats.Beside(src.Path)); done {
			return err
		}
	}
	kept := c.opened
	if !c.own || c.session == "" { // a list, and the newest session, have those that came since
		kept = nil
	}
	return kept.with(ctx, format, src, func(archive formats.Archive) error {
		switch {
		case c.list:
			return c.print(ctx, job, archive)
		case c.all:
			return job.every(ctx, archive)
		}
		info, err := c.choose(ctx, job, archive)
		if err != nil {
			return err
		}
		return job.one(ctx, archive, info)
	})
}
