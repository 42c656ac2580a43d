package metering_test

import (
	"strings"
	"testing"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/metering"
)

// priceOf returns what a usage of the format says of its price.
func priceOf(usage string) (p metering.Price) {
	for name, v := range js.Value(usage).Members() {
		p.Add(name, v)
	}
	return p
}

// TestUsageKeepsPrices: what decides a price comes through, the usual does not, and what nobody knows is
// kept by its path.
func TestUsageKeepsPrices(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		usage string // beside counters of Anthropic's
		want  metering.Price
	}{
		{`"service_tier":"standard","speed":"standard","inference_geo":"not_available","server_tool_use":{"web_search_requests":0,"web_fetch_requests":4},"cache_creation":{"ephemeral_5m_input_tokens":7}`, metering.Price{}},
		{`"service_tier":"batch"`, metering.Price{Tier: "batch"}},
		{`"speed":"fast","inference_geo":"us"`, metering.Price{Speed: "fast", Geo: "us"}},
		{`"server_tool_use":{"web_search_requests":3}`, metering.Price{Searches: 3}},
		{`"speed":"warp"`, metering.Price{Speed: "warp"}},
		{`"iterations":[{"type":"message","input_tokens":1}]`, metering.Price{}},
		{`"iterations":[{"type":"message"},{"type":"advisor_message","input_tokens":1}]`, metering.Price{Unknown: "iterations"}},
		{`"fallback_credit":null,"new":0,"newer":{"a":[],"b":{"c":""}},"newest":false`, metering.Price{}},
		{`"server_tool_use":{"code_execution_hours":0.5},"x":"y"`, metering.Price{Unknown: "server_tool_use.code_execution_hours,x"}},
	} {
		full, err := metering.UsageOf(`{"input_tokens":9,"output_tokens":1,` + tt.usage + `}`)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := priceOf(full); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.usage, got, tt.want)
		}
	}
	// A usage of the format is looked at as it is.
	for usage, want := range map[string]metering.Price{
		`{"input":1,"cost":{"total":1},"premiumRequests":2,"orchestrationInput":3}`: {},
		`{"input":1,"serviceTier":"Priority"}`:                                      {Tier: "Priority"},
		`{"input":1,"warp":1,"unknown":{"a.b":2}}`:                                  {Unknown: "warp,a.b"},
	} {
		if got := priceOf(usage); got != want {
			t.Errorf("%s: %+v, want %+v", usage, got, want)
		}
	}
}

// FuzzPriceFields: a member with a number that is planted into a usage comes out as unknown, wherever it is, and
// the usage stays JSON.
func FuzzPriceFields(f *testing.F) {
	f.Add(`{"input_tokens":1,"output_tokens":2}`, "warp")
	f.Add(`{"promptTokenCount":1,"promptTokensDetails":[{"modality":"AUDIO","tokenCount":3}]}`, `a"b`)
	f.Fuzz(func(t *testing.T, usage, name string) {
		if !js.Valid([]byte(usage)) || !js.Value(usage).IsObject() || js.Member(usage, "cost") != "" {
			return
		}
		name = "zz" + strings.ToValidUTF8(name, "")
		full, err := metering.UsageOf(string(js.Value(usage).With(name, "3")))
		if err != nil {
			return
		}
		if !js.Valid([]byte(full)) {
			t.Fatalf("%s", full)
		}
		if p := priceOf(full); !strings.Contains(p.Unknown, name) {
			t.Errorf("%q of %s is not in %q", name, usage, p.Unknown)
		}
	})
}
