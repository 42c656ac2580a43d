//go:build unix && !solaris && !aix

package e2e

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/core/tty"
)

// turns of stubs of LLM commands: what is printed, and what is stored. An answer that is
// "" is none: then the session is as it was, to the byte.
var turnStubs = []struct {
	name   string
	script string
	flags  string
	status int
	stderr string // a regular expression
	stdout string
	answer string
}{
	{"answers", `cat >/dev/null; echo yes`, "", 0, `^$`, "yes\n", "yes"},
	{"indents, and ends with blank lines", `printf '\n  yes\n    no\n\n'`, "", 0, `^$`, "\n  yes\n    no\n\n", "  yes\n    no"},
	{"CRLF", `printf 'a\r\nb\r\n'`, "", 0, `^$`, "a\r\nb\r\n", "a\nb"},
	{"ANSI", `printf '\033[1myes\033[0m\n'`, "", 0, `^sess-turn: warning: the answer has control characters`, "\x1b[1myes\x1b[0m\n", "yes"},
	{"not UTF-8", `printf 'caf\351\n'`, "", 0, `^sess-turn: warning: the answer has control characters, or bytes that are not UTF-8`, "caf\xe9\n", "caf\ufffd"},
	{"answers before it reads", `printf early; cat >/dev/null; printf ' late'`, "", 0, `^$`, "early late", "early late"},
	{"says the prompt on stderr", `cat >&2; echo yes`, "", 0, `^$`, "yes\n", "yes"},

	{"dies after half an answer", `printf 'The first step is to rm -rf'; echo reset >&2; exit 1`, "", 5, `^sess-turn: running sh: exit status 1: reset\n$`, "The first step is to rm -rf", ""},
	{"blank", `printf ' \n\n'`, "", 5, `: the reply is blank`, " \n\n", ""},
	{"takes too long", `printf half; echo >said; exec sleep 600`, "--timeout 300ms", 5, `: no answer within 300ms`, "half", ""},
	{"says the context is too long", `echo 'prompt is too long: 213000 tokens' >&2; exit 1`, "--retries 2", 5, `^sess-turn: running sh: exit status 1: prompt is too long: 213000 tokens\n$`, "", ""},

	{"answers at the third try", `echo x >>runs; [ $(wc -l <runs) -eq 3 ] || { echo overloaded >&2; exit 1; }; echo yes`, "--retries 2", 0, `^(sess-turn: warning: running sh: exit status 1: overloaded; asking again in \S+ \(retry [12] of 2\)\n){2}$`, "yes\n", "yes"},
	{"is not run again behind half an answer", `echo x >>runs; [ $(wc -l <runs) -eq 1 ] || echo yes; printf half; exit 1`, "--retries 2", 5, `^sess-turn: running sh: exit status 1: half\n$`, "half", ""},
	{"as it came", `printf '\033[1myes\033[0m'`, "-q", 0, `^$`, "\x1b[1myes\x1b[0m", "yes"},
}

func TestTurn(t *testing.T) {
	t.Parallel()
	for _, tt := range turnStubs {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, dir, "s.jsonl", confidential())
			write(t, dir, "stub", tt.script)
			dead := lifeline(t, dir)
			args := append([]string{"sess-turn", "--retries", "0"}, strings.Fields(tt.flags)...)
			r := holding(t, dir, append(args, "-t", "what now?", "s.jsonl", "--", "sh", "stub")...)
			dead()
			if r.stdout == "" && late(dir, tt.flags) {
				r.stdout = tt.stdout
			}
			if r.status != tt.status || !regexp.MustCompile(tt.stderr).MatchString(r.stderr) || r.stdout != tt.stdout {
				t.Errorf("status %d, printed %q, said\n%s", r.status, r.stdout, r.stderr)
			}
			if strings.Contains(r.stderr, password) || r.stderr != tty.CleanLines(r.stderr) {
				t.Errorf("stderr: %q", r.stderr)
			}
			wantTurn(t, dir, confidential(), "what now?", tt.answer)
		})
	}
}

