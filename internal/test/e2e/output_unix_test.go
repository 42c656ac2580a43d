//go:build unix && !solaris && !aix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// makers are the command lines of all tools that make a file of a session, without the name of the
// file; what they make goes to it.
var makers = map[string][]string{
	"new": {"sess-new"}, "fork": {"sess-fork", "s.jsonl"}, "import": {"sess-import", "openai", "chat.json"}, "redact": {"sess-redact", "s.jsonl"},
	"check": {"sess-check", "--repair", "s.jsonl"}, "merge": {"sess-merge", "s.jsonl", "s.jsonl"}, "export": {"sess-export", "pi", "s.jsonl"},
	"show": {"sess-show", "--as", "html", "s.jsonl"},
}

func makingFiles(t *testing.T, dir string) {
	t.Helper()
	script(t, dir, "sess-new -o s.jsonl && sess-append -t hello s.jsonl")
	write(t, dir, "chat.json", `[{"role":"user","content":"hi"}]`)
}

// "-o -" is standard output in every tool, and makes no file that is called so.
func TestOutputToStandardOutput(t *testing.T) {
	t.Parallel()
	for name, args := range makers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			makingFiles(t, dir)
			before := files(t, dir)
			r := runCommand(t, dir, "", append(args, "-o", "-")...)
			if r.status != 0 || r.stderr != "" || !strings.Contains(r.stdout, "{") || strings.HasPrefix(r.stdout, "-") {
				t.Errorf("%+v", r)
			}
			wantSame(t, dir, before)
		})
	}
}

// --force replaces a file that is there, in one step; without it the file stays. What is read is
// not replaced.
func TestForce(t *testing.T) {
	t.Parallel()
	for name, args := range makers {
		if name == "export" { // --replace moves a session aside
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			makingFiles(t, dir)
			to := "out.jsonl"
			if name == "show" {
				to = "out.html"
			}
			write(t, dir, to, "precious\n")
			r := runCommand(t, dir, "", append(args, "-o", to)...)
			if r.status != 2 || !strings.Contains(r.stderr, "hint: --force replaces it") || readFile(t, filepath.Join(dir, to)) != "precious\n" {
				t.Errorf("without: %+v", r)
			}
			r = runCommand(t, dir, "", append(args, "-o", to, "--force")...)
			if r.status != 0 || r.stderr != "" || r.stdout != to+"\n" {
				t.Errorf("with: %+v", r)
			}
			if got := readFile(t, filepath.Join(dir, to)); !strings.Contains(got, "{") || strings.Contains(got, "precious") {
				t.Errorf("the file is %q", got)
			}
			r = runCommand(t, dir, "", append(args, "--force")...)
			if r.status != 2 || !strings.Contains(r.stderr, "--force goes with -") {
				t.Errorf("without a file: %+v", r)
			}
			if list, err := os.ReadDir(dir); err != nil || len(list) != 3 {
				t.Errorf("%d files, %v", len(list), err)
			}
			if name == "new" || name == "import" || name == "show" {
				return
			}
			before := readFile(t, filepath.Join(dir, "s.jsonl"))
			r = runCommand(t, dir, "", append(args, "-o", "./s.jsonl", "--force")...)
			if r.status != 2 || !strings.Contains(r.stderr, "it is the session that is read") || readFile(t, filepath.Join(dir, "s.jsonl")) != before {
				t.Errorf("onto itself: %+v", r)
			}
		})
	}
}
