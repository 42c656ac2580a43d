package clikit_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/tool/clikit"
)

// valued is a tool that prints what its flags say.
var valued = clikit.Tool{
	Name: "sess-demo",
	New: func() ([]clikit.Flag, clikit.Action) {
		var n int64
		var d time.Duration
		flags := append(clikit.Group("Sizes", clikit.Tokens(&n, "keep, k", 20000, "keep `TOKENS`")),
			clikit.Group("Times", clikit.Duration(&d, "timeout", 5*time.Minute, "wait for `DURATION`"))...)
		return flags, func(_ context.Context, s *clikit.Streams, _ []string) error {
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
			status := clikit.Run(t.Context(), valued, nil, &out, &errs, strings.Fields(tt.args))
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
		if got, err := clikit.Number(in); err != nil || got != want {
			t.Errorf("%s: %d, %v", in, got, err)
		}
	}
	for _, in := range []string{"", "k", "1.5k", "1kk", "1m", "1e3", "9223372036854775808", "9223372036854776k", "-9223372036855M", "1_000", "0_1"} {
		if got, err := clikit.Number(in); err == nil {
			t.Errorf("%q: %d", in, got)
		}
	}
}

func TestGroups(t *testing.T) {
	t.Parallel()
	var out, errs bytes.Buffer
	clikit.Run(t.Context(), valued, nil, &out, &errs, []string{"--help"})
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
		err := clikit.Exclusive(clikit.NameIf(tt.a, "-a"), clikit.NameIf(tt.b, "-b"), clikit.NameIf(tt.c, "a command"))
		if err == nil && tt.want == "" {
			continue
		}
		if err == nil || err.Error() != tt.want || clikit.Status(err) != clikit.ExitUsage {
			t.Errorf("%+v: %v", tt, err)
		}
	}
}
