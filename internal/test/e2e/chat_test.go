//go:build unix

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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

// chat runs scripts/chat with the stub, in a session of the store, and returns what came
// of it and the text of the messages in the session.
func chat(t *testing.T, dir, stdin, session string, flags ...string) (r result, messages string) {
	t.Helper()
	check(t, os.WriteFile(filepath.Join(dir, "model"), []byte(model), 0o700))
	r = runChat(t, dir, stdin, slices.Concat([]string{"--retries", "0"}, flags, []string{session, "--", "./model"}), nil)
	return r, script(t, dir, `for s in $(sess-ls --all --paths); do sess-path --jq 'select(.type == "message") | .message | .role + ": " + .content[0].text' "$s"; done`)
}

// newSession makes a session in the store.
func newSession(t *testing.T, dir string) string {
	t.Helper()
	return strings.TrimSpace(script(t, dir, "sess-new --store"))
}

// runChat runs scripts/chat.
func runChat(t *testing.T, dir, stdin string, args, more []string) result {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "..", "..", "scripts", "chat"))
	check(t, err)
	if _, err := os.Stat(path); err != nil { // go test looks again when it changes
		t.Fatal(err)
	}
	c := exec.Command("sh", append([]string{path}, args...)...)
	c.Dir, c.Env, c.Stdin = dir, append(env(dir), more...), strings.NewReader(stdin)
	return wait(t, c)
}

func TestChat(t *testing.T) {
	t.Parallel()
	const one = "\"user: one\"\n\"assistant: - reply to user: one\"\n"
	tests := []struct {
		name, stdin string
		messages    string
		failed      string
	}{
		{"three turns, an empty line", "one\n  -t two\\n \nthree\n\nfour\n", one +
			`"user:   -t two\\n "` + "\n" + `"assistant: - reply to user:   -t two\\n"` + "\n\"user: three\"\n\"assistant: - reply to user: three\"\n", ""},
		{"end of input", "one\n", one, ""},
		{"no line feed at the end", "one", one, ""},
		{"nothing", "", "", ""},
		{"a model that fails", "fail\none\n", one, "sess-turn: running ./model: exit status 7\n"},
		{"a model that says nothing", "nothing\none\n", one, "sess-turn: running ./model: the reply is blank and no error was printed; the prompt may be too long for the model\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			r, messages := chat(t, dir, tt.stdin, newSession(t, dir))
			if messages != tt.messages {
				t.Errorf("the session holds\n%s\nwant\n%s", messages, tt.messages)
			}
			if said := strings.ReplaceAll(r.stderr, "> ", ""); r.status != 0 || said != tt.failed {
				t.Errorf("status %d: %s", r.status, said)
			}
			if got, want := strings.Count(r.stdout, "- reply to"), strings.Count(tt.messages, "assistant:"); got != want {
				t.Errorf("%d replies printed, want %d: %q", got, want, r.stdout)
			}
		})
	}
}

// A conversation goes on where it was left, and what the model is shown is all
// of it.
func TestChatGoesOn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := newSession(t, dir)
	chat(t, dir, "one\n", path)
	id := strings.TrimSpace(script(t, dir, "sess-ls --all | cut -f1"))
	chat(t, dir, "two\n", path)
	r, _ := chat(t, dir, "three\n", id)
	seen := readFile(t, filepath.Join(dir, "seen"))
	want := "user: one\n\nassistant: - reply to user: one\n\nuser: two\n\nassistant: - reply to user: two\n\nuser: three\n"
	if r.status != 0 || seen != want {
		t.Errorf("status %d: %s; the model saw\n%s\nwant\n%s", r.status, r.stderr, seen, want)
	}
	if r, _ := chat(t, dir, "x\ny\n", "gone.jsonl"); r.status != 2 || strings.Count(r.stderr, "gone.jsonl: no such file") != 1 {
		t.Errorf("no such session: status %d: %s", r.status, r.stderr)
	}
}

