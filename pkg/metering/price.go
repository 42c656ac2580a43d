package metering

import (
	"slices"
	"strings"
	"sync"

	"github.com/sess-tools/sess/pkg/js"
)

// A Price is what a usage says, beside its counters, of what the call costs.
type Price struct {
	Tier     string // of service, "" for the usual one
	Speed    string // "fast", "" for the usual one
	Geo      string // the region that the model was to run in, such as "us", "" for any
	Searches int64  // of the web, each of which costs
	Parts    int64  // tokens of the calls that the source of a session has, if that has a total which is less
	Total    int64  // that total
	Unknown  string // names of members that no table here has, with commas between: of such a call the cost is not known
}

// The members of a usage of the format that decide a price, and the one with members that are not known.
const (
	PriceTier     = "serviceTier"
	PriceSpeed    = "speed"
	PriceGeo      = "inferenceGeo"
	PriceSearches = "webSearchRequests"
	PriceUnknown  = "unknown"
)

// UsageTotals is the member of a usage which says that the total that the source of a session has is not the sum of its
// calls: {"parts":N,"total":N}, in tokens. A usage entry that has it and no tokens is no call.
const UsageTotals = "totals"

// usualTier reports whether a service tier changes no price.
func usualTier(tier string) bool {
	return slices.Contains([]string{"", "standard", "default", "auto", "on_demand"}, strings.ToLower(tier))
}

// Add takes a member of a usage of the format into account. A member that is neither known, nor null,
// false, 0 or empty, makes the cost unknown: it may be a discount, a surcharge or a second bill.
func (p *Price) Add(name string, v js.Value) {
	switch name {
	case PriceTier:
		if p.Tier = strings.Clone(v.Str()); usualTier(p.Tier) {
			p.Tier = ""
		}
	case PriceSpeed:
		if p.Speed = strings.Clone(v.Str()); p.Speed == "standard" {
			p.Speed = ""
		}
	case PriceGeo:
		if p.Geo = strings.Clone(v.Str()); p.Geo == "global" || p.Geo == "not_available" {
			p.Geo = ""
		}
	case PriceSearches:
		p.Searches = max(0, v.Int())
	case UsageTotals:
		p.Parts, p.Total = max(0, v.Get("parts").Int()), max(0, v.Get("total").Int())
	case PriceUnknown:
		for name := range v.Members() {
			p.know(name)
		}
	default:
		if !counted()[name] && !saysNothing(v) {
			p.know(name)
		}
	}
}

// know takes note of a member that is not known.
func (p *Price) know(name string) {
	if p.Unknown != "" {
		name = "," + name
	}
	p.Unknown += strings.Clone(name) // which may be borrowed: adding to an empty text copies nothing
}

// Without returns p as if the members called by names said nothing.
func (p Price) Without(names []string) Price {
	unknown := p.Unknown
	p.Unknown = ""
	for name := range strings.SplitSeq(unknown, ",") {
		if name != "" && !slices.Contains(names, name) {
			p.know(name)
		}
	}
	for _, name := range names {
		switch name {
		case PriceTier:
			p.Tier = ""
		case PriceSpeed:
			p.Speed = ""
		case PriceGeo:
			p.Geo = ""
		case PriceSearches:
			p.Searches = 0
		}
	}
	return p
}

// counted are the members of a usage of the format, pi's and oh-my-pi's, that are counted or known to cost
// nothing. A premium request of Copilot is paid by the month.
var counted = sync.OnceValue(func() map[string]bool {
	return set(`input output cacheRead cacheWrite cacheWrite1h reasoning reasoningTokens totalTokens cost
	orchestrationInput orchestrationOutput orchestrationCacheRead orchestrationCacheWrite premiumRequests`)
})

// PriceFields returns what decides a price in a usage as an API or an agent reports it, as members of a
// usage of the format: none where all is as usual. Those that are not known are in a member of their own,
// each by its path: see [Price.Add].
func PriceFields(reported js.Value) []js.Field {
	var fields, unknown []js.Field
	var walk func(v js.Value, under string)
	walk = func(v js.Value, under string) {
		for name, v := range v.Members() {
			path := under + name
			switch {
			case reportedPrice[path] != "":
				if own := reportedPrice[path]; !saysNothing(v) && !isUsual(own, v) {
					fields = append(fields, js.RawField(own, v))
				}
			case reportedCounts()[path] || saysNothing(v) || areCounted(path, v):
			case v.IsObject():
				walk(v, path+".")
			default:
				unknown = append(unknown, js.RawField(path, v))
			}
		}
	}
	if walk(reported, ""); len(unknown) > 0 {
		fields = append(fields, js.RawField(PriceUnknown, js.Object(unknown...)))
	}
	return fields
}

