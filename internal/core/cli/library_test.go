package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	urfave "github.com/urfave/cli/v2"

	"github.com/sess-tools/sess/internal/test/must"
)

// The tests of this file hold docs/adr/0028-the-command-line.md to what the
// library does: the same command lines go to its App, set up as well as it can
// be, and to Run. A version of the library that can do what the page says it
// cannot fails here.

// A reading is what a parser makes of a command line.
type reading struct {
	Operands   []string
	Quiet      bool
	Keep       string
	Command    []string
	HasCommand bool
	Err        string
}

// byLibrary reads a command line with the library. Its App has every setting
// that brings it nearer to what the tools do.
func byLibrary(args ...string) (got reading, stdout string) {
	var out bytes.Buffer
	app := libraryApp(&out, &got)
	app.OnUsageError = func(_ *urfave.Context, err error, _ bool) error { return err }
	if err := app.Run(append([]string{"tool"}, args...)); err != nil {
		got.Err = err.Error()
	}
	return got, out.String()
}

func libraryApp(out io.Writer, got *reading) *urfave.App {
	return &urfave.App{
		Name: "tool", Writer: out, ErrWriter: io.Discard,
		UseShortOptionHandling: true, HideHelpCommand: true, HideVersion: true,
		ExitErrHandler: func(*urfave.Context, error) {},
		Flags: []urfave.Flag{
			&urfave.BoolFlag{Name: "dry-run", Aliases: []string{"n"}},
			&urfave.StringFlag{Name: "keep", Aliases: []string{"k"}, Usage: "keep `TOKENS`", Destination: &got.Keep},
			&urfave.StringFlag{Name: "form", Usage: "print as `FORM`: text, json"},
			&urfave.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "print no messages", Destination: &got.Quiet},
		},
		Action: func(c *urfave.Context) error {
			got.Operands = append(got.Operands, c.Args().Slice()...)
			return nil
		},
	}
}

// frameTool is the same tool in this frame.
func frameTool(got *reading) Tool {
	return Tool{Name: "tool", Command: true, New: func() ([]Flag, Action) {
		var dry bool
		var form string
		flags := []Flag{
			Bool(&dry, "dry-run, n", "print it, and write nothing"),
			String(&got.Keep, "keep, k", "", "keep `TOKENS`"),
			Choice(&form, "form", []string{"text", "json"}, "print as `FORM`"),
		}
		return flags, func(_ context.Context, s *Streams, operands []string) error {
			got.Operands = append(got.Operands, operands...)
			got.Quiet, got.Command, got.HasCommand = s.Quiet, s.Command, s.HasCommand
			return nil
		}
	}}
}

func byFrame(args ...string) reading {
	var got reading
	var stderr bytes.Buffer
	if Run(context.Background(), frameTool(&got), strings.NewReader(""), io.Discard, &stderr, args) != ExitDone {
		got.Err, _, _ = strings.Cut(strings.TrimPrefix(stderr.String(), "tool: "), "\n")
	}
	return got
}

// Where the parser of the library reads a command line otherwise than getopt_long.
func TestLibraryParser(t *testing.T) { // not parallel: the flags of the library's help are variables
	tests := []struct {
		what           string
		args           string
		frame, library reading
	}{
		{
			"a flag after an operand is an operand", "s.jsonl --quiet",
			reading{Operands: []string{"s.jsonl"}, Quiet: true},
			reading{Operands: []string{"s.jsonl", "--quiet"}},
		},
		{
			"a short flag has no value behind it", "-k9",
			reading{Keep: "9"},
			reading{Err: "flag provided but not defined: -k9"},
		},
		{
			"nor at the end of a bundle", "-nk9",
			reading{Keep: "9"},
			reading{Err: "flag provided but not defined: -nk9"},
		},
		{
			"where it is a letter it becomes a flag", "-kq",
			reading{Keep: "q"},
			reading{Keep: "-q"},
		},
		{
			"two names of one flag exclude each other", "-k 1 --keep 2",
			reading{Keep: "2"},
			reading{Keep: "2", Err: "Cannot use two forms of the same flag: k keep"},
		},
		{
			"one dash and two are the same", "-dry-run",
			reading{Err: "unknown flag -dry-run"},
			reading{},
		},
		{
			"messages name a flag that nobody typed", "--kepe 1",
			reading{Err: "unknown flag --kepe"},
			reading{Err: "flag provided but not defined: -kepe"},
		},
		{
			"an operand beside --help is a topic", "--help s.jsonl",
			reading{},
			reading{Err: `No help topic for 's.jsonl'`},
		},
		{
			"-- in front is dropped: a command is not told from an operand", "-- make",
			reading{Command: []string{"make"}, HasCommand: true},
			reading{Operands: []string{"make"}},
		},
		{
			"-- behind an operand is an operand", "s.jsonl -- make",
			reading{Operands: []string{"s.jsonl"}, Command: []string{"make"}, HasCommand: true},
			reading{Operands: []string{"s.jsonl", "--", "make"}},
		},
		{"the same: a value that begins with a dash", "--keep -9", reading{Keep: "-9"}, reading{Keep: "-9"}},
		{"the same: a bundle of switches", "-nq", reading{Quiet: true}, reading{Quiet: true}},
		{"the same: the last value counts", "-k 1 -k 2", reading{Keep: "2"}, reading{Keep: "2"}},
	}
	for _, tt := range tests {
		args := strings.Fields(tt.args)
		if diff := cmp.Diff(tt.frame, byFrame(args...)); diff != "" {
			t.Errorf("%s: tool %s (-want +Run):\n%s", tt.what, tt.args, diff)
		}
		library, _ := byLibrary(args...)
		if diff := cmp.Diff(tt.library, library); diff != "" {
			t.Errorf("%s: tool %s (-want +library):\n%s", tt.what, tt.args, diff)
		}
	}
}

