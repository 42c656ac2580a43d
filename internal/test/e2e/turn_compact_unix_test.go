//go:build unix && !solaris && !aix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// With --compact a session that does not fit is compacted first, by whoever is to do it;
// if that fails, without a model. The text is answered in any case.
func TestTurnCompacts(t *testing.T) {
	t.Parallel()
	const compacts = "--compact --window 1200 --retries 0"
	for _, tt := range []struct {
		name, flags string
		summarizer  string // SESS_SUMMARIZER
		stub        string
		by          string // details.summarizer, "" for no compaction
		stderr      string
	}{
		{"by the command", compacts, "", "printf '## Original Request\\n- it\\n## Goal\\n- the goal\\n'", "command", ""},
		{"by another", compacts, `cat >/dev/null; printf '## Goal\n- by another\n## Original Request\n- it\n'`, "echo asked >>asked; echo yes", "command", ""},
		{
			"a summarizer that fails", compacts,
			"echo no credit >&2; exit 1",
			"echo asked >>asked; echo yes", "extractive",
			"sess-turn: warning: running sh: exit status 1: no credit; compacting without a model\n",
		},
		{
			"a command without the heading", compacts, "", "echo asked >>asked2; echo yes", "extractive",
			"sess-turn: warning: running sh: the answer lacks the heading",
		},
		{"it fits", "--compact --window 100000", "", "echo asked >>asked; echo yes", "", ""},
		{"what is said does not fit", "--compact --window 2", "", "echo asked >>asked; echo yes", "", "the new text does not fit"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := write(t, dir, "s.jsonl", withResults())
			write(t, dir, "stub", tt.stub)
			args := append([]string{"sess-turn", "-t", "what now?"}, strings.Fields(tt.flags)...)
			c := command(dir, append(args, "s.jsonl", "--", "sh", "stub")...)
			c.Env = append(c.Env, "SESS_SUMMARIZER="+tt.summarizer)
			r := wait(t, c)
			if r.status != 0 || !strings.Contains(r.stderr, tt.stderr) || tt.stderr == "" && r.stderr != "" || strings.Count(r.stderr, "warning: ") > 1 {
				t.Errorf("status %d, %s", r.status, r.stderr)
			}
			if asked, err := os.ReadFile(filepath.Join(dir, "asked")); err == nil && string(asked) != "asked\n" {
				t.Errorf("asked: %s", asked)
			}
			added := strings.TrimPrefix(readFile(t, path), withResults())
			if by := strings.Contains(added, `"summarizer":"`+tt.by+`"`); strings.Count(added, "\n") != 2 && tt.by == "" || tt.by != "" && (!by || strings.Count(added, "\n") != 3) {
				t.Errorf("added %s", added)
			}
			if lines := strings.Split(added, "\n"); !strings.Contains(lines[len(lines)-3], "what now?") {
				t.Errorf("added %s", added)
			}
			checkRun(t, runCommand(t, dir, "", "sess-check", "-q", "s.jsonl"), 0, "sess-check", "")
		})
	}
}

// An interrupt while the summarizer runs ends everything; nothing is asked after that.
func TestTurnCompactInterrupted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "s.jsonl", withResults())
	p := startTurn(t, dir, waitingStub, "--compact", "--window", "1200")
	check(t, p.cmd.Process.Signal(syscall.SIGTERM))
	r := p.wait()
	p.dead()
	checkRun(t, r, 130, "sess-turn", "interrupted")
	wantTurn(t, dir, withResults(), "", "")
}
