package state_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/state"
	"github.com/sess-tools/sess/pkg/session"
)

const (
	user     = `"message":{"role":"user","content":"go"}`
	reply    = `"message":{"role":"assistant","content":[{"type":"text","text":"done"}],"stopReason":"stop"}`
	calling  = `"message":{"role":"assistant","content":[{"type":"toolCall","id":"a","name":"Bash","arguments":{"command":"ls"}}],"stopReason":"toolUse"}`
	result   = `"message":{"role":"toolResult","toolCallId":"a","toolName":"Bash","content":[{"type":"text","text":"x"}],"isError":false}`
	asking   = `"message":{"role":"assistant","content":[{"type":"toolCall","id":"a","name":"Bash","arguments":{"command":"ls"}},{"type":"toolCall","id":"q","name":"AskUserQuestion","arguments":{"question":"which?"}},{"type":"toolCall","id":"b","name":"Read","arguments":{"file_path":"x"}}],"stopReason":"toolUse"}`
	failed   = `"message":{"role":"assistant","content":[],"stopReason":"error","errorMessage":"overloaded"}`
	nothing  = `"message":{"role":"assistant","content":[{"type":"text","text":"done"}]}`
	lineOf   = `"customType":"claude:line","kept":{"claude":{"lines":[%s]}}`
	codexOf  = `,"kept":{"codex":{"lines":[%s]}}`
	openOf   = `,"kept":{"opencode":{"lines":[{"info":{%s},"parts":[]}]}}`
	nullStop = `,"kept":{"claude":{"lines":[{"type":"assistant","message":{"stop_reason":null}}]}}`
)

