package status_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/readers/status"
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
		{"handed over", []string{user, reply, `"message":{"role":"user","content":"[Moved here by sess-handoff from codex:1, 2 messages. Files may have changed since.]"}`}, "answered answered"},
		{"handed over, and gone on with", []string{user, reply, `"message":{"role":"user","content":"[Moved here by sess-handoff from codex:1, 2 messages. Files may have changed since.]"}`, user}, "working working"},
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
		{"a Stop hook objects", []string{user, reply, `"customType":"claude:context","content":[{"type":"text","text":"Stop hook feedback:\n[check]: tests"}]`}, "working working"},
		{"and is told of by others", []string{user, reply, `"customType":"claude:context","content":"see Stop hook feedback: x"`}, "answered answered"},
		{"a notification wakes the model", []string{user, reply, `"customType":"claude:context","content":"<task-notification>done</task-notification>"`}, "working working"},
		{"which answers", []string{user, reply, `"customType":"claude:context","content":"<task-notification>done</task-notification>"`, reply}, "answered answered"},
		{"deferred", []string{user, strings.Replace(reply, `"stop"`, `"deferred"`, 1)}, "working working"},
		{"failed, and pi tries again", []string{user, failed, `"edit":"e1","targetId":"e1","replacement":null`}, "working working"},
		{"failed, and pi edits another entry", []string{user, failed, `"edit":"e0","targetId":"e0","replacement":null`}, "working failed"},
		{"failed, and pi edits it", []string{user, failed, `"edit":"e1","targetId":"e1","replacement":{"content":"x"}`}, "working failed"},
		{"answered, and pi edits it", []string{user, reply, `"edit":"e1","targetId":"e1","replacement":null`}, "answered answered"},
		{"task_complete", []string{user, codex(nothing, "task_complete")}, "answered answered"},
		{"turn_aborted", []string{user, codex(calling, "turn_aborted")}, "stopped stopped"},
		{"usage limit", []string{codex(user, "error", "task_complete")}, "failed failed"},
		{"commentary", []string{user, reply + fmt.Sprintf(codexOf, `{"payload":{"type":"message","phase":"commentary"}}`)}, "working working"},
		{"final answer", []string{user, nothing + fmt.Sprintf(codexOf, `{"payload":{"type":"message","phase":"final_answer"}}`)}, "answered answered"},
		{"a text of codex without a phase, and a call that follows", []string{user, reply + fmt.Sprintf(codexOf, `{"payload":{"type":"message"}}`)}, "working answered"},
		{"thoughts of codex, and a text that follows", []string{user, reply + fmt.Sprintf(codexOf, `{"payload":{"type":"reasoning"}}`)}, "working answered"},
		{"thoughts that the reply has", []string{user, reply + fmt.Sprintf(codexOf, `{"payload":{"$json":"content.0.thinkingSignature"}}`)}, "working answered"},
		{"and the text", []string{user, reply + fmt.Sprintf(codexOf, `{"payload":{"type":"reasoning"}},{"payload":{"type":"message","phase":"final_answer"}}`)}, "answered answered"},
		{"ExitPlanMode", []string{user, strings.Replace(calling, `"Bash"`, `"ExitPlanMode"`, 1)}, "asks asks ExitPlanMode"},
		{"ExitPlanMode, refused by an interrupt", []string{user, strings.Replace(calling, `"Bash"`, `"ExitPlanMode"`, 1), strings.Replace(result, `"x"`, `"no"`, 1), `"message":{"role":"user","content":"[Request interrupted by user for tool use]"}`}, "stopped stopped"},
		{"request_user_input", []string{user, strings.Replace(calling, `"Bash"`, `"request_user_input"`, 1)}, "asks asks request_user_input"},
		{"ask_user_question", []string{user, strings.Replace(calling, `"Bash"`, `"ask_user_question"`, 1)}, "asks asks ask_user_question"},
		{"question", []string{user, strings.Replace(calling, `"Bash"`, `"question"`, 1)}, "asks asks question"},
		{"two calls open", []string{user, strings.Replace(asking, `"AskUserQuestion"`, `"Bash"`, 1)}, "working working Read"},
		{"null reasons, then exit", []string{user, reply + nullStop, `"customType":"claude:context","content":"<command-name>/exit</command-name>"`}, "closed closed"},
		{"and no call that follows", []string{user, reply + fmt.Sprintf(codexOf, `{"payload":{"type":"message"}},{"payload":{"type":"token_count"}}`)}, "answered answered"},
		{"tokens of the reply before", []string{codex(user, "token_count")}, "working working"},
		{"a task that failed", []string{user + fmt.Sprintf(codexOf, `{"payload":{"type":"task_complete","error":{"message":"no"}}}`)}, "failed failed"},
		{"a task that did not", []string{user + fmt.Sprintf(codexOf, `{"payload":{"type":"task_complete","error":null}}`)}, "answered answered"},
		{"opencode begins to reply", []string{user, reply + fmt.Sprintf(openOf, `"role":"assistant","time":{"created":1}`)}, "working working"},
		{"opencode has replied", []string{user, reply + fmt.Sprintf(openOf, `"role":"assistant","time":{"created":1,"completed":2}`)}, "answered answered"},
		{"opencode says why it ended", []string{user, reply + fmt.Sprintf(openOf, `"role":"assistant","time":{"created":1},"finish":"stop"`)}, "answered answered"},
		{"opencode failed", []string{user, failed + fmt.Sprintf(openOf, `"role":"assistant","time":{"created":1},"error":{"name":"APIError"}`)}, "working failed"},
		{"a user of opencode without a text yet", []string{user, reply, `"customType":"opencode:message"` + fmt.Sprintf(openOf, `"role":"user","time":{"created":1}`)}, "working working"},
		{"two-branches", []string{user, reply, "/" + user}, "working working"},
		{"the other of two branches", []string{user, "/" + user, reply}, "answered answered"},
		{"permission of Copilot", []string{user, calling, `"customType":"copilot:permission.requested"`}, "asks asks Bash"},
		{"background", []string{user, strings.Replace(calling, `"Bash"`, `"exec_command"`, 1), strings.Replace(strings.Replace(result, `"Bash"`, `"exec_command"`, 1), `"x"`, `"Process running with session ID 7\n"`, 1), reply}, "answered answered"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			st := of(t, tt.entries)
			now, later := st.At(st.Since+1, status.Settle), st.At(st.Since+status.Settle.Milliseconds(), status.Settle)
			if got := strings.TrimSpace(now.Name + " " + later.Name + " " + st.Call.Name); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
			if later.Guess != (now.Name == status.Working && later.Name == status.Answered) {
				t.Errorf("a guess: %t", later.Guess)
			}
		})
	}
}

