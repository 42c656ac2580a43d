package scripttest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/testscript"
)

// condition adds [root]: file modes do not bind the user running the tests.
func condition(cond string) (bool, error) {
	if cond == "root" {
		return os.Geteuid() == 0, nil
	}
	return false, fmt.Errorf("unknown condition %q", cond)
}

// chop FILE... removes the final line feed of each file.
func chop(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: chop FILE...")
	}
	for _, arg := range args {
		name := ts.MkAbs(arg)
		data, err := os.ReadFile(name)
		ts.Check(err)
		short, ok := bytes.CutSuffix(data, []byte("\n"))
		if !ok {
			ts.Fatalf("%s does not end with a line feed", arg)
		}
		ts.Check(os.WriteFile(name, short, 0o600))
	}
}

// status N COMMAND [ARG...] runs COMMAND and wants exit status N, where "! exec"
// takes any failure.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N COMMAND [ARG...]")
	}
	want, err := strconv.Atoi(args[0])
	if err != nil {
		ts.Fatalf("status %q is no number", args[0])
	}
	err = ts.Exec(args[1], args[2:]...)
	got, ok := exitStatus(err)
	if !ok {
		ts.Fatalf("running %s: %v", args[1], err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// exitStatus is the status of a process as a shell reports it; ok is false when
// there was none to run.
func exitStatus(err error) (status int, ok bool) {
	if err == nil {
		return 0, true
	}
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		return 0, false
	}
	if ws, ok := exit.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal()), true
	}
	return exit.ExitCode(), true
}

// sh SCRIPT runs a pipeline.
func sh(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: [!] sh SCRIPT")
	}
	switch err := ts.Exec("sh", "-ec", args[0]); {
	case err != nil && !neg:
		ts.Fatalf("sh: %v", err)
	case err == nil && neg:
		ts.Fatalf("sh: unexpected success")
	}
}

// bytes FILE TEXT... writes the texts, one after the other, to a new FILE.
func writeBytes(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: bytes FILE TEXT...")
	}
	var data []byte
	for _, text := range args[1:] {
		part, err := unescape(text)
		if err != nil {
			ts.Fatalf("bytes: %v", err)
		}
		data = append(data, part...)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), data, 0o600))
}

// unescape resolves the escapes of a Go string: \n, \r, \t, \x00, \000, \ufeff,
// \\ and so on. Quotes stand for themselves.
func unescape(s string) ([]byte, error) {
	var out []byte
	for rest := s; rest != ""; {
		if rest[0] != '\\' {
			out = append(out, rest[0])
			rest = rest[1:]
			continue
		}
		r, multibyte, tail, err := strconv.UnquoteChar(rest, 0)
		switch {
		case err != nil:
			return nil, fmt.Errorf("bad escape in %q", rest)
		case multibyte:
			out = utf8.AppendRune(out, r)
		default:
			out = append(out, byte(r))
		}
		rest = tail
	}
	return out, nil
}

// cmpsame FILE FILE wants the same bytes, or with "!" different ones.
func cmpsame(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: [!] cmpsame FILE FILE")
	}
	a, b := ts.ReadFile(args[0]), ts.ReadFile(args[1])
	switch {
	case neg && a == b:
		ts.Fatalf("%s and %s are the same", args[0], args[1])
	case !neg && a != b:
		at := difference(a, b)
		ts.Fatalf("%s and %s differ at byte %d:\n%q\n%q", args[0], args[1], at, excerpt(a, at), excerpt(b, at))
	}
}

// difference returns the offset of the first byte a and b do not share.
func difference(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// excerpt is s around the byte at.
func excerpt(s string, at int) string {
	return s[max(0, at-20):min(len(s), at+60)]
}
