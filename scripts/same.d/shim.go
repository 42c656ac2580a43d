package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// shim is a program that stands for a tool in scripts: it runs the tool, notes
// the command line, the status and the output in a file of the log, and hands
// the output on when the tool has ended. A terminal or a device is the tool's
// own, and not noted. The arguments are the log, the tool and its name, quoted.
const shim = `#!/bin/sh
n=%[1]s/0
[ -d %[1]s ] || exit 125
while [ -e "$n" ] || ! (set -C; : >"$n") 2>/dev/null; do n=%[1]s/$((${n##*/} + 1)); done
printf '%%s\0' %[3]s "$@" >"$n"
if { [ -p /dev/stdout ] || [ -f /dev/stdout ]; } && [ ! -t 2 ]; then
	%[2]s "$@" >"$n.out" 2>"$n.err"
	echo $? >"$n.status"
	/bin/cat "$n.out"
	/bin/cat "$n.err" >&2
else
	%[2]s "$@"
	echo $? >"$n.status"
fi
read -r status <"$n.status"
exit "$status"
`

// shims puts a shim for each tool of from into the directory to.
func shims(p place, from, to string) error {
	tools, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, t := range tools {
		if t.IsDir() {
			continue
		}
		text := fmt.Sprintf(shim, quoted([]string{p.log}), quoted([]string{filepath.Join(from, t.Name())}), quoted([]string{t.Name()}))
		if err := putProgram(filepath.Join(to, t.Name()), text); err != nil {
			return err
		}
	}
	return nil
}

func putProgram(name, text string) error {
	if err := put(name, []byte(text)); err != nil {
		return err
	}
	return os.Chmod(name, 0o755) //nolint:gosec // a program has to be executable
}

// noted returns what the shims noted, in the order in which they began.
func noted(log, unit string) ([]record, error) {
	var out []record
	for n := 0; ; n++ {
		name := filepath.Join(log, strconv.Itoa(n))
		argv, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			return out, nil
		}
		r := record{line: unit + ": " + quoted(strings.Split(strings.TrimSuffix(string(argv), "\x00"), "\x00"))}
		status := optional(name+".status", &err)
		r.status = string(bytes.TrimSpace(status))
		r.stdout, r.stderr = optional(name+".out", &err), optional(name+".err", &err)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
}

// optional reads a file that need not be there.
func optional(name string, err *error) []byte {
	data, e := os.ReadFile(name)
	if e != nil && !errors.Is(e, fs.ErrNotExist) && *err == nil {
		*err = e
	}
	return data
}
