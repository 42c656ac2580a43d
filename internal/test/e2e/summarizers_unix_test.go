//go:build unix && !solaris && !aix

package e2e

import (
	"encoding/json"
	"errors"
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

// password stands in the conversation, so in every prompt, and in no message.
const password = "sk-e2e-0123456789abcdefghijklmnopqrstuv"

// confidential is a session with the password in it.
func confidential() string {
	return strings.Replace(long(), "turn cccc00a0 ", "turn cccc00a0 the key is "+password+" ", 1)
}

// summarizers are stubs of programs that summarize. internal/core/command has a row for each way in which one fails or
// answers; these show what sess-compact makes of it. Those without an answer fail, and of the others the summary is
// known to the byte.
var summarizers = []struct {
	name   string
	script string
	flags  string // besides --retries 0
	status int
	stderr string // a regular expression
	answer string // the summary, if the status is 0
}{
	{"pi, 401", `cat >/dev/null; echo '401 {"type":"authentication_error"}' >&2; exit 1`, "", 5, `^sess-compact: running sh: exit status 1: 401 \{"type":"authentication_error"\}\n$`, ""},
	{"claude, overflow", `cat >/dev/null; echo 'Prompt is too long'; exit 1`, "", 5, `(?s)left out of the prompt\n.*: exit status 1: Prompt is too long\n$`, ""},
	{"room for half", `test $(wc -c) -lt 6000 || { echo 'Prompt is too long'; exit 1; }; ` + goodReply, "", 0, `^(sess-compact: warning: .*; the oldest \d+ messages? left out of the prompt\n)+$`, "## Goal\n- the goal"},
	{"ANSI", `cat >/dev/null; printf '\033[1;32m## Goal\033[0m\n- \033]8;;http://x\033\\the\033]8;;\033\\ goal\033[K\n'`, "", 0, `^$`, "## Goal\n- the goal"},
	{"no heading wanted", `cat >/dev/null; echo goals`, "--no-require", 0, `^$`, "goals"},
	{"a heading of one's own", `cat >/dev/null; echo '# Short'`, "--require ^#.Short$", 0, `^$`, "# Short"},
	{"stderr shown", `cat >/dev/null; printf 'thinking\033[5m\n' >&2; ` + goodReply, "-v", 0, `(?m)^[^\x1b]*thinking[^\x1b]*$`, "## Goal\n- the goal"},
	{"told what and where", `cat >/dev/null; printf '## Goal\n%s\n' "$SESS_FILE $SESS_LEAF $SESS_CHUNK $SESS_SUMMARIZING $NO_COLOR $TERM"`, "", 0, `^$`, "## Goal\ns.jsonl cccc00b9 history 1 1 dumb"},
	{"ignores TERM", `trap '' TERM; cat >/dev/null; while :; do sleep 1; done`, "--timeout 300ms", 5, `^sess-compact: running sh: no answer within 300ms; allow more time or give it less to read\n$`, ""},
	{"repeats the prompt", `cat; ` + goodReply, "", 5, `: the answer repeats the prompt: it begins: \[prompt left out\]\n$`, ""},
	{"larger than what it is of", `cat >/dev/null; ` + goodReply + `; head -c 20000 /dev/zero | tr '\0' x`, "", 5, `s\.jsonl: the summary would not make the context smaller: about \d+ tokens, \d+ before\n$`, ""},
	{"escape sequences in an error", `printf 'bad\033]0;title\007 \033[31mred\n' >&2; exit 3`, "", 5, `: exit status 3: bad red\n$`, ""},
	{"runs sess-compact", `cat >/dev/null; sess-compact --keep 200 s.jsonl -- true; ` + goodReply, "", 0, `^$`, "## Goal\n- the goal"},
	{"is sess-compact", `cat >/dev/null; exec sess-compact --keep 200 s.jsonl -- true`, "", 5, `exit status 5: .*refused inside another summary command \(SESS_SUMMARIZING is set\)`, ""},
	{"is the built-in one", `cat >/dev/null; exec sess-compact --keep 200 -n s.jsonl`, "", 5, `lacks the heading`, ""},
	{"fails twice", `cat >/dev/null; echo x >>runs; test $(wc -l <runs) -ge 3 && ` + goodReply, "--retries 2", 0, `^(sess-compact: warning: running sh: exit status 1; asking again in \S+ \(retry [12] of 2\)\n){2}$`, "## Goal\n- the goal"},
	{"no second time-out", `echo x >>runs; test $(wc -l <runs) -ge 2 && ` + goodReply + `; exec sleep 60`, "--retries 1 --timeout 300ms", 5, `^sess-compact: running sh: no answer within 300ms; [^\n]*\n$`, ""},
}

func TestSummarizers(t *testing.T) {
	t.Parallel()
	for _, tt := range summarizers {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, dir, "s.jsonl", confidential())
			write(t, dir, "stub", tt.script)
			dead := lifeline(t, dir)
			args := append([]string{"sess-compact", "--keep", "200", "--json", "--retries", "0"}, strings.Fields(tt.flags)...)
			start := time.Now()
			r := holding(t, dir, append(args, "s.jsonl", "--", "sh", "stub")...)
			if late(dir, tt.flags) { // then its words are not there
				tt.stderr, _, _ = strings.Cut(tt.stderr, "; .*")
			}
			wantSummary(t, dir, r, tt.status, tt.stderr, tt.answer)
			dead()
			if d := time.Since(start); d > 40*time.Second {
				t.Errorf("it took %v", d)
			}
		})
	}
}

