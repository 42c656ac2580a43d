package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// traced runs a tool in the directory dir under strace with the given options, and
// returns what became of it and the trace. Without strace the test is skipped, but
// not on CI.
func traced(t *testing.T, dir string, options []string, args ...string) (r result, trace string) {
	t.Helper()
	if _, err := exec.LookPath("strace"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("strace is not installed")
	}
	name := filepath.Join(t.TempDir(), "trace") // not among the files of the tool
	variables, args := assigned(env(dir), args)
	c := exec.Command("strace", slices.Concat([]string{"-f", "-qq", "-o", name}, options, []string{filepath.Join(bin, args[0])}, args[1:])...)
	c.Dir, c.Env = dir, variables
	r = wait(t, c)
	if strings.Contains(r.stderr, "strace: ") {
		t.Skipf("strace cannot trace here: %s", r.stderr)
	}
	return r, readFile(t, name)
}

// injected runs a tool while the system calls of the given kind on the session
// answer with an error: the first two of each thread if the error is EINTR, else
// all. (strace counts the calls of each thread by itself, and which one makes a
// call is up to the scheduler: the first of the closes may be the one of the file
// that was only read, whose error means nothing.) It returns what became of the
// tool and how many calls were tampered with.
func injected(t *testing.T, dir, call, errno string, args ...string) (r result, tampered int) {
	t.Helper()
	when := "1+"
	if errno == "EINTR" {
		when = "1..2"
	}
	r, trace := traced(t, dir, []string{
		"-e", "trace=" + call, "-e", "inject=" + call + ":error=" + errno + ":when=" + when, "-P", filepath.Join(dir, "s.jsonl"),
	}, args...)
	return r, strings.Count(trace, "(INJECTED)")
}

// Each system call an append makes on its session is interrupted, which is
// borne, or fails, which is told: the session is as before or has the entry
// whole.
func TestInjectedErrors(t *testing.T) {
	t.Parallel()
	calls := []string{"flock", "pread64", "fstat", "write", "fdatasync", "close"}
	tools := map[string][]string{
		"append":  {"sess-append", "--sync", "always", "-f", "text", "s.jsonl"},
		"compact": {"SESS_SYNC=always", "sess-compact", "--keep", "100", "--no-require", "--summary-file", "text", "s.jsonl"},
	}
	for name, args := range tools {
		for _, call := range calls {
			for errno, cause := range map[string]string{"EINTR": "", "EIO": "input/output error", "ENOSPC": "no space left on device"} {
				t.Run(name+" "+call+" "+errno, func(t *testing.T) {
					t.Parallel()
					dir := t.TempDir()
					before := longSession()
					write(t, dir, "s.jsonl", before)
					write(t, dir, "text", strings.Repeat("text ", 40))
					r, tampered := injected(t, dir, call, errno, args...)
					if tampered == 0 {
						t.Fatalf("no %s was tampered with", call)
					}
					if cause == "" && (r.status != 0 || r.stderr != "") {
						t.Errorf("status %d, %s", r.status, r.stderr)
					}
					if cause != "" {
						checkRun(t, r, 2, "sess-"+name, cause)
					}
					after := readFile(t, filepath.Join(dir, "s.jsonl"))
					added, same := strings.CutPrefix(after, before)
					switch {
					case !same:
						t.Error("the lines that were there changed")
					case added == "" && r.status == 0:
						t.Error("acknowledged, but not written")
					case added != "" && (strings.Count(added, "\n") != 1 || !strings.HasSuffix(added, "}\n")):
						t.Errorf("what was added is no whole line: %q", added)
					}
				})
			}
		}
	}
}

// A close that is interrupted has closed the file, whichever it is.
func TestInterruptedClose(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"new":    {"SESS_SYNC=always", "sess-new", "-o", "new.jsonl"},
		"store":  {"sess-new", "--store", "--defer"},
		"append": {"sess-append", "--sync", "always", "-t", "x", "s.jsonl"},
		"torn":   {"SESS_GRACE=0", "sess-append", "--sync", "always", "-q", "-t", "x", "torn.jsonl"},
		"fork":   {"sess-fork", "-o", "new.jsonl", "s.jsonl"},
		"repair": {"sess-check", "-q", "--repair", "-o", "new.jsonl", "torn.jsonl"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, dir, "s.jsonl", longSession())
			write(t, dir, "torn.jsonl", longSession()+`{"type":`)
			r, trace := traced(t, dir, []string{"-e", "trace=close", "-e", "inject=close:error=EINTR"}, args...)
			if r.status != 0 || r.stderr != "" || !strings.Contains(trace, "(INJECTED)") {
				t.Errorf("%+v", r)
			}
		})
	}
}

