package tty_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/internal/test/must"
)

func env(pairs ...string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for _, p := range pairs {
			if k, v, _ := strings.Cut(p, "="); k == name {
				return v, true
			}
		}
		return "", false
	}
}

func TestIsTerminal(t *testing.T) {
	t.Parallel()
	null, err := os.Open(os.DevNull)
	must.Do(t, err)
	defer null.Close()
	r, w, err := os.Pipe()
	must.Do(t, err)
	defer r.Close()
	defer w.Close()
	var none *os.File
	for name, v := range map[string]any{
		"nil": nil, "no file": none, "buffer": &bytes.Buffer{}, "/dev/null": null, "pipe": w,
	} {
		if tty.IsTerminal(v) {
			t.Errorf("%s is a terminal", name)
		}
	}
}

func TestColor(t *testing.T) {
	t.Parallel()
	term := terminal(t)
	var buf bytes.Buffer
	tests := []struct {
		mode string
		w    any
		env  []string
		want bool
	}{
		{"always", &buf, []string{"NO_COLOR=1"}, true},
		{"never", term, nil, false},
		{"auto", &buf, nil, false},
		{"auto", term, nil, true},
		{"auto", term, []string{"NO_COLOR="}, true},
		{"auto", term, []string{"NO_COLOR=1"}, false},
		{"auto", term, []string{"TERM=dumb"}, false},
		{"auto", term, []string{"TERM=xterm"}, true},
		{"", term, nil, true},
	}
	for _, tt := range tests {
		if tt.w == any(term) && term == nil {
			continue
		}
		if got := tty.Color(tt.mode, tt.w, env(tt.env...)); got != tt.want {
			t.Errorf("Color(%q, %T, %v) = %t, want %t", tt.mode, tt.w, tt.env, got, tt.want)
		}
	}
}

func TestWidthWithoutTerminal(t *testing.T) {
	t.Parallel()
	for columns, want := range map[string]int{
		"COLUMNS=132": 132, "COLUMNS=": 80, "COLUMNS=x": 80, "COLUMNS=-1": 80, "COLUMNS=0": 80, "": 80,
	} {
		if got := tty.Width(&bytes.Buffer{}, env(columns)); got != want {
			t.Errorf("%q: Width = %d, want %d", columns, got, want)
		}
	}
}

func TestClean(t *testing.T) {
	t.Parallel()
	tests := []struct{ in, want string }{
		{"", ""},
		{`plain "text" with \x1b and \n`, `plain "text" with \x1b and \n`},
		{"grün 漢字 👍🏽 \ufffd \u00a0 \u200d", "grün 漢字 👍🏽 \ufffd \u00a0 \u200d"},
		{"\x1b[31mred\x1b[0m", `\x1b[31mred\x1b[0m`},
		{"\x1b]8;;http://x\x1b\\", `\x1b]8;;http://x\x1b\`},
		{"a\tb\r\nc", `a\tb\r\nc`},
		{"\x00\x07\x7f", `\x00\x07\x7f`},
		{"\u009b31m\u0080", `\u009b31m\u0080`},
		{"\u202eabc\u2066\u200f\u061c", `\u202eabc\u2066\u200f\u061c`},
		{"a\u2028b\u2029", `a\u2028b\u2029`},
		{"\xff\x9b31m \xe2\x82", `\xff\x9b31m \xe2\x82`},
		{"\xed\xa0\x80", `\xed\xa0\x80`},
		{"caf\xc3", `caf\xc3`},
	}
	for in, want := range runnerCommands {
		tests = append(tests, struct{ in, want string }{in, want})
	}
	for _, tt := range tests {
		if got := tty.Clean(tt.in); got != tt.want {
			t.Errorf("Clean(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
	if got, want := tty.CleanLog("a\n::error::x\n ok :: ok\n\t::x\r##[y"), "a\n:\\x3aerror::x\n ok :: ok\n\t:\\x3ax\\r##\\x5by"; got != want {
		t.Errorf("CleanLog = %q, want %q", got, want)
	}
	if got, want := tty.CleanLines("::a\n\tb\r\n\x1b"), "::a\n\tb\\r\n\\x1b"; got != want {
		t.Errorf("CleanLines = %q, want %q", got, want)
	}
}

// runnerCommands are texts with what a runner takes for a command, or nearly so, and what Clean makes of them.
var runnerCommands = map[string]string{
	"::error::x": `:\x3aerror::x`, "  ::add-mask::x": `  :\x3aadd-mask::x`, "\u00a0\u3000::x": "\u00a0\u3000:\\x3ax",
	"\u200b::x": "\u200b:\\x3ax", ":\u200b:x": ":\u200b\\x3ax", "\ufeff:\ufe0f\u00ad:x": "\ufeff:\ufe0f\u00ad\\x3ax", ":::x": `:\x3a:x`,
	"a ::b": "a ::b", ": :": ": :", ":x:": ":x:", ":": ":", "x::y": "x::y",
	"git push ##[stop-commands]x": `git push ##\x5bstop-commands]x`, "##[error]": `##\x5berror]`, "###[x": `###\x5bx`,
	"##vso[task.setvariable]x": `##vso\x5btask.setvariable]x`, "##teamcity[x]": `##teamcity\x5bx]`, "#\u200d#\u2060[x": "#\u200d#\u2060\\x5bx",
	"##[[": `##\x5b[`, "##[a]##[b]": `##\x5ba]##\x5bb]`, "# #[": "# #[", "#[derive]": "#[derive]", "## [x]": "## [x]", "##vso [": "##vso [", "##a#[": "##a#[",
}

// commandLike finds in a line without unseen characters what a runner takes for a command.
var commandLike = regexp.MustCompile(`^[\s\p{Z}]*::|##[A-Za-z]*\[`)

// withoutUnseen returns a text without the characters that a comparison may pass over.
func withoutUnseen(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) {
			return -1
		}
		return r
	}, s)
}

