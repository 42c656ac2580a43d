package stream_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/stream"
	"github.com/sess-tools/sess/pkg/session"
)

// outline is an item in few words.
func outline(i *stream.Item) string {
	words := []string{i.Type, member(i, "customType").Str(), member(i, "kind").Str(), member(i, "provider").Str()}
	switch u := member(i, "usage"); i.Type {
	case session.TypeMessage:
		words = []string{i.Message.Role()}
		for b := range i.Message.Blocks() {
			words = append(words, b.Str("text")+b.Str("name"))
		}
		words = append(words, i.Message.Str("stopReason"))
	case session.TypeCustomMessage:
		for b := range member(i, "content").Elements() {
			words = append(words, b.Get("text").Str())
		}
	case session.TypeUsage:
		words = append(words, fmt.Sprint(u.Get("input").Int()+u.Get("cacheRead").Int(), "/", u.Get("output").Int(), u.Get("unknown")))
	}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")
}

// TestTurns has what becomes of events that follow each other in the turns of real programs.
func TestTurns(t *testing.T) {
	t.Parallel()
	const (
		geminiBegins  = `{"type":"init","timestamp":"2026-11-26T21:00:00.000Z","session_id":"s","model":"m"}` + "\n"
		qwenBegins    = `{"type":"system","subtype":"init","session_id":"s","qwen_code_version":"0.24.4"}` + "\n"
		copilotBegins = `{"type":"user.message","data":{"content":"Go."},"id":"a","timestamp":"2026-11-26T21:00:00.000Z"}` + "\n"
		piBegins      = `{"type":"session","version":3,"id":"s","timestamp":"2026-11-26T21:00:00.000Z","cwd":"/w"}` + "\n"
	)
	gemini := func(kind, id, more string) string {
		return `{"type":"tool_` + kind + `","timestamp":"2026-11-26T21:00:01.000Z","tool_id":"` + id + `"` + more + "}\n"
	}
	for name, tt := range map[string]struct {
		text string
		want []string
	}{
		"claude: the output of a command of the user's is no word of the user": {
			claudeBegins + `{"type":"user","message":{"role":"user","content":"<local-command-stdout>Compacted </local-command-stdout>"},"session_id":"s","uuid":"u1","isReplay":true}
{"type":"user","message":{"role":"user","content":"and now?"},"session_id":"s","uuid":"u2","isReplay":true}
`,
			[]string{"custom sess:run", "custom_message claude:context <local-command-stdout>Compacted </local-command-stdout>", "user and now?"},
		},
		"claude: what is no counter stays out of a usage": {
			claudeBegins + claudeSays + `{"type":"result","subtype":"success","is_error":false,"session_id":"s","uuid":"u3","total_cost_usd":0.1,"usage":{"input_tokens":3,"output_tokens":4},"modelUsage":{"m":{"inputTokens":8,"outputTokens":6,"costUSD":0.1,"contextWindow":9,"maxOutputTokens":9,"canonicalModel":"m","provider":"firstParty","costBasis":"list"}}}` + "\n",
			[]string{"custom sess:run", "assistant So far. stop", "usage rest unknown 5/2"},
		},
		"gemini: a call behind a result is one of the next reply": {
			geminiBegins + gemini("use", "1", `,"tool_name":"one"`) + gemini("use", "2", `,"tool_name":"two"`) +
				gemini("result", "1", `,"status":"success","output":"x"`) + gemini("result", "2", `,"status":"success","output":"y"`) +
				gemini("use", "3", `,"tool_name":"three"`) + gemini("result", "3", `,"status":"success","output":"z"`) + `{"type":"result","status":"success"}`,
			[]string{"custom sess:run", "assistant one two", "toolResult x", "toolResult y", "assistant three", "toolResult z"},
		},
		"copilot: a notice of the program's, and the call that it makes itself": {
			copilotBegins + `{"type":"assistant.message","data":{"messageId":"m1","model":"m","content":"It runs.","toolRequests":[]},"id":"b","timestamp":"2026-11-26T21:00:01.000Z"}
{"type":"system.notification","data":{"content":"<system_notification>\nIt ended.\n</system_notification>","kind":{"type":"shell_completed"}},"id":"c","timestamp":"2026-11-26T21:00:02.000Z"}
{"type":"assistant.message","data":{"messageId":"m2","content":"","toolRequests":[{"toolCallId":"t","name":"read_bash","arguments":{}}]},"id":"d","timestamp":"2026-11-26T21:00:02.000Z"}
`,
			[]string{"user Go.", "assistant It runs. stop", "custom_message copilot:context <system_notification>\nIt ended.\n</system_notification>", "assistant read_bash toolUse"},
		},
		"pi: the call for a summary is counted": {
			piBegins + `{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"Done."}],"api":"a","provider":"p","model":"m","usage":{"input":9,"output":2},"stopReason":"stop","timestamp":1795727700000}}
{"type":"compaction_end","reason":"threshold","result":{"summary":"All of it.","firstKeptEntryId":"x","tokensBefore":9,"usage":{"input":5,"output":3,"cacheRead":1}}}
{"type":"compaction_end","reason":"threshold","result":{"summary":"All of it.","firstKeptEntryId":"x","tokensBefore":9}}
`,
			[]string{"custom sess:run", "assistant Done. stop", "custom sess-record:compaction", "usage compaction p 6/3", "custom sess-record:compaction"},
		},
		"qwen: a reply that was interrupted": {
			qwenBegins + `{"type":"assistant","uuid":"u1","session_id":"s","message":{"id":"u1","role":"assistant","model":"m","content":[{"type":"text","text":"Once"}],"stop_reason":null,"usage":{"input_tokens":0,"output_tokens":0}}}
`,
			[]string{"custom sess:run", "assistant Once aborted"},
		},
		"qwen: a reply that is whole, without the result": {
			qwenBegins + `{"type":"assistant","uuid":"u1","session_id":"s","message":{"id":"u1","role":"assistant","model":"m","content":[{"type":"text","text":"Once"}],"stop_reason":null,"usage":{"input_tokens":9,"output_tokens":2}}}
`,
			[]string{"custom sess:run", "assistant Once stop"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, i := range record(t, []byte(tt.text), stream.Options{}) {
				got = append(got, outline(i))
				if i.Type == session.TypeMessage && i.Message.Role() == session.RoleAssistant && i.Message.Str("model") != "m" {
					t.Errorf("without the model: %s", i.Message.Raw())
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got\n%q, want\n%q", got, tt.want)
			}
		})
	}
}
