package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sess-tools/sess/docs/rows"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/subprocess"
	"github.com/sess-tools/sess/internal/core/tty"
)

// data prints what there is to know about the tools as JSON Lines: one for each program, with
// its name alone if it does not describe itself, which those of others do not, one for the rows of each tool that prints some, and
// one for each exit status.
func data(ctx context.Context, s *cli.Streams) error {
	names := commands()
	lines := make([]string, len(names))
	var all sync.WaitGroup
	for i, name := range names {
		all.Go(func() { lines[i] = described(ctx, prefix+name) })
	}
	all.Wait()
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(line)
	}
	if len(names) == 0 {
		return cli.WithHint(cli.No("no %s programs found", prefix+"*"), "the tools belong into one directory")
	}
	files, err := rows.Schemas.ReadDir(".")
	if err != nil {
		return err
	}
	for _, file := range files {
		schema, err := rows.Schemas.ReadFile(file.Name())
		if err != nil {
			return err
		}
		line, err := json.Marshal(rowData{"rows", strings.TrimSuffix(file.Name(), ".json"), schema})
		if err != nil {
			return fmt.Errorf("%s: %w", file.Name(), err)
		}
		b.Write(append(line, '\n'))
	}
	for _, st := range cli.Statuses() {
		line, err := json.Marshal(st)
		if err != nil {
			return err
		}
		b.Write(append(line, '\n'))
	}
	_, err = s.Out.Write([]byte(b.String()))
	return err
}

// A rowData is what there is to know about the rows of a tool.
type rowData struct {
	Kind   string          `json:"kind"` // "rows"
	Tool   string          `json:"tool"`
	Schema json.RawMessage `json:"schema"` // JSON Schema
}

// described is the line in which a program describes itself, or one with its name alone if it does
// not in time.
func described(ctx context.Context, program string) string {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	text, err := subprocess.Output(ctx, program, "--describe")
	var d cli.Description
	if err != nil || json.Unmarshal([]byte(text), &d) != nil || d.Kind != "tool" || d.Tool != program {
		name, _ := json.Marshal(program)
		return fmt.Sprintf(`{"kind":"tool","tool":%s}`+"\n", name)
	}
	return strings.TrimRight(text, "\n") + "\n"
}

// prefix begins the name of a program that is a command.
const prefix = "sess-"

// patience is how long a program may take to print its help.
const patience = 2 * time.Second

// commands returns the names of all commands, sorted.
func commands() []string {
	var names []string
	for _, name := range subprocess.Installed(prefix) {
		names = append(names, strings.TrimPrefix(name, prefix))
	}
	return names
}

// list prints the commands in the groups of README, and others that are found with their summaries.
func list(ctx context.Context, s *cli.Streams) error {
	names := commands()
	if len(names) == 0 {
		return cli.WithHint(cli.No("no %s programs found", prefix+"*"), "the tools belong into one directory")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "usage: %s %s\n", program, words)
	for _, g := range groups {
		var rows [][]string
		for _, c := range g.commands {
			if at := slices.Index(names, c[0]); at >= 0 {
				rows, names = append(rows, c[:]), slices.Delete(names, at, at+1)
			}
		}
		if len(rows) > 0 {
			fmt.Fprintf(&b, "\n%s\n%s", g.head, cli.Table("  ", rows))
		}
	}
	if len(names) > 0 {
		rows := make([][]string, len(names))
		var all sync.WaitGroup
		for i, name := range names {
			all.Go(func() { rows[i] = []string{tty.Clean(name), tty.Clean(summary(ctx, name))} })
		}
		all.Wait()
		fmt.Fprintf(&b, "\nOthers in PATH\n%s", cli.Table("  ", rows))
	}
	fmt.Fprintf(&b, "\n%s help COMMAND opens the manual page of one, %s ADDRESS shows a session.\n", program, program)
	_, err := s.Out.Write([]byte(b.String()))
	return err
}

// summary returns the line with the purpose of a program, which stands behind the usage in the help
// of our programs. It is "" if the program prints none in time.
func summary(ctx context.Context, name string) string {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	help, _ := subprocess.Output(ctx, prefix+name, "--help") // a program that fails has the summary that it printed
	for line := range strings.Lines(help) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(strings.ToLower(line), "usage") {
			return line
		}
	}
	return ""
}
