package ansi_test

import (
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/core/ansi"
)

func TestAt(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]ansi.Sequence{
		"": {}, "x": {}, "é": {}, "\u0085x": {}, "\xc2": {},
		"\x1b":                  {Size: 1},
		"\x1b\nx":               {Kind: '\n', Size: 1},
		"\x1bé":                 {Kind: 0xc3, Size: 1},
		"\x1b7x":                {Kind: '7', Size: 2, Whole: true},
		"\x1b(Bx":               {Kind: '(', Body: "B", Size: 3, Whole: true},
		"\x1b(é":                {Kind: '(', Size: 2},
		"\x1b[1;31mx":           {Kind: '[', Body: "1;31m", Size: 7, Whole: true},
		"\u009b?25lx":           {Kind: '[', Body: "?25l", Size: 6, Whole: true},
		"\x1b[12":               {Kind: '[', Size: 4},
		"\x1b[1\u00e9":          {Kind: '[', Size: 3},
		"\x1b]0;a\tb\ax":        {Kind: ']', Body: "0;a\tb", Size: 8, Whole: true},
		"\x1bPq\x1b\\x":         {Kind: 'P', Body: "q", Size: 5, Whole: true},
		"\u009d0;t\u009cx":      {Kind: ']', Body: "0;t", Size: 7, Whole: true},
		"\x1b]0;t\x1b[1mx":      {Kind: ']', Size: 5},
		"\x1b]0;t\x18more\a":    {Kind: ']', Size: 5},
		"\x1b]0;t\u009b1mx\a":   {Kind: ']', Size: 5},
		"\x1b]no end of a text": {Kind: ']', Size: 18},
	} {
		if got := ansi.At(in); got != want {
			t.Errorf("%q: %+v, want %+v", in, got, want)
		}
	}
}

func TestStrip(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"": "", "a © é": "a © é", "\x1b[1ma\x1b[m": "a", "a\x1b]0;t\ab\u009b1mc": "abc", "x\x1b[12": "x\x1b[12", "\x1b\x1b[[m": "\x1bm",
	} {
		if got := ansi.Strip(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// Laws: a sequence is a part of the text; what is sure of it begins like it; one that is whole
// stays what it is, whatever stands behind it; and stripping leaves no other bytes than there were.
func FuzzAt(f *testing.F) {
	for _, s := range []string{"\x1b[1m", "\u009d0;t\u009c", "\x1b(", "\x1b]a\x1b\\b", "\xc2\x9b"} {
		f.Add(s, "x")
	}
	f.Fuzz(func(t *testing.T, s, more string) {
		q := ansi.At(s)
		if q.Size < 0 || q.Size > len(s) || q.Sure() > q.Size || (q.Sure() == 0) != (q.Size == 0) {
			t.Fatalf("%q: %+v, sure %d", s, q, q.Sure())
		}
		if q.Whole && ansi.At(s+more) != q {
			t.Errorf("%q and %q: %+v, was %+v", s, more, ansi.At(s+more), q)
		}
		if got := ansi.Strip(s + more); len(got) > len(s+more) || strings.IndexByte(s+more, 0x1b) < 0 && strings.IndexByte(s+more, 0xc2) < 0 && got != s+more {
			t.Errorf("%q: %q", s+more, got)
		}
	})
}
