//go:build unix && !solaris && !aix

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// waitingStub is a summarizer that says when it has been asked and answers when
// it is told to. It holds the lifeline open.
const waitingStub = `exec 9>life
cat >/dev/null
echo >asked
read -r _ <answer
printf '## Goal\n- the goal\n'
`

// A running compaction waits in its summarizer.
type running struct {
	cmd         *exec.Cmd
	end         func() result
	asked, tell *os.File
	dead        func()
}

// startCompact runs sess-compact on s.jsonl with waitingStub and returns when
// that has been asked.
func startCompact(t *testing.T, dir string, flags ...string) *running {
	t.Helper()
	return startStub(t, dir, "s.jsonl", waitingStub, nil, flags...)
}

// startStub does so for another session and stub, with more in the environment.
func startStub(t *testing.T, dir, session, stub string, more []string, flags ...string) *running {
	t.Helper()
	return startTool(t, dir, "sess-compact", session, stub, more, flags...)
}

// startTool does so for another tool that runs a command.
func startTool(t *testing.T, dir, tool, session, stub string, more []string, flags ...string) *running {
	t.Helper()
	write(t, dir, "stub", stub)
	p := &running{dead: lifeline(t, dir)}
	p.asked, p.tell = fifo(t, dir, "asked"), fifo(t, dir, "answer")
	args := append(append([]string{tool, "--retries", "0"}, flags...), session, "--", "sh", "stub")
	p.cmd = command(dir, args...)
	p.cmd.Env = append(p.cmd.Env, more...)
	p.end = begin(t, p.cmd)
	if _, err := p.asked.Read(make([]byte, 1)); err != nil {
		_ = p.cmd.Process.Kill()
		t.Fatalf("the command was not asked: %v; %s", err, p.end().stderr)
	}
	return p
}

// fifo makes a FIFO and opens it so that neither end waits for the other.
func fifo(t *testing.T, dir, name string) *os.File {
	t.Helper()
	path := filepath.Join(dir, name)
	check(t, syscall.Mkfifo(path, 0o600))
	f, err := os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0)
	check(t, err)
	t.Cleanup(func() { _ = f.Close() })
	check(t, f.SetDeadline(time.Now().Add(30*time.Second)))
	return f
}

// answer lets the summarizer answer.
func (p *running) answer(t *testing.T) {
	t.Helper()
	if _, err := p.tell.WriteString("go\n"); err != nil {
		t.Fatal(err)
	}
}

// wait returns what became of it.
func (p *running) wait() result {
	timer := time.AfterFunc(30*time.Second, func() { _ = p.cmd.Process.Kill() })
	defer timer.Stop()
	return p.end()
}

// withResults is a session with calls and results worth pruning.
func withResults() string {
	var b strings.Builder
	b.WriteString(header)
	parent := "null"
	add := func(i int, message string) {
		id := fmt.Sprintf("eeee%04d", i)
		fmt.Fprintf(&b, `{"type":"message","id":%q,"parentId":%s,"timestamp":"2026-01-02T03:05:00.000Z","message":{%s,"timestamp":1767323100000}}`+"\n", id, parent, message)
		parent = `"` + id + `"`
	}
	for i := range 6 {
		add(4*i, fmt.Sprintf(`"role":"user","content":[{"type":"text","text":"question %d %s"}]`, i, strings.Repeat("word ", 60)))
		add(4*i+1, fmt.Sprintf(`"role":"assistant","content":[{"type":"toolCall","id":"c%d","name":"bash","arguments":{"command":"make"}}],"stopReason":"toolUse"`, i))
		add(4*i+2, fmt.Sprintf(`"role":"toolResult","toolCallId":"c%d","toolName":"bash","content":[{"type":"text","text":"%s"}],"isError":false`, i, strings.Repeat("result ", 100)))
		add(4*i+3, `"role":"assistant","content":[{"type":"text","text":"made"}],"stopReason":"stop"`)
	}
	return b.String()
}

// compactions are those that ask a summarizer, with the types of the entries
// they make of withResults.
var compactions = []struct {
	name  string
	flags []string
	makes string
}{
	{"keep-recent", []string{"--keep", "200"}, "compaction"},
	{"keep-user", []string{"--strategy", "keep-user", "--keep", "200"}, "message message message compaction"},
	{"last-turn", []string{"--strategy", "last-turn"}, "compaction"},
	{"prune", []string{"--keep", "200", "--prune", "--prune-protect", "0"}, "context_edit context_edit context_edit context_edit compaction"},
	{"branch", []string{"--branch", ".~9"}, "branch_summary"},
}

