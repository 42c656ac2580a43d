package command

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestWithoutPrompt(t *testing.T) {
	t.Parallel()
	const prompt = "alpha beta gamma delta epsilon zeta\neta theta iota kappa lambda mu nu xi omicron\n"
	tests := []struct{ name, text, want string }{
		{"nothing common", "error: no such model", "error: no such model"},
		{"a common phrase", "error: alpha beta gamma\n", "error: alpha beta gamma\n"},
		{"whole", "a\n" + prompt + "b", "a\n[prompt left out]\nb"},
		{"twice in a row", "a\n" + prompt + prompt + "b", "a\n[prompt left out]\nb"},
		{"beginning missing", "silon zeta\neta theta iota kappa lambda\nb", "[prompt left out]\nb"},
		{"one line, quoted", `bad "alpha beta gamma delta epsilon zeta"!`, `bad "[prompt left out]"!`},
		{"wrapped and indented", "  alpha beta\n  gamma delta\n  epsilon zeta\nb", "  [prompt left out]\nb"},
		{"white space lost", "alphabetagammadeltaepsilon", "[prompt left out]"},
		{"blank", " \n", " \n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := withoutPrompt(tt.text, essence(prompt)); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	t.Run("short prompt", func(t *testing.T) {
		t.Parallel()
		if got, want := withoutPrompt("got 'my password', why", essence("my password\n")), "got '[prompt left out]', why"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if got, want := withoutPrompt("a hint", essence("hi")), "a hint"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
	t.Run("inside a character", func(t *testing.T) { // \u00e9 is c3 a9, \u0129 is c4 a9
		t.Parallel()
		tail := strings.Repeat("0123456789", 3)
		if got, want := withoutPrompt("x\u0129"+tail, essence("\u00e9"+tail)), "x[prompt left out]"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
	t.Run("escape sequences in the prompt", func(t *testing.T) {
		t.Parallel()
		raw := "alpha beta \x1b[31mgamma\x1b[0m delta epsilon zeta"
		if got := withoutPrompt(plain(raw), essence(raw)); got != promptMark {
			t.Errorf("got %q", got)
		}
	})
}

// FuzzWithoutPrompt states that what is left shares no passage with the prompt,
// that the rest of the text is all there in its order, and that text without a
// common passage is untouched.
func FuzzWithoutPrompt(f *testing.F) {
	f.Add("a", strings.Repeat("0123456789 ", 5), "b", 3, 40)
	f.Add("\u00e9 ", "one two three four five six seven eight", "\n", 0, 99)
	f.Fuzz(func(t *testing.T, before, prompt, after string, from, to int) {
		from = max(0, min(from, len(prompt)))
		to = max(from, min(to, len(prompt)))
		text := plain(before + prompt[from:to] + after)
		source := essence(prompt)
		got := withoutPrompt(text, source)
		if !utf8.ValidString(got) {
			t.Errorf("%q is not UTF-8", got)
		}
		size := max(passageMin, min(passage, len(source)))
		pieces := strings.Split(got, promptMark)
		for _, piece := range pieces {
			p := squeeze(piece)
			for i := 0; i+size <= len(p); i++ {
				if strings.Contains(source, p[i:i+size]) && !strings.Contains(text, promptMark) {
					t.Errorf("withoutPrompt(%q, %q) = %q keeps %q", text, prompt, got, p[i:i+size])
				}
			}
		}
		if len(pieces) == 1 && got != text {
			t.Errorf("withoutPrompt(%q, %q) = %q without a mark", text, prompt, got)
		}
		rest := text
		for _, piece := range pieces {
			_, after, found := strings.Cut(rest, piece)
			if !found {
				t.Errorf("withoutPrompt(%q, %q) = %q invented or moved %q", text, prompt, got, piece)
				break
			}
			rest = after
		}
	})
}
