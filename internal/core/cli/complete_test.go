package cli_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/tty"
)

// completing is a tool whose candidates say what they were asked for.
func completing(args string) cli.Tool {
	t := demo(nil)
	t.Args, t.Command = args, strings.Contains(args, "--")
	t.Complete = func(_ context.Context, at cli.Place, add func(cli.Candidate)) {
		var values []string
		for _, name := range slices.Sorted(maps.Keys(at.Values)) {
			values = append(values, name+"="+at.Values[name])
		}
		add(cli.Candidate{Value: at.Word + "!", Text: fmt.Sprintf("%s %s %q %q", at.Kind, at.Flag, at.Operands, values)})
	}
	return t
}

func TestComplete(t *testing.T) {
	t.Parallel()
	several := several()
	for _, tt := range []struct {
		tool  cli.Tool
		words []string
		want  string
	}{
		{demo(nil), nil, ""},
		{demo(nil), []string{""}, "\tfiles\n"},
		{demo(nil), []string{"a", "b", ""}, "\tfiles\n"},
		{demo(nil), []string{"--mo"}, "--mode\twork in MODE\n"},
		{demo(nil), []string{"--mode", ""}, "fast\nsafe\n"},
		{demo(nil), []string{"--mode", "s"}, "safe\n"},
		{demo(nil), []string{"--mode=s"}, "--mode=safe\n"},
		{demo(nil), []string{"-ak", ""}, ""},
		{demo(nil), []string{"--nothing", ""}, "\tfiles\n"},
		{demo(nil), []string{"--nothing=x"}, ""},
		{demo(nil), []string{"--", "--mo"}, "\tfiles\n"},
		{demo(nil), []string{"-q"}, "-q\tprint no messages\n"},
		{completing("[SESSION]"), []string{"x"}, "x!\tSESSION [] []\n"},
		{completing("[SESSION]"), []string{"a", "x"}, ""},
		{completing("[SESSION...]"), []string{"a", "b", "x"}, "x!\tSESSION [\"a\" \"b\"] []\n"},
		{completing("FORMAT [SESSION]"), []string{"x"}, "x!\tFORMAT [] []\n"},
		{completing("FORMAT [SESSION]"), []string{"a", "x"}, "x!\tSESSION [\"a\"] []\n"},
		{completing("[FORMAT] [SOURCE]"), []string{"x"}, "\tfiles\nx!\tFORMAT [] []\n"},
		{completing("[DIR...]"), []string{"a", "x"}, "\tdirectories\n"},
		{completing("[SESSION] [-- COMMAND [ARG...]]"), []string{"a", "x"}, ""},
		{completing("[SESSION] [-- COMMAND [ARG...]]"), []string{"a", "--", "x"}, "\tcommands\n"},
		{completing("[SESSION] [-- COMMAND [ARG...]]"), []string{"a", "--", "cat", "x"}, "\tfiles\n"},
		{completing("SESSION"), []string{"s", "--text", "x"}, "x!\tTEXT text [\"s\"] []\n"},
		{completing("SESSION"), []string{"s", "-t", "x"}, "x!\tTEXT text [\"s\"] []\n"},
		{completing("SESSION"), []string{"s", "--text=x"}, "--text=x!\tTEXT text [\"s\"] []\n"},
		{completing("SESSION"), []string{"--keep=7", "-atx", "--set", "k=v", "s"}, "s!\tSESSION [] [\"keep=7\" \"set=k=v\" \"text=x\"]\n"},
		{completing("SESSION"), []string{"-t", "-x", "s"}, "s!\tSESSION [] [\"text=-x\"]\n"},
		{several, []string{"g"}, "get\tget things\n"},
		{several, []string{"-q", ""}, "get\tget things\nput\tput things\n"},
		{several, []string{"get", "--qui"}, "--quick\tbe quick\n--quiet\tprint no messages\n"},
		{several, []string{"put", "--qui"}, "--quiet\tprint no messages\n"},
		{several, []string{"get", "x"}, "\tfiles\n"},
		{several, []string{"drop", "x"}, ""},
	} {
		args := slices.Concat([]string{"--complete", "zsh", "--"}, tt.words)
		got := run(t, tt.tool, "", args...)
		want := result{0, tt.want, ""}
		if got != want {
			t.Errorf("%s %q: %+v, want %+v", tt.tool.Args, tt.words, got, want)
		}
	}
}

