package view_test

import (
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/show/view"
	"github.com/sess-tools/sess/pkg/session"
)

// A reply that failed does not read as a whole one.
func TestFailedReplies(t *testing.T) {
	t.Parallel()
	messages := []session.Message{
		session.NewMessage(`{"role":"assistant","content":[{"type":"text","text":"half"}],"stopReason":"error","errorMessage":"status 3"}`),
		session.NewMessage(`{"role":"assistant","content":[],"stopReason":"aborted"}`),
		session.NewMessage(`{"role":"assistant","content":[{"type":"text","text":"whole"}],"stopReason":"stop"}`),
	}
	var text, markdown strings.Builder
	if err := view.Text(&text, messages); err != nil {
		t.Fatal(err)
	}
	if err := view.Markdown(&markdown, messages); err != nil {
		t.Fatal(err)
	}
	if want := "assistant: half\nerror: status 3\n\nassistant:\naborted:\n\nassistant: whole\n"; text.String() != want {
		t.Errorf("text %q, want %q", text.String(), want)
	}
	if want := "## Assistant\n\nhalf\n\n[error: status 3]\n\n## Assistant\n\n[aborted]\n\n## Assistant\n\nwhole\n"; markdown.String() != want {
		t.Errorf("markdown %q, want %q", markdown.String(), want)
	}
}
