package convo

import (
	"slices"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// The text that pi puts around summaries before a model sees them. The summaries' closing tags
// differ: only a compaction's stands on a line by itself.
const (
	compactionIntro = "The conversation history before this point was compacted into the following summary:\n\n<summary>\n"
	branchIntro     = "The following is a summary of a branch that this conversation came back from:\n\n<summary>\n"
)

// ToLLM turns context messages into what a model reads, as pi's convertToLlm
// does (docs/formats/pi.md): one message in, at most one out. User, assistant,
// toolResult and system messages stay as they are; the others become user
// messages or vanish. Of oh-my-pi's roles, developer stays, pythonExecution,
// fileMention and the old hookMessage become user messages.
func ToLLM(messages []session.Message) []session.Message {
	out := slices.Grow([]session.Message(nil), len(messages))
	for _, m := range messages {
		if llm, ok := MessageToLLM(m); ok {
			out = append(out, llm)
		}
	}
	return out
}

// MessageToLLM is [ToLLM] of one message; ok is false if a model reads nothing of it.
func MessageToLLM(m session.Message) (llm session.Message, ok bool) {
	switch m.Role() {
	case session.RoleUser, session.RoleAssistant, session.RoleToolResult, session.RoleSystem, session.RoleDeveloper:
		return m, true
	case session.RoleCustom, session.RoleHookMessage:
		content := m.Get("content")
		if strings.HasPrefix(content, `"`) {
			content = "[" + session.TextBlock(content) + "]"
		}
		return session.NewMessage(js.Object(js.StringField("role", session.RoleUser), js.RawField("content", content), js.RawField("timestamp", m.Get("timestamp")))), true
	case session.RoleBranchSummary:
		return userText(m, "", words(branchIntro), quoted(m.Get("summary")), words("</summary>")), true
	case session.RoleCompactionSummary:
		return userText(m, "", words(compactionIntro), quoted(m.Get("summary")), words("\n</summary>")), true
	case session.RoleBashExecution, session.RolePythonExecution:
		if js.Value(m.Get("excludeFromContext")).Truthy() {
			return session.Message{}, false
		}
		return userText(m, "", executionText(m)...), true
	case session.RoleFileMention:
		return userText(m, mentionedImages(m), mentionText(m)...), true
	}
	return session.Message{}, false
}

// A phrase is a part of a text, as a JSON literal. What a session holds may be
// huge, and goes from literal to literal without being decoded.
type phrase struct{ literal string }

// words is a phrase of our own.
func words(text string) phrase { return phrase{js.Quote(text)} }

// quoted is a phrase of the session, empty if raw is no string.
func quoted(raw string) phrase {
	if !strings.HasPrefix(raw, `"`) {
		raw = `""`
	}
	return phrase{raw}
}

func (p phrase) empty() bool { return p.literal == `""` }

// userText returns a user message with the time of m. Its first block is a text, which the phrases make up; more has the
// further blocks, with a comma in front of each.
func userText(m session.Message, more string, phrases ...phrase) session.Message {
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
	return session.NewMessage(b.String())
}

// executionText tells a model what the user ran and what came of it: a command in
// pi's words, Python in oh-my-pi's.
func executionText(m session.Message) []phrase {
	out := []phrase{words("Ran `"), quoted(m.Get("command")), words("`\n")}
	result, cancelled, exited := "", "(command cancelled)", "Command exited with code "
	if m.Role() == session.RolePythonExecution {
		out = []phrase{words("Ran Python:\n```python\n"), quoted(m.Get("code")), words("\n```\n")}
		result, cancelled, exited = "Output:\n", "(execution cancelled)", "Execution failed with code "
	}
	if output := quoted(m.Get("output")); output.empty() {
		out = append(out, words("(no output)"))
	} else {
		out = append(out, words(result+"```\n"), output, words("\n```"))
	}
	code := m.Get("exitCode")
	switch {
	case js.Value(m.Get("cancelled")).Truthy():
		out = append(out, words("\n\n"+cancelled))
	case code != "" && code != "null" && js.Stringify(code) != "0":
		out = append(out, words("\n\n"+exited+js.Stringify(code)))
	}
	if full := quoted(m.Get("fullOutputPath")); !full.empty() && js.Value(m.Get("truncated")).Truthy() {
		out = append(out, words("\n\n[Output truncated. Full output: "), full, words("]"))
	}
	return out
}

// mentionText shows the files a fileMention message brought in.
func mentionText(m session.Message) []phrase {
	var out []phrase
	for file := range session.Blocks(m.Get("files")) {
		if len(out) > 0 {
			out = append(out, words("\n\n"))
		}
		content := quoted(file.Get("content"))
		out = append(out, words("<file path="+js.Quote(file.Str("path"))+">\n"), content)
		if !content.empty() && !strings.HasSuffix(js.Unquote(content.literal), "\n") {
			out = append(out, words("\n"))
		}
		out = append(out, words("</file>"))
	}
	return out
}

// mentionedImages returns the image blocks that a fileMention message brought in,
// each behind a comma.
func mentionedImages(m session.Message) string {
	var b strings.Builder
	for file := range session.Blocks(m.Get("files")) {
		if image, ok := mentionedImage(file); ok {
			b.WriteString("," + image.Raw())
		}
	}
	return b.String()
}

// mentionedImage returns the image of a file; ok is false if it has none.
func mentionedImage(file session.Block) (image session.Block, ok bool) {
	raw := file.Get("image")
	if !strings.HasPrefix(raw, "{") {
		return session.Block{}, false
	}
	image = session.NewBlock(raw)
	return image, image.Type == session.BlockImage
}