// Candidates are words of anybody's writing: of a line, and in nothing that acts on a
// terminal. One that has to be written differently is left out, and what is said of it
// is not.
func TestCompleteHarmless(t *testing.T) {
	t.Parallel()
	tool := demo(nil)
	tool.Args = "WORD"
	tool.Complete = func(_ context.Context, _ cli.Place, add func(cli.Candidate)) {
		for _, w := range []string{"one", "$(two) `x` '\"", "th\nree", "f\tour", "\x1b[31mfive", "\xff", "\u202esix"} {
			add(cli.Candidate{Value: w, Text: "says\x1b[31m\n\tmore\u202e"})
		}
		add(cli.Candidate{Value: "one", Text: strings.Repeat("ü", 1000)})
	}
	got := run(t, tool, "", "--complete", "bash", "--", "")
	want := result{0, "one\t" + strings.Repeat("ü", 59) + "…\n$(two) `x` '\"\tsays\\x1b[31m more\\u202e\n", ""}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// A source that never answers holds nobody up: what came before is printed.
func TestCompleteInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hang := make(chan struct{})
		defer close(hang)
		tool := demo(nil)
		tool.Args = "WORD"
		tool.Complete = func(_ context.Context, _ cli.Place, add func(cli.Candidate)) {
			add(cli.Candidate{Value: "early"})
			<-hang
			add(cli.Candidate{Value: "late"})
		}
		if got := run(t, tool, "", "--complete", "zsh", "--", ""); got != (result{0, "early\n", ""}) {
			t.Errorf("got %+v", got)
		}
	})
}

// In bash words come as they were typed.
func TestCompleteQuoted(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		`a\ b`: "a b", `'a b'`: "a b", `'a b`: "a b", `"a\"b"`: `a"b`, `"a\b"`: `a\b`, `"$a"'$b'\$c`: "$a$b$c", `a\`: `a\`, `'\'`: `\`, `""`: "",
	} {
		tool := completing("WORD")
		if got := run(t, tool, "", "--complete", "bash", "--", typed); got != (result{0, want + "!\tWORD [] []\n", ""}) {
			t.Errorf("%s: %+v, want %q", typed, got, want)
		}
		if got := run(t, tool, "", "--complete", "zsh", "--", typed); got.out != typed+"!\tWORD [] []\n" {
			t.Errorf("%s in zsh: %+v", typed, got)
		}
	}
}

// Law: whatever stands on the line, there is no message, status 0, and lines of clean text.
func FuzzComplete(f *testing.F) {
	f.Add("bash\x00--text\x00'a b")
	f.Add("zsh\x00--mode=s")
	f.Add("fish\x00-atx\x00--\x00x")
	f.Fuzz(func(t *testing.T, line string) {
		words := strings.Split(line, "\x00")
		for _, tool := range []cli.Tool{completing("[SESSION...]"), several()} {
			got := run(t, tool, "", slices.Concat([]string{"--complete", words[0], "--"}, words[1:])...)
			if got.status != 0 || got.stderr != "" {
				t.Fatalf("%q: %+v", words, got)
			}
			for l := range strings.Lines(got.out) {
				value, text, _ := strings.Cut(strings.TrimSuffix(l, "\n"), "\t")
				if tty.Clean(value) != value || tty.Clean(text) != text {
					t.Fatalf("%q: %q", words, got.out)
				}
			}
		}
	})
}
