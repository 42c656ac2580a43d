package api_test

import (
	"testing"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// TestDocuments: a document leaves a note in a prompt and in a result, whichever API tells of it, and its loss is told.
func TestDocuments(t *testing.T) {
	t.Parallel()
	lost := 0
	m := api.Mapping{Lose: func(string, string, ...any) { lost++ }}
	for _, tt := range []struct{ anthropic, openai, want string }{
		{`{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"JVBERi0xLjQK"},"title":"spec.pdf"}`, "", "[document spec.pdf application/pdf, 9 bytes]"},
		{`{"type":"document","source":{"type":"url","url":"https://e.org/a.pdf"}}`, "", "[document https://e.org/a.pdf]"},
		{`{"type":"document"}`, "", "[document]"},
		{"", `{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,JVBERi0xLjQK"}}`, "[document a.pdf application/pdf, 9 bytes]"},
		{"", `{"type":"input_file","file_id":"file-1"}`, "[document file-1]"},
	} {
		lost = 0
		blocks := m.AnthropicContent(js.Value("["+tt.anthropic+"]"), false)
		if tt.openai != "" {
			blocks = m.ChatContent(js.Value("[" + tt.openai + "]"))
		}
		if got := session.NewBlock(blocks[0]).Str("text"); got != tt.want || lost != 1 {
			t.Errorf("%s%s: %q with %d losses, want %q", tt.anthropic, tt.openai, got, lost, tt.want)
		}
	}
}