const began = 1767323045000 // of the first entry, in milliseconds

// of is the state of entries that follow each other, but for those that begin with a slash, which begin a branch.
func of(t *testing.T, entries []string) status.State {
	t.Helper()
	text := `{"type":"session","version":3,"id":"s1","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}` + "\n"
	parent := "null"
	for i, members := range entries {
		members, root := strings.CutPrefix(members, "/")
		if root {
			parent = "null"
		}
		typ := "message"
		if !strings.HasPrefix(members, `"message"`) {
			typ = "custom"
			if strings.Contains(members, `"content"`) {
				typ = "custom_message"
			}
			if strings.HasPrefix(members, `"edit"`) {
				typ = "context_edit"
			}
		}
		text += fmt.Sprintf(`{"type":%q,"id":"e%d","parentId":%s,"timestamp":"2026-01-02T03:04:05.000Z",%s}`+"\n", typ, i, parent, members)
		parent = fmt.Sprintf(`"e%d"`, i)
	}
	s, err := session.Read(strings.NewReader(text))
	if err != nil || len(s.Entries) != len(entries) {
		t.Fatalf("%v, %d entries", err, len(s.Entries))
	}
	return status.Of(s.Entries, "/w")
}

// The newest entry that decides is named, though all are of one moment.
func TestEntry(t *testing.T) {
	t.Parallel()
	for want, entries := range map[int][]string{-1: nil, 0: {user}, 1: {user, reply, `"customType":"note"`}, 2: {user, calling, result}} {
		if got := of(t, entries).Entry; got != want {
			t.Errorf("%d, want %d", got, want)
		}
	}
}

// What time makes of a state is by the time of its entry.
func TestAt(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, entry string
		age         time.Duration
		want        string
		guess       bool
	}{
		{"a call is open for ever", calling, time.Hour, status.Working, false},
		{"clock-goes-back", calling, -time.Hour, status.Working, false},
		{"clock-goes-back, and a reply failed", failed, -time.Hour, status.Working, false},
		{"settle-by-entry-time", failed, status.Settle, status.Failed, false},
		{"not settled yet", failed, status.Settle - time.Millisecond, status.Working, false},
		{"settled by when it ended, not began", failed + fmt.Sprintf(openOf, fmt.Sprintf(`"role":"assistant","time":{"created":%d,"completed":%d},"error":{}`, began, began+60_000)), status.Settle, status.Working, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			st := of(t, []string{tt.entry})
			if got := st.At(began+tt.age.Milliseconds(), status.Settle); got.Name != tt.want || got.Guess != tt.guess {
				t.Errorf("%s, a guess: %t, want %s", got.Name, got.Guess, tt.want)
			}
			if st.Entry != 0 {
				t.Errorf("entry %d", st.Entry)
			}
		})
	}
}
