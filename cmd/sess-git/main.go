// Sess-git says which sessions led to a commit.
//
// Usage:
//
//	sess-git log|show|blame [flags] ...
//
// It compares what git has with what the sessions of agents say that they ran and typed. It writes nothing, and
// runs no program that a repository names. See sess-git(1).
package main

import (
	"context"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/complete"
	"github.com/sess-tools/sess/internal/core/pager"
)

var tool = cli.Tool{
	Name:    "sess-git",
	Summary: "show which sessions led to a commit",
	Args:    "...",
	Doc: "A row is evidence of a session: it ran the command that made the commit, or typed its lines. The sessions are\n" +
		"those of all agents of this machine and of the store, unless the flags say otherwise.",
	Examples: `sess-git log
sess-git log main..topic
sess-git show HEAD
sess-git blame parser.go:120-140`,
	Complete: complete.Reader,
	Commands: []cli.Tool{logCommand, showCommand, blameCommand},
}

func main() { cli.Main(tool) }

// command makes one command.
func command(name, args, summary, examples string, run func(*config, context.Context, *cli.Streams, []string) error) cli.Tool {
	return cli.Tool{
		Name: name, Args: args, Summary: summary, Examples: examples, Common: commonFlags,
		New: func() ([]cli.Flag, cli.Action) {
			c := &config{}
			return c.flags(name), pager.Of(func(ctx context.Context, s *cli.Streams, operands []string) error { return run(c, ctx, s, operands) })
		},
	}
}

var logCommand = command("log", "[REVISION|RANGE...]", "print the sessions of commits, newest first",
	"sess-git log -v\nsess-git log --json main..topic", (*config).log)

var showCommand = command("show", "COMMIT", "print the sessions of a commit, what was asked, and the calls up to it",
	"sess-git show HEAD~3", (*config).show)

var blameCommand = command("blame", "FILE[:LINE[-LINE]] [REVISION]", "print the session of each line of a file",
	"sess-git blame parser.go:120-140", (*config).blame)