func TestOf(t *testing.T) {
	t.Parallel()
	custom := func(lines ...string) string { return fmt.Sprintf(lineOf, strings.Join(lines, ",")) }
	codex := func(entry string, types ...string) string {
		for i, typ := range types {
			types[i] = `{"type":"event_msg","payload":{"type":"` + typ + `"}}`
		}
		return entry + fmt.Sprintf(codexOf, strings.Join(types, ","))
	}
	for _, tt := range []struct {
		name    string
		entries []string
		want    string // now, and much later
	}{
		{"empty", nil, "empty empty"},
		{"asked", []string{user}, "working working"},
		{"answered", []string{user, reply}, "answered answered"},
		{"answered-then-user-types", []string{user, reply, user}, "working working"},
		{"open call", []string{user, calling}, "working working Bash"},
		{"result without a reply", []string{user, calling, result}, "working working"},
		{"parallel-calls-one-is-ask", []string{user, asking}, "asks asks AskUserQuestion"},
		{"the one that asks is answered", []string{user, asking, strings.ReplaceAll(result, `"a"`, `"q"`)}, "working working Read"},
		{"made-up-result", []string{user, calling, strings.Replace(result, `"isError"`, `"details":{"madeUp":true},"isError"`, 1)}, "working working Bash"},
		{"an old open call", []string{user, calling, user, reply}, "answered answered"},
		{"sub-agent-open", []string{user, strings.Replace(calling, `"Bash"`, `"Task"`, 1)}, "working working Task"},
		{"answered with a call left open", []string{user, calling, reply}, "working working Bash"},
		{"aborted", []string{user, strings.Replace(reply, `"stop"`, `"aborted"`, 1)}, "stopped stopped"},
		{"failed, and may be tried again", []string{user, failed}, "working failed"},
		{"failed, and tried again", []string{user, failed, reply}, "answered answered"},
		{"cut short", []string{user, strings.Replace(reply, `"stop"`, `"length"`, 1)}, "working failed"},
		{"length, but with a call", []string{user, strings.Replace(calling, `"toolUse"`, `"length"`, 1), result}, "working working"},
		{"no reason", []string{user, nothing}, "working answered"},
		{"null-reason-then-call", []string{user, reply + nullStop, calling}, "working working Bash"},
		{"null reason", []string{user, reply + nullStop}, "working answered"},
		{"null reason, then the turn's duration", []string{user, reply + nullStop, custom(`{"type":"system","subtype":"turn_duration"}`)}, "answered answered"},
		{"null reason, then the Stop hook", []string{user, reply + nullStop, custom(`{"type":"progress","data":{"hookEvent":"Stop"}}`)}, "answered answered"},
		{"null reason, then another hook", []string{user, reply + nullStop, custom(`{"type":"progress","data":{"hookEvent":"PreToolUse"}}`)}, "working answered"},
		{"null reason, then the last prompt", []string{user, reply + nullStop, custom(`{"type":"last-prompt"}`)}, "answered answered"},
		{"the last prompt of another turn", []string{user, custom(`{"type":"last-prompt"}`)}, "working working"},
		{"lines of one message", []string{user, strings.Replace(reply+nullStop, `]}}`, `,{"type":"assistant","message":{"stop_reason":"end_turn"}}]}}`, 1)}, "answered answered"},
		{"retry-counts-down", []string{user, custom(`{"type":"system","subtype":"api_error","retryAttempt":7,"maxRetries":10}`)}, "working working"},
		{"the last retry", []string{user, custom(`{"type":"system","subtype":"api_error","retryAttempt":10,"maxRetries":10}`)}, "failed failed"},
		{"an error as a message", []string{user, failed + `,"kept":{"claude":{"lines":[{"type":"assistant","isApiErrorMessage":true}]}}`}, "failed failed"},
		{"interrupted", []string{user, calling, `"message":{"role":"user","content":"[Request interrupted by user for tool use]"}`}, "stopped stopped"},
		{"interrupted, in the agent's words", []string{user, reply, `"customType":"claude:context","content":"[Request interrupted by user]"`}, "stopped stopped"},
		{"exit", []string{user, reply, `"customType":"claude:context","content":"<command-name>/exit</command-name>"`}, "closed closed"},
		{"context changes nothing", []string{user, reply, `"customType":"claude:context","content":"a reminder"`}, "answered answered"},
		{"task_complete", []string{user, codex(nothing, "task_complete")}, "answered answered"},
		{"turn_aborted", []string{user, codex(calling, "turn_aborted")}, "stopped stopped"},
		{"usage limit", []string{codex(user, "error", "task_complete")}, "failed failed"},
		{"commentary", []string{user, reply + fmt.Sprintf(codexOf, `{"payload":{"type":"message","phase":"commentary"}}`)}, "working working"},
		{"final answer", []string{user, nothing + fmt.Sprintf(codexOf, `{"payload":{"type":"message","phase":"final_answer"}}`)}, "answered answered"},
		{"a text of codex without a phase, and a call that follows", []string{user, reply + fmt.Sprintf(codexOf, `{"payload":{"type":"message"}}`)}, "working answered"},
		{"and no call that follows", []string{user, reply + fmt.Sprintf(codexOf, `{"payload":{"type":"message"}},{"payload":{"type":"token_count"}}`)}, "answered answered"},
		{"tokens of the reply before", []string{codex(user, "token_count")}, "working working"},
		{"a task that failed", []string{user + fmt.Sprintf(codexOf, `{"payload":{"type":"task_complete","error":{"message":"no"}}}`)}, "failed failed"},
		{"a task that did not", []string{user + fmt.Sprintf(codexOf, `{"payload":{"type":"task_complete","error":null}}`)}, "answered answered"},
		{"opencode begins to reply", []string{user, reply + fmt.Sprintf(openOf, `"role":"assistant","time":{"created":1}`)}, "working working"},
		{"opencode has replied", []string{user, reply + fmt.Sprintf(openOf, `"role":"assistant","time":{"created":1,"completed":2}`)}, "answered answered"},
		{"opencode says why it ended", []string{user, reply + fmt.Sprintf(openOf, `"role":"assistant","time":{"created":1},"finish":"stop"`)}, "answered answered"},
		{"opencode failed", []string{user, failed + fmt.Sprintf(openOf, `"role":"assistant","time":{"created":1},"error":{"name":"APIError"}`)}, "working failed"},
		{"a user of opencode without a text yet", []string{user, reply, `"customType":"opencode:message"` + fmt.Sprintf(openOf, `"role":"user","time":{"created":1}`)}, "working working"},
		{"permission of Copilot", []string{user, calling, `"customType":"copilot:permission.requested"`}, "asks asks Bash"},
		{"background", []string{user, strings.Replace(calling, `"Bash"`, `"exec_command"`, 1), strings.Replace(strings.Replace(result, `"Bash"`, `"exec_command"`, 1), `"x"`, `"Process running with session ID 7\n"`, 1), reply}, "answered answered"},
	} {
		text := `{"type":"session","version":3,"id":"s1","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}` + "\n"
		parent := "null"
		for i, members := range tt.entries {
			typ := "message"
			if !strings.HasPrefix(members, `"message"`) {
				typ = "custom"
				if strings.Contains(members, `"content"`) {
					typ = "custom_message"
				}
			}
			text += fmt.Sprintf(`{"type":%q,"id":"e%d","parentId":%s,"timestamp":"2026-01-02T03:04:05.%03dZ",%s}`+"\n", typ, i, parent, i, members)
			parent = fmt.Sprintf(`"e%d"`, i)
		}
		s, err := session.Read(strings.NewReader(text))
		if err != nil || len(s.Entries) != len(tt.entries) {
			t.Fatalf("%s: %v, %d entries", tt.name, err, len(s.Entries))
		}
		st := state.Of(s.Entries, "/w")
		now, later := st.At(st.Since+1, 2*time.Minute, 0), st.At(st.Since+120_000, 2*time.Minute, 0)
		if got := strings.TrimSpace(now.Name + " " + later.Name + " " + st.Call.Name); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
		if later.Guess != (now.Name == state.Working && later.Name == state.Answered) {
			t.Errorf("%s: a guess: %t", tt.name, later.Guess)
		}
	}
}

// What is open for long may wait for a permission, if that is asked for.
func TestPatience(t *testing.T) {
	t.Parallel()
	s, err := session.Read(strings.NewReader(`{"type":"session","version":3,"id":"s1","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}` + "\n" +
		`{"type":"message","id":"e0","parentId":null,"timestamp":"2026-01-02T03:04:05.000Z",` + calling + "}\n"))
	if err != nil {
		t.Fatal(err)
	}
	st := state.Of(s.Entries, "/w")
	for _, tt := range []struct {
		age, patience time.Duration
		want          string
	}{
		{time.Hour, 0, state.Working}, {time.Minute, time.Hour, state.Working}, {time.Hour, time.Hour, state.Asks}, {-time.Hour, time.Minute, state.Working}, // clock-goes-back
	} {
		if got := st.At(st.Since+tt.age.Milliseconds(), time.Minute, tt.patience); got.Name != tt.want || got.Guess != (tt.want == state.Asks) {
			t.Errorf("%v, %v: %s, %t", tt.age, tt.patience, got.Name, got.Guess)
		}
	}
	if st.Entry != 0 || st.Since != 1767323045000 {
		t.Errorf("entry %d, since %d", st.Entry, st.Since)
	}
}
