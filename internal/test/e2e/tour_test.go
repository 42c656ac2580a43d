package e2e

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestFilterMode(t *testing.T) {
	t.Parallel()
	out := script(t, t.TempDir(), `sess-new | sess-append -r user -t hi | sess-append -r assistant -t hello | sess-path --as openai`)
	var messages []struct{ Role, Content string }
	if err := json.Unmarshal([]byte(out), &messages); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if len(messages) != 2 || messages[0].Role != "user" || messages[0].Content != "hi" ||
		messages[1].Role != "assistant" || messages[1].Content != "hello" {
		t.Errorf("got %s", out)
	}
}

func TestFileMode(t *testing.T) {
	t.Parallel()
	out := script(t, t.TempDir(), `S=$(sess-new --store); printf 'fix it' | sess-append -r user $S >id; sess-path --as text $S; ls -l "$S" | cut -c1-10; wc -c <id`)
	if !strings.Contains(out, "fix it") || !strings.Contains(out, "-rw-------") || !strings.HasSuffix(strings.TrimSpace(out), "9") {
		t.Errorf("got %s", out)
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
