package session

import (
	"strings"

	"github.com/sess-tools/sess/pkg/js"
)

// What pi puts around summaries before a model sees them. The summaries'
// closing tags differ: only a compaction's stands on a line of its own.
const (
	compactionIntro = "The conversation history before this point was compacted into the following summary:\n\n<summary>\n"
	branchIntro     = "The following is a summary of a branch that this conversation came back from:\n\n<summary>\n"
)

// ToLLM turns context messages into what a model reads, as pi's convertToLlm
// does (docs/formats/pi.md): one message in, at most one out. User, assistant,
// toolResult and system messages stay as they are; the others become user
// messages or vanish. Of oh-my-pi's roles, developer stays, pythonExecution,
// fileMention and the old hookMessage become user messages.
func ToLLM(messages []Message) []Message {
	var out []Message
	for _, m := range messages {
		if llm, ok := toLLM(m); ok {
			out = append(out, llm)
		}
	}
	return out
}

func toLLM(m Message) (Message, bool) {
	switch m.role {
	case RoleUser, RoleAssistant, RoleToolResult, RoleSystem, RoleDeveloper:
		return m, true
	case RoleCustom, RoleHookMessage:
		content := m.Get("content")
		if strings.HasPrefix(content, `"`) {
			content = "[" + textBlock(content) + "]"
		}
		return userMessage(m, content), true
	case RoleBranchSummary:
		return userText(m, branchIntro+m.Str("summary")+"</summary>"), true
	case RoleCompactionSummary:
		return userText(m, compactionIntro+m.Str("summary")+"\n</summary>"), true
	case RoleBashExecution, RolePythonExecution:
		if truthy(m.Get("excludeFromContext")) {
			return Message{}, false
		}
		return userText(m, executionText(m)), true
	case RoleFileMention:
		return userText(m, mentionText(m)), true
	}
	return Message{}, false
}

func userMessage(m Message, content string) Message {
	return newMessage(new(object).str("role", RoleUser).raw("content", content).
		raw("timestamp", m.Get("timestamp")).String())
}

func userText(m Message, text string) Message {
	return userMessage(m, "["+textBlock(js.Quote(text))+"]")
}

// executionText tells a model what the user ran and what came of it.
func executionText(m Message) string {
	var b strings.Builder
	if m.role == RolePythonExecution {
		b.WriteString("Ran Python:\n```python\n" + m.Str("code") + "\n```\n")
	} else {
		b.WriteString("Ran `" + m.Str("command") + "`\n")
	}
	if output := m.Str("output"); output != "" {
		b.WriteString("```\n" + output + "\n```")
	} else {
		b.WriteString("(no output)")
	}
	code := m.Get("exitCode")
	switch {
	case truthy(m.Get("cancelled")):
		b.WriteString("\n\n(command cancelled)")
	case code != "" && code != "null" && js.Stringify(code) != "0":
		b.WriteString("\n\nCommand exited with code " + js.Stringify(code))
	}
	if full := m.Str("fullOutputPath"); full != "" && truthy(m.Get("truncated")) {
		b.WriteString("\n\n[Output truncated. Full output: " + full + "]")
	}
	return b.String()
}

// mentionText shows the files a fileMention message brought in.
func mentionText(m Message) string {
	var b strings.Builder
	for file := range blocks(m.Get("files")) {
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString("<file path=" + js.Quote(file.Str("path")) + ">\n" + file.Str("content"))
		if !strings.HasSuffix(file.Str("content"), "\n") {
			b.WriteString("\n")
		}
		b.WriteString("</file>")
	}
	return b.String()
}
