package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/internal/tool/sibling"
	"github.com/sess-tools/sess/internal/tool/tty"
)

// prefix begins the name of a program that is a command.
const prefix = "sess-"

// patience is how long a program may take to print its help.
const patience = 2 * time.Second

// commands returns the names of all commands, sorted.
func commands() []string {
	var names []string
	for _, name := range sibling.Installed(prefix) {
		names = append(names, strings.TrimPrefix(name, prefix))
	}
	return names
}

// list prints every command with its summary.
func list(ctx context.Context, s *clikit.Streams) error {
	names := commands()
	if len(names) == 0 {
		return clikit.WithHint(clikit.No("no %s programs found", prefix+"*"), "the tools belong into one directory")
	}
	rows := make([][]string, len(names))
	var all sync.WaitGroup
	for i, name := range names {
		all.Go(func() { rows[i] = []string{tty.Clean(name), tty.Clean(summary(ctx, name))} })
	}
	all.Wait()
	_, err := fmt.Fprintf(s.Out, "usage: %s %s\n\n%s\n%s help COMMAND opens the manual page of one.\n", program, words, clikit.Table("  ", rows), program)
	return err
}

// summary returns the line in which a program says what it does, which stands
// behind the usage in the help of our own. It is "" if the program prints none in
// time.
func summary(ctx context.Context, name string) string {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	help, _ := sibling.Output(ctx, prefix+name, "--help") // a program that fails has the summary that it printed
	for line := range strings.Lines(help) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(strings.ToLower(line), "usage") {
			return line
		}
	}
	return ""
}
