//go:build unix

package e2e

import (
	"bufio"
	"encoding/json"
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
	cache := t.TempDir() // cards that have stood for some seconds are kept there
	run := func(args ...string) result {
		c := command(dir, args...)
		c.Env = append(c.Env, "SESS_REMOTE="+dir+"/remote", "XDG_CACHE_HOME="+cache)
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
				r := run(fmt.Sprintf(`{"role":"user","content":"by %d.%d."}`+"\n", w, i), "sess-sync", "append", id)
				if r.status != 0 {
					t.Errorf("append: %d, %s", r.status, r.stderr)
				}
			}
		})
	}
	for m, name := range machines {
		wg.Go(func() {
			for i := range each {
				for _, args := range [][]string{{"sess-append", "-q", "-t", fmt.Sprintf("on %d.%d.", m, i), name}, {"sess-sync", "push", "-q", name}, {"sess-sync", "pull", "-q", name}} {
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
	// Of two writers at once, the one with fewer parts may have written its card last.
	if r := run("", "sess-sync", "check"); r.status != 0 || r.stderr != "" && r.stderr != "sess-sync: "+id+": brought the listing up to date\n" {
		t.Errorf("%d, %s", r.status, r.stderr)
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
	check(t, err)
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
	check(t, c.Process.Signal(syscall.SIGTERM))
	if _ = c.Wait(); c.ProcessState.ExitCode() != 130 {
		t.Errorf("status %d", c.ProcessState.ExitCode())
	}
}

// The card of a session says whose it was, and what it used and cost by the prices of whoever pushed it: as sess-stat says of
// it alone, with the calls that a fork has copied. Of a session that was appended to without a file it says nothing of that.
func TestCardCost(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := func(stdin string, args ...string) result {
		c := command(dir, args...)
		c.Env, c.Stdin = append(c.Env, "SESS_REMOTE="+dir+"/remote", "SESS_DIR="+dir+"/store"), strings.NewReader(stdin)
		return wait(t, c)
	}
	call := func(id, model string, output int) string {
		return fmt.Sprintf(`{"type":"message","id":"%s","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"assistant","provider":"anthropic","model":"%s","timestamp":1767323046000,"stopReason":"stop","content":[{"type":"text","text":"ok"}],"usage":{"input":1000,"output":%d,"cacheRead":7,"cacheWrite":0,"totalTokens":%d}}}`+"\n", id, model, output, 1007+output)
	}
	const sessions = 20
	check(t, os.MkdirAll(filepath.Join(dir, "store", "--w--"), 0o700))
	for i := range sessions {
		text := fmt.Sprintf(`{"type":"session","version":3,"id":"s%02d","timestamp":"2026-01-02T03:04:05.678Z","cwd":"/w","harness":"claude","user":"a team","git":{"remote":"https://git.example/r"}}`+"\n", i)
		if i == sessions-1 { // nothing is known of it
			text = `{"type":"session","version":3,"id":"s19","timestamp":"2026-01-02T03:04:05.678Z","cwd":"/w"}` + "\n"
		} else {
			text += call("same", "claude-sonnet-4-5", 17) + call(fmt.Sprintf("own%d", i), "claude-sonnet-4-5", 100+i) + call(fmt.Sprintf("odd%d", i), "nobody-knows", 1)
		}
		write(t, filepath.Join(dir, "store", "--w--"), fmt.Sprintf("2026-01-02T03-04-05-678Z_s%02d.jsonl", i), text)
	}
	checkRun(t, run("", "sess-sync", "init", "remote"), 0, "sess-sync", "")
	checkRun(t, run("", "sess-sync", "push", "-a"), 0, "sess-sync", "")
	cards := map[string]map[string]any{}
	for line := range strings.Lines(run("", "sess-sync", "ls", "--cards").stdout) {
		var c map[string]any
		check(t, json.Unmarshal([]byte(line), &c))
		cards[c["id"].(string)] = c
	}
	for i := range sessions - 1 {
		id := fmt.Sprintf("s%02d", i)
		var stat struct {
			Cost     json.Number
			Unpriced float64
			Tokens   map[string]float64
			Prices   struct{ Date string }
		}
		lines := strings.Split(strings.TrimSpace(run("", "sess-stat", "--usage", "--json", "remote:"+id).stdout), "\n")
		check(t, json.Unmarshal([]byte(lines[len(lines)-1]), &stat)) // the total
		c := cards[id]
		tokens, _ := c["tokens"].(map[string]any)
		if c["cost"] != stat.Cost.String() || stat.Cost == "" || c["unpriced"] != stat.Unpriced || stat.Unpriced != 1 || c["prices"] != stat.Prices.Date || stat.Prices.Date == "" ||
			tokens["input"] != stat.Tokens["input"] || tokens["output"] != stat.Tokens["output"] || tokens["cacheRead"] != 21.0 {
			t.Errorf("%s: %v, want %+v", id, c, stat)
		}
		if c["agent"] != "claude" || c["user"] != "a team" || c["repo"] != "https://git.example/r" {
			t.Errorf("%s: %v", id, c)
		}
	}
	for _, name := range []string{"agent", "user", "repo", "tokens", "cost", "unpriced", "prices"} {
		if v, ok := cards["s19"][name]; ok {
			t.Errorf("%s of a session of which nothing is known: %v", name, v)
		}
	}
	if r := run("", "sess-ls", "remote:", "--where", `.agent=="claude" and .user=="a team" and .repo=="https://git.example/r" and .tokens.input==3000 and .cost==null`, "--paths"); strings.Count(r.stdout, "\n") != sessions-1 {
		t.Errorf("status %d, %s%s", r.status, r.stdout, r.stderr)
	}
	// Many sessions of the remote are read by a few processes, each session by its own fate.
	if r := run("", "sess-grep", "-l", "ok", "remote:"); r.status != 0 || strings.Count(r.stdout, "remote:s") != sessions-1 {
		t.Errorf("status %d, %s%s", r.status, r.stdout, r.stderr)
	}
	if r := run("", "sess-grep", "-l", "ok", "remote:s01", "remote:nowhere", "remote:s02"); r.status != 2 || r.stdout != "remote:s01\nremote:s02\n" || !strings.Contains(r.stderr, "no such session") {
		t.Errorf("status %d, %s%s", r.status, r.stdout, r.stderr)
	}
	checkRun(t, run(`{"role":"user","content":"more"}`, "sess-sync", "append", "s00"), 0, "sess-sync", "")
	if r := run("", "sess-sync", "ls", "--cards"); strings.Count(r.stdout, `"cost":`) != sessions-2 || strings.Count(r.stdout, `"agent":`) != sessions-1 {
		t.Errorf("%s%s", r.stdout, r.stderr)
	}
}
