//go:build unix

package e2e

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// addressed are ways to read a session, each tool at least once. What they print
// depends on nothing but the session.
var addressed = map[string][]string{
	"path":           {"sess-path", "FILE"},
	"path text":      {"sess-path", "--as", "text", "FILE"},
	"path state":     {"sess-path", "--as", "state", "FILE"},
	"path context":   {"sess-path", "--as", "context", "FILE"},
	"path strict":    {"sess-path", "--strict", "--budget", "500", "FILE"},
	"tree":           {"sess-tree", "--full", "FILE"},
	"check":          {"sess-check", "FILE"},
	"check repair":   {"sess-check", "--repair", "-n", "FILE"},
	"check migrate":  {"sess-check", "--migrate", "-n", "FILE"},
	"export":         {"sess-export", "pi", "FILE"},
	"compact plan":   {"sess-compact", "--plan", "--keep", "100", "FILE"},
	"compact prompt": {"sess-compact", "--print-prompt", "--keep", "100", "FILE"},
	"compact report": {"sess-compact", "--report", "--keep", "100", "FILE"},
	"compact check":  {"sess-compact", "--if-needed", "-n", "--window", "20000", "FILE"},
}

// making are those that make a new session of it.
var making = map[string][]string{
	"fork":     {"sess-fork", "-o", "new.jsonl", "FILE"},
	"fork all": {"sess-fork", "--branches", "--store", "FILE"},
	"new":      {"sess-new", "-o", "new.jsonl", "--from", "FILE"},
	"migrate":  {"sess-check", "--migrate", "-o", "new.jsonl", "FILE"},
	"repair":   {"sess-check", "--repair", "-o", "new.jsonl", "FILE"},
	"export":   {"sess-export", "-q", "omp", "-o", "new.jsonl", "FILE"},
	"compact":  {"sess-compact", "-n", "--keep", "100", "FILE"},
}

// adding are those that would add to it.
var adding = map[string][]string{
	"append":  {"sess-append", "-t", "new", "FILE"},
	"dry run": {"sess-append", "-n", "-t", "new", "FILE"},
	"compact": {"sess-compact", "--keep", "100", "FILE"},
	"prune":   {"sess-compact", "--prune", "--prune-protect", "0", "FILE"},
}

// agentStore makes a store of pi with one session.
func agentStore(t *testing.T) (dir, id string) {
	t.Helper()
	dir = t.TempDir()
	text := longSession()
	sessions := filepath.Join(dir, ".pi", "agent", "sessions", "--p--")
	check(t, os.MkdirAll(sessions, 0o700))
	write(t, sessions, "s.jsonl", text)
	write(t, dir, "s.jsonl", text)
	_, rest, _ := strings.Cut(text, `"id":"`)
	id, _, _ = strings.Cut(rest, `"`)
	return dir, id
}

// A session in another agent's store reads as a file does, and the store stays as
// it is.
func TestAddress(t *testing.T) {
	t.Parallel()
	dir, id := agentStore(t)
	before := files(t, dir)
	for name, args := range addressed {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := runCommand(t, dir, "", operands(args, "s.jsonl")...)
			if want.stdout == "" && args[0] != "sess-check" || want.status > 1 {
				t.Fatalf("%v: status %d, %q", args, want.status, want.stderr)
			}
			for _, address := range []string{"pi:" + id, "pi:" + id[:8], "pi:/p"} {
				got := runCommand(t, dir, "", operands(args, address)...)
				if got.status != want.status || got.stdout != want.stdout || got.stderr != strings.ReplaceAll(want.stderr, "s.jsonl", address) {
					t.Errorf("%s: status %d, want %d\n%.500s\n%.500s\n%s", address, got.status, want.status, got.stdout, want.stdout, got.stderr)
				}
			}
		})
	}
	t.Cleanup(func() { wantSame(t, dir, before) })
}

func TestAddressMakes(t *testing.T) {
	t.Parallel()
	for name, args := range making {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, id := agentStore(t)
			before := files(t, dir)
			r := runCommand(t, dir, "", operands(args, "pi:"+id)...)
			checkRun(t, r, 0, args[0], "")
			after := files(t, dir)
			for name, content := range before {
				if after[name] != content {
					t.Errorf("%s changed", name)
				}
			}
			if made := len(after) - len(before); name != "compact" && made != 1 || name == "compact" && made != 0 {
				t.Errorf("made %d files", made)
			}
			if path := strings.TrimSpace(r.stdout); strings.HasPrefix(name, "fork") || name == "new" {
				if !filepath.IsAbs(path) {
					path = filepath.Join(dir, path)
				}
				if text := readFile(t, path); !strings.Contains(text, `"parentSession":"`+id+`"`) {
					t.Errorf("descends from another one: %.300s", text)
				}
			}
		})
	}
}