// What the App does about the flags of every tool unless it is kept from it.
func TestLibraryDefaults(t *testing.T) { // not parallel: the flags of the library's help are variables
	var out bytes.Buffer
	var got reading
	if err := libraryApp(&out, &got).Run([]string{"tool", "--kepe"}); err == nil || !strings.HasPrefix(out.String(), "Incorrect Usage: ") {
		t.Errorf("a usage error on standard output: %v, %q", err, out.String())
	}
	app := libraryApp(io.Discard, &got)
	app.HideVersion, app.Version = false, "1"
	app.Flags = append(app.Flags, &urfave.BoolFlag{Name: "verbose", Aliases: []string{"v"}})
	defer func() {
		if recover() == nil {
			t.Error("-v is free for --verbose")
		}
	}()
	_ = app.Run([]string{"tool", "-v"})
}

// The help of the library has one column for all flags, as wide as the longest,
// and no place for examples or the words of a choice.
func TestLibraryHelp(t *testing.T) { // not parallel: the flags of the library's help are variables
	var out bytes.Buffer
	var got reading
	app := libraryApp(&out, &got)
	long := strings.Repeat("long-", 12) + "name"
	app.Flags = append(app.Flags, &urfave.BoolFlag{Name: long})
	must.Do(t, app.Run([]string{"tool", "--help"}))
	column := func(help string) int {
		for line := range strings.Lines(help) {
			if at := strings.Index(line, "print no messages"); at >= 0 {
				return at
			}
		}
		return -1
	}
	if at := column(out.String()); at < len("--"+long) {
		t.Errorf("the library begins the second column at %d:\n%s", at, out.String())
	}
	var ours bytes.Buffer
	tool := frameTool(&got)
	tool.New = func() ([]Flag, Action) {
		var b bool
		return []Flag{Bool(&b, long, "")}, nil
	}
	must.Do(t, (&Streams{Out: &ours}).writeHelp(tool))
	if at := column(ours.String()); at < 0 || at > gutter+4 {
		t.Errorf("the frame begins the second column at %d:\n%s", at, ours.String())
	}
}

// The completion of the library reads os.Args, knows no values, and panics if short
// flags may be bundled.
func TestLibraryCompletion(t *testing.T) { // not parallel: os.Args
	complete := func(bundles bool, word string) (printed string, panicked bool) {
		defer func() { panicked = recover() != nil }()
		var out bytes.Buffer
		var got reading
		app := libraryApp(&out, &got)
		app.EnableBashCompletion, app.UseShortOptionHandling = true, bundles
		args := os.Args
		defer func() { os.Args = args }()
		os.Args = []string{"tool", word, "--generate-bash-completion"}
		if err := app.Run(os.Args); err != nil {
			t.Error(err)
		}
		return out.String(), false
	}
	if got, _ := complete(false, "--ke"); got != "--keep\n" {
		t.Errorf("flags: %q", got)
	}
	if got, _ := complete(false, "--form"); strings.Contains(got, "json") {
		t.Errorf("values: %q", got)
	}
	if _, panicked := complete(true, "--ke"); !panicked {
		t.Error("bundles can be completed")
	}
	var values bytes.Buffer
	status := Run(t.Context(), frameTool(&reading{}), strings.NewReader(""), &values, io.Discard, []string{"--complete", "bash", "--", "--form", ""})
	if status != ExitDone || values.String() != "text\njson\n" {
		t.Errorf("values of the frame: %d, %q", status, values.String())
	}
}

// A tool starts for each line of a shell loop. The App of the library applies all
// flags, given or not, and runs a regular expression for each name that it asks
// for; the frame applies those that are given.
func TestLibraryStart(t *testing.T) { // not parallel: AllocsPerRun
	library := testing.AllocsPerRun(10, func() { startLibrary(t) })
	frame := testing.AllocsPerRun(10, func() { startFrame(t) })
	if library < 20*frame {
		t.Errorf("%.0f allocations in the library, %.0f in the frame", library, frame)
	}
}

func BenchmarkStart(b *testing.B) {
	b.Run("library", func(b *testing.B) {
		for b.Loop() {
			startLibrary(b)
		}
	})
	b.Run("frame", func(b *testing.B) {
		for b.Loop() {
			startFrame(b)
		}
	})
}

// many is how many flags sess-compact has.
const many = 44

func startLibrary(t testing.TB) {
	var got reading
	app := libraryApp(io.Discard, &got)
	for i := len(app.Flags); i < many; i++ {
		app.Flags = append(app.Flags, &urfave.StringFlag{Name: fmt.Sprint("flag-", i)})
	}
	if err := app.Run([]string{"tool", "--keep", "9", "s.jsonl"}); err != nil || got.Keep != "9" {
		t.Error(err, got)
	}
}

func startFrame(t testing.TB) {
	var got reading
	tool := frameTool(&got)
	declare := tool.New
	tool.New = func() ([]Flag, Action) {
		flags, action := declare()
		texts := make([]string, many)
		for i := len(flags); i < many; i++ {
			flags = append(flags, String(&texts[i], fmt.Sprint("flag-", i), "", ""))
		}
		return flags, action
	}
	if Run(context.Background(), tool, strings.NewReader(""), io.Discard, io.Discard, []string{"--keep", "9", "s.jsonl"}) != ExitDone || got.Keep != "9" {
		t.Error(got)
	}
}
