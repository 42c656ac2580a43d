package summarize

import "testing"

func TestOverflows(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text string
		want bool
	}{
		{"This model's maximum context length is 128000 tokens.", true},
		{`{"code":"context_length_exceeded"}`, true},
		{"input exceeds the Context Window", true},
		{"model_context_window_exceeded", true},
		{"Prompt is too long", true},
		{"prompt too long; exceeded max context length", true},
		{"the request was too large", true},
		{"too many tokens: 210000", true},
		{"too many input tokens", true},
		{"request exceeds the available size, try a lower limit", true},
		{"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", true},
		{"input: max 1,048,576 characters", true},
		{"error: stdin exceeds the 10 MB limit", true},
		{"first line\nprompt is too long", true},

		{"", false},
		{"401 invalid x-api-key", false},
		{"429 rate limit exceeded", false},
		{"This request would exceed your account's rate limit", false},
		{"exceeded the limit of 40,000 input tokens per minute", false},
		{"Too many tokens, please wait before trying again.", false},
		{"You exceeded your current quota, limit 0", false},
		{"exceeded the time limit", false},
		{"context deadline exceeded", false},
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
		tl.add([]byte(s))
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
