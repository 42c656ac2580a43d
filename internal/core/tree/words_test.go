package tree

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
)

func TestText(t *testing.T) {
	t.Parallel()
	message := func(m string) string { return `{"type":"message","id":"a","message":` + m + `}` }
	tests := []struct{ name, line, kind, text string }{
		{"user", message(`{"role":"user","content":"hi\nthere"}`), "user", "hi\nthere"},
		{"blocks", message(`{"role":"user","content":[{"type":"text","text":"a"},{"type":"image"},{"type":"text","text":"b"}]}`), "user", "a\nb"},
		{"image", message(`{"role":"user","content":[{"type":"image"}]}`), "user", "[image]"},
		{"calls", message(`{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"toolCall","id":"1","name":"bash","arguments":{"command":"ls"}},{"type":"toolCall","id":"2","name":"read"}]}`), "assistant", "bash {\"command\":\"ls\"}\nread"},
		{"text before calls", message(`{"role":"assistant","content":[{"type":"toolCall","name":"bash"},{"type":"text","text":"look"}]}`), "assistant", "look"},
		{"thinking", message(`{"role":"assistant","content":[{"type":"thinking","thinking":"hm"}]}`), "assistant", "hm"},
		{"error", message(`{"role":"assistant","content":[],"errorMessage":"overloaded"}`), "assistant", "overloaded"},
		{"no content", message(`{"role":"user"}`), "user", ""},
		{"result", message(`{"role":"toolResult","content":[{"type":"text","text":"ok"}]}`), "toolResult", "ok"},
		{"bash", message(`{"role":"bashExecution","command":"make","output":"x"}`), "bashExecution", "$ make"},
		{"python", message(`{"role":"pythonExecution","code":"1+1","output":"2"}`), "pythonExecution", "1+1"},
		{"files", message(`{"role":"fileMention","files":[{"path":"a.go","content":"x"},7,{"path":"b.go"}]}`), "fileMention", "a.go\nb.go"},
		{"no files", message(`{"role":"fileMention","files":7}`), "fileMention", ""},
		{"no message", `{"type":"message","id":"a"}`, "message", ""},
		{"message without role", message(`{"content":"x"}`), "message", "x"},
		{"custom message", `{"type":"custom_message","customType":"k","content":"note","id":"a"}`, "custom_message", "note"},
		{"compaction", `{"type":"compaction","id":"a","summary":"## Goal"}`, "compaction", "## Goal"},
		{"branch summary", `{"type":"branch_summary","id":"a","summary":"left"}`, "branch_summary", "left"},
		{"model", `{"type":"model_change","id":"a","provider":"p","modelId":"m"}`, "model_change", "m"},
		{"model of oh-my-pi", `{"type":"model_change","id":"a","model":"p/m"}`, "model_change", "p/m"},
		{"label", `{"type":"label","id":"a","targetId":"b","label":"l"}`, "label", "l"},
		{"session init", `{"type":"session_init","id":"a","systemPrompt":"be good","task":""}`, "session_init", "be good"},
		{"tier that is no text", `{"type":"service_tier_change","id":"a","serviceTier":{}}`, "service_tier_change", ""},
		{"unknown", `{"type":"x","id":"a","text":"y"}`, "x", ""},
		{"no type", `{"id":"a"}`, "(no type)", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := read(t, tt.line).Entries[0]
			if got := convo.Kind(e); got != tt.kind {
				t.Errorf("kind %q, want %q", got, tt.kind)
			}
			if got := convo.Say(e); got != tt.text {
				t.Errorf("text %q, want %q", got, tt.text)
			}
		})
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{"empty", "", ""},
		{"space", " \t\n\u2028\u0085\u3000", ""},
		{"lines", "  one\r\n\ttwo\n\nthree ", "one two three"},
		{"sixty", strings.Repeat("x", 60), strings.Repeat("x", 60)},
		{"sixty and space", strings.Repeat("x", 60) + " \n", strings.Repeat("x", 60)},
		{"sixty-one", strings.Repeat("x", 61), strings.Repeat("x", 60) + "…"},
		{"characters, not bytes", strings.Repeat("ü", 61), strings.Repeat("ü", 60) + "…"},
		{"cut at a space", strings.Repeat("x", 59) + " yz", strings.Repeat("x", 59) + "…"},
		{"escape sequences", "\x1b[31mred\a", `\x1b[31mred\x07`},
		{"an escape is not cut in two", strings.Repeat("x", 58) + "\x1b", strings.Repeat("x", 58) + "…"},
		{"bidi", "a\u202eb\u2066", `a\u202eb\u2066`},
		{"C1", "a\u009b1m", `a\u009b1m`},
		{"not UTF-8", "a\xffb", "a\ufffdb"},
		{"lone surrogate", "a\xed\xa0\x80b", "a\ufffdb"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := words(tt.text, "…"); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// FuzzWords: what is shown is clean, on one line, of bounded length, has no
// double spaces and none at its ends, and is the text itself if that is so
// already.
func FuzzWords(f *testing.F) {
	for _, s := range []string{"", "a b", " a\n\nb ", "\x1b]0;x\a", strings.Repeat("é ", 70), "\xff\xfe", "\u202e", strings.Repeat("##[x]", 13), "::x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := words(s, "…")
		switch {
		case tty.Clean(got) != got:
			t.Errorf("%q is not clean", got)
		case utf8.RuneCountInString(strings.NewReplacer(`\x5b`, "[", `\x3a`, ":").Replace(got)) > maxWords+1:
			t.Errorf("%q is too long", got)
		case strings.Join(strings.Fields(got), " ") != got:
			t.Errorf("%q has needless space", got)
		}
		if plain := strings.Join(strings.Fields(s), " "); js.ValidText(s) == s && tty.Clean(plain) == plain {
			if utf8.RuneCountInString(plain) <= maxWords && got != plain {
				t.Errorf("got %q of %q", got, plain)
			}
			if text, cut := strings.CutSuffix(got, "…"); cut && !strings.HasPrefix(plain, text) {
				t.Errorf("%q is no beginning of %q", got, plain)
			}
		}
	})
}

func TestCount(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{
		0: "0 tokens", 1: "1 token", 2: "2 tokens", 999: "999 tokens", 1000: "1,000 tokens",
		34567: "34,567 tokens", 123456: "123,456 tokens", 1234567: "1,234,567 tokens",
	} {
		if got := tty.Count(n, "token", "tokens"); got != want {
			t.Errorf("%d: got %q", n, got)
		}
	}
}
