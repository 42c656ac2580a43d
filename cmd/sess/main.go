// Sess runs the tools of the toolkit, as git runs its commands.
//
// Usage:
//
//	sess [COMMAND [ARG...]]
//
// "sess path s.jsonl" runs sess-path s.jsonl. See sess(1).
package main

import (
	"context"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/tty"
)

const (
	program = "sess"
	words   = "[COMMAND [ARG...]]"
)

var tool = cli.Tool{
	Name:     program,
	Summary:  "run the sess tools",
	Args:     words,
	Dispatch: true,
	Doc: `sess COMMAND runs the program sess-COMMAND with the arguments that follow. It looks
beside this program first, then in PATH, so any program of that name is a command.
"sess help COMMAND" opens its manual page. Without a command, sess says on a terminal
which sessions are here, and lists all commands elsewhere, as "sess help" does;
"sess help --json" prints what they take as data.`,
	Examples: `sess
sess help path
sess path --as text s.jsonl`,
	New:      func() ([]cli.Flag, cli.Action) { return nil, run },
	Complete: completing,
}

func main() { cli.Main(tool) }

func run(ctx context.Context, s *cli.Streams, operands []string) error {
	switch {
	case len(operands) == 0 && tty.IsTerminal(s.OutFile()):
		return first(ctx, s)
	case len(operands) == 0:
		return list(ctx, s)
	case operands[0] == "help":
		return help(ctx, s, operands[1:])
	}
	return dispatch(s, operands[0], operands[1:])
}
