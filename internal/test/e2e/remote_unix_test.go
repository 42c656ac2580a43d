//go:build unix

package e2e

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// A session in the remote reads as a file does, with every tool, and none writes to it.
func TestRemoteAddress(t *testing.T) {
	t.Parallel()
	dir, id := agentStore(t)
	run := func(args ...string) result {
		c := command(dir, args...)
		c.Env = append(c.Env, "SESS_REMOTE="+dir+"/remote")
		return wait(t, c)
	}
	for _, args := range [][]string{{"sess-sync", "init", dir + "/remote"}, {"sess-sync", "push", "s.jsonl"}} {
		checkRun(t, run(args...), 0, args[0], "")
	}
	before := files(t, dir)
	for name, args := range addressed {
		want := runCommand(t, dir, "", operands(args, "s.jsonl")...)
		for _, address := range []string{"remote:" + id, "remote:" + id[:8]} {
			got := run(operands(args, address)...)
			if got.status != want.status || got.stdout != want.stdout || got.stderr != strings.ReplaceAll(want.stderr, "s.jsonl", address) {
				t.Errorf("%s %s: status %d, want %d\n%.500s\n%s", name, address, got.status, want.status, got.stdout, got.stderr)
			}
		}
	}
	for name, args := range adding {
		r := run(operands(args, "remote:"+id)...)
		if r.status != 2 || !strings.Contains(r.stderr, "hint: sess-sync pull "+id+" makes a file of it to write to") {
			t.Errorf("%s: status %d, %s", name, r.status, r.stderr)
		}
	}
	if r := run("sess-path", "remote:nowhere"); r.status != 2 || r.stdout != "" || !strings.Contains(r.stderr, "no such session") {
		t.Errorf("%d, %q, %s", r.status, r.stdout, r.stderr)
	}
	if r := run("sess-ls", "remote:", "--paths"); r.status != 0 || r.stdout != "remote:"+id+"\n" {
		t.Errorf("%d, %q, %s", r.status, r.stdout, r.stderr)
	}
	if r := run("sess-ls", "remote:", "--since", "1h", "--cwd", "/nowhere"); r.status != 1 || r.stdout != "" {
		t.Errorf("%d, %q, %s", r.status, r.stdout, r.stderr)
	}
	if r := runCommand(t, dir, "", "sess-ls", "remote:"); r.status != 2 || !strings.Contains(r.stderr, "no remote is named") {
		t.Errorf("%d, %q, %s", r.status, r.stdout, r.stderr)
	}
	wantSame(t, dir, before)
}

// Eight processes append to one session in the remote, and three machines push and pull
// it meanwhile: each line is there once, and all files are the same.
func TestRemoteWriters(t *testing.T) {
	t.Parallel()
	const writers = 8
	each := 5
	if os.Getenv("SESS_REMOTE_LONG") != "" {
		each = 200
	}
	dir, id := agentStore(t)
	run := func(stdin string, args ...string) result {
		c := command(dir, args...)
		c.Env, c.Stdin = append(c.Env, "SESS_REMOTE="+dir+"/remote"), strings.NewReader(stdin)
		return wait(t, c)
	}
	checkRun(t, run("", "sess-sync", "init", "remote"), 0, "sess-sync", "")
	checkRun(t, run("", "sess-sync", "push", "s.jsonl"), 0, "sess-sync", "")
	machines := []string{"m0.jsonl", "m1.jsonl", "m2.jsonl"}
	for _, m := range machines {
		write(t, dir, m, readFile(t, filepath.Join(dir, "s.jsonl")))
	}
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				r := run(fmt.Sprintf(`{"role":"user","content":"by %d.%d."}`+"\n", w, i), "sess-sync", "append", "--retries", "500", id)
				if r.status != 0 {
					t.Errorf("append: %d, %s", r.status, r.stderr)
				}
			}
		})
	}
	for m, name := range machines {
		wg.Go(func() {
			for i := range each {
				for _, args := range [][]string{{"sess-append", "-q", "-t", fmt.Sprintf("on %d.%d.", m, i), name}, {"sess-sync", "push", "-q", "--retries", "500", name}, {"sess-sync", "pull", "-q", name}} {
					if r := run("", args...); r.status > 1 {
						t.Errorf("%v: %d, %s", args, r.status, r.stderr)
					}
				}
			}
		})
	}
	wg.Wait()
	want := run("", "sess-sync", "cat", id).stdout
	for _, name := range machines {
		if r := run("", "sess-sync", "pull", name); r.status > 1 {
			t.Error(r.stderr)
		}
		if got := readFile(t, filepath.Join(dir, name)); got != want {
			t.Errorf("%s is another one: %d bytes, want %d", name, len(got), len(want))
		}
	}
	for w := range writers {
		for i := range each {
			if n := strings.Count(want, fmt.Sprintf("by %d.%d.", w, i)); n != 1 {
				t.Errorf("append %d.%d is there %d times", w, i, n)
			}
		}
	}
	for m := range machines {
		for i := range each {
			if n := strings.Count(want, fmt.Sprintf("on %d.%d.", m, i)); n != 1 {
				t.Errorf("push %d.%d is there %d times", m, i, n)
			}
		}
	}
	checkRun(t, run("", "sess-sync", "check"), 0, "sess-sync", "")
}

// A pull that follows prints the path each time that something came, and ends with the
// signal.
func TestRemoteFollow(t *testing.T) {
	t.Parallel()
	dir, id := agentStore(t)
	sh := func(args ...string) *exec.Cmd {
		c := command(dir, args...)
		c.Env = append(c.Env, "SESS_REMOTE="+dir+"/remote")
		return c
	}
	checkRun(t, wait(t, sh("sess-sync", "init", "remote")), 0, "sess-sync", "")
	checkRun(t, wait(t, sh("sess-sync", "push", "s.jsonl")), 0, "sess-sync", "")
	write(t, dir, "copy.jsonl", readFile(t, filepath.Join(dir, "s.jsonl")))
	c := sh("sess-sync", "pull", "-q", "--follow", "copy.jsonl")
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	for _, text := range []string{"first", "second"} {
		a := sh("sess-sync", "append", id)
		a.Stdin = strings.NewReader(`{"role":"user","content":"the ` + text + `"}` + "\n")
		if r := wait(t, a); r.status != 0 {
			t.Fatal(r.stderr)
		}
		if line, err := lines.ReadString('\n'); line != "copy.jsonl\n" || err != nil {
			t.Fatalf("%q, %v", line, err)
		}
		if got := readFile(t, filepath.Join(dir, "copy.jsonl")); !strings.Contains(got, "the "+text) {
			t.Errorf("the %s line is not there", text)
		}
	}
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if _ = c.Wait(); c.ProcessState.ExitCode() != 130 {
		t.Errorf("status %d", c.ProcessState.ExitCode())
	}
}
