package aider_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/sess-tools/sess/internal/agents/aider"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/internal/test/must"
)

// Texts of lines that mean something to aider, and of all that ends a line.
var texts = rapid.Custom(func(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{
		"a", "word ", "\n", "\n\n", "# ", "> ", "#### ", ">", "####", "  ", "\t", "\r", "\r\n", "\f", "\u2028", "\u0085", "<blank>", "é", "\x00", "-------", "{", `{"a": 1}`,
	}), 0, 8).Draw(t, "parts"), "")
})

// Hostile sources are read or refused, with the file's name, and stay as they are.
func TestHostile(t *testing.T) {
	t.Parallel()
	history := must.Read(t, sample("sample1.md"))
	for name, text := range map[string]string{
		"empty": "", "blank": "\n\n \n", "no marker": "just words\n", "only a marker": "# aider chat started at 2025-06-14 09:32:41",
		"cut": history[:len(history)/2], "cut in a marker": history[:20], "NUL": "#### a\x00b\n\x00\x00\n" + history, "no UTF-8": "#### \xff\xfe\n\xc3\n" + history,
		"CRLF": strings.ReplaceAll(history, "\n", "\r\n"), "CR": strings.ReplaceAll(history, "\n", "\r"), "BOM": "\xef\xbb\xbf" + history,
		"deep": strings.Repeat("[", 100_000), "long line": "#### " + strings.Repeat("x", 1<<19),
		"no such day": strings.ReplaceAll(history, "06-14", "13-99"), "input": "\n# 2025-06-14 09:32:44\n+a\n# soon\nwords\n+b",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := formatstest.File(t, "f.md", text)
			for _, r := range formatstest.Import(t, aider.Aider, &formats.Source{Path: path}, false) {
				for _, l := range r.Losses {
					if !strings.HasPrefix(l.Where, path+":") {
						t.Errorf("lost at %s: %s", l.Where, l.What)
					}
				}
			}
		})
	}
}

// FuzzImport's laws: nothing panics; what is imported is a session, twice the same, without a loss if it is text.
func FuzzImport(f *testing.F) {
	for _, name := range []string{"sample1.md", "input.history"} {
		f.Add(must.Read(f, sample(name)))
	}
	f.Add("#### a\n# b\n#### c\n\n\n> d\n# aider chat started at 2025-06-14 09:32:41\n\n\n#### e\r\n")
	f.Add("\x1e")
	f.Add("{\n  \"a\": 1\n}\n\n#### hi\n\n{\"a\": 1}\n")
	f.Fuzz(func(t *testing.T, text string) { readable(t, text) })
}

// The same of histories of lines that mean something.
func TestDrawn(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		readable(t, strings.Join(rapid.SliceOfN(texts, 1, 6).Draw(rt, "lines"), "\n"))
	})
}

func readable(t *testing.T, text string) {
	for _, r := range formatstest.Import(t, aider.Aider, &formats.Source{Stdin: strings.NewReader(text)}, false) {
		for _, l := range r.Losses {
			if aider.Kind(text) == "chat" && utf8.ValidString(text) && l.Kind != formats.KindRole { // a reply to nobody
				t.Errorf("%q: lost %v", text, l)
			}
		}
	}
}
