//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// scripts/cases says which cases hold, shows what differs, and changes nothing where they stand.
func TestCases(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put := func(name, run, expect string) {
		t.Helper()
		check(t, os.MkdirAll(filepath.Join(dir, "cases", name), 0o755))
		write(t, dir, filepath.Join("cases", name, "run"), run)
		write(t, dir, filepath.Join("cases", name, "in.jsonl"), `{"type":"session","version":3,"id":"s1","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}`+"\n")
		if expect != "" {
			write(t, dir, filepath.Join("cases", name, "expect"), expect)
		}
	}
	put("a-holds", "sess-append -q -t hello in.jsonl >/dev/null\nsess-path --as text in.jsonl | grep -c hello\n", "1\n")
	put("b-differs", "echo is\necho why >&2\n", "should be\n")
	put("c-fails", "echo 2\nexit 7\n", "1\n")
	put("e-ends-as-grep-does", "echo 1\nexit 1\n", "1\n")
	put("d-no-case", "exit 1\n", "")
	cases, err := filepath.Abs("../../../scripts/cases")
	check(t, err)
	run := func(operands ...string) result {
		t.Helper()
		return runCommand(t, dir, "", append([]string{"sh", cases, "--tools", bin}, operands...)...)
	}
	if r := run("cases/a-holds"); r.status != 0 || r.stdout != "ok    a-holds\ncases: 1 hold, 0 do not\n" {
		t.Errorf("status %d: %s%s", r.status, r.stdout, r.stderr)
	}
	r := run("cases")
	if r.status != 1 || !strings.HasSuffix(r.stdout, "\ncases: 2 hold, 2 do not\n") {
		t.Errorf("status %d: %s%s", r.status, r.stdout, r.stderr)
	}
	for _, want := range []string{"FAIL  b-differs (status 0)\n", "< should be\n", "> is\n", "standard error: why\n", "FAIL  c-fails (status 7)\n"} {
		if !strings.Contains(r.stdout, want) {
			t.Errorf("%q is not said: %s", want, r.stdout)
		}
	}
	if got := readFile(t, filepath.Join(dir, "cases", "a-holds", "in.jsonl")); strings.Count(got, "\n") != 1 {
		t.Errorf("the case was changed: %s", got)
	}
	for _, operands := range [][]string{nil, {"nowhere"}, {"cases/d-no-case"}, {"--wrong", "cases"}} {
		if r := run(operands...); r.status != 2 || r.stderr == "" {
			t.Errorf("%q: status %d: %s%s", operands, r.status, r.stdout, r.stderr)
		}
	}
}
