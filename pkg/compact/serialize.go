package compact

import (
	"fmt"
	"strings"

	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// ResultLimit is how much of a tool result a prompt shows, in UTF-16 units.
const ResultLimit = 2000

// serialize writes messages as the text a summarizer reads, as pi does
// (docs/formats/pi.md, serialization): images and thinking are left out, tool
// results are cut after ResultLimit.
func serialize(messages []session.Message) string {
	return serializer{limit: ResultLimit}.text(messages)
}

// A serializer writes messages as the text a summarizer reads.
type serializer struct {
	limit  int  // UTF-16 units of a tool result that are shown, all if negative
	images bool // a note stands for an image
}

func (s serializer) text(messages []session.Message) string {
	var parts []string
	for _, m := range convo.ToLLM(messages) {
		parts = append(parts, s.parts(m)...)
	}
	return strings.Join(parts, "\n\n")
}

// parts returns the paragraphs for a message that a model would read.
func (s serializer) parts(m session.Message) []string {
	label, text := "", ""
	switch m.Role() {
	case session.RoleUser, session.RoleDeveloper:
		label, text = "[User]: ", m.Text("")
	case session.RoleAssistant:
		return s.assistantParts(m)
	case session.RoleToolResult:
		label, text = "[Tool result]: ", m.Text("")
		if s.limit >= 0 {
			text = clip(text, s.limit)
		}
	}
	if text = s.withImages(text, m); text == "" {
		return nil
	}
	return []string{label + text}
}

func (s serializer) assistantParts(m session.Message) []string {
	var texts, calls, parts []string
	for b := range m.Blocks() {
		if b.Type == session.BlockText {
			texts = append(texts, b.Str("text"))
		}
	}
	for _, c := range m.ToolCalls() {
		calls = append(calls, c.Name+"("+callArguments(c.Arguments)+")")
	}
	if text := s.withImages(strings.Join(texts, "\n"), m); len(texts) > 0 || text != "" {
		parts = append(parts, "[Assistant]: "+text)
	}
	if len(calls) > 0 {
		parts = append(parts, "[Assistant tool calls]: "+strings.Join(calls, "; "))
	}
	return parts
}

// withImages returns a message's text and, a line each, the notes on its images.
func (s serializer) withImages(text string, m session.Message) string {
	if !s.images {
		return text
	}
	lines := []string{text}
	if text == "" {
		lines = nil
	}
	for b := range m.Blocks() {
		if b.Type == session.BlockImage {
			lines = append(lines, imageNote(b))
		}
	}
	return strings.Join(lines, "\n")
}

// imageNote is the note for an image that a summarizer is not shown: that there was
// one, its type and its size.
func imageNote(image session.Block) string {
	var facts []string
	if mime := image.Str("mimeType"); mime != "" {
		facts = append(facts, mime)
	}
	if data := image.Str("data"); data != "" && !convo.IsBlobRef(data) {
		facts = append(facts, fmt.Sprintf("%d bytes", base64Size(data)))
	}
	if len(facts) == 0 {
		return "[Image]"
	}
	return "[Image: " + strings.Join(facts, ", ") + "]"
}

// base64Size returns how many bytes the base64 text stands for.
func base64Size(text string) int {
	digits := 0
	for i := range len(text) {
		if text[i] > ' ' && text[i] != '=' {
			digits++
		}
	}
	return digits * 6 / 8
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
func clip(text string, limit int) string {
	total := js.Len(text)
	if total <= limit {
		return text
	}
	return fmt.Sprintf("%s\n\n[... %d more characters truncated]", js.Head(text, limit), total-limit)
}
