package main

import (
	"slices"
	"strings"
	"testing"
)

// TestFormsObey: each form obeys each flag about what is shown, or refuses it. A flag that a form takes without a word and
// does not obey shows what somebody wanted to be left out.
func TestFormsObey(t *testing.T) {
	t.Parallel()
	const s = `{"type":"session","version":3,"id":"s1","timestamp":"2026-09-01T10:00:00.000Z","cwd":"/w"}
{"type":"message","id":"a1","parentId":null,"timestamp":"2026-09-01T10:00:01.000Z","message":{"role":"user","content":"ASKED","timestamp":1}}
{"type":"message","id":"a2","parentId":"a1","timestamp":"2026-09-01T10:00:02.000Z","message":{"role":"assistant","content":[{"type":"thinking","thinking":"THOUGHT","thinkingSignature":"s"},{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"COMMAND"}}],"provider":"p","model":"m","timestamp":1}}
{"type":"message","id":"a3","parentId":"a2","timestamp":"2026-09-01T10:00:03.000Z","message":{"role":"toolResult","toolCallId":"c1","toolName":"bash","content":[{"type":"text","text":"RESULT"}],"isError":false,"timestamp":1}}
{"type":"message","id":"a4","parentId":"a1","timestamp":"2026-09-01T10:00:04.000Z","message":{"role":"user","content":"OTHER","timestamp":1}}
{"type":"message","id":"a5","parentId":"a3","timestamp":"2026-09-01T10:00:05.000Z","message":{"role":"assistant","content":[{"type":"text","text":"ANSWERED"}],"provider":"p","model":"m","timestamp":1}}
`
	texts := []string{"markdown", "text", "ansi"}
	for _, tt := range []struct {
		flag    string
		refused []string // the forms that do; every other one obeys
		without string   // words that are not shown
		with    string   // words that are
	}{
		{"--calls=none", []string{"summary"}, "COMMAND RESULT", "ASKED THOUGHT ANSWERED"},
		{"--calls=names", []string{"summary"}, "RESULT", "ASKED bash ANSWERED"},
		{"--calls=open", []string{"summary"}, "", "ASKED COMMAND RESULT ANSWERED"},
		{"--thinking=none", []string{"summary"}, "THOUGHT", "ASKED COMMAND RESULT ANSWERED"},
		{"--branches", append(texts, "summary"), "", "ASKED OTHER ANSWERED"},
		{"--leaf=a2", nil, "ANSWERED", "ASKED"},
	} {
		for _, form := range append([]string{"html", "summary"}, texts...) {
			as := "--as=" + form
			if form == "summary" {
				as = "--summary"
			}
			out, errs, status := run(t, s, as, tt.flag)
			if strings.Contains(errs, "finding sess-stat") { // a summary asks it, so the flags were taken
				status = 0
			}
			if refused := slices.Contains(tt.refused, form); refused != (status == 2) || refused && !strings.Contains(errs, strings.Split(tt.flag, "=")[0]) {
				t.Errorf("%s %s: status %d: %s", as, tt.flag, status, errs)
			}
			if status != 0 {
				continue
			}
			for _, word := range strings.Fields(tt.without) {
				if strings.Contains(out, word) {
					t.Errorf("%s %s: %s is shown", as, tt.flag, word)
				}
			}
			for _, word := range strings.Fields(tt.with) {
				if !strings.Contains(out, word) && form != "summary" {
					t.Errorf("%s %s: %s is not shown in %s", as, tt.flag, word, out)
				}
			}
		}
	}
}
