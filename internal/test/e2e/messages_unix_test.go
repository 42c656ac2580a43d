//go:build unix

package e2e

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// lossyClaude is a session of Claude Code with content that a session of ours has no block for.
var lossyClaude = kept{".claude/projects/DIR/ID.jsonl", claudeLine("false") +
	`{"parentUuid":"u-SAID","isSidechain":false,"type":"assistant","message":{"id":"m1","type":"message","role":"assistant","model":"claude-opus-4-6","content":[{"type":"tool_use","id":"t1","name":"ToolSearch","input":{"query":"x"}}],"stop_reason":"tool_use","usage":{"input_tokens":5,"output_tokens":5}},"uuid":"u2-SAID","timestamp":"2026-01-02T03:04:06.000Z","cwd":"CWD","sessionId":"ID","version":"2.1.330"}` + "\n" +
	`{"parentUuid":"u2-SAID","isSidechain":false,"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"hologram","of":"x"}]}]},"uuid":"u3-SAID","timestamp":"2026-01-02T03:04:07.000Z","cwd":"CWD","sessionId":"ID","version":"2.1.330"}` + "\n"}

// torn is a line of a file that is damaged.
const torn = `{"parentUuid":"u3-SAID","isSidechain":` + "\n"

// messagesOf returns how many lines of messages a command prints in a home, and all of them.
func messagesOf(t *testing.T, dir string, args ...string) (int, string) {
	t.Helper()
	r := runCommand(t, dir, "", args...)
	if r.status > 1 {
		t.Errorf("%q: status %d, %s", args, r.status, r.stderr)
	}
	return strings.Count(r.stderr, "\n"), r.stderr
}

// What the conversion of another agent's session leaves out changes no search, no list and no sum: tools that only read tell of
// it with -v alone, as do those that write a session, and conversions end in a table of it.
func TestLossesOfReading(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range 5 {
		lossyClaude.put(t, dir, fmt.Sprintf("%d1111111-1111-4111-8111-111111111111", i), fmt.Sprintf("parser%d", i), i)
	}
	const loss = `hologram`
	for _, line := range []string{
		"sess-ls --agent all --all", "sess-history --agent all", "sess-stat --agent all --all --by agent", "sess-stat --context claude:", "sess-show claude:", "sess-tree claude:",
		"sess-grep --agent all --all parser", "sess-calls --agent all --all", "sess-assert --no-call read:x --agent all --all", "sess-redact --check --agent all --all",
		"sess-watch --once --agent all --all", "sess-path --as text claude:", "sess-path --as markdown claude:", "sess-check claude:",
	} {
		args := strings.Fields(line)
		if n, said := messagesOf(t, dir, args...); n > 0 {
			t.Errorf("%s: %d lines of messages: %s", line, n, said)
		}
		switch args[0] {
		case "sess-ls", "sess-watch", "sess-history": // which need not read it all
			continue
		}
		if _, said := messagesOf(t, dir, append(args, "--verbose")...); !strings.Contains(said, loss) {
			t.Errorf("%s --verbose: no loss: %s", line, said)
		}
	}
	for _, line := range []string{
		"sess-import claude:", "sess-path claude:", "sess-path --as openai claude:", "sess-export codex claude: -o out",
	} {
		if _, said := messagesOf(t, dir, strings.Fields(line)...); !strings.Contains(said, loss) || strings.Contains(said, "warning") || !strings.Contains(said, "NOT KEPT") {
			t.Errorf("%s: no table with the loss: %s", line, said)
		}
	}
	if _, said := messagesOf(t, dir, "sess-handoff", "--to", "pi", "claude:", "--dry-run"); !strings.Contains(said, "not carried  images and files (") || strings.Contains(said, "NOT KEPT") {
		t.Errorf("sess-handoff: no sum of the losses: %s", said)
	}
	if _, said := messagesOf(t, dir, "sess-handoff", "--to", "pi", "claude:", "--dry-run", "--verbose"); !strings.Contains(said, loss) {
		t.Errorf("sess-handoff --verbose: no loss: %s", said)
	}
	for i, flag := range []string{"--quiet", "--verbose"} {
		_, said := messagesOf(t, dir, "sess-fork", "claude:", "-o", fmt.Sprintf("forked%d.jsonl", i), flag)
		if got := strings.Contains(said, loss); got != (flag == "--verbose") {
			t.Errorf("sess-fork %s: %s", flag, said)
		}
	}
}

// Damage is told of by tools that only read, and holds up a gate, as does the same in a file that is named.
func TestDamageOfReading(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	damaged := lossyClaude
	damaged.text += torn + strings.ReplaceAll(claudeLine("false"), "u-SAID", "u4-SAID")
	path := damaged.put(t, dir, firstID, "parser", 1)
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"sess-grep --agent all --all parser", "sess-show claude:", "sess-calls claude:", "sess-stat --agent all --all"} {
		_, said := messagesOf(t, dir, strings.Fields(line)...)
		if !strings.Contains(said, "warning: claude:"+firstID+", line 4: not JSON") || strings.Contains(said, "hologram") {
			t.Errorf("%s: want the damage alone: %s", line, said)
		}
	}
	for _, operand := range []string{"claude:", path} {
		if r := runCommand(t, dir, "", "sess-assert", "--no-call", "read:x", operand); r.status != 2 {
			t.Errorf("sess-assert %s: status %d: %s", operand, r.status, r.stderr)
		}
	}
}

// Damage of many sessions is three lines and a sum, and does not hide that a session could not be read; --verbose has each.
func TestFoldedDamage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range 6 {
		damaged := lossyClaude
		damaged.text += strings.Repeat("7\n", i+1) + torn + strings.ReplaceAll(claudeLine("false"), "u-SAID", "u4-SAID")
		damaged.put(t, dir, fmt.Sprintf("%d1111111-1111-4111-8111-111111111111", i), fmt.Sprintf("parser%d", i), i)
	}
	for _, line := range []string{"sess-grep --agent all --all parser", "sess-calls --agent all --all", "sess-stat --agent all --all"} {
		args := strings.Fields(line)
		n, said := messagesOf(t, dir, args...)
		if n > 4 || !strings.Contains(said, " more in 6 sessions") {
			t.Errorf("%s: %d lines of messages: %s", line, n, said)
		}
		if n, said := messagesOf(t, dir, append(args, "--verbose")...); n < 27 || strings.Contains(said, " more in ") {
			t.Errorf("%s --verbose: %d lines of messages: %s", line, n, said)
		}
	}
}
