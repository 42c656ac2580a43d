package cli

import (
	"strings"
	"testing"
)

// FuzzFill: a text that is broken has the same words, and no line is wider than the page unless it is one word.
func FuzzFill(f *testing.F) {
	for _, seed := range []struct {
		text       string
		width, ind int
	}{
		{"add a message of ROLE: user (default), assistant, system, toolResult, …", 40, 8},
		{"", 10, 0},
		{"  two spaces  in front", 12, 4},
		{"日本語 の 見出し と words", 9, 2},
		{"https://example.com/a/long/address that is alone", 20, 6},
	} {
		f.Add(seed.text, seed.width, seed.ind)
	}
	f.Fuzz(func(t *testing.T, text string, width, indent int) {
		width, indent = 1+(width&0x7f), indent&0x1f
		if strings.ContainsAny(text, "\n\r\t\v\f\u0085\u00a0") {
			return // a message is one line, and clean
		}
		p := &page{width: width}
		p.WriteString(strings.Repeat("x", indent))
		p.fill(text, indent, indent)
		got, ok := strings.CutPrefix(p.String(), strings.Repeat("x", indent))
		if !ok || strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(text), " ") {
			t.Fatalf("%q is not %q", got, text)
		}
		for i, line := range strings.Split(strings.TrimSuffix(got, "\n"), "\n") {
			at := columns(line)
			if i == 0 {
				at += indent
			}
			if at > width && len(strings.Fields(line)) > 1 {
				t.Errorf("%d columns of %d: %q", at, width, line)
			}
		}
	})
}
