package api

import (
	"strings"

	"github.com/sess-tools/sess/pkg/js"
)

// Anthropic is the provider of Anthropic's models.
const Anthropic = "anthropic"

// AnthropicProvider returns [Anthropic] for a model of Anthropic's, by the names that its API, Bedrock, Vertex and gateways have
// for those (claude-opus-4-6, us.anthropic.claude-sonnet-4-5-v1:0, anthropic/claude-haiku-4.5), and "" for any other: programs of Anthropic's
// talk to the endpoints of other makers as well, and no file says whose it was. Claude Code's own <synthetic> is no other maker's.
func AnthropicProvider(model string) string {
	model = strings.ToLower(model)
	for at := 0; ; {
		i := strings.Index(model[at:], "claude")
		if i < 0 {
			break
		}
		if at += i; at == 0 || strings.IndexByte("/.:@", model[at-1]) >= 0 {
			return Anthropic
		}
		at++
	}
	if strings.HasPrefix(model, "anthropic.") || strings.HasPrefix(model, "anthropic/") || model == "<synthetic>" {
		return Anthropic
	}
	return ""
}

// UsageProvider is the provider of a usage entry of a model, which has to have one.
func UsageProvider(model string) string {
	if provider := AnthropicProvider(model); provider != "" {
		return provider
	}
	return "unknown"
}

// ProviderField is the member of a reply that names its provider, absent if that is not known.
func ProviderField(model string) js.Field { return Str("provider", AnthropicProvider(model)) }
