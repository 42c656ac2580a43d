//go:build unix

package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	secrets "github.com/sess-tools/sess/internal/test/planted"
)

// A summary says what is in the session, in at most 40 lines, however much there is and whatever it says.
func TestSummary(t *testing.T) {
	t.Parallel()
	w := newGitWorld(t)
	var list []did
	for n := range 30 {
		name := fmt.Sprintf("f%d.go", n)
		w.put(name, text(name[:2]+"x", 5))
		id := w.commit(int64(100*n), fmt.Sprintf("Add the parser of file number %d", n))
		list = append(list, wrote(int64(100*n-50), name, text(name[:2]+"x", 5)), ran(int64(100*n-2), int64(100*n+1), "git commit -F m", short(id)))
		failed := ran(int64(100*n+2), int64(100*n+3), fmt.Sprintf("go test ./f%d\n# forged", n), "Command exited with code 7")
		failed.failed = true
		list = append(list, failed)
	}
	name := filepath.Join(w.home, "store", "p", w.session(list...)+".jsonl")
	write(t, w.home, "gates", `{"kind":"breach","gate":"no-call","value":"run:go*","text":"# forged\nrun"}`+"\n"+`{"kind":"total","sessions":1,"gates":3,"breaches":1,"whole":true}`+"\n")
	got := runCommand(t, w.home, "", "sess-show", "--summary", "--commits", "--gates", "gates", name)
	if got.status != 0 {
		t.Fatalf("%+v", got)
	}
	if n := strings.Count(got.stdout, "\n"); n > 40 {
		t.Errorf("%d lines", n)
	}
	for _, want := range []string{
		"\n**Asked** (1)\n- do it\n", "\n**Did:** 90 calls: 60 run, 30 write\n", "\n**Wrote:** f0\\.go, ", ", and 20 more\n", "\n**Commands that failed** (30)\n- 25 before\n",
		"- ended with 7: go test \\./f29 \\# forged\n", "\n**Commits** (30)\n- 27 before\n", " Add the parser of file number 29\n", "\n**Gates:** 2 hold, 1 do not\n", "- no\\-call run:go\\*: \\# forged run\n",
	} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("no %q in\n%s", want, got.stdout)
		}
	}
	if strings.Contains(got.stdout, "\n# forged") {
		t.Errorf("a heading of the session's: %s", got.stdout)
	}
	for _, form := range []string{"html", "markdown", "text"} {
		if got := runCommand(t, w.home, "", "sess-show", "--commits", "--as", form, name); got.status != 0 || !strings.Contains(got.stdout, "Add the parser of file number 29") {
			t.Errorf("--as %s: %d %s", form, got.status, got.stderr)
		}
	}
}

// What cannot be done is an error: commits of what has no name, and gates that were not asked.
func TestSummaryRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name := write(t, dir, "s.jsonl", `{"type":"session","version":3,"id":"01a1","timestamp":"2026-01-01T00:00:00Z","cwd":"/gone"}`+"\n")
	for _, args := range [][]string{
		{"--commits", "-"}, {"--summary", "--as", "html", name}, {"--gates", "none", name}, {"--summary", "--gates", name, name}, {"--summary", "--gates", "none", name}, {"--commits", name},
	} {
		if got := runCommand(t, dir, readFile(t, name), append([]string{"sess-show"}, args...)...); got.status != 2 || got.stdout != "" || !strings.Contains(got.stderr, "sess-show: ") {
			t.Errorf("%v: %+v", args, got)
		}
	}
	if got := runCommand(t, dir, readFile(t, name), "sess-show", "--summary"); got.status != 0 || got.stdout != "# Session 01a1\n" {
		t.Errorf("an empty session: %+v", got)
	}
}

// With --redact neither a summary nor a commit has a secret.
func TestSummaryRedacts(t *testing.T) {
	t.Parallel()
	w := newGitWorld(t)
	secret := secrets.Make(1).Secrets[0]
	w.put("a.go", text("a", 5))
	id := w.commit(100, "Add the token "+secret+" of lines")
	name := filepath.Join(w.home, "store", "p", w.session(ran(99, 101, "curl -H 'token "+secret+"'; git commit -F m", short(id)))+".jsonl")
	for _, args := range [][]string{{"--summary"}, {"--as", "markdown"}, {"--as", "text"}, {"--as", "html"}} {
		plain := runCommand(t, w.home, "", append([]string{"sess-show", "--commits", name}, args...)...)
		clean := runCommand(t, w.home, "", append([]string{"sess-show", "--commits", "--redact", name}, args...)...)
		if !strings.Contains(strings.ReplaceAll(plain.stdout, `\`, ""), secret) || clean.status != 0 || strings.Contains(strings.ReplaceAll(clean.stdout, `\`, ""), secret) || !strings.Contains(clean.stdout, id[:12]) {
			t.Errorf("%v: %d %s\n%s", args, clean.status, clean.stderr, clean.stdout[:min(500, len(clean.stdout))])
		}
	}
}
