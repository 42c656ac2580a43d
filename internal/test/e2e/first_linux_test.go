package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/core/screen"
	"github.com/sess-tools/sess/internal/test/corpus"
)

// On a terminal sess says what is there, and each line that it says to type next works as it stands. In a pipe it is
// the list of commands.
func TestFirst(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if got := onTerminal(t, dir, "sess"); !strings.Contains(got, "No sessions on this machine yet. Looked for:") || !regexp.MustCompile(`\n  codex +\S+ +not there\r?\n  claude +\S+/projects +not there\r?\n  sess +\S+ +not there +(…|\.\.\.) and \d+ more`).MatchString(got) || !strings.Contains(got, "  sess new --store") {
		t.Errorf("an empty machine: %q", got)
	}
	scripted(t, dir, corpus.Home+`mkdir away; (cd away && sess-new --store --title elsewhere >id); sess-new --store --title 'of here' >id; sess-append -q -t hi "$(cat id)"
sess-append -q -r assistant --model m --usage-json '{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2}' -t hello "$(cat id)"`)
	got := strings.ReplaceAll(onTerminal(t, dir, "sh", "-c", "NO_COLOR=1 sess"), "\r", "")
	for _, want := range []string{"\nsess         1       2\n", "\nclaude       1       1\n", "\ncodex        1       1\n", "\nNEWEST ", "  of here\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
	_, next, _ := strings.Cut(got, "\nNext:\n")
	lines := strings.Split(strings.TrimSpace(next), "\n")
	if len(lines) != 5 {
		t.Fatalf("%q", lines)
	}
	for _, line := range lines {
		line, _, _ = strings.Cut(strings.TrimSpace(line), "   ")
		got := throughTerminal(t, dir, 80, func(c *exec.Cmd, terminal *os.File) { c.Stdin, c.Stdout = terminal, terminal }, "sh", "-c",
			"PATH=$PATH:"+filepath.Join(dir, "bin")+" SESS_PAGER=cat "+strings.ReplaceAll(line, "WORDS", "hello")+" && echo done")
		if !strings.HasSuffix(got, "done\n") {
			t.Errorf("%s: %s", line, got)
		}
	}
	for _, columns := range []uint16{40, 60, 80, 140} {
		for row := range strings.Lines(onColumns(t, dir, columns, "sh", "-c", "LC_ALL=C.UTF-8 NO_COLOR=1 sess")) {
			if n := screen.Columns(strings.TrimSuffix(row, "\n")); n > int(columns) {
				t.Errorf("a row of %d columns on %d: %s", n, columns, row)
			}
		}
	}
	if got := runCommand(t, dir, "", "sess"); !strings.HasPrefix(got.stdout, "usage: sess ") || got.status != 0 {
		t.Errorf("in a pipe: %+v", got)
	}
}

// With more sessions than a person waits for, it opens few files: all of Claude Code's are counted, by the names of their
// directories, and of codex' there may be more here than those that were opened.
func TestFirstOfMany(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	scripted(t, dir, `mkdir -p .claude/projects/-x .claude/projects/"$(pwd -P | tr -c 'a-zA-Z0-9\n' -)" .codex/sessions/2026/01/02
here=$(pwd -P) old=.claude/projects/$(pwd -P | tr -c 'a-zA-Z0-9\n' -)
line() { printf '{"parentUuid":null,"isSidechain":false,"type":"user","uuid":"u","sessionId":"%s","cwd":"%s","timestamp":"2026-01-02T03:04:05.000Z","message":{"role":"user","content":"fix %s"}}\n' "$@"; }
rollout() { printf '{"timestamp":"2026-01-02T03:04:05.000Z","type":"session_meta","payload":{"id":"%s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"%s","originator":"codex_exec","cli_version":"0.1"}}\n' "$@"; }
i=0
while [ $i -lt 600 ]; do
	id=$(printf '0000%04d-0000-7000-8000-000000000000' $i)
	line $id /x $i >.claude/projects/-x/$id.jsonl
	rollout $id /x >.codex/sessions/2026/01/02/rollout-2026-01-02T03-04-05-$id.jsonl
	i=$((i + 1))
done
id=00009999-0000-7000-8000-000000000000
line $id "$here" old >"$old/$id.jsonl"
rollout $id "$here" >.codex/sessions/2026/01/02/rollout-2026-01-02T03-04-05-$id.jsonl
touch -d 2026-01-01 "$old/$id.jsonl" .codex/sessions/2026/01/02/*$id.jsonl
touch -d 2030-01-01 .claude/projects/-x/00000007-*`)
	got := strings.ReplaceAll(onTerminal(t, dir, "sh", "-c", "NO_COLOR=1 sess"), "\r", "")
	for _, want := range []string{"\nclaude       1     601\n", "\ncodex       0+     601\n", "\nclaude:00000007  Jan  2 ", "  fix 7\n", "\n  sess show  "} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
}
