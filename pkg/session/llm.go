package session

import (
	"slices"
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
	out := slices.Grow([]Message(nil), len(messages))
	for _, m := range messages {
		if llm, ok := m.ToLLM(); ok {
			out = append(out, llm)
		}
	}
	return out
}

// ToLLM is [ToLLM] of one message; ok is false if a model reads nothing of it.
func (m Message) ToLLM() (llm Message, ok bool) {
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
		return userText(m, "", said(branchIntro), quoted(m.Get("summary")), said("</summary>")), true
	case RoleCompactionSummary:
		return userText(m, "", said(compactionIntro), quoted(m.Get("summary")), said("\n</summary>")), true
	case RoleBashExecution, RolePythonExecution:
		if truthy(m.Get("excludeFromContext")) {
			return Message{}, false
		}
		return userText(m, "", executionText(m)...), true
	case RoleFileMention:
		return userText(m, mentionedImages(m), mentionText(m)...), true
	}
	return Message{}, false
}

func userMessage(m Message, content string) Message {
	return newMessage(new(object).str("role", RoleUser).raw("content", content).
		raw("timestamp", m.Get("timestamp")).String())
}

// A phrase is a part of a text, as a JSON literal. What a session holds may be
// huge, and goes from literal to literal without being decoded.
type phrase struct{ literal string }

// said is a phrase of our own.
func said(text string) phrase { return phrase{js.Quote(text)} }

// quoted is a phrase of the session, empty if raw is no string.
func quoted(raw string) phrase {
	if !strings.HasPrefix(raw, `"`) {
		raw = `""`
	}
	return phrase{raw}
}

func (p phrase) empty() bool { return p.literal == `""` }

// userText is a user message of one text, for the message m. Behind the text
// stands more: further blocks, each behind a comma.
func userText(m Message, more string, phrases ...phrase) Message {
	const before, after = `{"role":"user","content":[{"type":"text","text":"`, `"}`
	end := more + "]}"
	if timestamp := m.Get("timestamp"); timestamp != "" {
		end = more + `],"timestamp":` + timestamp + "}"
	}
	size := len(before) + len(after) + len(end)
	for _, p := range phrases {
		size += len(p.literal)
	}
	var b strings.Builder
	b.Grow(size)
	b.WriteString(before)
	for _, p := range phrases {
		js.WriteBody(&b, p.literal)
	}
	b.WriteString(after)
	b.WriteString(end)
	return newMessage(b.String())
}

// executionText tells a model what the user ran and what came of it: a command in
// pi's words, Python in oh-my-pi's.
func executionText(m Message) []phrase {
	out := []phrase{said("Ran `"), quoted(m.Get("command")), said("`\n")}
	result, cancelled, exited := "", "(command cancelled)", "Command exited with code "
	if m.role == RolePythonExecution {
		out = []phrase{said("Ran Python:\n```python\n"), quoted(m.Get("code")), said("\n```\n")}
		result, cancelled, exited = "Output:\n", "(execution cancelled)", "Execution failed with code "
	}
	if output := quoted(m.Get("output")); output.empty() {
		out = append(out, said("(no output)"))
	} else {
		out = append(out, said(result+"```\n"), output, said("\n```"))
	}
	code := m.Get("exitCode")
	switch {
	case truthy(m.Get("cancelled")):
		out = append(out, said("\n\n"+cancelled))
	case code != "" && code != "null" && js.Stringify(code) != "0":
		out = append(out, said("\n\n"+exited+js.Stringify(code)))
	}
	if full := quoted(m.Get("fullOutputPath")); !full.empty() && truthy(m.Get("truncated")) {
		out = append(out, said("\n\n[Output truncated. Full output: "), full, said("]"))
	}
	return out
}

// mentionText shows the files a fileMention message brought in.
func mentionText(m Message) []phrase {
	var out []phrase
	for file := range blocks(m.Get("files")) {
		if len(out) > 0 {
			out = append(out, said("\n\n"))
		}
		content := quoted(file.Get("content"))
		out = append(out, said("<file path="+js.Quote(file.Str("path"))+">\n"), content)
		if !content.empty() && !strings.HasSuffix(js.Unquote(content.literal), "\n") {
			out = append(out, said("\n"))
		}
		out = append(out, said("</file>"))
	}
	return out
}

// mentionedImages returns the image blocks that a fileMention message brought in,
// each behind a comma.
func mentionedImages(m Message) string {
	var b strings.Builder
	for file := range blocks(m.Get("files")) {
		if image, ok := mentionedImage(file); ok {
			b.WriteString("," + image.Raw())
		}
	}
	return b.String()
}

// mentionedImage returns the image of a file; ok is false if it has none.
func mentionedImage(file Block) (image Block, ok bool) {
	raw := file.Get("image")
	if !strings.HasPrefix(raw, "{") {
		return Block{}, false
	}
	image, _ = blockAt(raw, 0)
	return image, image.Type == "image"
}
