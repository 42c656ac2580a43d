package compact_test

import (
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// asked returns the conversation of a request for messages that fit.
func asked(t *testing.T, o compact.PromptOptions, messages ...session.Message) string {
	t.Helper()
	s := compact.Subject{}
	for _, m := range messages {
		s.Parts = append(s.Parts, compact.Part{Message: m})
	}
	o.Write = terse
	prompt, _, _ := next(t, compact.NewRequest(s, o))
	return strings.TrimPrefix(prompt, "|")
}

// TestImageNotes: in a request, and there alone, a note stands for an image.
func TestImageNotes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, message, want, plain string }{
		{"user", `{"role":"user","content":[{"type":"text","text":"a"},{"type":"image","mimeType":"image/png","data":"AAAAAA=="},{"type":"text","text":"b"}]}`, "[User]: ab\n[Image: image/png, 4 bytes]", "[User]: ab"},
		{"alone", `{"role":"user","content":[{"type":"image","mimeType":"image/png","data":"AAAA"}]}`, "[User]: [Image: image/png, 3 bytes]", ""},
		{"two", `{"role":"user","content":[{"type":"image","mimeType":"image/png","data":"AAAAAAA="},{"type":"image","mimeType":"image/gif","data":"AAAA"}]}`, "[User]: [Image: image/png, 5 bytes]\n[Image: image/gif, 3 bytes]", ""},
		{"white space, no padding", `{"role":"user","content":[{"type":"image","mimeType":"image/png","data":"AA\/\r\n+_AA\n"}]}`, "[User]: [Image: image/png, 5 bytes]", ""},
		{"stored elsewhere", `{"role":"user","content":[{"type":"image","mimeType":"image/png","data":"blob:sha256:00"}]}`, "[User]: [Image: image/png]", ""},
		{"no type", `{"role":"user","content":[{"type":"image","data":"AAAA"}]}`, "[User]: [Image: 3 bytes]", ""},
		{"nothing known", `{"role":"user","content":[{"type":"image"}]}`, "[User]: [Image]", ""},
		{"result", `{"role":"toolResult","content":[{"type":"image","mimeType":"image/png","data":"AAAA"},{"type":"text","text":"r"}]}`, "[Tool result]: r\n[Image: image/png, 3 bytes]", "[Tool result]: r"},
		{"assistant", `{"role":"assistant","content":[{"type":"image","mimeType":"image/png","data":"AAAA"},{"type":"toolCall","id":"1","name":"f","arguments":{}}]}`, "[Assistant]: [Image: image/png, 3 bytes]\n\n[Assistant tool calls]: f()", "[Assistant tool calls]: f()"},
		{"custom", `{"role":"custom","customType":"x","content":[{"type":"image","mimeType":"image/png","data":"AAAA"}]}`, "[User]: [Image: image/png, 3 bytes]", ""},
	} {
		m := session.NewMessage(c.message)
		if got := asked(t, compact.PromptOptions{}, m); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if got := compact.Serialize([]session.Message{m}); got != c.plain {
			t.Errorf("%s: Serialize %q, want %q", c.name, got, c.plain)
		}
	}
}

// TestImageNotesCorpus: but for the notes, a request has the text that pi has.
func TestImageNotesCorpus(t *testing.T) {
	t.Parallel()
	messages := convo.MessagesOf(convo.Project(leafPath(t, corpus.Session(t, "pi/sessions/linear.jsonl"))))
	got := asked(t, compact.PromptOptions{MaxPrompt: compact.HardMaxPrompt}, messages...)
	notes := 0
	var lines []string
	for line := range strings.Lines(got) {
		if strings.HasPrefix(line, "[Image: image/") {
			notes++
			continue
		}
		lines = append(lines, line)
	}
	if notes == 0 || strings.Count(got, "[Image: image/") != notes {
		t.Fatalf("%d notes on lines of their own in:\n%s", notes, got)
	}
	if want := compact.Serialize(messages); strings.Join(lines, "") != want {
		t.Errorf("without the notes:\n%s\nwant\n%s", strings.Join(lines, ""), want)
	}
}

// TestResultLimit: results alone are cut, and only as far as asked for.
func TestResultLimit(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("😀", 2000) // 4000 units
	messages := []session.Message{
		session.NewMessage(`{"role":"user","content":"` + text + `"}`),
		session.NewMessage(`{"role":"toolResult","content":[{"type":"text","text":"` + text + `"},{"type":"image"}]}`),
	}
	for limit, want := range map[int]string{
		0:    text[:4*1000] + "\n\n[... 2000 more characters truncated]\n[Image]",
		3:    "😀\n\n[... 3997 more characters truncated]\n[Image]",
		4000: text + "\n[Image]",
		-1:   text + "\n[Image]",
	} {
		want = "[User]: " + text + "\n\n[Tool result]: " + want
		if got := asked(t, compact.PromptOptions{ResultLimit: limit}, messages...); got != want {
			t.Errorf("limit %d: %q, want %q", limit, got, want)
		}
	}
}