// areCounted reports whether the elements of a list are counted elsewhere, at the usual price: requests of a reply that
// are no other than its own, and tokens of a kind that costs what text does.
func areCounted(path string, list js.Value) bool {
	member, usual := "modality", []string{"TEXT"}
	switch path {
	case "iterations":
		member, usual = "type", []string{"message"}
	case "promptTokensDetails", "cacheTokensDetails", "toolUsePromptTokensDetails":
		usual = []string{"TEXT", "IMAGE", "VIDEO", "DOCUMENT"}
	case "candidatesTokensDetails":
	default:
		return false
	}
	for v := range list.Elements() {
		if !slices.Contains(usual, v.Get(member).Str()) {
			return false
		}
	}
	return true
}

// isUsual reports whether a member that decides a price says that the price is the usual one.
func isUsual(name string, v js.Value) bool {
	var p Price
	p.Add(name, v)
	return p == Price{}
}

// reportedPrice are the members of reported usage that decide a price, and how the format calls them.
var reportedPrice = map[string]string{
	"service_tier": PriceTier, "serviceTier": PriceTier, "speed": PriceSpeed, "inference_geo": PriceGeo,
	"server_tool_use.web_search_requests": PriceSearches, "webSearchRequests": PriceSearches,
}

// reportedCounts are the members of reported usage, by their paths, that are counted, or are known to
// cost nothing besides: parts and sums of counters, times, and the pages that Anthropic's API fetches, which
// are free. The lists are those of the APIs' references,
// and of the agents' sources.
var reportedCounts = sync.OnceValue(func() map[string]bool {
	return set(`
	input_tokens output_tokens total_tokens cache_read_input_tokens cache_creation_input_tokens cache_write_input_tokens
	cached_input_tokens reasoning_output_tokens input_tokens_details.cached_tokens output_tokens_details.reasoning_tokens
	output_tokens_details.thinking_tokens cache_creation.ephemeral_5m_input_tokens cache_creation.ephemeral_1h_input_tokens
	server_tool_use.web_fetch_requests
	prompt_tokens completion_tokens prompt_cache_hit_tokens prompt_cache_miss_tokens cached_tokens num_cached_tokens reasoning_tokens
	prompt_tokens_details.cached_tokens prompt_tokens_details.cache_write_tokens prompt_tokens_details.text_tokens
	completion_tokens_details.reasoning_tokens completion_tokens_details.text_tokens
	completion_tokens_details.accepted_prediction_tokens completion_tokens_details.rejected_prediction_tokens
	queue_time prompt_time completion_time total_time
	promptTokenCount candidatesTokenCount totalTokenCount cachedContentTokenCount thoughtsTokenCount toolUsePromptTokenCount
	input output reasoning total cached thoughts tool cache.read cache.write
	inputOther inputCacheRead inputCacheCreation input_other input_cache_read input_cache_creation
	inputTokens outputTokens cacheReadTokens cacheWriteTokens reasoningTokens totalTokens
	cachedReadTokens cachedWriteTokens cacheCreationTokens thoughtTokens modelCalls apiDurationMs numTurns
	thinkingTokens cacheCreationEphemeral5mInputTokens cacheCreationEphemeral1hInputTokens
	cacheReadInputTokens cacheCreationInputTokens contextWindow maxOutputTokens costUSD cost cost_details cost_in_usd_ticks is_byok`)
})

// saysNothing reports whether a value is null, false, 0, or empty all through.
func saysNothing(v js.Value) bool {
	switch v {
	case "", "null", "false", `""`, "[]", "{}":
		return true
	}
	if v.IsObject() {
		for _, inner := range v.Members() {
			if !saysNothing(inner) {
				return false
			}
		}
		return true
	}
	return v.IsNumber() && v.Float() == 0
}

// set returns the words of a text.
func set(words string) map[string]bool {
	m := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		m[word] = true
	}
	return m
}
