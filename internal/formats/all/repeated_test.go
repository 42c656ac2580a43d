package all_test

import (
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/internal/formats/all"
	"github.com/sess-tools/sess/internal/formats/formatstest"
)

// repeated are sessions from which a redactor has taken ids, with four texts and 30 tokens of input.
var repeated = map[string]string{
	"claude": `
{"type":"user","uuid":"REDACTED","parentUuid":null,"isSidechain":false,"timestamp":"2026-01-02T03:04:05.000Z","sessionId":"s1","cwd":"/w","message":{"role":"user","content":"TEXT 1"}}
{"type":"assistant","uuid":"REDACTED","parentUuid":"REDACTED","isSidechain":false,"timestamp":"2026-01-02T03:04:06.000Z","sessionId":"s1","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"TEXT 2"}],"stop_reason":"end_turn","usage":{"input_tokens":10,"output_tokens":1}}}
{"type":"user","uuid":"REDACTED","parentUuid":"REDACTED","isSidechain":false,"timestamp":"2026-01-02T03:04:07.000Z","sessionId":"s1","cwd":"/w","message":{"role":"user","content":"TEXT 3"}}
{"type":"assistant","uuid":"REDACTED","parentUuid":"REDACTED","isSidechain":false,"timestamp":"2026-01-02T03:04:08.000Z","sessionId":"s1","message":{"id":"msg_2","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"TEXT 4"}],"stop_reason":"end_turn","usage":{"input_tokens":20,"output_tokens":1}}}
`,
	"opencode": `{
  "info": {
    "id": "ses_1",
    "projectID": "p",
    "directory": "/w",
    "title": "t",
    "version": "1.18.33",
    "time": {
      "created": 1767323045000,
      "updated": 1767323045000
    }
  },
  "messages": [
    {
      "info": {"id":"REDACTED","sessionID":"ses_1","role":"user","time":{"created":1767323045000},"agent":"build","model":{"providerID":"p","modelID":"m"}},
      "parts": [{"id":"REDACTED","sessionID":"ses_1","messageID":"REDACTED","type":"text","text":"TEXT 1"}]
    },
    {
      "info": {"id":"msg_2","sessionID":"ses_1","role":"assistant","time":{"created":1767323046000,"completed":1767323047000},"parentID":"REDACTED","modelID":"m","providerID":"p","mode":"build","agent":"build","path":{"cwd":"/w","root":"/"},"cost":0,"tokens":{"input":10,"output":1,"reasoning":0,"cache":{"read":0,"write":0}},"finish":"stop"},
      "parts": [
        {"id":"prt_1","sessionID":"ses_1","messageID":"msg_2","type":"step-start"},
        {"id":"REDACTED","sessionID":"ses_1","messageID":"msg_2","type":"tool","callID":"c1","tool":"bash","state":{"status":"completed","input":{"command":"ls"},"output":"a","title":"","metadata":{},"time":{"start":1767323046000,"end":1767323046000}}},
        {"id":"REDACTED","sessionID":"ses_1","messageID":"msg_2","type":"tool","callID":"c2","tool":"bash","state":{"status":"completed","input":{"command":"pwd"},"output":"b","title":"","metadata":{},"time":{"start":1767323046000,"end":1767323046000}}},
        {"id":"prt_4","sessionID":"ses_1","messageID":"msg_2","type":"text","text":"TEXT 2"},
        {"id":"prt_5","sessionID":"ses_1","messageID":"msg_2","type":"step-finish","reason":"stop","cost":0,"tokens":{"input":10,"output":1,"reasoning":0,"cache":{"read":0,"write":0}}}
      ]
    },
    {
      "info": {"id":"REDACTED","sessionID":"ses_1","role":"user","time":{"created":1767323048000},"agent":"build","model":{"providerID":"p","modelID":"m"}},
      "parts": [{"id":"REDACTED","sessionID":"ses_1","messageID":"REDACTED","type":"text","text":"TEXT 3"}]
    },
    {
      "info": {"id":"msg_4","sessionID":"ses_1","role":"assistant","time":{"created":1767323049000,"completed":1767323049000},"parentID":"REDACTED","modelID":"m","providerID":"p","mode":"build","agent":"build","path":{"cwd":"/w","root":"/"},"cost":0,"tokens":{"input":20,"output":1,"reasoning":0,"cache":{"read":0,"write":0}},"finish":"stop"},
      "parts": [
        {"id":"prt_6","sessionID":"ses_1","messageID":"msg_4","type":"text","text":"TEXT 4"},
        {"id":"prt_7","sessionID":"ses_1","messageID":"msg_4","type":"step-finish","reason":"stop","cost":0,"tokens":{"input":20,"output":1,"reasoning":0,"cache":{"read":0,"write":0}}}
      ]
    }
  ]
}
`,
}

// Ids that are alike drop nothing, count nothing twice, are told once, and come back.
func TestRepeatedIDsDropNothing(t *testing.T) {
	t.Parallel()
	for agent, text := range repeated {
		t.Run(agent, func(t *testing.T) {
			t.Parallel()
			text := strings.TrimPrefix(text, "\n")
			s := imported(t, agent, text)
			said, input := "", int64(0)
			for _, e := range s.Entries {
				if m, ok := e.Message(); ok && m.Role() != "toolResult" {
					said += m.Text("") + "|"
					u, _ := m.Usage()
					input += u.Input
				}
			}
			if said != "TEXT 1|TEXT 2|TEXT 3|TEXT 4|" || input != 30 {
				t.Errorf("said %s, %d tokens of input", said, input)
			}
			leaf, _ := s.Leaf()
			if path, _ := s.Path(leaf); len(path) != len(s.Entries) {
				t.Errorf("%d of %d entries are on the path", len(path), len(s.Entries))
			}
			f, _ := formats.Lookup(all.Formats(), agent)
			back, losses := formatstest.Export(t, f, s, "")
			same := strings.TrimSpace(back) == strings.TrimSpace(text)
			if agent == "opencode" { // which wants ids of its own kind, so it gets new ones where there are none
				same = strings.Contains(back, "TEXT 1") && strings.Contains(back, "TEXT 2") && strings.Contains(back, "TEXT 3") && strings.Contains(back, "TEXT 4")
			}
			if !same || len(losses) > 0 {
				t.Errorf("it came back as\n%s\n%v", back, losses)
			}
		})
	}
}

// What writes lines that look like Claude Code's is not Claude Code.
func TestDetectForeignLines(t *testing.T) {
	t.Parallel()
	for name, head := range map[string]string{
		"Qwen Code": `{"uuid":"u1","parentUuid":null,"sessionId":"s","timestamp":"2026-01-02T03:04:05.000Z","type":"user","cwd":"/w","version":"0.21.13","message":{"role":"user","parts":[{"text":"hi"}]}}`,
		"its system lines": `{"uuid":"u1","parentUuid":null,"sessionId":"s","timestamp":"2026-01-02T03:04:05.000Z","type":"system","subtype":"session_context","cwd":"/w","version":"0.24.4","systemPayload":{}}` + "\n" +
			`{"uuid":"u2","parentUuid":"u1","sessionId":"s","timestamp":"2026-01-02T03:04:05.000Z","type":"assistant","cwd":"/w","message":{"role":"model","parts":[{"text":"hi"}]}}`,
	} {
		if f, ok := formats.Detect(all.Formats(), "chat.jsonl", []byte(head+"\n")); ok {
			t.Errorf("%s is taken for %s", name, f.About().Name)
		}
	}
}