func TestAddressRefused(t *testing.T) {
	t.Parallel()
	dir, id := agentStore(t)
	before := files(t, dir)
	for name, args := range adding {
		for _, operand := range []string{"pi:" + id, "pi:", "codex:x"} {
			r := runCommand(t, dir, "", operands(args, operand)...)
			checkRun(t, r, 2, args[0], "hint: sess-import ")
			if strings.HasSuffix(operand, ":") {
				operand = strconv.Quote(operand) // two colons would follow each other
			}
			if !strings.Contains(r.stderr, operand+": sessions of other agents are read in place") || r.stdout != "" {
				t.Errorf("%s %s: %q, %q", name, operand, r.stdout, r.stderr)
			}
		}
	}
	wantSame(t, dir, before)
}

// An address is one whatever files there are, and a file is one by its path.
func TestAddressOrFile(t *testing.T) {
	t.Parallel()
	dir, _ := agentStore(t)
	write(t, dir, "pi:zzzz", good)
	checkRun(t, runCommand(t, dir, "", "sess-path", "pi:zzzz"), 2, "sess-path", "reading pi:zzzz: no such session zzzz")
	r := runCommand(t, dir, "", "sess-path", "./pi:zzzz")
	if checkRun(t, r, 0, "sess-path", ""); r.stdout != good {
		t.Errorf("got %q", r.stdout)
	}
	checkRun(t, runCommand(t, dir, "", "sess-append", "-t", "x", "./pi:zzzz"), 0, "sess-append", "")
	checkRun(t, runCommand(t, dir, "", "sess-path", "pi:--store"), 2, "sess-path", "no such session --store")
	// A large file on standard input is nobody's session.
	c := exec.Command("sh", "-c", `sess-path --as text pi:zzzz < s.jsonl`)
	c.Dir, c.Env = dir, env(dir)
	checkRun(t, wait(t, c), 2, "sess-path", "no such session")
}

// with returns a directory with a tool and, beside it, a script that stands for
// sess-import; without a script there is none.
func with(t *testing.T, tool, script string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Link(filepath.Join(bin, tool), filepath.Join(dir, tool)); err != nil {
		t.Skipf("no second name for a program: %v", err)
	}
	if script != "" {
		// Written by another process: a program that somebody still has open for writing,
		// such as one that this process is just starting, cannot be run.
		c := exec.Command("sh", "-ec", "cat > sess-import; chmod 700 sess-import")
		c.Dir, c.Stdin = dir, strings.NewReader("#!/bin/sh\n"+script+"\n")
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	return dir
}

// prepare prepares the run of a command line with the tool in the directory given.
func prepare(dir, home string, args []string) *exec.Cmd {
	c := exec.Command(filepath.Join(dir, args[0]), args[1:]...)
	c.Dir, c.Env = home, append(env(home), "PATH=/usr/bin:/bin")
	return c
}

// An import that fails half way: its status, its words, no half session and
// nothing written.
func TestImportFails(t *testing.T) {
	t.Parallel()
	half := "cat <<'END'\n" + good + "END\n"
	for how, tt := range map[string]struct {
		script, says string
		status       int
	}{
		"half and damage":  {half + "echo 'sess-import: r.jsonl:9: torn' >&2; exit 3", "r.jsonl:9: torn", 3},
		"half a line":      {half + "printf '{\"type\":'; exit 2", "sess-import ended with exit status 2", 2},
		"killed":           {half + "kill -9 $$", "sess-import ended with signal: killed", 2},
		"busy":             {half + "echo 'sess-import: x.db: locked' >&2; exit 4", "x.db: locked", 4},
		"nothing at first": {"echo 'sess-import: no such session x' >&2; exit 2", "no such session x", 2},
		"no sess-import":   {"", "finding sess-import: it is neither beside this program nor in PATH", 2},
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			for _, table := range []map[string][]string{addressed, making} {
				for name, args := range table {
					if name == "new" && strings.HasPrefix(tt.script, "cat") {
						continue // it reads no more than the header
					}
					home := t.TempDir()
					r := wait(t, prepare(with(t, args[0], tt.script), home, operands(args, "codex:x")))
					if checkRun(t, r, tt.status, args[0], tt.says); r.stdout != "" {
						t.Errorf("%s: printed %q", name, r.stdout)
					}
					if left := files(t, home); len(left) != 0 {
						t.Errorf("%s: left behind %v", name, left)
					}
				}
			}
		})
	}
}

