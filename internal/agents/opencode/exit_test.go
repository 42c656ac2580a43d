package opencode_test

import (
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/opencode"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/pkg/js"
)

// A command that ended with another status than 0 is an error, which opencode has as
// completed, and comes back as that. One that was interrupted is neither result nor failure.
func TestExitedCommands(t *testing.T) {
	t.Parallel()
	tool := func(id, status string) string {
		return `{"id":"prt_` + id + `","sessionID":"ses_1","messageID":"msg_2","type":"tool","callID":"` + id + `","tool":"bash","state":{` + status + `}}`
	}
	text := `{"info":{"id":"ses_1","projectID":"p","directory":"/w","title":"t","version":"1.18.33","time":{"created":1767323045000,"updated":1767323045000}},"messages":[` +
		`{"info":{"id":"msg_1","sessionID":"ses_1","role":"user","time":{"created":1767323045000},"agent":"build","model":{"providerID":"p","modelID":"m"}},"parts":[{"id":"prt_0","sessionID":"ses_1","messageID":"msg_1","type":"text","text":"go"}]},` +
		`{"info":{"id":"msg_2","sessionID":"ses_1","role":"assistant","time":{"created":1767323046000,"completed":1767323047000},"parentID":"msg_1","modelID":"m","providerID":"p","mode":"build","agent":"build","path":{"cwd":"/w","root":"/"},"cost":0,"tokens":{"input":1,"output":1,"reasoning":0,"cache":{"read":0,"write":0}},"finish":"stop"},"parts":[` +
		tool("c1", `"status":"completed","input":{"command":"exit 3"},"output":"two","title":"","metadata":{"exit":3,"output":"two"},"time":{"start":1767323046000,"end":1767323046000}`) + "," +
		tool("c2", `"status":"completed","input":{"command":"true"},"output":"","title":"","metadata":{"exit":0},"time":{"start":1767323046000,"end":1767323046000}`) + "," +
		tool("c3", `"status":"running","input":{"command":"sleep"},"time":{"start":1767323046000}`) + `]}]}`
	path := formatstest.File(t, "export.json", text)
	s := formatstest.Import(t, opencode.Format, &formats.Source{Path: path}, false)[0].Session(t)
	got := ""
	for _, e := range s.Entries {
		if m, ok := e.Message(); ok && m.Role() == "toolResult" {
			got += m.Str("toolCallId") + map[bool]string{true: " failed", false: ""}[m.IsError()] + map[bool]string{true: " made up", false: ""}[m.IsMadeUp()] + "\n"
		}
	}
	if want := "c1 failed\nc2\nc3 made up\n"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	back, losses := formatstest.Export(t, opencode.Format, s, "")
	if js.Stringify(js.Member(back, "messages")) != js.Stringify(js.Member(text, "messages")) || len(losses) > 0 {
		t.Errorf("it came back as\n%s\n%v", strings.TrimSpace(back), losses)
	}
}