// late reports whether a stub with a time limit did not come to make the file said: on a busy
// machine its time may be over before it has printed anything.
func late(dir, flags string) bool {
	_, err := os.Stat(filepath.Join(dir, "said"))
	return strings.Contains(flags, "--timeout") && err != nil
}

// wantTurn checks that a session has grown by one turn; or, if the answer is "", by nothing.
func wantTurn(t *testing.T, dir, before, text, answer string) {
	t.Helper()
	now := readFile(t, filepath.Join(dir, "s.jsonl"))
	added, same := strings.CutPrefix(now, before)
	if !same || (answer == "") != (added == "") {
		t.Fatalf("what was there is the same: %v; added %q", same, added)
	}
	if answer == "" {
		return
	}
	type entry struct {
		ID, ParentID string
		Message      struct {
			Role, StopReason string
			Content          []struct{ Text string }
		}
	}
	var got []entry
	for line := range strings.Lines(added) {
		var e entry
		check(t, json.Unmarshal([]byte(line), &e))
		got = append(got, e)
	}
	if len(got) != 2 || got[0].Message.Role != "user" || got[0].Message.Content[0].Text != text || got[1].ParentID != got[0].ID ||
		got[1].Message.Role != "assistant" || got[1].Message.Content[0].Text != answer || got[1].Message.StopReason != "stop" {
		t.Errorf("added %s", added)
	}
	checkRun(t, runCommand(t, dir, "", "sess-check", "-q", "s.jsonl"), 0, "sess-check", "")
}

// A command that cannot be run leaves nothing, with --keep-failed neither.
func TestTurnNotRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "s.jsonl", good)
	write(t, dir, "plain", "echo yes")
	for command, want := range map[string]string{
		"no-such-llm": `running no-such-llm: .*not found.*; check its name or give its path`,
		"./gone":      `running \./gone: no such file or directory`,
		"./plain":     `running \./plain: permission denied; is it an executable file\?`,
	} {
		r := runCommand(t, dir, "", "sess-turn", "--keep-failed", "-t", "x", "s.jsonl", "--", command)
		if r.status != 5 || !regexp.MustCompile(want).MatchString(r.stderr) || readFile(t, filepath.Join(dir, "s.jsonl")) != good {
			t.Errorf("%s: status %d, %s", command, r.status, r.stderr)
		}
	}
}

// More than is accepted ends the command; what came went through.
func TestTurnTooLong(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "s.jsonl", good)
	r := runCommand(t, dir, "", "sh", "-c", `{ sess-turn -t x s.jsonl -- sh -c 'head -c 100000000 /dev/zero | tr "\0" x; echo whole >whole'; echo status $? >&2; } | wc -c`)
	if want := "sess-turn: running sh: the reply is longer than 67108864 bytes; the command was stopped\nstatus 5\n"; r.stderr != want {
		t.Errorf("said %q", r.stderr)
	}
	if n := strings.TrimSpace(r.stdout); len(n) != 8 || n < "67108864" {
		t.Errorf("%s bytes went through", n)
	}
	if _, err := os.Stat(filepath.Join(dir, "whole")); err == nil {
		t.Error("the command was not stopped")
	}
	wantTurn(t, dir, good, "", "")
}

// startTurn runs sess-turn on s.jsonl with a stub that says when it has been asked, and
// answers when it is told to.
func startTurn(t *testing.T, dir, stub string, flags ...string) *running {
	t.Helper()
	return startTool(t, dir, "sess-turn", "s.jsonl", stub, nil, append([]string{"-t", "what now?"}, flags...)...)
}

// waitingAnswer is a stub that says half an answer, and the rest when it is told to.
const waitingAnswer = `exec 9>life
cat >seen
printf half
echo >asked
read -r _ <answer
printf ' and the rest\n'
`

