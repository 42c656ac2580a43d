package command

import "testing"

func TestOverflows(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text string
		want bool
	}{
		// the programs
		{"ERROR: Codex ran out of room in the model's context window. Start a new thread or clear earlier history before retrying.", true},
		{"Input exceeds the maximum length of 1048576 characters.", true}, // codex
		{"Prompt is too long", true}, // claude
		{"Context limit reached \u00b7 /compact or /clear to continue", true},
		{"error: stdin exceeds the 10 MB limit", true},
		{"Error: prompt is too long: 213462 tokens > 200000 maximum", true}, // opencode, pi
		{"input: max 1,048,576 characters", true},

		// OpenAI, and what speaks its protocol
		{`{"error":{"message":"This model's maximum context length is 128000 tokens. However, your messages resulted in 150031 tokens.","code":"context_length_exceeded"}}`, true},
		{"This model's maximum context length is 128000 tokens.", true},
		{`{"code":"context_length_exceeded"}`, true},
		{"Your input exceeds the context window of this model. Please adjust your input and try again.", true},
		{"Invalid 'input[0].content[0].text': string too long. Expected a string with maximum length 10485760, but got a string with length 12582912 instead.", true},
		{`"code": "string_above_max_length"`, true},
		{"Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 40212.", true},
		{"Requested token count exceeds the model's maximum context length of 131072 tokens.", true},
		{"Input length (265330) exceeds model's maximum context length (262144).", true},
		{"This endpoint's maximum context length is 32768 tokens. However, you requested about 40210 tokens.", true},
		{"Input length 140000 exceeds the maximum allowed input length of 131072 tokens.", true},
		{"The input (33051 tokens) is longer than the model's context length (32769 tokens).", true},
		{"The decoder prompt (length 5120) is longer than the maximum model length of 4096.", true},
		{"This model's maximum prompt length is 131072 but the request contains 537812 tokens.", true},
		{"Please reduce the length of the messages or completion.", true},
		{"prompt token count of 140211 exceeds the limit of 128000", true},
		{"invalid params, context window exceeds limit (2013)", true},
		{"Your request exceeded model token limit: 262144 (requested: 300101)", true},
		{"Prompt has 120001 tokens, but the configured context size is 100000 tokens", true},
		{"Prompt contains 40960 tokens, too large for model with 32768 maximum context length", true},
		{`{"code":"1261","message":"Prompt too long"}`, true},
		{"InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]", true},
		{"model_context_window_exceeded", true},
		{"413 status code (no body)", true},

		// Anthropic, Google, Amazon, Cohere
		{"prompt is too long: 213462 tokens > 200000 maximum", true},
		{"input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens` and try again", true},
		{`413 {"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`, true},
		{"413 Request Entity Too Large", true},
		{"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", true},
		{"Request payload size exceeds the limit: 20971520 bytes.", true},
		{"ValidationException: Input is too long for requested model.", true},
		{"too many tokens: total number of tokens in the prompt cannot exceed 128000", true},

		// local models
		{"the request exceeds the available context size, try increasing it", true},
		{"the number of tokens to keep from the initial prompt is greater than the context length", true},
		{"prompt too long; exceeded max context length by 4096 tokens", true},
		{"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens", true},
		{"Input validation error: `inputs` must have less than 1024 tokens. Given: 2048", true},

		{"input exceeds the Context Window", true},
		{"the request was too large", true},
		{"messages are too long", true},
		{"above the maximum context", true},
		{"too many tokens: 210000", true},
		{"too many input tokens", true},
		{"Token limit exceeded", true},
		{"request exceeds the available size, try a lower limit", true},
		{"first line\nprompt is too long", true},

		{"", false},
		{"401 invalid x-api-key", false},
		{"429 rate limit exceeded", false},
		{"413", false},
		{"This request would exceed your account's rate limit", false},
		{"exceeded the limit of 40,000 input tokens per minute", false},
		{"ThrottlingException: Too many tokens, please wait before trying again.", false},
		{"429 Too Many Requests", false},
		{"exceeded retry limit, last status: 429 Too Many Requests", false},
		{"You exceeded your current quota, limit 0", false},
		{"Daily token limit exceeded", false},
		{"You have exceeded your monthly limit", false},
		{"exceeded the weekly limit", false},
		{"exceeded the hourly limit", false},
		{"You have exceeded your usage limit", false},
		{"Throttled: too many tokens", false},
		{"Too many tokens, try again later", false},
		{"Too many tokens. Please wait.", false},
		{"exceeded the maximum number of retries", false},
		{"exceeded the limit of your credit", false},
		{"exceeded the limit, see your billing page", false},
		{"exceeded the maximum budget of 5 USD", false},
		{"exceeded the spending limit", false},
		{"exceeded the limit of concurrent connections", false},
		{"429 limit of 100000 tokens exceeded", false},
		{"exceeded the time limit", false},
		{"context deadline exceeded", false},
		{"API Error: Claude's response exceeded the 32000 output token maximum.", false},
		{"API Error: 529 overloaded_error", false},
		{"Argument list too long", false},
		{"sendto: Message too long", false},
		{"File name too long", false},
		{"exceeds the\nlimit", false},
	}
	for _, tt := range tests {
		if got := overflows(tt.text); got != tt.want {
			t.Errorf("overflows(%q) = %v", tt.text, got)
		}
	}
}

func TestReasonString(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for r := NotStarted; r <= Recursion; r++ {
		if s := r.String(); s == "" || seen[s] {
			t.Errorf("reason %d is %q", int(r), s)
		}
		seen[r.String()] = true
	}
	for _, r := range []Reason{-1, 0, Recursion + 1} {
		if s := r.String(); len(s) < len("reason 0") || s[:7] != "reason " {
			t.Errorf("unknown reason %d is %q", int(r), s)
		}
	}
}

func TestNotes(t *testing.T) {
	t.Parallel()
	tl := tail{max: 8}
	for _, s := range []string{"one\n", "two\n", "three\n", "four\n"} {
		_, _ = tl.Write([]byte(s))
	}
	tl.trim()
	if got := string(tl.buf); got != "ee\nfour\n" || !tl.cut {
		t.Errorf("tail %q, cut %v", got, tl.cut)
	}
	if got := (outcome{stderr: tl}).notes(); got != "four" {
		t.Errorf("notes %q, want the whole lines", got)
	}
}

func TestFirstAndLastBytes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		s           string
		n           int
		first, last string
	}{
		{"abc", 3, "abc", "abc"},
		{"abcd", 3, "abc", "bcd"},
		{"\u4e2d\u4e2d", 4, "\u4e2d", "\u4e2d"},
		{"\u4e2d", 2, "", ""},
		{"ab\ncd", 4, "ab\nc", "cd"},
		{"abc\n", 3, "abc", "bc\n"},
	} {
		if got := firstBytes(tt.s, tt.n); got != tt.first {
			t.Errorf("firstBytes(%q, %d) = %q, want %q", tt.s, tt.n, got, tt.first)
		}
		if got := lastBytes(tt.s, tt.n); got != tt.last {
			t.Errorf("lastBytes(%q, %d) = %q, want %q", tt.s, tt.n, got, tt.last)
		}
	}
}
