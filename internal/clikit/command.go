package clikit

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// pick returns the command that args name, and args without its name. The flags
// of the frame, which take no values, may stand before it, and so may a switch of
// the command. A tool without commands is its own.
func (t Tool) pick(args []string) (Tool, []string, error) {
	if len(t.Commands) == 0 {
		return t, args, nil
	}
	for i, arg := range args {
		if len(arg) > 1 && arg[0] == '-' && arg != "--" {
			continue
		}
		at := slices.IndexFunc(t.Commands, func(c Tool) bool { return c.Name == arg })
		if at < 0 {
			return t, nil, UsageError("unknown command %q: want %s", arg, strings.Join(t.commandNames(), ", "))
		}
		c := t.Commands[at]
		c.Name = t.Name + " " + c.Name
		return c, slices.Concat(args[:i], args[i+1:]), nil
	}
	return t, args, nil
}

// flags returns fresh flags and the action that reads them. A tool with commands
// has neither, if none is named.
func (t Tool) flags() ([]cli.Flag, Action) {
	if len(t.Commands) == 0 {
		return t.New()
	}
	return nil, func(context.Context, *Streams, []string) error {
		return UsageError("no command named: want %s", strings.Join(t.commandNames(), ", "))
	}
}

func (t Tool) commandNames() []string {
	names := make([]string, len(t.Commands))
	for i, c := range t.Commands {
		names[i] = c.Name
	}
	return names
}

// writeCommands lists the commands of a tool in two columns.
func writeCommands(b *strings.Builder, t Tool) {
	width := 0
	for _, c := range t.Commands {
		width = max(width, len(c.Name))
	}
	b.WriteString("\nCommands:\n")
	for _, c := range t.Commands {
		fmt.Fprintf(b, "  %-*s  %s\n", width, c.Name, c.Summary)
	}
	fmt.Fprintf(b, "\n%s COMMAND --help describes one command.\n", t.Name)
}
