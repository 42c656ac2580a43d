//go:build unix

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// model is a stub of a command line LLM: it answers the last line it is given,
// fails when told to, says a lot when told to, and summarizes what the prompt
// of a compaction asks it to.
const model = `#!/bin/sh
cat >asked
case $(head -n 1 asked) in
'You write summaries'*)
	echo x >>compactions
	if grep -q '^## Original Request' asked; then
		printf '## Original Request\n- to say much\n'
	else
		printf '## Goal\n- to chat\n'
	fi
	exit ;;
esac
mv asked seen
last=$(tail -n 1 seen)
case $last in
*fail*) exit 7 ;;
*nothing*) exit 0 ;;
*much*) head -c 300000 /dev/zero | tr '\0' y ;;
esac
printf -- '- reply to %s\n' "$last"
`

// chat runs scripts/chat with the stub and returns what came of it, and the
// text of the messages in its session.
func chat(t *testing.T, dir, stdin string, args ...string) (r result, messages string) {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(root, "scripts", "chat")
	if _, err := os.Stat(path); err != nil { // go test looks again when it changes
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "model"), []byte(model), 0o700); err != nil {
		t.Fatal(err)
	}
	c := exec.Command("sh", append([]string{path}, args...)...)
	c.Dir, c.Env, c.Stdin = dir, env(dir), strings.NewReader(stdin)
	r = wait(t, c)
	return r, script(t, dir, `for s in $(sess-ls --all --paths); do sess-path --jq 'select(.type == "message") | .message | .role + ": " + .content[0].text' "$s"; done`)
}

func TestChat(t *testing.T) {
	t.Parallel()
	const one = "\"user: one\"\n\"assistant: - reply to user: one\"\n"
	tests := []struct {
		name, stdin string
		messages    string
	}{
		{"three turns, an empty line", "one\n  -t two\\n \nthree\n\nfour\n", one +
			`"user:   -t two\\n "` + "\n" + `"assistant: - reply to user:   -t two\\n "` + "\n\"user: three\"\n\"assistant: - reply to user: three\"\n"},
		{"end of input", "one\n", one},
		{"no line feed at the end", "one", one},
		{"nothing", "", ""},
		{"a model that fails", "fail\none\n", "\"user: fail\"\n" + one},
		{"a model that says nothing", "nothing\none\n", "\"user: nothing\"\n" + one},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, messages := chat(t, t.TempDir(), tt.stdin, "--", "./model")
			if messages != tt.messages {
				t.Errorf("the session holds\n%s\nwant\n%s", messages, tt.messages)
			}
			if r.status != 0 || !strings.Contains(r.stderr, "chat: session /") {
				t.Errorf("status %d: %s", r.status, r.stderr)
			}
			if got, want := strings.Count(r.stdout, "- reply to"), strings.Count(tt.messages, "assistant:"); got != want {
				t.Errorf("%d replies printed, want %d: %q", got, want, r.stdout)
			}
			if strings.Contains(r.stderr, "sess-") {
				t.Errorf("a tool complained: %s", r.stderr)
			}
			if failed := strings.Contains(r.stderr, "chat: ./model failed; the session keeps your message"); failed != strings.HasPrefix(tt.stdin, "fail") {
				t.Errorf("stderr %q", r.stderr)
			}
		})
	}
}

// A conversation goes on where it was left, and what the model is shown is all
// of it.
func TestChatGoesOn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	chat(t, dir, "one\n", "--", "./model")
	path := strings.TrimSpace(script(t, dir, "sess-ls --all --paths"))
	id := strings.TrimSpace(script(t, dir, "sess-ls --all | cut -f1"))
	chat(t, dir, "two\n", "-s", path, "--", "./model")
	r, _ := chat(t, dir, "three\n", "-s", id, "--", "./model")
	seen := readFile(t, filepath.Join(dir, "seen"))
	want := "user: one\n\nassistant: - reply to user: one\n\nuser: two\n\nassistant: - reply to user: two\n\nuser: three\n"
	if r.status != 0 || seen != want {
		t.Errorf("status %d: %s; the model saw\n%s\nwant\n%s", r.status, r.stderr, seen, want)
	}
	if r, _ := chat(t, dir, "x\n", "-s", "gone.jsonl", "--", "./model"); r.status != 2 ||
		!strings.Contains(r.stderr, "gone.jsonl: no such file") || strings.Contains(r.stderr, "> ") {
		t.Errorf("no such session: status %d: %s", r.status, r.stderr)
	}
	for _, args := range [][]string{nil, {"-w", "many", "--", "./model"}, {"-w", "0", "--", "./model"}, {"-x"}, {"-z", "--", "./model"}} {
		if r, _ := chat(t, dir, "x\n", args...); r.status != 2 || !strings.Contains(r.stderr, "usage: chat") {
			t.Errorf("%q: status %d: %s", args, r.status, r.stderr)
		}
	}
}

// A small window makes the model summarize; no line of the session is lost.
func TestChatCompacts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	turns := strings.Repeat("a turn of many words "+strings.Repeat("word ", 100)+"\n", 10)
	r, messages := chat(t, dir, turns, "-w", "2000", "--", "./model")
	if r.status != 0 || strings.Contains(r.stderr, "sess-") || strings.Contains(r.stderr, "not compacted") {
		t.Errorf("status %d: %s", r.status, r.stderr)
	}
	if n := strings.Count(messages, "\n"); n != 20 {
		t.Errorf("%d messages, want 20", n)
	}
	if n := strings.Count(readFile(t, filepath.Join(dir, "compactions")), "x"); n < 2 {
		t.Errorf("%d compactions", n)
	}
	if seen := readFile(t, filepath.Join(dir, "seen")); len(seen) > 8000 || !strings.Contains(seen, "to chat") {
		t.Errorf("in the end the model saw %d bytes: %.300s", len(seen), seen)
	}
}

// A reply may be longer than any argument of a program.
func TestChatLongReply(t *testing.T) {
	t.Parallel()
	r, messages := chat(t, t.TempDir(), "say much\nthen\n", "--", "./model")
	if n := strings.Count(messages, "\n"); r.status != 0 || n != 4 || !strings.Contains(messages, strings.Repeat("y", 300_000)) {
		t.Errorf("status %d: %s; %d messages, want 4; %d bytes", r.status, r.stderr, n, len(messages))
	}
}

// After a summary that leaves no room in a prompt, one without a model makes room
// again: the conversation stays within bounds.
func TestChatLongSummaries(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "wordy", `#!/bin/sh
cat >asked
case $(head -n 1 asked) in
'You write summaries'*)
	printf '## Goal\n- to chat\n'
	head -c 6000 /dev/zero | tr '\0' z
	exit ;;
esac
wc -c <asked >>sizes
echo noted
`)
	r, _ := chat(t, dir, strings.Repeat("turn "+strings.Repeat("stone ", 150)+"\n", 40), "-w", "4000", "--", "sh", "./wordy")
	if r.status != 0 || strings.Contains(r.stderr, "not compacted") {
		t.Errorf("status %d: %s", r.status, r.stderr)
	}
	sizes := strings.Fields(readFile(t, filepath.Join(dir, "sizes")))
	if len(sizes) != 40 {
		t.Errorf("%d turns were answered", len(sizes))
	}
	for _, size := range sizes {
		if n, err := strconv.Atoi(size); err != nil || n > 4000*4 {
			t.Errorf("%s bytes are more than the window", size)
		}
	}
}