// A step behind the one that gives a new file its name fails: the message says that
// the file is there, and it is whole. An interrupted close is no error. Of the calls of
// fsync those on the directory fail: strace counts the calls of each thread, so the
// second one cannot be named.
func TestInjectedAfterPublishing(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, inject string
		args         []string
		there        string // "" if nothing is to be said
	}{
		{"import, directory", "fsync:error=EIO", []string{"sess-import", "pi", "-o", "new", "s.jsonl"}, "published new, but syncing its directory: input/output error"},
		{"import, close", "close:error=EINTR", []string{"sess-import", "pi", "-o", "new", "s.jsonl"}, ""},
		{"export, close", "close:error=EINTR", []string{"sess-export", "claude", "-o", "new", "s.jsonl"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, dir, "s.jsonl", good)
			options := []string{"-e", "inject=" + tt.inject}
			if strings.HasPrefix(tt.inject, "fsync") {
				options = append(options, "-P", dir)
			}
			r, trace := traced(t, dir, options, append([]string{"SESS_SYNC=always", tt.args[0], "-q"}, tt.args[1:]...)...)
			if !strings.Contains(trace, "(INJECTED)") {
				t.Fatalf("nothing was tampered with:\n%s", trace)
			}
			if tt.there == "" && (r.status != 0 || r.stderr != "") || tt.there != "" && (r.status != 2 || !strings.Contains(r.stderr, tt.there)) {
				t.Errorf("status %d, %s; want %q", r.status, r.stderr, tt.there)
			}
			if got := readFile(t, filepath.Join(dir, "new")); len(got) < len(good) {
				t.Errorf("%d bytes of %d are there", len(got), len(good))
			}
		})
	}
}

// Who is killed while it writes the file of -o leaves no half of it under that name.
func TestKilledOutputIsNotThere(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"redact": {"sess-redact", "-o", "new", "s.jsonl"},
		"show":   {"sess-show", "-o", "new", "s.jsonl"},
		"merge":  {"sess-merge", "-o", "new", "s.jsonl", "s.jsonl"},
		"export": {"sess-export", "codex", "-o", "new", "s.jsonl"},
		"fork":   {"sess-fork", "-o", "new", "s.jsonl"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, dir, "s.jsonl", longSession())
			r, trace := traced(t, dir, []string{"-e", "trace=write", "-e", "inject=write:signal=KILL:when=1"}, args...)
			if r.status == 0 || !strings.Contains(trace, "killed by SIGKILL") {
				t.Fatalf("not killed: %+v\n%s", r, trace)
			}
			if data, err := os.ReadFile(filepath.Join(dir, "new")); err == nil {
				t.Errorf("%d bytes have the name", len(data))
			}
		})
	}
}

// TestInjectedUnlocking: a turn that was added and whose lock cannot be taken away is not to be
// added again. The command puts the fault into the tool that runs it, so nothing fails before.
func TestInjectedUnlocking(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "s.jsonl", good)
	if _, err := exec.LookPath("strace"); err != nil || os.Getuid() != 0 {
		t.Skip("strace cannot be attached here")
	}
	const inject = `setsid strace -f -qq -o trace -e trace=unlink,unlinkat -e inject=unlink,unlinkat:error=EIO -p $PPID >/dev/null 2>said &
while grep -q '^TracerPid:.0$' /proc/$PPID/task/*/status; do [ -s said ] && { echo refused; exit; }; sleep 0.05; done
echo yes`
	r := runCommand(t, dir, "", "sess-turn", "-t", "x", "s.jsonl", "--", "sh", "-c", inject)
	if r.stdout == "refused\n" {
		t.Skip("strace cannot be attached here")
	}
	if r.status != 2 || !strings.HasPrefix(r.stderr, "sess-turn: appended 2 entries up to ") || !strings.Contains(r.stderr, ", but ") || strings.Contains(r.stderr, "to add it") {
		t.Errorf("status %d: %s", r.status, r.stderr)
	}
	if got := readFile(t, filepath.Join(dir, "s.jsonl")); strings.Count(got, `"text":"yes"`) != 1 {
		t.Errorf("the session has %s", got)
	}
}
