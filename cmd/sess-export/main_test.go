package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/test/planted"
	"github.com/sess-tools/sess/internal/test/rowtest"
	"github.com/sess-tools/sess/internal/test/scripttest"
)

func TestMain(m *testing.M) {
	scripttest.Main(m, map[string]func(){tool.Name: main})
}

func TestScript(t *testing.T) {
	t.Parallel()
	scripttest.Run(t, "testdata")
}

// With --redact no format has a secret, and without it the session is what it was.
func TestRedact(t *testing.T) {
	t.Parallel()
	s := planted.Make(1)
	for _, args := range [][]string{{"pi"}, {"omp"}, {"codex"}, {"opencode"}, {"claude"}} {
		for _, redact := range []bool{false, true} {
			call := args
			if redact {
				call = append([]string{"--redact"}, args...)
			}
			var out, errs bytes.Buffer
			status := cli.Run(t.Context(), tool, strings.NewReader(s.Text()), &out, &errs, call)
			if left := strings.Contains(out.String(), s.Secrets[0]); status != 0 || left == redact {
				t.Errorf("%v: status %d, left %v: %s", call, status, left, errs.String())
			}
		}
	}
}

func TestRows(t *testing.T) {
	t.Parallel()
	rowtest.Schema(t, "A line of sess-export --losses, as sess-import --losses writes it.", "sess-import.json#/$defs/loss")
}
