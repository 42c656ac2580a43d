// Renamed stands for a tool of a time when flags had other names: it takes the names of today, runs the
// tool with those of then, and prints what that says on standard error with those of today. So scripts/same can compare
// the tools in front of a renaming with those behind it, and whatever differs is more than a name.
//
// It is called as the tool is. Home has a directory "then" with the tools of that time and a file "list". A line
// of that is a tool, what it is called with today, and what it was called with, with tabs between them.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// home is set when the program is built.
var home string

// A renaming is a line of the list.
type renaming struct{ now, then []string }

func main() {
	status, err := run(os.Args[0], os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = 125
	}
	os.Exit(status)
}

func run(self string, args []string) (status int, err error) {
	tool := filepath.Base(self)
	list, err := read(filepath.Join(home, "list"), tool)
	if err != nil {
		return 0, err
	}
	var stderr bytes.Buffer
	cmd := exec.Command(filepath.Join(home, "then", tool), translated(list, args)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, &stderr
	err = cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		status, err = exit.ExitCode(), nil
	}
	_, werr := os.Stderr.WriteString(said(list, stderr.String()))
	return status, errors.Join(err, werr)
}

// read reads the renamings of a tool.
func read(name, tool string) (list []renaming, err error) {
	data, err := os.ReadFile(name)
	for line := range strings.Lines(string(data)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(fields) == 3 && fields[0] == tool {
			list = append(list, renaming{strings.Fields(fields[1]), strings.Fields(fields[2])})
		}
	}
	return list, err
}

// translated returns a command line of today as one of then.
func translated(list []renaming, args []string) (out []string) {
next:
	for i := 0; i < len(args); i++ {
		if args[i] == "--" {
			return append(out, args[i:]...)
		}
		for _, r := range list {
			switch {
			case len(args) >= i+len(r.now) && strings.Join(args[i:i+len(r.now)], " ") == strings.Join(r.now, " "):
				out = append(out, r.then...)
				i += len(r.now) - 1
				continue next
			case len(r.now) == 1 && strings.HasPrefix(args[i], r.now[0]+"="):
				out = append(out, r.then[0]+strings.TrimPrefix(args[i], r.now[0]))
				continue next
			}
		}
		out = append(out, args[i])
	}
	return out
}

// said returns what a tool of then says with the names of today.
func said(list []renaming, text string) string {
	for _, r := range list {
		name := regexp.MustCompile(`(^|[^\w-])` + regexp.QuoteMeta(strings.Join(r.then, " ")) + `($|[^\w-])`)
		text = name.ReplaceAllString(text, "${1}"+strings.Join(r.now, " ")+"${2}")
	}
	return text
}