// A small window makes the model summarize; no line of the session is lost.
func TestChatCompacts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	turns := strings.Repeat("a turn of many words "+strings.Repeat("word ", 100)+"\n", 10)
	r, messages := chat(t, dir, turns, newSession(t, dir), "--window", "2000", "--compact")
	if r.status != 0 || strings.Contains(r.stderr, "sess-") {
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
	dir := t.TempDir()
	r, messages := chat(t, dir, "say much\nthen\n", newSession(t, dir))
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
	r := runChat(t, dir, strings.Repeat("turn "+strings.Repeat("stone ", 150)+"\n", 40),
		[]string{"--window", "4000", "--compact", newSession(t, dir), "--", "sh", "./wordy"}, nil)
	if r.status != 0 {
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

// The answer of one tool is the argument of the next.
func TestIDsCompose(t *testing.T) {
	t.Parallel()
	out := script(t, t.TempDir(), `
S=$(sess-new -o s.jsonl)
u=$(sess-append -r user -t 'the goal' "$S")
sess-append -r assistant -t one "$S" >/dev/null
sess-append --parent "$u" -r assistant -t two "$S" >/dev/null
sess-append --type label --set targetId="$u" --set label=start "$S" >/dev/null
sess-path --as messages --jq '.content[0].text' "$S"
sess-path --leaf @start --as messages --jq '.content[0].text' "$S"
sess-path --where '.type == "label"' "$S" | grep -c targetId
sess-fork --at @start "$S" | sess-path --no-header | grep -c '"message"'
`)
	if want := "\"the goal\"\n\"two\"\n\"the goal\"\n1\n1\n"; out != want {
		t.Errorf("got %q, want %q", out, want)
	}
}

// What the tools write at the beginning of a session is gone from the context
// after two compactions, and comes back when sess-path is told to.
func TestReinjectInitialContext(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "system", "you are a builder\n")
	write(t, dir, "summary", "## Goal\n- what was said\n")
	script(t, dir, `
sess-new --system system > s.jsonl
sess-append -r custom --set customType=initial-context -t 'sign your commits' s.jsonl > ids
sess-append -r custom --set customType=rules --set-json 'details={"initialContext":true}' -t 'no tabs' s.jsonl >> ids
sess-append -r custom --set customType=rules -t 'of no account' s.jsonl >> ids
for round in 1 2; do
	for n in 1 2 3 4 5 6 7 8; do
		sess-append -t "round $round question $n: $(printf '%0200d' 0)" s.jsonl >> ids
		sess-append -r assistant -t "round $round answer $n: $(printf '%0200d' 0)" s.jsonl >> ids
	done
	sess-compact --keep 60 --summary-file summary s.jsonl >> ids
done
sess-append -t 'go on' s.jsonl >> ids
`)
	before := readFile(t, dir+"/s.jsonl")
	roles := `map(.role + " " + (if .content | type == "string" then .content else .content[0].text end) | split("\n")[0][:25]) | join(", ")`
	rest := "user round 2 question 8: , assistant round 2 answer "
	brought := "user sign your commits, user no tabs"
	for _, c := range []struct{ flags, want string }{
		{"", "SUMMARY, REST, user go on"},
		{"--with-system", "system you are a builder, SUMMARY, REST, user go on"},
		{"--reinject after-summary", "SUMMARY, BROUGHT, REST, user go on"},
		{"--reinject before-last-user --with-system", "system you are a builder, SUMMARY, REST, BROUGHT, user go on"},
	} {
		got := strings.TrimSpace(script(t, dir, "sess-path --as openai --jq '"+roles+"' "+c.flags+" s.jsonl"))
		want := `"` + strings.NewReplacer("REST", rest, "BROUGHT", brought, "SUMMARY", "user The conversation his").Replace(c.want) + `"`
		if got != want {
			t.Errorf("%s:\n%s, want\n%s", c.flags, got, want)
		}
	}
	if readFile(t, dir+"/s.jsonl") != before {
		t.Error("the session changed")
	}
}
