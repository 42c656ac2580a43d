package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/subprocess"
	"github.com/sess-tools/sess/pkg/session"
)

// dispatch becomes the program that a command names.
func dispatch(s *cli.Streams, name string, args []string) error {
	path, err := find(name)
	if err != nil && isSession(name) {
		name, args = "show", append([]string{name}, args...)
		path, err = find(name)
	}
	if err != nil {
		return err
	}
	if err := s.Flush(); err != nil {
		return err
	}
	return subprocess.Exec(path, prefix+name, args)
}

// isSession reports whether a word in the place of a command is a session: an address, a file of lines, or an id.
func isSession(word string) bool {
	if _, _, _, ok := address.Address(word); ok {
		return true
	}
	fi, err := os.Stat(word)
	if err == nil && fi.Mode().IsRegular() && strings.HasSuffix(word, ".jsonl") {
		return true
	}
	return len(word) >= 8 && strings.Trim(word[:8], "0123456789abcdef") == "" && session.ValidSessionID(word)
}

// find returns the path of the program that a command names.
func find(name string) (string, error) {
	if name == "" || strings.ContainsAny(name, `/\`) {
		return "", cli.UsageError("%q is no command", name)
	}
	path, err := subprocess.Find(prefix + name)
	if err == nil {
		return path, nil
	}
	if names := commands(); len(names) > 0 {
		err := cli.UsageError("unknown command %q", name)
		if is, ok := cli.Meant(name); ok {
			return "", cli.WithHint(err, "%s: it is %s %s", name, program, is)
		}
		if closest, ok := cli.Closest(name, append(names, "help")); ok {
			return "", cli.WithHint(err, "did you mean %s?", closest)
		}
		return "", cli.WithHint(err, "%s lists the commands", program)
	}
	return "", err
}

// help lists the commands, as data with --json, or opens the manual page of one. Where there is no
// page, or no man(1), the command prints its own help.
func help(ctx context.Context, s *cli.Streams, names []string) error {
	switch {
	case len(names) == 0:
		return list(ctx, s)
	case len(names) == 1 && names[0] == "--json":
		return data(ctx, s)
	case len(names) > 1:
		return cli.UsageError("unexpected operand %q", names[1])
	}
	name := strings.TrimPrefix(names[0], prefix)
	if name == program || name == "help" {
		return man(s, program, "7")
	}
	if _, err := find(name); err != nil {
		return err
	}
	err := man(s, prefix+name, "1")
	if errors.Is(err, errNoManual) {
		return dispatch(s, name, []string{"--help"})
	}
	return err
}

var errNoManual = errors.New("no manual page")

// man becomes man(1) with the page that is installed beside this program, which
// need not be in MANPATH.
func man(s *cli.Streams, name, section string) error {
	viewer, err := subprocess.Find("man")
	if err != nil {
		return errNoManual
	}
	for _, dir := range subprocess.Dirs() {
		page := filepath.Join(dir, "..", "share", "man", "man"+section, name+"."+section)
		if fi, err := os.Stat(page); err == nil && fi.Mode().IsRegular() {
			if err := s.Flush(); err != nil {
				return err
			}
			return subprocess.Exec(viewer, "man", []string{page})
		}
	}
	return errNoManual
}

// completing adds the commands. Behind one of them it becomes that program, which knows
// the rest, if it stands beside this one: what others make of the question is not known.
func completing(_ context.Context, at cli.Place, add func(cli.Candidate)) {
	help := len(at.Operands) == 1 && at.Operands[0] == "help"
	if len(at.Operands) == 0 || help {
		at.Match(add, commands()...)
		if !help {
			at.Match(add, "help")
		}
		return
	}
	name := prefix + at.Operands[0]
	path, err := subprocess.Find(name)
	if err != nil || !slices.Contains(subprocess.Dirs(), filepath.Dir(path)) {
		return
	}
	args := append([]string{"--complete", "list", "--"}, at.Operands[1:]...)
	_ = subprocess.Exec(path, name, append(args, at.Word)) // nothing to complete, then
}
