package cli_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/core/cli"
)

// valued is a tool that prints what its flags say.
var valued = cli.Tool{
	Name: "sess-demo",
	New: func() ([]cli.Flag, cli.Action) {
		var n int64
		var d time.Duration
		flags := append(cli.Group("Sizes", cli.Tokens(&n, "keep, k", 20000, "keep `TOKENS`")),
			cli.Group("Times", cli.Duration(&d, "timeout", 5*time.Minute, "wait for `DURATION`"))...)
		return flags, func(_ context.Context, s *cli.Streams, _ []string) error {
			_, err := fmt.Fprintln(s.Out, n, d)
			return err
		}
	},
}

func TestValues(t *testing.T) {
	t.Parallel()
	const tokens, duration = "want a number of tokens, such as 20000 or 20k", "want a duration such as 5s"
	tests := []struct{ args, out, err string }{
		{"", "20000 5m0s", ""},
		{"-k 0", "0 5m0s", ""},
		{"--keep 20k", "20000 5m0s", ""},
		{"--keep=7K", "7000 5m0s", ""},
		{"-k1M --timeout 5s", "1000000 5s", ""},
		{"--keep 20kk", "", `invalid value "20kk" for --keep: ` + tokens},
		{"--keep k", "", tokens},
		{"--keep -5", "", tokens},
		{"--keep 1.5k", "", tokens},
		{"--keep 9223372036854775807", "9223372036854775807 5m0s", ""},
		{"--keep 9223372036854776k", "", tokens},
		{"--timeout 5", "", `invalid value "5" for --timeout: ` + duration},
	}
	for _, tt := range tests {
		t.Run(tt.args, func(t *testing.T) {
			t.Parallel()
			var out, errs bytes.Buffer
			status := cli.Run(t.Context(), valued, nil, &out, &errs, strings.Fields(tt.args))
			if (status != 0) != (tt.err != "") || strings.TrimSpace(out.String()) != tt.out || !strings.Contains(errs.String(), tt.err) {
				t.Errorf("status %d, %q, %q", status, out.String(), errs.String())
			}
		})
	}
}

func TestNumber(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]int64{
		"0": 0, "-7": -7, "+7": 7, "010": 10, "0x10": 16, "-0b11": -3, "20k": 20_000, "20K": 20_000, "-1M": -1_000_000, "0x1k": 1000,
		"9223372036854775807": 1<<63 - 1,
	} {
		if got, err := cli.Number(in); err != nil || got != want {
			t.Errorf("%s: %d, %v", in, got, err)
		}
	}
	for _, in := range []string{"", "k", "1.5k", "1kk", "1m", "1e3", "9223372036854775808", "9223372036854776k", "-9223372036855M", "1_000", "0_1"} {
		if got, err := cli.Number(in); err == nil {
			t.Errorf("%q: %d", in, got)
		}
	}
}

func TestGroups(t *testing.T) {
	t.Parallel()
	var out, errs bytes.Buffer
	cli.Run(t.Context(), valued, nil, &out, &errs, []string{"--help"})
	for _, want := range []string{
		"\nFlags:\n\n Sizes:\n  -k, --keep TOKENS", "keep TOKENS (default 20000)\n\n Times:\n      --timeout DURATION", "(default 5m0s)\n\n Every tool:\n  -q, --quiet",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("help lacks %q:\n%s", want, out.String())
		}
	}
}

func TestExclusive(t *testing.T) {
	t.Parallel()
	tests := []struct {
		a, b, c bool
		want    string
	}{
		{},
		{a: true},
		{c: true},
		{a: true, b: true, want: "-a and -b exclude each other"},
		{b: true, c: true, want: "-b and a command exclude each other"},
		{a: true, b: true, c: true, want: "-a and -b exclude each other"},
	}
	for _, tt := range tests {
		err := cli.Exclusive(cli.NameIf(tt.a, "-a"), cli.NameIf(tt.b, "-b"), cli.NameIf(tt.c, "a command"))
		if err == nil && tt.want == "" {
			continue
		}
		if err == nil || err.Error() != tt.want || cli.Status(err) != cli.ExitUsage {
			t.Errorf("%+v: %v", tt, err)
		}
	}
}

// A tool may take a short name of the frame's for a flag of its own; the long one stays.
func TestTakenNames(t *testing.T) {
	t.Parallel()
	var invert, quiet bool
	tool := cli.Tool{Name: "t", New: func() ([]cli.Flag, cli.Action) {
		flags := []cli.Flag{cli.Bool(&invert, "invert-match, v", "invert"), cli.Bool(&quiet, "quiet, q", "print nothing")}
		return flags, func(_ context.Context, s *cli.Streams, _ []string) error {
			if !invert || !quiet || !s.Verbose || s.Quiet {
				t.Errorf("invert %v, quiet %v, verbose %v, no warnings %v", invert, quiet, s.Verbose, s.Quiet)
			}
			return nil
		}
	}}
	var out, errs bytes.Buffer
	if status := cli.Run(t.Context(), tool, nil, &out, &errs, []string{"-v", "-q", "--verbose"}); status != 0 {
		t.Errorf("status %d: %s", status, errs.String())
	}
	cli.Run(t.Context(), tool, nil, &out, &errs, []string{"--help"})
	if help := out.String(); strings.Count(help, "--quiet") != 1 || strings.Contains(help, "-v, --verbose") || !strings.Contains(help, "    --verbose") {
		t.Errorf("help:\n%s", out.String())
	}
}

func TestColumns(t *testing.T) {
	t.Parallel()
	columns := cli.Columns{{Head: "ID", Width: 4, Cut: true}, {Head: "N", Right: true}, {Head: "NAME"}, {Head: "TITLE"}}
	rows := [][]string{{"ä", "1,000", "漢字", ""}, {"too long", "7", "x", "whatever"}}
	columns[1:].Fit(rows[0][1:], rows[1][1:])
	for want, got := range map[string]string{
		"  a   b\n  cc  \n":              cli.Table("  ", [][]string{{"a", "b"}, {"cc", ""}}),
		"ä     1,000  漢字    ":            columns.Line(rows[0]...),
		"too       7  x     whatever":    columns.Line(rows[1]...),
		"ä     a longer one  x     last": columns.Line("ä", "a longer one", "x", "last"),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Control characters of data reach no terminal: no tool writes to standard output itself.
func TestNobodyWritesRaw(t *testing.T) {
	t.Parallel()
	seen := 0
	err := filepath.WalkDir("../../../cmd", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if seen++; strings.Contains(string(text), "os.Stdout") {
			t.Errorf("%s writes to standard output itself", path)
		}
		return err
	})
	if err != nil || seen < 100 {
		t.Errorf("%d files, %v", seen, err)
	}
}
