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
	"context"

	"github.com/sess-tools/sess/internal/core/cli"
)

var tool = importer()

// importer is the tool; with --each it is run by itself.
func importer() cli.Tool {
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
		Complete: completing,
		New: func() ([]cli.Flag, cli.Action) {
			c := &config{}
			return c.flags(), c.run
		},
	}
}

func main() { cli.Main(tool) }

func (c *config) run(ctx context.Context, s *cli.Streams, operands []string) (err error) {
	defer func() { err = advised(err) }()
	if operands, err = c.checked(operands); err != nil {
		return err
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
		return printName(s, format)
	}
	job, err := c.job(ctx, s, format, src)
	if err != nil {
		return err
	}
	defer func() { err = join(err, job.losses.Close("NOT KEPT")) }()
	archive, err := format.Open(ctx, src)
	if err != nil {
		return err
	}
	defer func() { err = join(err, archive.Close()) }()
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
}
