package docs_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/test/corpus"
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
	settings := regexp.MustCompile("(?ms)^```json settings\n(.*?)^```").FindStringSubmatch(page)
	if settings == nil || !json.Valid([]byte(settings[1])) {
		t.Fatalf("the settings are no JSON: %q", settings)
	}
	for _, m := range regexp.MustCompile(`"command": "([^"]+)"`).FindAllStringSubmatch(settings[1], -1) {
		if _, err := os.Stat(filepath.Join(dir, m[1])); err != nil {
			t.Error(err)
		}
	}
	script := corpus.Home + `chmod +x sess-*; PATH="$PWD:$PATH"
id=$(basename "$(ls "$claude"/*.jsonl)" .jsonl)
thread=$(sess-ls --agent codex --all --json | jq -r .session)
echo "statusline: $(printf '{"session_id":"%s"}' "$id" | sess-statusline)"
printf '{"session_id":"%s","hook_event_name":"Stop"}' "$id" | sess-collect
rm "$claude"/*.jsonl
sess-path --as text "$id" | tail -n 1
sess-check -q "$HOME/clean/$id.jsonl" && echo 'claude: clean'
printf '{"session_id":"%s","hook_event_name":"SessionEnd"}' "$id" | sess-collect && echo 'again: 0'
export SESS_DIR="$PWD/other" # the two sessions of the home have one id
rm "$HOME/clean"/*
sess-collect-codex '{"type":"agent-turn-complete","thread-id":"'"$thread"'","cwd":"/"}'
sess-check -q "$HOME/clean/$thread.jsonl" && echo 'codex: clean'
git init -q repo && cd repo
printf '{"tool_name":"Bash","tool_input":{"command":"git push origin main"}}' | sess-before-push && echo 'push without sessions: 0'
sess-new | sess-append -r user -t "the token is $TOKEN" > s.jsonl
git add s.jsonl
printf '{"tool_name":"Bash","tool_input":{"command":"git status"}}' | sess-before-push && echo 'status: 0'
printf '{"tool_name":"Bash","tool_input":{"command":"git push origin main"}}' | sess-before-push || echo "push: $?"
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
