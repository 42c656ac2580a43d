//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// windowModel is a model with a context window of WINDOW tokens: it fails, as
// the real ones do, on a prompt of more, and writes down the size of each. Its
// replies are of many sizes. Its summaries have the first goal of the summary
// before or, if there was none, the first words of the user.
const windowModel = `
NR == 1 { summary = /^You write summaries/ }
{ size += length($0) + 1; seen = seen $0 "\n" }
/^## (Goal|Original Request)$/ { heading = $0 }
/^<previous-summary>$/ { previous = 1 }
previous && goal == "" && /^- / { goal = $0 }
said == "" && /^\[User\]: / { said = "- " substr($0, 9, 80) }
/^user: turn [0-9]/ { split($0, words, " "); turn = words[3] }
END {
	tokens = int((size + 3) / 4)
	print (summary ? "summary" : "reply"), tokens >>"sizes"
	if (tokens > WINDOW) {
		print "error: this model has a maximum context length of " WINDOW " tokens, got " tokens >"/dev/stderr"
		exit 1
	}
	if (summary) {
		printf "%s\n%s\n- and much more:%s\n", heading, goal == "" ? said : goal, fill(tokens % 90)
		exit
	}
	printf "%s", seen >"seen"
	print "reply to turn " turn ":" fill(turn % 10 == 7 ? 1000 : turn * 37 % 200)
}
function fill(n,  text) {
	while (n-- > 0)
		text = text " word" n % 10
	return text
}
`

const chatWindow = 4000

// turns are n lines of a user, some of a third of the window.
func turns(n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		size := i * 13 % 40
		if i%11 == 3 {
			size = 1000
		}
		goal := "go on"
		if i == 1 {
			goal = "build the lighthouse"
		}
		fmt.Fprintf(&b, "turn %d %s%s\n", i, goal, strings.Repeat(" stone", size))
	}
	return b.String()
}

// windowChat runs scripts/chat with the model of a small window.
func windowChat(t *testing.T, dir, stdin string) result {
	t.Helper()
	write(t, dir, "model.awk", windowModel)
	args := slices.Concat([]string{"--retries", "0", "--compact", "--window", strconv.Itoa(chatWindow)},
		[]string{newSession(t, dir), "--", "awk", "-v", "WINDOW=" + strconv.Itoa(chatWindow), "-f", "./model.awk"})
	return runChat(t, dir, stdin, args, nil)
}

// sizes returns the tokens of the prompts the model got, by their kind.
func sizes(t *testing.T, dir string) map[string][]int {
	t.Helper()
	out := map[string][]int{}
	for line := range strings.Lines(readFile(t, filepath.Join(dir, "sizes"))) {
		kind, tokens, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, err := strconv.Atoi(tokens)
		check(t, err)
		out[kind] = append(out[kind], n)
	}
	return out
}

// A hundred turns, with SESS_DRAW=full two hundred, in a window of some twenty of them: no prompt is too large,
// every turn is answered, and what the user wanted at first is still known at
// the end.
func TestChatManyTurns(t *testing.T) {
	t.Parallel()
	n := size(100, 200)
	dir := t.TempDir()
	r := windowChat(t, dir, turns(n))
	said := strings.ReplaceAll(r.stderr, "> ", "")
	cuts := strings.Count(said, ": the context does not fit the window; messages left out, the oldest: 1\n")
	if r.status != 0 || strings.Count(said, "\n") != cuts || cuts > n/10 { // a huge message stands behind another one
		t.Errorf("status %d: %s", r.status, said)
	}
	for i := 1; i <= n; i++ {
		if want := fmt.Sprintf("reply to turn %d:", i); strings.Count(r.stdout, want) != 1 {
			t.Errorf("%d times %q", strings.Count(r.stdout, want), want)
		}
	}
	wantWithinWindow(t, sizes(t, dir))
	seen := readFile(t, filepath.Join(dir, "seen"))
	if !strings.Contains(seen, "- turn 1 build the lighthouse") || !strings.Contains(seen, fmt.Sprintf("user: turn %d ", n)) {
		t.Errorf("in the end the model saw\n%s", seen)
	}
	wantWhole(t, dir, 2*n)
}

// wantWithinWindow checks that no prompt was larger than the window, that the
// window was made use of, and that the command summarized.
func wantWithinWindow(t *testing.T, sizes map[string][]int) {
	t.Helper()
	largest := 0
	for kind, list := range sizes {
		for i, tokens := range list {
			if tokens > chatWindow {
				t.Errorf("%s %d had a prompt of %d tokens", kind, i+1, tokens)
			}
			largest = max(largest, tokens)
		}
	}
	if largest < chatWindow/2 {
		t.Errorf("the largest prompt had %d tokens", largest)
	}
	if n := len(sizes["summary"]); n < 10 {
		t.Errorf("asked for %d summaries", n)
	}
}

// wantWhole checks that the one session in the store has so many messages and
// nothing wrong with it.
func wantWhole(t *testing.T, dir string, messages int) {
	t.Helper()
	path := strings.TrimSpace(script(t, dir, "sess-ls --all --paths"))
	kinds := map[string]int{}
	for i, line := range strings.Split(strings.TrimSuffix(readFile(t, path), "\n"), "\n") {
		var e struct{ Type string }
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Errorf("line %d: %v", i+1, err)
		}
		kinds[e.Type]++
	}
	if kinds["message"] != messages || kinds["compaction"] < 10 {
		t.Errorf("the session holds %v, want %d messages", kinds, messages)
	}
	if r := runCommand(t, dir, "", "sess-check", path); r.status != 0 || r.stderr != "" {
		t.Errorf("sess-check: status %d: %s%s", r.status, r.stdout, r.stderr)
	}
}

// A message larger than the window cannot be answered, but does not end the
// conversation: the next turn is.
func TestChatHugeMessage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	huge := "turn 2 " + strings.Repeat("stone ", 4*chatWindow/6+10)
	r := windowChat(t, dir, "turn 1 build\n"+huge+"\nturn 3 go on\nturn 4 go on\n")
	if r.status != 0 || strings.Count(r.stderr, "sess-turn: running awk: exit status 1: error: this model has a maximum context length") != 1 {
		t.Errorf("status %d: %s", r.status, r.stderr)
	}
	var answered []string
	for line := range strings.Lines(r.stdout) {
		line, _, _ = strings.Cut(line, ":")
		answered = append(answered, line)
	}
	if got, want := strings.Join(answered, ", "), "reply to turn 1, reply to turn 3, reply to turn 4"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
