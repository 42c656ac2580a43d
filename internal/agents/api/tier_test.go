package api_test

import (
	"testing"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/pkg/js"
)

// The service tier of a response decides what its tokens cost, and is kept with them.
func TestTierOfAResponse(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"service_tier":"flex","output":[],"usage":{"input_tokens":1,"output_tokens":2}}`:    "flex",
		`{"service_tier":"default","output":[],"usage":{"input_tokens":1,"output_tokens":2}}`: "",
		`{"output":[],"usage":{"input_tokens":1,"output_tokens":2}}`:                          "",
	} {
		if got := js.Value(api.Mapping{}.Response(js.Value(in)).Get("usage")).Get("serviceTier").Str(); got != want {
			t.Errorf("%s: %q", in, got)
		}
	}
	chat := `{"service_tier":"priority","choices":[{"message":{"role":"assistant","content":"x"}}],"usage":{"prompt_tokens":1,"completion_tokens":2}}`
	if got := js.Value(api.Mapping{}.Completion(js.Value(chat)).Get("usage")).Get("serviceTier").Str(); got != "priority" {
		t.Errorf("%q", got)
	}
}
