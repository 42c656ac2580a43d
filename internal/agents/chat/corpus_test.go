package chat_test

import (
	"regexp"
	"testing"

	"github.com/sess-tools/sess/internal/agents/chat"
	"github.com/sess-tools/sess/internal/test/formatstest"
)

func TestLaws(t *testing.T) {
	t.Parallel()
	formatstest.Laws(t, chat.OpenAI, formatstest.Corpus{
		Sources: map[string]string{"request": openAI}, File: "chat.json", Whole: true,
		IDs: []*regexp.Regexp{regexp.MustCompile(`"tool_call_id":"([^"]+)"`)},
	})
}

func TestAnthropicLaws(t *testing.T) {
	t.Parallel()
	formatstest.Laws(t, chat.Anthropic, formatstest.Corpus{
		Sources: map[string]string{"request": anthropic}, File: "chat.json", Whole: true,
		IDs: []*regexp.Regexp{regexp.MustCompile(`"tool_use_id":"([^"]+)"`)},
	})
}
