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
	rowtest.Schema(t, "A line of sess-calls --json.", callRow{})
}

// TestRedact: no row prints a secret if it is not to, and rows tell the status of a command that the line tells.
func TestRedact(t *testing.T) {
	t.Parallel()
	token := planted.New(4).GitHub()
	s := `{"type":"session","version":3,"id":"s1","timestamp":"2026-09-01T10:00:00.000Z","cwd":"/w"}
{"type":"message","id":"a1","parentId":null,"timestamp":"2026-09-01T10:00:01.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"git push https://x:` + token + `@github.com/o/r main | tail && curl -H 'Authorization: Bearer ` + token + `' u"}}],"timestamp":1}}
{"type":"message","id":"a2","parentId":"a1","timestamp":"2026-09-01T10:00:02.000Z","message":{"role":"toolResult","toolCallId":"c1","toolName":"bash","content":[{"type":"text","text":"ok"}],"isError":false}}
`
	for form, want := range map[string]string{"": "git push", "--plain": "git push", "--json": `["git","push"`, "--simple": "a1:run:null:git push", "--simple --plain": "run:0:curl"} {
		var out, errs bytes.Buffer
		args := append(strings.Fields(form), "--redact")
		if status := cli.Run(t.Context(), tool, strings.NewReader(s), &out, &errs, args); status != 0 || !strings.Contains(out.String(), want) || strings.Contains(out.String(), token) {
			t.Errorf("%q: status %d, want %q: %s%s", form, status, want, &out, &errs)
		}
		out.Reset()
		if cli.Run(t.Context(), tool, strings.NewReader(s), &out, &errs, strings.Fields(form)); !strings.Contains(out.String(), token) {
			t.Errorf("%q without --redact: %s", form, &out)
		}
	}
}
