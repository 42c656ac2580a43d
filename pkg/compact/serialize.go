package compact

import (
	"fmt"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// ResultLimit is how much of a tool result a prompt shows, in UTF-16 units.
const ResultLimit = 2000

// Serialize writes messages as the text a summarizer reads, as pi 1.5 does
// (docs/formats/pi.md, serialization). Images and thinking are left out, tool
// results are cut after ResultLimit.
func Serialize(messages []session.Message) string { return serialize(messages, Pi15) }

func serialize(messages []session.Message, rules Rules) string {
	var parts []string
	for _, m := range session.ToLLM(messages) {
		switch m.Role() {
		case session.RoleUser, session.RoleDeveloper:
			if text := m.Text(""); text != "" {
				parts = append(parts, "[User]: "+text)
			}
		case session.RoleAssistant:
			parts = append(parts, assistantParts(m, rules)...)
		case session.RoleToolResult:
			if text := m.Text(""); text != "" {
				parts = append(parts, "[Tool result]: "+clip(text, ResultLimit, rules))
			}
		}
	}
	return strings.Join(parts, "\n\n")
}

func assistantParts(m session.Message, rules Rules) []string {
	var thinking, texts, calls, parts []string
	for b := range m.Blocks() {
		switch b.Type {
		case "thinking":
			thinking = append(thinking, b.Str("thinking"))
		case "text":
			texts = append(texts, b.Str("text"))
		}
	}
	for _, c := range m.ToolCalls() {
		calls = append(calls, c.Name+"("+callArguments(c.Arguments)+")")
	}
	if len(thinking) > 0 && rules == Pi073 {
		parts = append(parts, "[Assistant thinking]: "+strings.Join(thinking, "\n"))
	}
	if len(texts) > 0 {
		parts = append(parts, "[Assistant]: "+strings.Join(texts, "\n"))
	}
	if len(calls) > 0 {
		parts = append(parts, "[Assistant tool calls]: "+strings.Join(calls, "; "))
	}
	return parts
}

func callArguments(raw string) string {
	if !strings.HasPrefix(raw, "{") {
		return ""
	}
	var args []string
	for name, value := range js.Members(js.Stringify(raw)) {
		args = append(args, js.Unquote(name)+"="+value)
	}
	return strings.Join(args, ", ")
}

// clip cuts text after limit UTF-16 units and says how many are missing. The
// figure counts from the limit even if a pair was kept whole by cutting earlier.
func clip(text string, limit int, rules Rules) string {
	total := js.Len(text)
	if total <= limit {
		return text
	}
	head := js.Head(text, limit)
	if rules == Pi073 && js.Len(head) < limit {
		head += "\ufffd" // pi 0.73 splits the pair
	}
	return fmt.Sprintf("%s\n\n[... %d more characters truncated]", head, total-limit)
}