// What the command prints passes while it runs: it goes on only when somebody has read the beginning. A reader that goes away
// then does not end the turn, which is stored whole.
func TestTurnStreams(t *testing.T) {
	t.Parallel()
	for name, status := range map[string]int{"reads on": 0, "goes away": 141} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, dir, "s.jsonl", good)
			write(t, dir, "stub", waitingAnswer)
			dead := lifeline(t, dir)
			fifo(t, dir, "asked")
			tell := fifo(t, dir, "answer")
			r, w, err := os.Pipe()
			check(t, err)
			defer r.Close()
			check(t, r.SetDeadline(time.Now().Add(30*time.Second)))
			c := command(dir, "sess-turn", "-t", "what now?", "s.jsonl", "--", "sh", "stub")
			c.Stdout = w
			end := begin(t, c)
			first := make([]byte, len("half"))
			if _, err := io.ReadFull(r, first); err != nil || string(first) != "half" {
				t.Errorf("%q, %v", first, err)
			}
			wantTurn(t, dir, good, "", "")
			if status != 0 {
				leave(t, r, w)
			}
			w.Close()
			_, err = tell.WriteString("go\n")
			check(t, err)
			if got := end(); got.status != status || got.stderr != "" {
				t.Errorf("status %d, %s", got.status, got.stderr)
			}
			dead()
			wantTurn(t, dir, good, "what now?", "half and the rest")
		})
	}
}

// An answer that cannot be printed is stored, and that is said.
func TestTurnNotPrinted(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("needs /dev/full")
	}
	dir := t.TempDir()
	write(t, dir, "s.jsonl", good)
	r := runCommand(t, dir, "", "sh", "-c", `exec sess-turn -t 'what now?' s.jsonl -- echo yes >/dev/full`)
	if r.status != 2 || !regexp.MustCompile(`^sess-turn: appended 2 entries up to [0-9a-f]{8}, but writing standard output: no space left on device\n$`).MatchString(r.stderr) {
		t.Errorf("status %d, %s", r.status, r.stderr)
	}
	wantTurn(t, dir, good, "what now?", "yes")
}

// A turn that failed is stored if that is asked for, and marked; what was said comes along.
func TestTurnKeepFailed(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{
		`printf half; echo why >&2; exit 1`: `"content":[{"type":"text","text":"half"}],"stopReason":"error","errorMessage":"running sh: exit status 1: why"`,
		`exit 1`:                            `"content":[],"stopReason":"error","errorMessage":"running sh: exit status 1"`,
		`true`:                              `"content":[],"stopReason":"error","errorMessage":"running sh: the reply is blank`,
	} {
		dir := t.TempDir()
		path := write(t, dir, "s.jsonl", good)
		r := runCommand(t, dir, "", "sess-turn", "--retries", "0", "--keep-failed", "-t", "x", "s.jsonl", "--", "sh", "-c", script)
		added := strings.TrimPrefix(readFile(t, path), good)
		if r.status != 5 || strings.Count(added, "\n") != 2 || !strings.Contains(added, want) || !strings.Contains(r.stderr, "hint: the turn is stored as one that failed: appended 2 entries up to ") {
			t.Errorf("%s: status %d, %s; added %s", script, r.status, r.stderr, added)
		}
		checkRun(t, runCommand(t, dir, "", "sess-check", "-q", "s.jsonl"), 0, "sess-check", "")
	}
}

// TestTurnEarlySignal: a signal that comes while the text is read ends the turn as it does later,
// also one for which a Go program prints a trace of itself.
func TestTurnEarlySignal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "s.jsonl", header)
	c := command(dir, "sess-turn", "s.jsonl", "--", "touch", "ran")
	in, err := c.StdinPipe()
	check(t, err)
	end := begin(t, c)
	if _, err := io.WriteString(in, strings.Repeat("x", 1<<20)); err != nil { // more than a pipe holds: it reads
		t.Fatal(err)
	}
	check(t, c.Process.Signal(syscall.SIGQUIT))
	if r := end(); r.status != 130 || strings.Contains(r.stderr, "goroutine") {
		t.Errorf("status %d: %.300s", r.status, r.stderr)
	}
	in.Close()
}
