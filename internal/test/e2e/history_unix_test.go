//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/test/corpus"
)

// What was asked of each agent is found once, with addresses that other tools take.
func TestHistoryAgents(t *testing.T) {
	t.Parallel()
	dir := planted(t)
	r := runCommand(t, dir, "", "sess-history", "--agent", "all", "needle")
	if r.status != 0 || r.stderr != "" || strings.Count(r.stdout, "\n") != len(planters) {
		t.Fatalf("status %d: %s%s", r.status, r.stdout, r.stderr)
	}
	for _, p := range planters {
		if strings.Count(r.stdout, "\ta planted needle in "+p.name+"\n") != 1 {
			t.Errorf("%s:\n%s", p.name, r.stdout)
		}
	}
	texts := scripted(t, dir, `sess-history --agent all needle | cut -f 3,4 | while read -r s e; do sess-path -q --leaf "$e" --as text "$s"; done`)
	if strings.Count(texts.stdout, "user: a planted needle in ") != len(planters) {
		t.Errorf("by their names: %s", texts.stdout)
	}
}

// The database that oh-my-pi 18.2.3 wrote is read as it is, and stays so.
func TestHistoryDatabase(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data, err := os.ReadFile(filepath.Join(corpus.Dir(), "omp", "history", "history.db"))
	check(t, err)
	write(t, dir, "history.db", string(data))
	check(t, os.Chmod(filepath.Join(dir, "history.db"), 0o400))
	for args, want := range map[string]string{
		"-a":           "2026-11-22T14:40:56.000Z\t1\t-\t-\tgit-commit: undo 100% of a_b\n|commit all of it\n|Fix the Tokenizer and the parser\\nwith care\n|fix the parser\n",
		"--cwd /x":     "commit all of it\n|fix the parser\n",
		"-a -i FIX er": "Fix the Tokenizer and the parser\\nwith care\n|fix the parser\n",
		"-a 100%":      "git-commit: undo 100% of a_b\n",
		"-a zzz":       "",
	} {
		r := runCommand(t, dir, "", append([]string{"sess-history", "--db", "history.db"}, strings.Fields(args)...)...)
		var rows []string
		if want != "" {
			rows = strings.Split(want, "|")
		}
		at := 0
		for _, row := range rows {
			i := strings.Index(r.stdout[at:], row)
			if i < 0 {
				t.Errorf("%s: no %q, or not in its place:\n%s", args, row, r.stdout)
				break
			}
			at += i + len(row)
		}
		if status := min(len(rows), 1) ^ 1; r.status != status || strings.Count(r.stdout, "\n") != len(rows) || r.stderr != "" {
			t.Errorf("%s: status %d:\n%s%s", args, r.status, r.stdout, r.stderr)
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("reading left %v behind, %v", files, err)
	}
}
