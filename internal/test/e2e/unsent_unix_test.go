//go:build unix && !solaris && !aix

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A summary that was paid for and cannot be written is kept: beside the session,
// else where temporary files are, and if all else fails on the screen.
func TestCompactKeepsSummary(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		meanwhile func(t *testing.T, dir string)
		status    int
		stderr    string
		where     string // a pattern below the home; "" is nowhere
	}{
		{"the session is gone", func(t *testing.T, dir string) {
			check(t, os.Remove(filepath.Join(dir, "d", "s.jsonl")))
		}, 2, "opening d/s.jsonl: no such file", "d/s.unsent-*.md"},
		{"the session is damaged", func(t *testing.T, dir string) {
			check(t, os.WriteFile(filepath.Join(dir, "d", "s.jsonl"), []byte("{}\n"), 0o600))
		}, 3, "d/s.jsonl:1: not a session", "d/s.unsent-*.md"},
		{"the directory is gone", func(t *testing.T, dir string) {
			check(t, os.RemoveAll(filepath.Join(dir, "d")))
		}, 2, ", because making a file in d: no such file or directory", "s.unsent-*.md"},
		{"every directory is gone", func(t *testing.T, dir string) {
			check(t, os.RemoveAll(filepath.Join(dir, "d")))
			check(t, os.RemoveAll(filepath.Join(dir, "tmp")))
		}, 2, "## Goal\n- the goal\nsess-compact: opening d/s.jsonl", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			tmp := dir
			check(t, os.Mkdir(filepath.Join(dir, "d"), 0o700))
			if tt.where == "" {
				tmp = filepath.Join(dir, "tmp")
				check(t, os.Mkdir(tmp, 0o700))
			}
			write(t, filepath.Join(dir, "d"), "s.jsonl", withResults())
			p := startStub(t, dir, "d/s.jsonl", waitingStub, []string{"TMPDIR=" + tmp}, "--keep", "200")
			tt.meanwhile(t, dir)
			p.answer(t)
			r := p.wait()
			p.dead()
			if r.status != tt.status || r.stdout != "" || !strings.Contains(r.stderr, tt.stderr) {
				t.Errorf("status %d, printed %q and %s", r.status, r.stdout, r.stderr)
			}
			if tt.where == "" {
				return
			}
			kept, _ := filepath.Glob(filepath.Join(dir, tt.where))
			if len(kept) != 1 || readFile(t, kept[0]) != "## Goal\n- the goal\n" {
				t.Fatalf("kept %q", kept)
			}
			check(t, os.MkdirAll(filepath.Join(dir, "d"), 0o700))
			write(t, filepath.Join(dir, "d"), "s.jsonl", withResults())
			wantUsable(t, dir, r.stderr)
		})
	}
}

// Who asks for one leaf gets an answer for that one alone.
func TestCompactExpectLeaf(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := write(t, dir, "s.jsonl", withResults())
	checkRun(t, runCommand(t, dir, "", "sess-compact", "--keep", "200", "--expect-leaf", "eeee0003", "s.jsonl", "--", "touch", "asked"), 4, "sess-compact", "the leaf moved: it is eeee0023, not eeee0003")
	if _, err := os.Stat(filepath.Join(dir, "asked")); err == nil {
		t.Error("a model was asked although the leaf was another one")
	}
	p := startCompact(t, dir, "--keep", "200", "--expect-leaf", ".")
	script(t, dir, "sess-append -t meanwhile s.jsonl")
	before := readFile(t, path)
	p.answer(t)
	r := p.wait()
	p.dead()
	checkRun(t, r, 4, "sess-compact", "s.jsonl: the leaf moved")
	if readFile(t, path) != before {
		t.Error("the session was changed")
	}
	wantKept(t, dir, 1)
	_, command, _ := strings.Cut(r.stderr, "to use it: ")
	script(t, dir, command)
	wantContext(t, dir, "s.jsonl", true)
}

// What is durable although its id cannot be printed is named: who runs the command
// again adds it twice.
func TestCompactAcknowledges(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("needs /dev/full")
	}
	for name, flags := range map[string]string{
		"ids": "", "entries": "--json", "several": "--prune --if-needed --window 1 --reserve 0 --prune-protect 0",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := write(t, dir, "s.jsonl", withResults())
			r := runCommand(t, dir, "", "sh", "-c", "exec sess-compact --keep 200 "+flags+" s.jsonl >/dev/full")
			var ids []string
			for line := range strings.Lines(strings.TrimPrefix(readFile(t, path), withResults())) {
				_, id, _ := strings.Cut(line, `"id":"`)
				ids = append(ids, id[:8])
			}
			done := strings.Join(ids, "")
			if len(ids) > 1 {
				done = fmt.Sprintf("%d entries up to %s", len(ids), ids[len(ids)-1])
			}
			want := "sess-compact: appended " + done + ", but writing standard output: no space left on device\n"
			if r.status != 2 || r.stderr != want || len(ids) == 0 {
				t.Errorf("status %d, %q, want %q", r.status, r.stderr, want)
			}
		})
	}
}

// A filter that cannot print the session keeps what was paid for.
func TestCompactFilterKeepsSummary(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("needs /dev/full")
	}
	dir := t.TempDir()
	write(t, dir, "s.jsonl", withResults())
	r := runCommand(t, dir, withResults(), "sh", "-c", `exec sess-compact --keep 200 -- printf '## Goal\n- the goal\n' >/dev/full`)
	checkRun(t, r, 2, "sess-compact", "writing standard output: no space left on device")
	_, command, _ := strings.Cut(r.stderr, "to use it, as a filter of the same session: ")
	script(t, dir, strings.TrimSpace(command)+" <s.jsonl >t.jsonl")
	wantContext(t, dir, "t.jsonl", false)
}
