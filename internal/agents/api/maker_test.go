package api_test

import (
	"testing"

	"github.com/sess-tools/sess/internal/agents/api"
)

// Only a model of Anthropic's has Anthropic for its provider, by whatever name a cloud calls it.
func TestAnthropicProvider(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]string{
		"claude-opus-4-6": "anthropic", "claude-sonnet-4-5-20250929": "anthropic", "claude-opus-4-6[1m]": "anthropic", "Claude-2.1": "anthropic", "claude-instant-1": "anthropic",
		"us.anthropic.claude-sonnet-4-5-20250929-v1:0": "anthropic", "anthropic.claude-opus-5": "anthropic", "claude-opus-4-1@20250805": "anthropic",
		"arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-haiku-4-5": "anthropic", "anthropic/claude-haiku-4.5": "anthropic", "openrouter:claude-opus-5": "anthropic",
		"<synthetic>": "anthropic", "anthropic.next-1": "anthropic",
		"glm-5.2": "", "kimi-k3": "", "deepseek-v4-pro": "", "minimax-m2.7": "", "gpt-5.5": "", "": "", "qwen3-coder": "", "notclaude-1": "", "my-claude-like": "",
		"arn:aws:bedrock:us-east-1:1:application-inference-profile/abc": "",
	} {
		if got := api.AnthropicProvider(model); got != want {
			t.Errorf("%s: %q, want %q", model, got, want)
		}
	}
}
