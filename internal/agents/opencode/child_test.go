package opencode_test

import (
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/opencode"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/typed"
)

// TestChild: in a session that another one started, that one speaks in the user's name, which is no prompt.
func TestChild(t *testing.T) {
	t.Parallel()
	for parent, prompts := range map[string]int{"": 1, `"parentID":"ses_0",`: 0} {
		text := `{"info":{"id":"ses_1",` + parent + `"projectID":"p","directory":"/w","title":"t","version":"1.18.33","time":{"created":1767323045000,"updated":1767323045000}},"messages":[` +
			`{"info":{"id":"msg_1","sessionID":"ses_1","role":"user","time":{"created":1767323045000},"agent":"build","model":{"providerID":"p","modelID":"m"}},"parts":[{"id":"prt_0","sessionID":"ses_1","messageID":"msg_1","type":"text","text":"look for it"}]}]}`
		s := formatstest.Import(t, opencode.Format, &formats.Source{Path: formatstest.File(t, "export.json", text)}, false)[0].Session(t)
		got := 0
		for _, e := range s.Entries {
			if _, ok := typed.Prompt(e); ok {
				got++
			}
		}
		if got != prompts {
			t.Errorf("%q: %d prompts, want %d", parent, got, prompts)
		}
		back, losses := formatstest.Export(t, opencode.Format, s, "")
		if js.Stringify(js.Member(back, "messages")) != js.Stringify(js.Member(text, "messages")) || len(losses) > 0 {
			t.Errorf("it came back as\n%s\n%v", strings.TrimSpace(back), losses)
		}
	}
}
