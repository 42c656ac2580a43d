package docs_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"

	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/internal/test/planted"
)

// TestHooks: the programs of docs/hooks.md do what the page says when an agent runs them, and its settings name them.
func TestHooks(t *testing.T) {
	t.Parallel()
	page := read(t, "hooks.md")
	dir := t.TempDir()
	programs := regexp.MustCompile("(?ms)^```sh tool (\\S+)\n(.*?)^```").FindAllStringSubmatch(page, -1)
	if len(programs) != 4 {
		t.Fatalf("%d programs", len(programs))
	}
	for _, m := range programs {
		write(t, dir, m[1], m[2])
	}
	script := hooksOf(t, page, dir) + corpus.Home + `chmod +x sess-*; PATH="$PWD:$PATH"
id=$(basename "$(ls "$claude"/*.jsonl)" .jsonl)
thread=$(sess-ls --agent codex --all --json | jq -r .session)
echo "statusline: $(printf '{"session_id":"%s"}' "$id" | statusLine)"
printf '{"session_id":"%s","hook_event_name":"Stop"}' "$id" | Stop
rm "$claude"/*.jsonl
sess-path --as text "$id" | tail -n 1
sess-check -q "$HOME/clean/$id.jsonl" && echo 'claude: clean'
printf '{"session_id":"%s","hook_event_name":"SessionEnd"}' "$id" | SessionEnd && echo 'again: 0'
export SESS_DIR="$PWD/other" # the two sessions of the home have one id
rm "$HOME/clean"/*
notify '{"type":"agent-turn-complete","thread-id":"'"$thread"'","cwd":"/"}'
sess-check -q "$HOME/clean/$thread.jsonl" && echo 'codex: clean'
git init -q repo && cd repo
printf '{"tool_name":"Bash","tool_input":{"command":"git push origin main"}}' | PreToolUse && echo 'push without sessions: 0'
sess-new | sess-append -r user -t "the token is $TOKEN" > s.jsonl
git add s.jsonl
printf '{"tool_name":"Bash","tool_input":{"command":"git status"}}' | PreToolUse && echo 'status: 0'
printf '{"tool_name":"Bash","tool_input":{"command":"git push origin main"}}' | PreToolUse || echo "push: $?"
`
	token := planted.New(4).GitHub()
	stdout, stderr, err := shell(t, dir, "TOKEN="+token+"\n"+script)
	want := `statusline: 3420 tokens, $0.01
assistant: The parser no longer hangs.
claude: clean
again: 0
codex: clean
push without sessions: 0
status: 0
push: 2
`
	if err != nil || stdout != want || strings.Contains(stdout+stderr, token) || !strings.Contains(stderr, "s.jsonl") {
		t.Errorf("%v: got %s, want %s; on standard error: %s", err, stdout, want, stderr)
	}
}

// hooksOf returns shell functions that do what the agents do at their events, by the settings of the page, whose programs are in dir.
func hooksOf(t *testing.T, page, dir string) string {
	t.Helper()
	type command struct{ Type, Command string }
	var claude struct {
		Hooks map[string][]struct {
			Matcher string
			Hooks   []command
		}
		StatusLine command
	}
	d := json.NewDecoder(strings.NewReader(strings.Join(fenced(page, "json settings"), "\n")))
	d.DisallowUnknownFields()
	must.Do(t, d.Decode(&claude))
	var codex struct{ Notify []string }
	if left, err := toml.Decode(strings.Join(fenced(page, "toml"), "\n"), &codex); err != nil || len(left.Undecoded()) > 0 {
		t.Fatalf("config.toml: %v, and %v is not known", err, left.Undecoded())
	}
	run := map[string]string{"statusLine": claude.StatusLine.Command, "notify": strings.Join(codex.Notify, " ")}
	for event, list := range claude.Hooks {
		if len(list) != 1 || len(list[0].Hooks) != 1 || list[0].Hooks[0].Type != "command" || (list[0].Matcher == "Bash") != (event == "PreToolUse") {
			t.Fatalf("the hooks of %s are %+v", event, list)
		}
		run[event] = list[0].Hooks[0].Command
	}
	functions := ""
	for _, event := range []string{"Stop", "SessionEnd", "PreToolUse", "statusLine", "notify"} {
		if _, err := os.Stat(filepath.Join(dir, run[event])); run[event] == "" || err != nil {
			t.Fatalf("%s runs %q: %v", event, run[event], err)
		}
		functions += event + "() { " + run[event] + ` "$@"; }` + "\n"
	}
	if len(run) != 5 {
		t.Fatalf("the settings have %v", run)
	}
	return functions
}