func FuzzClean(f *testing.F) {
	for in := range runnerCommands {
		f.Add(in)
	}
	for _, s := range []string{"a\x1b[0m\n", "\xff\u202e", "caf\xc3", "\ufffd"} {
		f.Add(s)
	}
	// Laws: the result is valid UTF-8 without controls, cleaning again changes
	// nothing, a text of graphic ASCII without a command of a runner is returned as it is, no
	// command is left in Clean and in any line of CleanLog, and but for commands CleanLines differs only in line feeds and tabs.
	f.Fuzz(func(t *testing.T, s string) {
		got := tty.Clean(s)
		if !utf8.ValidString(got) || tty.Clean(got) != got {
			t.Errorf("Clean(%q) = %q", s, got)
		}
		graphic := true
		for _, r := range s {
			graphic = graphic && ' ' <= r && r <= '~'
		}
		if graphic && !commandLike.MatchString(s) && got != s {
			t.Errorf("Clean(%q) = %q", s, got)
		}
		for _, r := range got {
			if r < ' ' || 0x7f <= r && r < 0xa0 || 0x202a <= r && r <= 0x202e {
				t.Errorf("Clean(%q) holds %U", s, r)
			}
		}
		if commandLike.MatchString(withoutUnseen(got)) {
			t.Errorf("Clean(%q) = %q has a command", s, got)
		}
		for line := range strings.Lines(tty.CleanLog(s)) {
			if commandLike.MatchString(withoutUnseen(line)) {
				t.Errorf("CleanLog(%q) has the command %q", s, line)
			}
		}
		lines := tty.CleanLines(s)
		if plain := strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(lines); got == s && plain != got || tty.Clean(plain) != got {
			t.Errorf("CleanLines(%q) = %q", s, lines)
		}
	})
}

// What is written is what is returned, however many pieces it comes in.
func FuzzWriteLines(f *testing.F) {
	f.Add("a\x1b[1mb\r\nc\xff\u202e\u009b\t", "\x7f")
	f.Fuzz(func(t *testing.T, a, b string) {
		var out strings.Builder
		w := bufio.NewWriterSize(&out, 16)
		tty.WriteLines(w, a)
		tty.WriteLines(w, b)
		if err := w.Flush(); err != nil || out.String() != tty.CleanLines(a)+tty.CleanLines(b) {
			t.Errorf("%q and %q: wrote %q, %v", a, b, out.String(), err)
		}
		if got := tty.CleanLines(tty.CleanLines(a)); got != tty.CleanLines(a) {
			t.Errorf("%q: cleaned twice is %q", a, got)
		}
	})
}