// A command that the kernel does not take for a program.
func TestSummarizerNotRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "s.jsonl", confidential())
	check(t, os.Chmod(write(t, dir, "empty", "\x00\x01 no program\n"), 0o700))
	r := runCommand(t, dir, "", "sess-compact", "--keep", "200", "s.jsonl", "--", "./empty")
	wantSummary(t, dir, r, 5, `^sess-compact: running \./empty: exec format error; does the script begin with #!\?\n$`, "")
}

// Twelve megabytes, which codex, claude and gemini each would refuse or cut,
// reach them in chunks they take; what was said first is in the first.
func TestSummarizerOfTwelveMegabytes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	big := strings.ReplaceAll(confidential(), "words ", strings.Repeat("words ", 1<<11))
	write(t, dir, "s.jsonl", big)
	write(t, dir, "stub", `cat >prompt
size=$(wc -c <prompt)
[ "$size" -le 1000000 ] || { echo 'Input exceeds the maximum length of 1048576 characters.' >&2; exit 1; }
echo "$SESS_CHUNK" "$size" >>chunks
grep -q 'the key is' prompt && echo first >>chunks
printf '## Goal\n- %s\n' "$SESS_CHUNK"`)
	r := runCommand(t, dir, "", "sess-compact", "--keep", "200", "--json", "--max-prompt", "1000000", "--retries", "0", "s.jsonl", "--", "sh", "stub")
	if r.status != 0 || r.stderr != "" {
		t.Fatalf("status %d: %s", r.status, r.stderr)
	}
	chunks := strings.Split(strings.TrimSpace(readFile(t, filepath.Join(dir, "chunks"))), "\n")
	if len(chunks) < 14 || chunks[1] != "first" || !strings.HasPrefix(chunks[0], "history 1/") {
		t.Errorf("chunks %q", chunks)
	}
	last, _, _ := strings.Cut(strings.TrimPrefix(chunks[len(chunks)-1], "history "), " ")
	if n, of, _ := strings.Cut(last, "/"); n != of || !strings.Contains(r.stdout, `## Goal\n- history `+last) {
		t.Errorf("the last chunk is %s, the entry %.200s", last, r.stdout)
	}
}

// wantSummary checks what became of a compaction, and that the session has
// nothing but that.
func wantSummary(t *testing.T, dir string, r result, status int, stderr, answer string) {
	t.Helper()
	if r.status != status || !regexp.MustCompile(stderr).MatchString(r.stderr) {
		t.Errorf("status %d, want %d; stderr\n%s\nwant a match of %s", r.status, status, r.stderr, stderr)
	}
	if strings.Contains(r.stderr, password) || strings.Contains(r.stderr, "words words words") {
		t.Errorf("the prompt is on standard error: %s", r.stderr)
	}
	if r.stderr != tty.CleanLines(r.stderr) {
		t.Errorf("control characters in %q", r.stderr)
	}
	added, same := strings.CutPrefix(readFile(t, filepath.Join(dir, "s.jsonl")), confidential())
	if !same || added != r.stdout || (status == 0) != (strings.Count(added, "\n") == 1) {
		t.Errorf("the lines before are the same: %v; added %q, printed %q", same, added, r.stdout)
	}
	if status != 0 {
		return
	}
	var e struct{ Type, Summary string }
	if err := json.Unmarshal([]byte(added), &e); err != nil || e.Type != "compaction" || e.Summary != answer {
		t.Errorf("%v: a %s of %q, want %q", err, e.Type, e.Summary, answer)
	}
}

// holding runs a command line, which holds the lifeline open with all that it starts. A stub that
// opens it itself may be killed before.
func holding(t *testing.T, dir string, args ...string) result {
	t.Helper()
	return runCommand(t, dir, "", append([]string{"sh", "-c", `exec 9>life; exec "$@"`, "sh"}, args...)...)
}

// lifeline makes a FIFO that stubs hold open. What is returned waits until none
// of them does any more, and fails the test if that takes long.
func lifeline(t *testing.T, dir string) (dead func()) {
	t.Helper()
	path := filepath.Join(dir, "life")
	check(t, syscall.Mkfifo(path, 0o600))
	end := make(chan error, 1)
	go func() {
		f, err := os.Open(path) // waits for the stub
		if err == nil {
			_, err = f.Read(make([]byte, 1))
			_ = f.Close()
		}
		end <- err
	}()
	return func() {
		t.Helper()
		select {
		case err := <-end:
			if !errors.Is(err, io.EOF) {
				t.Errorf("reading the lifeline: %v", err)
			}
		case <-time.After(20 * time.Second):
			t.Error("a process of the summarizer survived")
		}
	}
}