// others are what somebody else does to the session meanwhile.
var others = map[string][]string{
	"nobody":          nil,
	"sess-append":     {"sess-append", "-t", "meanwhile", "s.jsonl"},
	"a label":         {"sess-append", "--type", "label", "--set", "targetId=eeee0000", "--set", "label=here", "s.jsonl"},
	"a branch":        {"sess-append", "--parent", "eeee0003", "-t", "meanwhile", "s.jsonl"},
	"sess-compact":    {"sess-compact", "--keep", "200", "--summary-file", "summary", "s.jsonl"},
	"prune":           {"sess-compact", "--prune", "--prune-protect", "0", "s.jsonl"},
	"the same branch": {"sess-compact", "--branch", ".~9", "--summary-file", "summary", "s.jsonl"},
}

// added tells which compactions are added behind what somebody else did: where
// the path goes on from the leaf that was planned for, and the cut still is one.
// Copies of user messages would hide a new message, and the summary of a branch
// does not speak of it.
func added(compaction, other string) bool {
	switch other {
	case "nobody":
		return true
	case "sess-append":
		return compaction != "keep-user" && compaction != "branch"
	case "a label", "prune":
		return compaction != "branch"
	}
	return false
}

// While the summarizer runs, somebody else writes to the session. The summary,
// with the copies or edits that go before it, is added behind that, or kept in a
// file; then the command that is named makes use of it.
func TestCompactRace(t *testing.T) {
	t.Parallel()
	for _, c := range compactions {
		for name, other := range others {
			t.Run(c.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				path := write(t, dir, "s.jsonl", withResults())
				write(t, dir, "summary", "## Goal\n- another\n")
				p := startCompact(t, dir, c.flags...)
				if other != nil {
					if r := runCommand(t, dir, "", other...); r.status != 0 {
						t.Errorf("%q while the summarizer runs: status %d: %s", other, r.status, r.stderr)
					}
				}
				before := readFile(t, path)
				if (other == nil) != (before == withResults()) {
					t.Errorf("the session has %d bytes", len(before))
				}
				p.answer(t)
				r := p.wait()
				p.dead()
				if added(c.name, name) {
					wantMade(t, r, strings.TrimPrefix(readFile(t, path), before), c.makes)
					wantContext(t, dir, "s.jsonl", name == "sess-append")
					wantKept(t, dir, 0)
					return
				}
				checkRun(t, r, 4, "sess-compact", "s.jsonl: the leaf moved")
				if r.stdout != "" || readFile(t, path) != before {
					t.Errorf("printed %q, session of %d bytes", r.stdout, len(readFile(t, path)))
				}
				wantKept(t, dir, 1)
				wantUsable(t, dir, r.stderr)
			})
		}
	}
}

// wantContext checks that the context has the summary, and what came meanwhile.
func wantContext(t *testing.T, dir, session string, meanwhile bool) {
	t.Helper()
	context := script(t, dir, "sess-path --as text "+session)
	if !strings.Contains(context, "- the goal") || strings.Contains(context, "meanwhile") != meanwhile {
		t.Errorf("the context is %s", context)
	}
	checkRun(t, runCommand(t, dir, "", "sess-check", "-q", session), 0, "sess-check", "")
}

// wantUnsent returns the files that were kept beside the session, and checks that there are n, for their owner alone.
func wantUnsent(t *testing.T, dir, ending string, n int) []string {
	t.Helper()
	kept, err := filepath.Glob(filepath.Join(dir, "s.unsent-*"+ending))
	if err != nil || len(kept) != n {
		t.Errorf("kept %q, %v, want %d", kept, err, n)
	}
	for _, name := range kept {
		if fi, err := os.Stat(name); err != nil || fi.Mode() != 0o600 {
			t.Errorf("%s: %v, %v", name, fi.Mode(), err)
		}
	}
	return kept
}

