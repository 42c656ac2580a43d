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

func TestRows(t *testing.T) {
	t.Parallel()
	rowtest.Schema(t, "A line of sess-assert --json.", breachRow{}, gateRow{}, totalRow{})
}

// TestNoSecrets: no form prints a secret that is in what breaks a gate, unless it is asked to.
func TestNoSecrets(t *testing.T) {
	t.Parallel()
	token := planted.New(3).GitHub()
	s := `{"type":"session","version":3,"id":"s1","timestamp":"2026-09-01T10:00:00.000Z","cwd":"/w"}
{"type":"message","id":"a1","parentId":null,"timestamp":"2026-09-01T10:00:01.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"git push https://x:` + token + `@github.com/o/r main"}}],"timestamp":1}}
`
	for _, form := range []string{"", "--json", "--github", "--sarif", "--junit"} {
		args := []string{"--no-call", "run:git push*"}
		if form != "" {
			args = append(args, form)
		}
		var out, errs bytes.Buffer
		status := cli.Run(t.Context(), tool, strings.NewReader(s), &out, &errs, args)
		if status != 1 || !strings.Contains(out.String(), "git push") || strings.Contains(out.String()+errs.String(), token) {
			t.Errorf("%q: status %d: %s%s", form, status, out.String(), errs.String())
		}
		out.Reset()
		if cli.Run(t.Context(), tool, strings.NewReader(s), &out, &errs, append(args, "--no-redact")); !strings.Contains(out.String(), token) {
			t.Errorf("%q --no-redact: %s", form, out.String())
		}
	}
}
