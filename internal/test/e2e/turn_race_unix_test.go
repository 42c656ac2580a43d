//go:build unix && !solaris && !aix

package e2e

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// turnOthers are what somebody else does to the session while the command runs, and
// whether the turn is added behind it: where the path goes on from the leaf that the
// command was shown and no compaction came.
var turnOthers = []struct {
	name   string
	script string
	added  bool
	status int
	stderr string
}{
	{"nobody", `true`, true, 0, ""},
	{"sess-append", `sess-append -t meanwhile s.jsonl`, true, 0, ""},
	{"sess-turn", `sess-turn -t meanwhile s.jsonl -- echo other`, true, 0, ""},
	{"a label", `sess-append --label here --at eeee0000 s.jsonl`, true, 0, ""},
	{"a branch", `sess-append --parent eeee0003 -t meanwhile s.jsonl`, false, 4, "s.jsonl: the leaf moved"},
	{"sess-compact", `sess-compact --keep 200 --no-require s.jsonl -- echo short`, false, 4, "s.jsonl: the leaf moved"},
	{"damage", `echo '{}' > s.jsonl`, false, 3, "s.jsonl:1: not a session"},
	{"a move", `mv s.jsonl t.jsonl`, false, 2, "s.jsonl: no such file, and no session of the store has such an id"},
}

func TestTurnRace(t *testing.T) {
	t.Parallel()
	for _, tt := range turnOthers {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := write(t, dir, "s.jsonl", withResults())
			p := startTurn(t, dir, waitingAnswer)
			script(t, dir, tt.script)
			before, _ := os.ReadFile(path)
			p.answer(t)
			r := p.wait()
			p.dead()
			if r.stdout != "half and the rest\n" {
				t.Errorf("printed %q", r.stdout)
			}
			if tt.added {
				checkRun(t, r, 0, "sess-turn", "")
				wantTurn(t, dir, string(before), "what now?", "half and the rest")
				wantUnsent(t, dir, ".jsonl", 0)
				return
			}
			checkRun(t, r, tt.status, "sess-turn", tt.stderr)
			if after, _ := os.ReadFile(path); string(after) != string(before) {
				t.Errorf("the session was changed: %s", after)
			}
			if strings.Contains(r.stderr, `\n`) {
				t.Errorf("said %s", r.stderr)
			}
			wantUnsent(t, dir, ".jsonl", 1)
			switch tt.name {
			case "damage":
				write(t, dir, "s.jsonl", withResults())
			case "a move":
				script(t, dir, "mv t.jsonl s.jsonl")
			}
			wantAddable(t, dir, r.stderr)
		})
	}
}

// wantAddable runs the command that a message names. The turn then goes on from the entry
// that the command was shown.
func wantAddable(t *testing.T, dir, said string) {
	t.Helper()
	command := hinted(t, said, "to add it", "sess-append ")
	script(t, dir, command)
	if got := script(t, dir, "sess-path --as text s.jsonl | tail -n 5"); got != "assistant: made\n\nuser: what now?\n\nassistant: half and the rest\n" {
		t.Errorf("the path ends with %s", got)
	}
	checkRun(t, runCommand(t, dir, "", "sess-check", "-q", "s.jsonl"), 0, "sess-check", "")
	if r := runCommand(t, dir, "", "sh", "-c", command); r.status == 0 {
		t.Error("it was added twice")
	}
}

// Who asks for one leaf gets an answer for that one alone.
func TestTurnExpectLeaf(t *testing.T) {
	t.Parallel()
	for _, flags := range [][]string{{"--expect-leaf", "."}, {"--expect-leaf", ".", "--parent", "."}} {
		dir := t.TempDir()
		path := write(t, dir, "s.jsonl", withResults())
		p := startTurn(t, dir, waitingAnswer, flags...)
		script(t, dir, "sess-append -t meanwhile s.jsonl")
		before := readFile(t, path)
		p.answer(t)
		r := p.wait()
		p.dead()
		checkRun(t, r, 4, "sess-turn", "s.jsonl: the leaf moved")
		if readFile(t, path) != before {
			t.Error("the session was changed")
		}
		wantAddable(t, dir, r.stderr)
	}
}