// wantKept checks how many summaries were kept.
func wantKept(t *testing.T, dir string, n int) {
	t.Helper()
	for _, name := range wantUnsent(t, dir, ".md", n) {
		if got := readFile(t, name); got != "## Goal\n- the goal\n" {
			t.Errorf("%s has %q", name, got)
		}
	}
}

// wantUsable runs the command that a message names.
func wantUsable(t *testing.T, dir, said string) {
	t.Helper()
	command := hinted(t, said, "to use it", "sess-")
	script(t, dir, command)
	words := strings.Fields(command)
	wantContext(t, dir, words[len(words)-1], false)
}

// hinted returns the command that a message names for a purpose.
func hinted(t *testing.T, said, purpose, tool string) string {
	t.Helper()
	_, command, ok := strings.Cut(said, ": hint: "+purpose)
	if _, command, _ = strings.Cut(command, ": "); !ok || !strings.HasPrefix(command, tool) {
		t.Fatalf("no command is named: %s", said)
	}
	return command
}

// wantMade checks the types of the entries that were added.
func wantMade(t *testing.T, r result, added, types string) {
	t.Helper()
	checkRun(t, r, 0, "sess-compact", "")
	var made []string
	for line := range strings.Lines(added) {
		kind, _, _ := strings.Cut(strings.TrimPrefix(line, `{"type":"`), `"`)
		made = append(made, kind)
	}
	if got := strings.Join(made, " "); got != types {
		t.Errorf("added %s, want %s", got, types)
	}
}

// needs skips a test of a signal that tools do not get.
func needs(t *testing.T, sig os.Signal) {
	t.Helper()
	if signal.Ignored(sig) {
		t.Skip("the tests were started with this signal ignored, as by nohup")
	}
}

// A signal ends sess-compact and its summarizer, and nothing is written.
func TestCompactInterrupted(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		for _, c := range compactions {
			t.Run(sig.String()+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				needs(t, sig)
				dir := t.TempDir()
				path := write(t, dir, "s.jsonl", withResults())
				p := startCompact(t, dir, c.flags...)
				check(t, p.cmd.Process.Signal(sig))
				r := p.wait()
				p.dead() // without an answer
				checkRun(t, r, 130, "sess-compact", "interrupted")
				if r.stdout != "" || readFile(t, path) != withResults() {
					t.Errorf("printed %q, session of %d bytes", r.stdout, len(readFile(t, path)))
				}
			})
		}
	}
}

// stubbornStub takes no notice of SIGTERM but to say that it came.
const stubbornStub = `exec 9>life
trap 'echo >answer' TERM
cat >/dev/null
echo >asked
while :; do sleep 0.1; done
`

// Whoever interrupts twice does not wait for a summarizer that takes its time,
// and leaves none behind.
func TestCompactInterruptedTwice(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			needs(t, sig)
			dir := t.TempDir()
			path := write(t, dir, "s.jsonl", withResults())
			p := startStub(t, dir, "s.jsonl", stubbornStub, nil, "--keep", "200")
			check(t, p.cmd.Process.Signal(sig))
			if _, err := p.tell.Read(make([]byte, 1)); err != nil {
				t.Fatalf("the summarizer was not told to end: %v", err)
			}
			check(t, p.cmd.Process.Signal(sig))
			r := p.wait()
			p.dead()
			checkRun(t, r, 130, "sess-compact", "interrupted")
			if readFile(t, path) != withResults() {
				t.Error("the session was changed")
			}
		})
	}
}

// SIGKILL takes the summarizer along where the system can tell it that its parent
// has died. Elsewhere it goes on, and ends when it has answered into the void. The
// session is as it was, and not locked.
func TestCompactKilled(t *testing.T) {
	t.Parallel()
	for _, c := range compactions {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := write(t, dir, "s.jsonl", withResults())
			p := startCompact(t, dir, c.flags...)
			check(t, p.cmd.Process.Kill())
			if r := p.wait(); r.status != 128+int(syscall.SIGKILL) || r.stdout != "" {
				t.Errorf("status %d, printed %q", r.status, r.stdout)
			}
			if runtime.GOOS != "linux" {
				p.answer(t)
			}
			p.dead()
			if readFile(t, path) != withResults() {
				t.Error("the session was changed")
			}
			checkRun(t, runCommand(t, dir, "", "sess-append", "--wait", "0", "-t", "next", "s.jsonl"), 0, "sess-append", "")
		})
	}
}
