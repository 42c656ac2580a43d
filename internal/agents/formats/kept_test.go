package formats_test

import (
	"context"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"

	"github.com/sess-tools/sess/internal/test/formatstest"
)

// one is an archive of one session, which a function gives to a builder.
type one func(*formats.Builder) error

func (f one) List(context.Context, formats.Query) iter.Seq2[formats.Info, error] { return nil }
func (f one) Close() error                                                       { return nil }
func (f one) Read(_ context.Context, _ formats.Info, b *formats.Builder) error {
	if err := b.Header(session.HeaderFields{ID: "s", Time: 1767323045000, CWD: "/w"}); err != nil {
		return err
	}
	b.BeginKeeping()
	return f(b)
}

// keeping returns the lines of a session that a function makes.
func keeping(t testing.TB, source one) string {
	t.Helper()
	var lines []string
	b := formats.NewBuilder("x", func(l string) error { lines = append(lines, l); return nil }, func(formats.Loss) {})
	if err := b.Read(t.Context(), source, formats.Info{}); err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n") + "\n"
}

// restored returns the lines that the entries of a session keep for x, in their order.
func restored(t testing.TB, text string) []string {
	t.Helper()
	s := formatstest.Parse(t, text)
	k := formats.NewTarget(nil).Keeper(s, "x")
	var out []string
	for i := range s.Entries {
		lines, _ := k.Lines(i)
		for _, l := range lines {
			out = append(out, l.Text)
		}
	}
	return out
}

const long = "a text that is longer than the forty-eight bytes from which on it becomes a reference"

// A reply with a call, its result and an image, which two lines became.
func exchange(lines ...string) one {
	return func(b *formats.Builder) error {
		m := api.Assistant([]string{
			api.Thinking("hm", `{"type":"reasoning","encrypted_content":"`+strings.Repeat("QUJD", 20)+`"}`),
			api.Text("short"), api.ToolCall("c1", "bash", `{"command":"ls -l /a/rather/long/path/for/a/list","n":1.0}`), api.Text(long),
		})
		reply, err := b.Message(formats.Place{ID: "r1"}, m)
		if err != nil {
			return err
		}
		result := api.ToolResult("c1", "bash", []string{api.Text("done"), api.Image("image/png", strings.Repeat("iVBORw0K", 10))}, false)
		if _, err := b.Message(formats.Place{ID: "r2"}, result); err != nil {
			return err
		}
		kept := make([]formats.KeptLine, len(lines))
		for i, l := range lines {
			kept[i] = formats.KeptLine{Text: l}
		}
		return b.Keep([]string{reply}, kept...)
	}
}

// The values of each kind become references, and come back.
func TestKept(t *testing.T) {
	t.Parallel()
	lines := []string{
		`{"item":{"type":"reasoning","encrypted_content":"` + strings.Repeat("QUJD", 20) + `"},"role":"short"}`,
		`{"text":"short", "content":[{"text":` + js.Quote(long) + `}],"n":12345678901234567890,"f":1.0,"e":"\u00e9"}`,
		`{"arguments":"{\"command\":\"ls -l /a/rather/long/path/for/a/list\",\"n\":1.0}"}`,
		`{"output":"done","image_url":"data:image/png;base64,` + strings.Repeat("iVBORw0K", 10) + `"}`,
		`{"$same":"content.0.text"}`, "no JSON\tat all", `[1,2]`, `{}`,
	}
	text := keeping(t, exchange(lines...))
	if diff := cmp.Diff(lines, restored(t, text)); diff != "" {
		t.Error(diff)
	}
	for _, ref := range []string{
		`"item":{"$json":"1/content.0.thinkingSignature"}`, `"role":"short"`, `{"text":{"$same":"1/content.1.text"}, "content":[{"text":{"$same":"1/content.3.text"}}]`,
		`{"arguments":{"$text":"1/content.2.arguments"}}`, `{"output":{"$same":"content.0.text"},"image_url":{"$url":"content.1"}}`, `"{\"$same\":\"content.0.text\"}"`,
	} {
		if !strings.Contains(text, ref) {
			t.Errorf("no %s in\n%s", ref, text)
		}
	}
	if strings.Count(text, long) != 1 {
		t.Errorf("a text stands there more than once:\n%s", text)
	}
}

