//go:build unix

package e2e

import (
	"strings"
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
	if r := run("sess-ls", "--remote", "--paths"); r.status != 0 || r.stdout != "remote:"+id+"\n" {
		t.Errorf("%d, %q, %s", r.status, r.stdout, r.stderr)
	}
	if r := run("sess-ls", "--remote", "--since", "1h", "--cwd", "/nowhere"); r.status != 1 || r.stdout != "" {
		t.Errorf("%d, %q, %s", r.status, r.stdout, r.stderr)
	}
	if r := runCommand(t, dir, "", "sess-ls", "--remote"); r.status != 2 || !strings.Contains(r.stderr, "no remote is named") {
		t.Errorf("%d, %q, %s", r.status, r.stdout, r.stderr)
	}
	wantSame(t, dir, before)
}
