package prices

import (
	"regexp"
	"slices"
	"strings"
)

// others are the names that programs have for providers of the table.
var others = map[string]string{
	"amazon-bedrock": "aws", "bedrock": "aws",
	"azure-openai-responses": "azure", "azure-openai": "azure",
	"google-vertex": "google", "google-gemini-cli": "google", "google-antigravity": "google", "gemini": "google", "vertex": "google",
	"openai-codex": "openai", "openai-responses": "openai",
	"xai": "x-ai", "moonshot": "moonshotai", "moonshotai-cn": "moonshotai", "kimi-coding": "moonshotai",
	"minimax-cn": "minimax", "zai-coding-cn": "zai", "cloudflare-workers-ai": "cloudflare", "together-ai": "together",
	"claude": "anthropic",
}

// makers are the providers that sell models of their own, in the order in which they are
// asked for a model of which the provider is not known.
var makers = []string{"anthropic", "openai", "google", "x-ai", "mistral", "deepseek", "moonshotai", "zhipuai", "zai", "minimax", "cohere"}

// hosts are the providers that sell the models of makers at the makers' prices, where
// they ask none of their own.
var hosts = map[string][]string{
	"azure": {"openai", "anthropic", "deepseek", "x-ai", "moonshotai"}, "google": {"anthropic"}, "zai": {"zhipuai"},
}

// Find returns a model by the names that a session has for its provider and for it. The
// name is looked for as it is, then without a date, a version or a word like latest at
// its end, then without a region and the name of a maker in front; each may be an alias
// of the table. Nothing is guessed: a model of one provider is never priced as that of
// another. Without a provider, the makers of models are asked.
func (t *Table) Find(provider, model string) (*Model, bool) {
	provider = strings.ToLower(strings.TrimSpace(provider))
	model = strings.ToLower(strings.TrimSpace(model))
	if provider == "" {
		if maker, rest, ok := strings.Cut(model, "/"); ok && t.known(maker) != "" {
			provider, model = maker, rest
		}
	}
	among := makers
	if provider != "" {
		provider = t.known(provider)
		among = append([]string{provider}, hosts[provider]...)
	}
	for _, name := range spellings(model) {
		for _, p := range among {
			if m, ok := t.providers[p][name]; ok {
				return m, true
			}
		}
	}
	return nil, false
}

// known returns the name that the table has for a provider, "" for none.
func (t *Table) known(provider string) string {
	if has(t.providers, provider) {
		return provider
	}
	if name := others[provider]; has(t.providers, name) {
		return name
	}
	return ""
}

var (
	// version is what may stand behind a model's name: a date, or a word for the newest.
	version = regexp.MustCompile(`([-@:](20\d{6}|20\d\d-\d\d-\d\d|latest|default))(-v\d+(:\d+)?)?$`)
	// release is the version of a model at Bedrock.
	release = regexp.MustCompile(`-v\d+(:\d+)?$`)
	// region is what stands in front of one there.
	region = regexp.MustCompile(`^(global|us|us-gov|eu|apac|au|jp|ca|in)\.`)
	// maker is who made a model, in front of its name.
	maker = regexp.MustCompile(`^(anthropic|openai|google|amazon|meta|mistral|mistralai|deepseek|x-ai|xai|moonshotai|qwen|zai|minimax)[./]`)
	// size is a context that was asked for.
	size = regexp.MustCompile(`\[1m\]$`)
)

// spellings returns the names to look for, the nearest first.
func spellings(model string) []string {
	out := []string{model}
	for _, strip := range []*regexp.Regexp{size, region, version, release, maker, version, release} {
		if next := strip.ReplaceAllString(out[len(out)-1], ""); next != out[len(out)-1] && next != "" {
			out = append(out, next)
		}
	}
	return slices.Compact(out)
}
