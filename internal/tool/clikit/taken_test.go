package clikit_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/tool/clikit"
)

// A tool may take a short name of the frame's for a flag of its own; the long one stays.
func TestTakenNames(t *testing.T) {
	t.Parallel()
	var invert, quiet bool
	tool := clikit.Tool{Name: "t", New: func() ([]clikit.Flag, clikit.Action) {
		flags := []clikit.Flag{clikit.Bool(&invert, "invert-match, v", "invert"), clikit.Bool(&quiet, "quiet, q", "print nothing")}
		return flags, func(_ context.Context, s *clikit.Streams, _ []string) error {
			if !invert || !quiet || !s.Verbose || s.Quiet {
				t.Errorf("invert %v, quiet %v, verbose %v, no warnings %v", invert, quiet, s.Verbose, s.Quiet)
			}
			return nil
		}
	}}
	var out, errs bytes.Buffer
	if status := clikit.Run(t.Context(), tool, nil, &out, &errs, []string{"-v", "-q", "--verbose"}); status != 0 {
		t.Errorf("status %d: %s", status, errs.String())
	}
	clikit.Run(t.Context(), tool, nil, &out, &errs, []string{"--help"})
	if help := out.String(); strings.Count(help, "--quiet") != 1 || strings.Contains(help, "-v, --verbose") || !strings.Contains(help, "    --verbose") {
		t.Errorf("help:\n%s", out.String())
	}
}