// What could not even be kept as a file is on the screen.
func TestTurnKeptNowhere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	check(t, os.Mkdir(filepath.Join(dir, "d"), 0o700))
	check(t, os.Mkdir(filepath.Join(dir, "tmp"), 0o700))
	write(t, filepath.Join(dir, "d"), "s.jsonl", good)
	p := startTool(t, dir, "sess-turn", "d/s.jsonl", waitingAnswer, []string{"TMPDIR=" + filepath.Join(dir, "tmp")}, "-t", "what now?")
	check(t, os.RemoveAll(filepath.Join(dir, "d")))
	check(t, os.RemoveAll(filepath.Join(dir, "tmp")))
	p.answer(t)
	r := p.wait()
	p.dead()
	if r.status != 2 || !strings.Contains(r.stderr, `"text":"half and the rest"`) || !strings.Contains(r.stderr, "the turn could not be saved anywhere, so it stands above") {
		t.Errorf("status %d, %s", r.status, r.stderr)
	}
}

// A full disk, or a limit on the size of files: the session is as it was, and the turn in
// a file, if that can be.
func TestTurnFileSizeLimit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	before := longSession()
	path := write(t, dir, "s.jsonl", before)
	write(t, dir, "text", strings.Repeat("text ", 4000))
	write(t, dir, "limited", "ulimit -f $(($(wc -c <s.jsonl) / 512 + 8))\nexec \"$@\"\n")
	r := runCommand(t, dir, "", "sh", "limited", filepath.Join(bin, "sess-turn"), "-f", "text", "s.jsonl", "--", "echo", "half and the rest")
	if r.status != 2 || !strings.Contains(r.stderr, "file too large") || readFile(t, path) != before {
		t.Errorf("status %d, %s", r.status, r.stderr)
	}
	wantUnsent(t, dir, ".jsonl", 1)
	script(t, dir, hinted(t, r.stderr, "to add it", "sess-append "))
	if got := script(t, dir, "sess-path --as text s.jsonl | tail -n 1"); got != "assistant: half and the rest\n" {
		t.Errorf("the path ends with %s", got)
	}
}

func TestTurnFullFileSystem(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t)
	path := write(t, dir, "s.jsonl", longSession())
	write(t, dir, "text", strings.Repeat("text ", 4000))
	fill(t, filepath.Join(dir, "filler"))
	r := runCommand(t, dir, "", "sess-turn", "-f", "text", "s.jsonl", "--", "echo", "yes")
	if r.status != 2 || !strings.Contains(r.stderr, "no space left on device") || readFile(t, path) != longSession() {
		t.Errorf("status %d, %.2000s", r.status, r.stderr)
	}
	if r.stdout != "" && !strings.Contains(r.stderr, "so it stands above") {
		t.Errorf("the answer is lost: %.2000s", r.stderr)
	}
	check(t, os.Remove(filepath.Join(dir, "filler")))
	checkRun(t, runCommand(t, dir, "", "sess-turn", "-f", "text", "s.jsonl", "--", "echo", "yes"), 0, "sess-turn", "")
}

// A signal ends sess-turn and its command, and nothing is written.
func TestTurnInterrupted(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		for _, flags := range [][]string{nil, {"--keep-failed"}} {
			t.Run(sig.String()+strings.Join(flags, ""), func(t *testing.T) {
				t.Parallel()
				needs(t, sig)
				dir := t.TempDir()
				write(t, dir, "s.jsonl", good)
				p := startTurn(t, dir, waitingAnswer, flags...)
				check(t, p.cmd.Process.Signal(sig))
				r := p.wait()
				p.dead()
				if r.status != 130 || r.stderr != "sess-turn: interrupted\n" || r.stdout != "" && r.stdout != "half" {
					t.Errorf("status %d, printed %q, said %q", r.status, r.stdout, r.stderr)
				}
				wantTurn(t, dir, good, "", "")
			})
		}
	}
}

