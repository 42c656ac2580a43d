package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The marketplace of the repository is that of an installed plugin, which stands where the plugin does.
func TestPlugin(t *testing.T) {
	t.Parallel()
	installed := read(t, "../share/.claude-plugin/marketplace.json")
	if want := strings.Replace(installed, `"source": "./"`, `"source": "./share"`, 1); want == installed || read(t, "../.claude-plugin/marketplace.json") != want {
		t.Errorf("the marketplace of the repository is not\n%s", want)
	}
	if plugin := read(t, "../share/.claude-plugin/plugin.json"); !strings.Contains(plugin, `"sess": {"command": "sess-mcp"}`) {
		t.Errorf("the plugin has no sess-mcp:\n%s", plugin)
	}
}

// The skill is short, because each session of an agent begins with its description, and what it tells
// an agent to run finds what it says.
func TestSkill(t *testing.T) {
	t.Parallel()
	skill := read(t, "../share/skills/sess/SKILL.md")
	head, body, ok := strings.Cut(strings.TrimPrefix(skill, "---\n"), "\n---\n")
	description := regexp.MustCompile(`(?m)^description: "(.*)"$`).FindStringSubmatch(head)
	if !ok || description == nil || !strings.HasPrefix(head, "name: sess\n") {
		t.Fatalf("the head is %q", head)
	}
	if words := len(strings.Fields(description[1])); words > 33 || words < 20 {
		t.Errorf("the description has %d words", words)
	}
	if lines := strings.Count(body, "\n"); lines > 60 {
		t.Errorf("the body has %d lines", lines)
	}
	commands := regexp.MustCompile("(?s)\n```sh\n(.*?)```").FindAllStringSubmatch(skill, -1)
	if len(commands) != 4 {
		t.Fatalf("%d commands", len(commands))
	}
	home := t.TempDir()
	dir := filepath.Join(home, "project")
	store := filepath.Join(home, ".claude", "projects", strings.NewReplacer("/", "-", ".", "-").Replace(dir))
	for _, d := range []string{dir, store} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	session := strings.ReplaceAll(skillSession, "/project", dir)
	if err := os.WriteFile(filepath.Join(store, "0f9b7a52-6c4e-4f6e-9d43-6a54a1f0c001.jsonl"), []byte(session), 0o600); err != nil {
		t.Fatal(err)
	}
	shell := func(script string) string {
		t.Helper()
		out, errs, err := shellOf(t, "sh", dir, "export HOME='"+home+"'\n"+script)
		if err != nil {
			t.Fatalf("%s: %v\n%s", script, err, errs)
		}
		return out
	}
	row := shell(strings.ReplaceAll(commands[0][1], "WORDS", "retry budget"))
	at := regexp.MustCompile(`(?m)^(claude:[0-9a-f-]+):([^:]+):assistant:.*retry budget`).FindStringSubmatch(row)
	if at == nil {
		t.Fatalf("found %q", row)
	}
	if failed := shell(commands[1][1]); !strings.HasPrefix(failed, at[1]+":") || !strings.Contains(failed, ":run:1:go test ./...") {
		t.Errorf("failed: %q", failed)
	}
	above := shell(strings.NewReplacer("'ENTRY'", at[2], "'SESSION'", at[1]).Replace(commands[2][1]))
	if !strings.Contains(above, "why does the test fail?") || !strings.Contains(above, "retry budget") {
		t.Errorf("read: %q", above)
	}
	if self := shell("export CLAUDE_CODE_SESSION_ID=0f9b7a52-6c4e-4f6e-9d43-6a54a1f0c001\n" + commands[3][1]); self != above {
		t.Errorf("the running session: %q", self)
	}
	both := strings.Join(strings.Fields(strings.ReplaceAll(skill+read(t, "../share/skills/sess/AGENTS.md"), "'", "")), " ")
	for _, command := range []string{"sess-grep --no-self --max-tokens 1500 --agent all --cwd . WORDS", "sess-path --as text --leaf ENTRY SESSION | tail -n 40"} {
		if strings.Count(both, command) != 2 {
			t.Errorf("SKILL.md and AGENTS.md do not both have %q", command)
		}
	}
}

// skillSession is a session of Claude Code in /project.
const skillSession = `{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"0f9b7a52-6c4e-4f6e-9d43-6a54a1f0c001","cwd":"/project","timestamp":"2026-01-02T03:04:05.000Z","message":{"role":"user","content":"why does the test fail?"}}
{"type":"assistant","uuid":"u2","parentUuid":"u1","sessionId":"0f9b7a52-6c4e-4f6e-9d43-6a54a1f0c001","cwd":"/project","timestamp":"2026-01-02T03:04:06.000Z","message":{"id":"m1","role":"assistant","model":"x","stop_reason":"tool_use","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"go test ./..."}}]}}
{"type":"user","uuid":"u3","parentUuid":"u2","sessionId":"0f9b7a52-6c4e-4f6e-9d43-6a54a1f0c001","cwd":"/project","timestamp":"2026-01-02T03:04:07.000Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":"Exit code 1\nFAIL"}]}}
{"type":"assistant","uuid":"u4","parentUuid":"u3","sessionId":"0f9b7a52-6c4e-4f6e-9d43-6a54a1f0c001","cwd":"/project","timestamp":"2026-01-02T03:04:08.000Z","message":{"id":"m2","role":"assistant","model":"x","stop_reason":"end_turn","content":[{"type":"text","text":"The retry budget is used up: I make it 5."}]}}
`
