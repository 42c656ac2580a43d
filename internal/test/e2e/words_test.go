package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What people mistype and mistake is answered with the cause and a way out.
func TestHints(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const rollout = `{"timestamp":"2026-01-02T03:04:05.000Z","type":"session_meta","payload":{"id":"019b0000-0000-7000-8000-000000000001",` +
		`"timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w","originator":"codex_exec","cli_version":"0.169.0"}}` + "\n"
	for name, text := range map[string]string{
		"s.jsonl": header, "-dash.jsonl": header, "rollout.jsonl": rollout, "notes.txt": "notes\n",
	} {
		check(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	for _, tt := range []struct {
		args   []string
		status int
		want   string // in standard error
	}{
		{[]string{"sess-fork", "rollout.jsonl"}, 3, "hint: it looks like one of codex: sess-import codex rollout.jsonl\n"},
		{[]string{"sess-append", "-t", "x", "rollout.jsonl"}, 3, "hint: it looks like one of codex: sess-import codex rollout.jsonl\n"},
		{[]string{"sess-tree", "notes.txt"}, 3, "sess-tree: notes.txt:1: not a session"},
		{[]string{"sess-path", "01a"}, 2, "sess-path: 01a: no such file, and the beginning of an id has at least 4 characters\n"},
		{[]string{"sess-path", "codx:1234"}, 2, "hint: did you mean codex:1234?\n"},
		{[]string{"sess-path", ""}, 2, "sess-path: the name of the session is empty\nsess-path: hint: - is standard input\n"},
		{[]string{"sess-append", "-t", "x", ""}, 2, "the name of the session is empty"},
		{[]string{"sess-compact", ""}, 2, "sess-compact: the name of the session is empty"},
		{[]string{"sess-check", ""}, 2, "the name of the session is empty"},
		{[]string{"sess-check", "-dash.jsonl"}, 2, "hint: put -- in front of names that begin with a dash, or ./ before them\n"},
		{[]string{"sh", "-c", "cat s.jsonl | sess-append -t x /dev/fd/0"}, 2, "is a named pipe, not a regular file"},
		{[]string{"sess-append", "hello", "s.jsonl"}, 2, `unexpected operand "hello"`},
		{[]string{"sess-append", "--wait", "5", "-t", "x", "s.jsonl"}, 2, `invalid value "5" for --wait: want a duration such as 5s`},
		{[]string{"sess-append", "-r", "usr", "-t", "x", "s.jsonl"}, 2, "unknown role usr\nsess-append: hint: did you mean user?\n"},
		{[]string{"sess-append", "--type", "lable", "s.jsonl"}, 2, "unknown entry type lable\nsess-append: hint: did you mean label?\n"},
		{[]string{"sess-append", "--lable", "x", "s.jsonl"}, 2, "unknown flag --lable\nsess-append: hint: did you mean --label?\n"},
		{[]string{"sess-import", "codx", "rollout.jsonl"}, 2, "hint: did you mean codex?\n"},
		{[]string{"sess-import", "gpt", "rollout.jsonl"}, 2, "the formats are aider,"},
	} {
		r := runCommand(t, dir, "", tt.args...)
		if r.status != tt.status || !strings.Contains(r.stderr, tt.want) || r.stdout != "" {
			t.Errorf("%q: %+v, want %d and %q", tt.args, r, tt.status, tt.want)
		}
	}
}

// Warnings of one kind that flood are counted, ten by a tool that writes, equal ones as one by others.
func TestWarningsAreCounted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "s.jsonl")
	check(t, os.WriteFile(path, []byte(header+strings.Repeat("\x00\n", 5000)+"42\n"), 0o600))
	for tool, want := range map[string]string{
		"sess-path": fmt.Sprintf("warning: %s:2: NUL bytes, line skipped (and 4999 more)\n", path),
		"sess-tree": fmt.Sprintf("warning: %s:2: NUL bytes, line skipped (and 4999 more)\n", path),
		"sess-fork": fmt.Sprintf("warning: %s: … and 4990 more of nul; sess-check lists them\n", path),
	} {
		r := runCommand(t, dir, "", tool, path)
		if lines := strings.Count(r.stderr, "\n"); lines > 12 || !strings.Contains(r.stderr, want) {
			t.Errorf("%s says %d lines: %.2000s", tool, lines, r.stderr)
		}
	}
	// Losses are counted in a table, and --losses has all of them.
	r := runCommand(t, dir, "", "sess-import", "--losses", "lost", "pi", path)
	if lines := strings.Count(r.stderr, "\n"); lines > 8 || !strings.Contains(r.stderr, "damaged parts    5001") {
		t.Errorf("sess-import says %d lines: %.2000s", lines, r.stderr)
	}
	if n := strings.Count(readFile(t, filepath.Join(dir, "lost")), "\n"); n < 5000 {
		t.Errorf("%d losses in the file", n)
	}
}

// Names that sess-ls prints are names that every tool takes, whatever they are.
func TestOddNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	names := []string{"-dash.jsonl", "--where.jsonl", "codex:x.jsonl", "two\nlines.jsonl", "a b.jsonl", "'q\".jsonl", "\xff.jsonl", "~.jsonl", "*.jsonl"}
	for _, name := range names {
		write(t, dir, name, header+first)
	}
	for _, list := range []string{"sess-ls -0 .", "sess-ls -0 ./", `sess-ls -0 "$PWD"`} {
		got := script(t, dir, list+" | xargs -0 -n 1 sess-path --as text | grep -c 'first question'")
		if want := fmt.Sprintln(len(names)); got != want {
			t.Errorf("%s: %s sessions were read, want %s", list, got, want)
		}
	}
	if got := script(t, dir, "sess-ls -0 . | sess-check -q -0 && echo sound"); got != "sound\n" {
		t.Errorf("sess-check -0: %s", got)
	}
}
