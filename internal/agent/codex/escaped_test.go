package codex_test

import (
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agent/codex"
	"github.com/sess-tools/sess/internal/agent/formats"
	"github.com/sess-tools/sess/internal/agent/formatstest"
)

// A name may be spelled with escapes: "\u0069d" is id as well, on every level that is read.
func TestEscapedNames(t *testing.T) {
	const text = `{"\u0074ype":"session_meta","payload":{"\u0069d":"0199a0b0-0000-7000-8000-000000000001","c\u0077d":"/w","timestamp":"2026-01-02T03:04:05.000Z"}}
{"timestamp":"2026-01-02T03:04:06.000Z","type":"response_item","\u0070ayload":{"\u0074ype":"message","\u0072ole":"user","\u0063ontent":[{"\u0074ype":"input_text","\u0074ext":"hello"}]}}
`
	src := &formats.Source{Stdin: strings.NewReader(text)}
	got := formatstest.Import(t, codex.Format, src, false)
	if len(got) != 1 || got[0].Info.CWD != "/w" || !strings.Contains(got[0].Text(), `"text":"hello"`) {
		t.Fatalf("%+v", got)
	}
}