// Who edits a text edits it in the lines; any other edit takes them away.
func TestKeptEdits(t *testing.T) {
	t.Parallel()
	lines := []string{`{"type":"a","text":"short","arguments":"{\"command\":\"ls -l /a/rather/long/path/for/a/list\",\"n\":1.0}"}`, `{"output":"done"}`}
	text := keeping(t, exchange(lines...))
	for _, c := range []struct {
		name, old, new string
		want           []string
	}{
		{"a text", `"text":"short"`, `"text":"other"`, []string{strings.Replace(lines[0], "short", "other", 1), lines[1]}},
		{"a text of the last entry", `"text":"done"`, `"text":"do\tne"`, []string{lines[0], `{"output":"do\tne"}`}},
		{"arguments", `"n":1.0}`, `"n":2}`, []string{strings.Replace(lines[0], "1.0", "2", 1), lines[1]}},
		{"the name of a call", `"name":"bash"`, `"name":"zsh"`, nil},
		{"a failure", `"isError":false`, `"isError":true`, nil},
		{"a block more", `{"type":"text","text":"done"}`, `{"type":"text","text":"done"},{"type":"text","text":"x"}`, nil},
		{"an entry less", `"id":"r1"`, `"id":"r9"`, nil},
		{"a path", `"1/content.1.text"`, `"7/content.1.text"`, nil},
		{"a place and a time", `"parentId":null,"timestamp":"2026-01-02T03:04:05.000Z"`, `"parentId":null,"timestamp":"2026-01-02T03:04:06.000Z"`, lines},
		{"decoded and encoded", `"text":"done"`, `"text": "\u0064one"`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			edited := strings.Replace(text, c.old, c.new, 1)
			if edited == text {
				t.Fatal("nothing was edited")
			}
			if diff := cmp.Diff(c.want, restored(t, edited)); diff != "" {
				t.Errorf("%s\n%s", diff, edited)
			}
		})
	}
}

// What stands in a member kept may be anything.
func TestKeptHostile(t *testing.T) {
	t.Parallel()
	entry := `{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-02T03:04:05.000Z","message":{"role":"user","content":"x"},"kept":`
	for _, kept := range []string{
		`1`, `null`, `{"x":[]}`, `{"x":{}}`, `{"x":{"lines":{}}}`, `{"x":{"lines":[{"$same":"content"}],"of":["a","a"],"sum":"0"}}`,
		`{"x":{"lines":[{"$same":"9/content"}]}}`, `{"x":{"lines":[{"a":{"$json":"content"}}]}}`, `{"x":{"lines":[{"a":{"$url":"content"}}]}}`,
		`{"x":{"lines":[{"a":{"$same":"-1/"}}]}}`, `{"x":{"lines":[{"a":{"$same":""}}]}}`, `{"x":{"lines":["a","b"],"n":[1.5,"x",3],"of":["b"]}}`,
	} {
		if got := restored(t, `{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}`+"\n"+entry+kept+"}\n"); len(got) > 0 {
			t.Errorf("%s: %q", kept, got)
		}
	}
}

// An entry keeps the lines of each agent that it came through, and those of one for itself.
func TestKeptOfTwo(t *testing.T) {
	t.Parallel()
	text := keeping(t, func(b *formats.Builder) error {
		e, err := session.ParseEntry(`{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-02T03:04:05.000Z","message":{"role":"user","content":"x"},"kept":{"y":{"lines":["of y"]}}}`)
		if err != nil {
			return err
		}
		if err := b.Entry(e); err != nil {
			return err
		}
		return b.Keep(nil, formats.KeptLine{Text: `{"text":"x"}`})
	})
	if got := restored(t, text); !slices.Equal(got, []string{`{"text":"x"}`}) || !strings.Contains(text, `"kept":{"y":{"lines":["of y"]},"x":{`) {
		t.Errorf("%q of\n%s", got, text)
	}
}

