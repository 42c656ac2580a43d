package command

import (
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestPlain(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"untouched", "a\tb\n\u00e9\u4e2d\U0001f600\u2028 \ufeffx", "a\tb\n\u00e9\u4e2d\U0001f600\u2028 \ufeffx"},
		{"colour", "a\x1b[38;5;1mb\x1b[mc", "abc"},
		{"private mode", "\x1b[?25lx\x1b[?25h", "x"},
		{"intermediate byte", "\x1b[4 qx", "x"},
		{"CSI without end", "x\x1b[12", "x12"},
		{"CSI broken by text", "x\x1b[1\u00e9", "x1\u00e9"},
		{"C1 CSI", "a\u009b31mb", "ab"},
		{"OSC with BEL", "\x1b]0;t\ax", "x"},
		{"OSC with ST", "\x1b]8;;u\x1b\\x\x1b]8;;\x1b\\", "x"},
		{"OSC with C1 ST", "\u009d0;t\u009cx", "x"},
		{"OSC without end keeps the text", "\x1b]0;t\nnext line", "0;t\nnext line"},
		{"OSC broken by a sequence", "\x1b]0;t\x1b[1mx", "0;tx"},
		{"DCS", "\x1bP1$r0m\x1b\\x", "x"},
		{"character set", "\x1b(Bx", "x"},
		{"two-byte sequence", "\x1b7x\x1b8", "x"},
		{"lone ESC", "x\x1b", "x"},
		{"ESC before a control", "\x1b\nx", "\nx"},
		{"ESC before a character", "\x1b\u00e9", "\u00e9"},
		{"hidden ESC does not join", "\x1b\x00[31mx", "[31mx"},
		{"CRLF and lone CR", "a\r\nb\rc", "a\nbc"},
		{"NUL, BS, DEL, NEL", "a\x00b\bc\x7fd\u0085e", "abcde"},
		{"invalid bytes", "a\xff\xc3(\xed\xa0\x80", "a\ufffd\ufffd(\ufffd\ufffd\ufffd"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := plain(tt.in); got != tt.want {
				t.Errorf("plain(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestClean(t *testing.T) {
	t.Parallel()
	tests := []struct{ in, want string }{
		{"", ""},
		{" \n\t\n", ""},
		{"\ufeff", ""},
		{"\n\ufeff\n \n\ufeff  x \n y\t\n\n", "  x \n y"},
		{"\x1b[0m\ufeffx\u3000\u00a0", "x"},
		{"a\n\n\nb", "a\n\n\nb"},
	}
	for _, tt := range tests {
		if got := clean(tt.in); got != tt.want {
			t.Errorf("clean(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestBlank(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]bool{
		"": true, " \t\n": true, "\u200b\ufeff\u00a0\u2028": true, "\u00ad": true,
		".": false, " \ufffd": false, "\u4e2d": false,
	} {
		if got := blank(in); got != want {
			t.Errorf("blank(%q) = %v", in, got)
		}
	}
}

// BenchmarkClean has, besides prose, texts made to be slow: all take about the
// same time unless the rest of the text is searched from each of its bytes.
func BenchmarkClean(b *testing.B) {
	for _, unit := range []string{
		"the quick brown fox\n", "\x1b", "\x1b[", "\x1b[1", "\x1b]", "\x1b]x", "\x1bP\x1b", "\x1b(", "\x1b ",
		"\u009d", "\u009d\u00e9", "\ufeff", "\ufeff\n", " \n", "\xc2",
	} {
		b.Run(strconv.Quote(unit), func(b *testing.B) {
			text := strings.Repeat(unit, 1<<20/len(unit))
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				clean(text)
			}
		})
	}
}

// FuzzClean states what every reply is: valid UTF-8 that no terminal obeys,
// trimmed, and a fixed point; and that text without controls is only trimmed.
func FuzzClean(f *testing.F) {
	for _, s := range []string{"", "\x1b[1mx\x1b]0;t\ay\r\n", "\u009b1m\u009dx\u009c", "\x1b\x1b[[m", "\ufeff\n\ufeff x \xff\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		got := clean(in)
		if !utf8.ValidString(got) {
			t.Errorf("clean(%q) = %q is not UTF-8", in, got)
		}
		if i := strings.IndexFunc(got, func(r rune) bool { return unicode.IsControl(r) && r != '\t' && r != '\n' }); i >= 0 {
			t.Errorf("clean(%q) = %q has a control character at %d", in, got, i)
		}
		if strings.TrimRightFunc(got, unicode.IsSpace) != got || strings.HasPrefix(got, "\n") || strings.HasPrefix(got, "\ufeff") {
			t.Errorf("clean(%q) = %q is not trimmed", in, got)
		}
		if again := clean(got); again != got {
			t.Errorf("clean(%q) = %q, and again %q", in, got, again)
		}
		if len(plain(in)) > 3*len(in) {
			t.Errorf("plain(%q) grew", in)
		}
		harmless := strings.ToValidUTF8(strings.Map(func(r rune) rune {
			if unicode.IsControl(r) {
				return -1
			}
			return r
		}, in), "")
		if got := plain(harmless); got != harmless {
			t.Errorf("plain(%q) = %q, has no controls to remove", harmless, got)
		}
	})
}
