package aider_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sess-tools/sess/internal/agents/aider"
	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/pkg/session"
)

// Texts of lines that mean something to aider, and of all that ends a line.
var texts = rapid.Custom(func(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{
		"a", "word ", "\n", "\n\n", "# ", "> ", "#### ", ">", "####", "  ", "\t", "\r", "\r\n", "\f", "\u2028", "\u0085", "<blank>", "é", "\x00", "-------", "{", `{"a": 1}`,
	}), 0, 8).Draw(t, "parts"), "")
})

// A law: what comes back of an export is what a model saw, each message with the
// same role and text, or a loss was told.
func TestExportImports(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var lines []string
		b := formats.NewBuilder("x", func(l string) error { lines = append(lines, l); return nil }, func(formats.Loss) {})
		if err := b.Header(session.HeaderFields{ID: "s", Time: 1767323045000, CWD: "/w"}); err != nil {
			t.Fatal(err)
		}
		var want []said
		for range rapid.IntRange(0, 6).Draw(t, "messages") {
			m := said{rapid.SampledFrom([]string{"user", "assistant"}).Draw(t, "role"), texts.Draw(t, "text")}
			message := api.User([]string{api.Text(m.Content)})
			if m.Role == "assistant" {
				message = api.Assistant([]string{api.Text(m.Content)})
			}
			if _, err := b.Message(formats.Place{}, message); err != nil {
				t.Fatal(err)
			}
			want = append(want, m)
		}
		s := formatstest.Parse(t, strings.Join(lines, "\n")+"\n")
		out, losses := formatstest.Export(t, aider.Aider, s, "")
		if len(losses) > 0 {
			return
		}
		back := reimport(t, out)
		if diff := cmp.Diff(rejoined(want), rejoined(back)); diff != "" {
			t.Fatalf("%s%q", diff, out)
		}
	})
}

// rejoined takes away what a history does not tell: white space around what is said,
// what says nothing, where a reply ends and the next begins, and which character
// ended a line.
func rejoined(messages []said) []said {
	var out []said
	ends := strings.NewReplacer("\r\n", "\n", "\r", "\n")
	for _, m := range messages {
		text := ends.Replace(m.Content)
		if m.Role == "user" {
			text = strings.TrimRight(text, " \t\n\f\r\v\u0085\u2028")
			if text == "" {
				text = "<blank>"
			}
		} else if text = strings.TrimSpace(text); text == "" {
			continue
		}
		if last := len(out) - 1; m.Role == "assistant" && last >= 0 && out[last].Role == m.Role {
			out[last].Content += "\n\n\n" + text
			continue
		}
		out = append(out, said{m.Role, text})
	}
	return out
}

// reimport returns what the messages of a history say.
func reimport(t formatstest.T, text string) (out []said) {
	for _, r := range formatstest.Import(t, aider.Aider, &formats.Source{Stdin: strings.NewReader(text), CWD: "/w"}, false) {
		for _, e := range r.Session(t).Entries {
			if m, ok := e.Message(); ok {
				out = append(out, said{m.Role(), m.Text("")})
			}
		}
	}
	return out
}

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
			for _, r := range formatstest.Import(t, aider.Aider, &formats.Source{Path: path, CWD: "/w"}, false) {
				for _, l := range r.Losses {
					if !strings.HasPrefix(l.Where, path+":") {
						t.Errorf("lost at %s: %s", l.Where, l.What)
					}
				}
			}
		})
	}
}

// FuzzImport's laws: nothing panics; what is imported is a session, twice the same;
// the exports of all sessions of a chat history are its bytes, if those are text.
func FuzzImport(f *testing.F) {
	for _, name := range []string{"sample1.md", "input.history"} {
		f.Add(must.Read(f, sample(name)))
	}
	f.Add("#### a\n# b\n#### c\n\n\n> d\n# aider chat started at 2025-06-14 09:32:41\n\n\n#### e\r\n")
	f.Add("\x1e")
	f.Add("{\n  \"a\": 1\n}\n\n#### hi\n\n{\"a\": 1}\n")
	f.Fuzz(func(t *testing.T, text string) { comesBack(t, text) })
}

// The same of histories of lines that mean something.
func TestImportExports(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		comesBack(t, strings.Join(rapid.SliceOfN(texts, 1, 6).Draw(rt, "lines"), "\n"))
	})
}

func comesBack(t *testing.T, text string) {
	results := formatstest.Import(t, aider.Aider, &formats.Source{Stdin: strings.NewReader(text), CWD: "/w"}, false)
	if aider.Kind(text) != "chat" || aider.IsBlank(text) || strings.ToValidUTF8(text, "") != text {
		return
	}
	var back strings.Builder
	for _, r := range results {
		out, _ := formatstest.Export(t, aider.Aider, r.Session(t), "")
		back.WriteString(out)
	}
	if back.String() != text {
		t.Errorf("%q became %q", text, back.String())
	}
}