// Warnings of the import are the tool's own, and -q is for them too.
func TestImportWarns(t *testing.T) {
	t.Parallel()
	script := "echo \"sess-import: warning: $*\" >&2\ncat <<'END'\n" + good + "END"
	home := t.TempDir()
	r := wait(t, prepare(with(t, "sess-path", script), home, []string{"sess-path", "codex:x y"}))
	if checkRun(t, r, 0, "sess-path", "sess-path: warning: codex --session=x y"); r.stdout != good {
		t.Errorf("got %q", r.stdout)
	}
	checkRun(t, wait(t, prepare(with(t, "sess-path", script), home, []string{"sess-path", "-q", "codex:x"})), 0, "sess-path", "")
}

// begun waits for the process id that a stub leaves.
func begun(t *testing.T, home string) int {
	t.Helper()
	for range 500 {
		data, err := os.ReadFile(filepath.Join(home, "pid"))
		if pid, perr := strconv.Atoi(strings.TrimSpace(string(data))); err == nil && perr == nil && strings.HasSuffix(string(data), "\n") {
			return pid
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("the import did not begin")
	return 0
}

// A signal to the tool ends the import, which ends the tool.
func TestImportInterrupted(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		for _, args := range [][]string{addressed["path"], addressed["check"], making["fork"], {"sess-ls", "--agent", "codex"}} {
			t.Run(sig.String()+"/"+args[0], func(t *testing.T) {
				t.Parallel()
				home := t.TempDir()
				printed := good
				if args[0] == "sess-ls" {
					printed = `{"kind":"session","session":"x","cwd":"/w"}` + "\n"
				}
				c := prepare(with(t, args[0], "echo $$ > pid; cat <<'END'\n"+printed+"END\nexec sleep 600"), home, operands(args, "codex:x"))
				var out, errs bytes.Buffer
				c.Stdout, c.Stderr = &out, &errs
				check(t, c.Start())
				pid := begun(t, home)
				check(t, c.Process.Signal(sig))
				_ = c.Wait() // the state tells
				r := result{c.ProcessState.ExitCode(), out.String(), errs.String()}
				checkRun(t, r, 130, args[0], "interrupted")
				if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) || r.stdout != "" {
					t.Errorf("the import is still there (%v); printed %q", err, r.stdout)
				}
				if left := files(t, home); len(left) != 1 {
					t.Errorf("left behind %v", left)
				}
			})
		}
	}
}

// A reader that goes away ends the tool, and nobody is left.
func TestImportReaderGone(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	script := "echo $$ > pid; head -n 1 s.jsonl; yes \"$(sed -n 2p s.jsonl)\" | head -n 2000"
	write(t, home, "s.jsonl", longSession())
	for _, args := range [][]string{{"sess-path", "-q", "codex:x"}, {"sess-tree", "-q", "codex:x"}} {
		r, w, err := os.Pipe()
		check(t, err)
		c := prepare(with(t, args[0], script), home, args)
		c.Stdout = w
		leave(t, r, w)
		got := wait(t, c)
		w.Close()
		checkRun(t, got, 141, args[0], "")
		if err := syscall.Kill(begun(t, home), 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("%v: the import is still there: %v", args, err)
		}
	}
}

// What is listed of another agent's store can be read, by the path or the address.
func TestListAgents(t *testing.T) {
	t.Parallel()
	dir, id := agentStore(t)
	before := files(t, dir)
	for _, args := range [][]string{
		{"sess-ls", "-q", "--agent", "all", "--json", "--recent"},
		{"sess-ls", "--agent", "pi", "--json", "--cwd", "/p"},
		{"sess-import", "pi", "--list"},
	} {
		r := runCommand(t, dir, "", args...)
		if checkRun(t, r, 0, args[0], ""); strings.Count(r.stdout, "\n") != 1 || !strings.Contains(r.stdout, `"session":"`+id+`"`) || !strings.Contains(r.stdout, `"agent":"pi"`) {
			t.Errorf("%v: %q", args, r.stdout)
		}
	}
	for _, operand := range strings.Fields(script(t, dir, "sess-ls --agent pi --paths; sess-ls --agent pi --json | sed 's/.*\"session\":\"\\([^\"]*\\)\".*/pi:\\1/'")) {
		checkRun(t, runCommand(t, dir, "", "sess-check", operand), 0, "sess-check", "")
	}
	wantSame(t, dir, before)
}