// SIGKILL leaves the session as it was, and not locked.
func TestTurnKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "s.jsonl", good)
	p := startTurn(t, dir, waitingAnswer)
	check(t, p.cmd.Process.Kill())
	p.wait()
	if runtime.GOOS != "linux" {
		p.answer(t)
	}
	p.dead()
	wantTurn(t, dir, good, "", "")
	checkRun(t, runCommand(t, dir, "", "sess-turn", "--wait", "0", "-t", "next", "s.jsonl", "--", "echo", "yes"), 0, "sess-turn", "")
}

// Turns at one time are all stored, each whole.
func TestTurnWriters(t *testing.T) {
	t.Parallel()
	const writers = 6
	dir := t.TempDir()
	write(t, dir, "s.jsonl", header)
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			r := runCommand(t, dir, "", "sess-turn", "-t", "question", "s.jsonl", "--", "echo", "answer")
			if r.status != 0 || r.stderr != "" {
				t.Errorf("status %d, %s", r.status, r.stderr)
			}
		})
	}
	wg.Wait()
	if got, want := script(t, dir, "sess-path --as text s.jsonl"), strings.Repeat("user: question\n\nassistant: answer\n\n", writers); got+"\n" != want {
		t.Errorf("the path is %s", got)
	}
	checkRun(t, runCommand(t, dir, "", "sess-check", "-q", "s.jsonl"), 0, "sess-check", "")
}

// Other kinds of sessions: a draft, which the answer publishes, a segmented store, an id
// of the store, and one that is read from its end.
func TestTurnKinds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "s.jsonl", withResults())
	script(t, dir, `S=$(sess-new --store --defer)
test "$(sess-ls --all --paths)" = ""
test "$(sess-turn -t hi "$S" -- echo hello)" = hello
test "$(sess-ls --all --paths)" = "$S"
id=$(sess-ls --all --json | sed 's/.*"session":"\([^"]*\)".*/\1/')
sess-turn -t again "$id" -- sh -c 'cat >seen; echo more' >out
grep -q '^assistant: hello$' seen

sess-seg migrate s.jsonl >/dev/null
sess-turn -t hi s.jsonl -- sh -c 'cat >seen; echo stored'
sess-path --as text s.v2 | grep -q '^assistant: stored$'

sess-new > large.jsonl
i=0; while [ $i -lt 20 ]; do head -c 100000 /dev/zero | tr '\0' x | sess-append large.jsonl; i=$((i+1)); done >/dev/null
sess-compact --strategy last-turn --no-require large.jsonl -- echo short >/dev/null
sess-turn -t hi large.jsonl -- sh -c 'cat >seen; echo short too'
test $(wc -c <seen) -lt 101000
sess-check -q large.jsonl`)
}

// Whoever interrupts while an answer that is whole waits to be read has it stored, and is
// told so. On a busy machine the interrupt may come before sess-turn knows that the
// command has ended: then nothing is stored, and nothing is said.
func TestTurnInterruptedAtTheEnd(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := write(t, dir, "s.jsonl", good)
	write(t, dir, "stub", `echo $$ >pid; exec 9>life; head -c 300000 /dev/zero | tr '\0' x`)
	dead := lifeline(t, dir)
	r, w, err := os.Pipe() // that nobody reads
	check(t, err)
	defer r.Close()
	c := command(dir, "sess-turn", "-t", "what now?", "s.jsonl", "--", "sh", "stub")
	c.Stdout = w
	end := begin(t, c)
	w.Close()
	dead()
	pid, err := strconv.Atoi(strings.TrimSpace(readFile(t, filepath.Join(dir, "pid"))))
	check(t, err)
	for syscall.Kill(pid, 0) == nil { // until sess-turn has waited for it
		time.Sleep(10 * time.Millisecond)
	}
	check(t, c.Process.Signal(syscall.SIGINT))
	got := end()
	added := strings.TrimPrefix(readFile(t, path), good)
	said := strings.HasPrefix(got.stderr, "sess-turn: s.jsonl: appended 2 entries up to ")
	if got.status != 130 || !strings.HasSuffix(got.stderr, "sess-turn: interrupted\n") || said != (strings.Count(added, "\n") == 2) || !said && added != "" {
		t.Errorf("status %d, said %s, added %d bytes", got.status, got.stderr, len(added))
	}
}