// Keeping wants an entry to keep lines with, and ids of entries at hand.
func TestKeptWhere(t *testing.T) {
	t.Parallel()
	b := formats.NewBuilder("x", func(string) error { return nil }, nil)
	if b.Header(session.HeaderFields{ID: "s"}) != nil || b.Keep(nil, formats.KeptLine{Text: "l"}) == nil {
		t.Error("a line is kept with no entry")
	}
	if _, err := b.Aside(formats.Place{}, "line", "", formats.KeptLine{Text: "l"}); err == nil {
		t.Error("a line is kept aside before BeginKeeping")
	}
	b.BeginKeeping()
	id, err := b.Message(formats.Place{}, api.User(nil))
	if err != nil || b.Keep([]string{"none"}, formats.KeptLine{Text: "l"}) == nil || b.Keep([]string{id}, formats.KeptLine{Text: "l"}) != nil {
		t.Errorf("ids are not looked at: %v", err)
	}
}

// A law: lines come back as they were, whatever they and their entries are.
func TestKeptLaw(t *testing.T) {
	t.Parallel()
	texts := rapid.SampledFrom([]string{"", "0", "user", "short", long, long + long, "é 😀 \u2028", `{"$same":"content.0.text"}`, `"quoted"\`, strings.Repeat("\x01", 30)})
	rapid.Check(t, func(rt *rapid.T) {
		var value func(depth int) string
		value = func(depth int) string {
			switch n := rapid.IntRange(0, 5).Draw(rt, "kind"); {
			case n == 0:
				return rapid.SampledFrom([]string{"null", "1.0", "12345678901234567890", "-0", "true"}).Draw(rt, "scalar")
			case n == 1 && depth < 4:
				return api.Array(value(depth+1), value(depth+1))
			case n <= 3 && depth < 4:
				name := rapid.SampledFrom([]string{"text", "arguments", "content", "input", "url", "$same", "x"})
				return js.Object(js.RawField(name.Draw(rt, "name"), value(depth+1)), js.RawField(name.Draw(rt, "name"), value(depth+1)))
			case n == 4:
				return js.Quote(js.Quote(texts.Draw(rt, "text")))
			}
			return js.Quote(texts.Draw(rt, "text"))
		}
		var want []string
		text := keeping(t, func(b *formats.Builder) error {
			for range rapid.IntRange(1, 4).Draw(rt, "pieces") {
				var of []string
				for range rapid.IntRange(1, 3).Draw(rt, "entries") {
					blocks := []string{api.Text(texts.Draw(rt, "text"))}
					if rapid.Bool().Draw(rt, "call") {
						blocks = append(blocks, api.ToolCall("c", "n", js.Object(js.RawField("input", value(2)))))
					}
					id, err := b.Message(formats.Place{}, api.Assistant(blocks))
					if err != nil {
						return err
					}
					of = append(of, id)
				}
				l := js.Object(js.RawField("text", value(0)), js.RawField("v", value(0)))
				want = append(want, l)
				if err := b.Keep(of, formats.KeptLine{Text: l}); err != nil {
					return err
				}
			}
			return nil
		})
		if diff := cmp.Diff(want, restored(t, text)); diff != "" {
			rt.Fatalf("%s\n%s", diff, text)
		}
	})
}

// A line that became very many entries, and one of very many texts, take no more than their size.
func TestKeptOfMany(t *testing.T) {
	t.Parallel()
	const many = 30_000
	texts, want := make([]string, many), make([]string, many)
	for i := range texts {
		texts[i] = js.Object(js.StringField("text", api.Int(int64(i))+" "+long))
		want[i] = api.Text(api.Int(int64(i)) + " " + long)
	}
	line := js.Object(js.RawField("content", api.Array(texts...)))
	for name, blocks := range map[string]int{"entries": 1, "blocks": many} {
		text := keeping(t, func(b *formats.Builder) error {
			var of []string
			for part := range slices.Chunk(want, blocks) {
				id, err := b.Message(formats.Place{}, api.User(part))
				if err != nil {
					return err
				}
				of = append(of, id)
			}
			return b.Keep(of, formats.KeptLine{Text: line})
		})
		if got := restored(t, text); len(got) != 1 || got[0] != line {
			t.Errorf("%s: %d lines came back, or another one", name, len(got))
		}
		if len(text) > 2*len(line)+200*many {
			t.Errorf("%s: %d bytes for a line of %d", name, len(text), len(line))
		}
	}
}