// Styles reach a terminal, and what only looks like one does not.
func TestTextOnATerminal(t *testing.T) {
	t.Parallel()
	var text tty.Text
	text.Add(tty.Bold, "bold")
	text.Add(tty.Plain, " \x1b[1mforged\x1b[0m ")
	text.Add(tty.Red, "")
	text.Add(tty.Red, "\u009b5m\xe2\x80")
	text.Add(tty.Plain, "\n")
	var b bytes.Buffer
	w := tty.Visible(&b)
	if _, err := text.WriteTo(w); err != nil {
		t.Fatal(err)
	}
	must.Do(t, w.Flush())
	const want = "\x1b[1mbold\x1b[0m \\u001b[1mforged\\u001b[0m \x1b[31m\\u009b5m\\xe2\\x80\x1b[0m\n"
	if b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
	b.Reset()
	if n, err := text.WriteTo(&b); err != nil || b.String() != "\x1b[1mbold\x1b[0m \x1b[1mforged\x1b[0m \x1b[31m\u009b5m\xe2\x80\x1b[0m\n" || n != int64(text.Len()) {
		t.Errorf("elsewhere: %d, %v, %q", n, err, b.String())
	}
}

// What is held back for the rest of a character is not lost at the end.
func TestVisibleFlush(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	w := tty.Visible(&b)
	if _, err := w.Write([]byte("caf\xc3")); err != nil || b.String() != "caf" {
		t.Fatalf("%q, %v", b.String(), err)
	}
	for range 2 {
		if err := w.Flush(); err != nil || b.String() != `caf\xc3` {
			t.Errorf("%q, %v", b.String(), err)
		}
	}
}

func visible(t testing.TB, chunks ...string) string {
	t.Helper()
	return through(t, tty.Visible, chunks...)
}

// through returns what a writer makes of a text that comes in chunks.
func through(t testing.TB, writer func(io.Writer) *tty.Writer, chunks ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := writer(&b)
	for _, chunk := range chunks {
		if n, err := io.WriteString(w, chunk); n != len(chunk) || err != nil {
			t.Fatalf("%d, %v", n, err)
		}
	}
	return b.String()
}

func TestVisible(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a\tb\n":               "a\tb\n",
		"\x1b]52;c;x\x07":      `\u001b]52;c;x\u0007`,
		"\u009b31m\x7f":        `\u009b31m\u007f`,
		"\u202e é \u2066":      `\u202e é \u2066`,
		"\xff\x9b.":            `\xff\x9b.`,
		`{"a":"\u001b\u202e"}`: `{"a":"\u001b\u202e"}`,
	} {
		if got := visible(t, in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// A log is written in chunks that end anywhere, and no line of it is a command.
func TestLog(t *testing.T) {
	t.Parallel()
	for in, want := range runnerCommands {
		in, want = "x\n"+in+"\n", "x\n"+strings.NewReplacer(`\x`, `\u00`).Replace(want)+"\n"
		for at := range in {
			if got := through(t, tty.Log, in[:at], in[at:]); got != want {
				t.Errorf("%q cut at %d: %q, want %q", in, at, got, want)
			}
		}
	}
}

// Laws: nothing acts on a terminal, however the text comes; JSON stays JSON of the same
// value.
func FuzzVisible(f *testing.F) {
	f.Add("{\"a\":\"\u009b\u202e\x7f\"}", 7)
	f.Add("\xe2\x80\xae\x1b[31m\xe2\x80", 2)
	f.Fuzz(func(t *testing.T, text string, at int) {
		at = max(0, min(at, len(text)))
		whole := visible(t, text, "\n")
		if got := visible(t, text[:at], text[at:], "\n"); got != whole {
			t.Fatalf("%q cut at %d: %q, whole %q", text, at, got, whole)
		}
		if !utf8.ValidString(whole) || tty.CleanLines(whole) != whole {
			t.Fatalf("%q: %q", text, whole)
		}
		var before, after any
		if utf8.ValidString(text) && json.Unmarshal([]byte(text), &before) == nil && !strings.Contains(text, "\r") {
			if err := json.Unmarshal([]byte(whole), &after); err != nil || !reflect.DeepEqual(before, after) {
				t.Fatalf("%q: %q, %v", text, whole, err)
			}
		}
	})
}
