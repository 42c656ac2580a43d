package typed_test

import (
	"strings"
	"testing"

	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/typed"
)

// of returns the prompts of lines, each in a pair of brackets.
func of(t *testing.T, lines string) string {
	t.Helper()
	var out strings.Builder
	for line := range strings.Lines(lines) {
		e, err := session.ParseEntry(strings.TrimSpace(line))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if text, ok := typed.Prompt(e); ok {
			out.WriteString("[" + text + "]")
		}
	}
	return out.String()
}

func TestPrompts(t *testing.T) {
	t.Parallel()
	user := func(content string) string {
		return `{"type":"message","id":"u1","message":{"role":"user","content":` + content + `}}`
	}
	kept := func(content, sidechain string) string {
		return strings.TrimSuffix(user(content), "}") + `,"kept":{"claude":{"n":[1],"lines":[{"type":"user","isSidechain":` + sidechain + `}]}}}`
	}
	for _, tt := range []struct{ name, lines, want string }{
		{"a text", user(`"fix it"`), "[fix it]"},
		{"blocks", user(`[{"type":"text","text":"a"},{"type":"image","data":"x","mimeType":"image/png"},{"type":"text","text":"b"}]`), "[a\nb]"},
		{"an image alone", user(`[{"type":"image","data":"x","mimeType":"image/png"}]`), ""},
		{"white space", user(`" \n"`), ""},
		{"half a character", user(`"\ud83d!"`), "[\ufffd!]"},
		{"another role", `{"type":"message","id":"u1","message":{"role":"assistant","content":"hi"}}`, ""},
		{"a command of the user", `{"type":"message","id":"u1","message":{"role":"bashExecution","command":"ls","output":"x"}}`, ""},
		{"an extension's message", `{"type":"custom_message","id":"u1","customType":"x","content":"hi","display":true}`, ""},
		{"oh-my-pi: synthetic", `{"type":"message","id":"u1","message":{"role":"user","content":"go on","synthetic":true}}`, ""},
		{"oh-my-pi: by the agent", `{"type":"message","id":"u1","message":{"role":"user","content":"go on","attribution":"agent"}}`, ""},
		{"oh-my-pi: by the user", `{"type":"message","id":"u1","message":{"role":"user","content":"go on","attribution":"user","synthetic":false}}`, "[go on]"},
		{"context of codex", user(`"<environment_context>\n  <cwd>/w</cwd>\n</environment_context>"`), ""},
		{"a wrapper of a command", user(`"<command-name>/review</command-name>\n<command-args></command-args>"`), ""},
		{"what a command printed", user(`"<local-command-stdout>ok</local-command-stdout>"`), ""},
		{"a continuation", user(`"This session is being continued from a previous conversation that ran out of context. The summary:\nx"`), ""},
		{"a wrapper is quoted", user(`"what does <command-name>/x</command-name> mean?"`), "[what does <command-name>/x</command-name> mean?]"},
		{"a reminder beside it", user(`[{"type":"text","text":"<system-reminder>\nbe brief\n</system-reminder>"},{"type":"text","text":"fix it"}]`), "[fix it]"},
		{"Claude Code: a sidechain", kept(`"do a part"`, "true"), ""},
		{"Claude Code: a prompt", kept(`"do it"`, "false"), "[do it]"},
		{"Claude Code: a side question", strings.Replace(kept(`"and what of it?"`, "true"), `"isSidechain":true`, `"isSidechain":true,"agentId":"aside_question-1"`, 1), "[and what of it?]"},
		{"a copy that a compaction put back", strings.TrimSuffix(user(`"fix it"`), "}") + `,"copy":true}`, ""},
		{"a notice with words behind it", user(`"<task-notification>\n<status>failed</status>\n</task-notification>\nFull transcript available at: /tmp/t"`), ""},
		{"a notice as JSON", user(`"{\"task_id\":\"b1\",\"description\":\"x\",\"task_type\":\"local_bash\"}"`), ""},
		{"a teammate", user(`"<teammate-message teammate_id=\"a\">\n{\"type\":\"idle\"}\n</teammate-message>"`), ""},
		{"a hook that objects", user(`"Stop hook feedback:\nnot yet"`), ""},
		{"a frame of codex Desktop", user(`"\n# Files mentioned by the user:\n\n## a.png: /a.png\n\n## My request for Codex:\nwhat is this?"`), "[what is this?]"},
		{"a frame of an editor", user(`"# Context from my IDE setup:\n\n## Open tabs:\n- a.go\n\n## My request for Codex:\nfix it"`), "[fix it]"},
		{"its heading is quoted", user(`"why\n## My request for Codex:\nis there"`), "[why\n## My request for Codex:\nis there]"},
		{"frames of an image", user(`[{"type":"text","text":"see"},{"type":"text","text":"<image name=[Image #1] path=\"/a.png\">"},{"type":"text","text":"</image>"}]`), "[see]"},
		{"a reminder in front", user(`"<system-reminder>\na side question\n</system-reminder>\n\nwhy?"`), "[why?]"},
		{"marked blocks", user(`[{"type":"text","text":"see @a.go"},{"type":"text","text":"package a","harness":"opencode"}]`), "[see @a.go]"},
		{"marked as a whole", user(`[{"type":"text","text":"Weiter.","harness":"opencode"}]`), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := of(t, tt.lines); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
