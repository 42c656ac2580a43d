package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// environ is all of the environment of a command line.
func environ(dir, path string) []string {
	return []string{
		"PATH=" + path + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + filepath.Join(dir, "tmp"),
		"SESS_DIR=" + filepath.Join(dir, "store"), "LC_ALL=C", "TZ=UTC", "TERM=dumb",
	}
}

// shell has a shell run script in dir, with the programs of path before others.
// After the time-out it is killed, with all that it has started.
func shell(ctx context.Context, dir, path, script string, timeout time.Duration) (record, error) {
	if err := os.MkdirAll(filepath.Join(dir, "tmp"), 0o755); err != nil { //nolint:gosec // as a user's is
		return record{}, err
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	c := exec.CommandContext(limited, "sh", "-c", script)
	c.Dir, c.Env = dir, environ(dir, path)
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	c.WaitDelay = time.Second
	alone(c)
	err := c.Run()
	r := record{line: script, status: "0", stdout: stdout.Bytes(), stderr: stderr.Bytes()}
	exit, exited := errors.AsType[*exec.ExitError](err)
	switch {
	case ctx.Err() != nil:
		return r, ctx.Err()
	case limited.Err() != nil:
		r.status = "timed out after " + timeout.String()
	case exited:
		r.status = strconv.Itoa(exit.ExitCode())
	case err != nil:
		return r, err
	}
	return r, nil
}

// quoted is argv as one would type it.
func quoted(argv []string) string {
	var words []string
	for _, a := range argv {
		if a == "" || strings.ContainsAny(a, " \t\n'\"\\$`&|;<>()*?[]{}#~!") {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		words = append(words, a)
	}
	return strings.Join(words, " ")
}
