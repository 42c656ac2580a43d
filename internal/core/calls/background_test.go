package calls_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/core/calls"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// beside makes entries that are no messages.
func beside(t *testing.T, all []session.Entry, more ...string) []session.Entry {
	t.Helper()
	for _, text := range more {
		s, err := session.Read(strings.NewReader(`{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}` + "\n" + text + "\n"))
		if err != nil || len(s.Entries) != 1 {
			t.Fatal(text, err)
		}
		all = append(all, s.Entries...)
	}
	return all
}

func said(text string) string {
	return `{"type":"custom_message","customType":"claude:context","content":[{"type":"text","text":` + js.Quote(text) + `}],"display":false,"id":"n","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z"}`
}

func notification(task, status, summary string) string {
	return "<task-notification>\n<task-id>" + task + "</task-id>\n<tool-use-id>x</tool-use-id>\n<status>" + status + "</status>\n<summary>" + summary + "</summary>\n</task-notification>"
}

// What went on in the background has the ending that its agent tells by itself.
func TestNotices(t *testing.T) {
	t.Parallel()
	quoted := `Background command "echo '</summary> exit code 0 <status>completed</status>'" failed with exit code 2`
	frame := "<system-reminder>\n[SYSTEM NOTIFICATION - NOT USER INPUT]\n%s\n</system-reminder>"
	kept := func(content string) string {
		return `{"type":"custom","customType":"claude:line","id":"n","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","kept":{"claude":{"n":[2],"lines":[{"type":"queue-operation","operation":"enqueue","content":` + js.Quote(content) + `}]}}}`
	}
	event := func(status, summary string) string {
		return `{"type":"custom","customType":"claude:event","data":{"type":"system","subtype":"task_notification","task_id":"b1","status":"` + status + `","summary":"` + summary + `"},"id":"n","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z"}`
	}
	for name, tt := range map[string]struct{ entry, want string }{
		"failed":           {said(notification("b1", "failed", quoted)), "0 2 run 2 make"},
		"completed":        {said(notification("b1", "completed", `Background command "make" completed (exit code 0)`)), "0 2 run 0 make"},
		"completed, early": {said(notification("b1", "completed", `Background command "make" completed`)), "0 2 run 0 make"},
		"killed":           {said(notification("b1", "killed", `Background command "exit code 0" was stopped`)), "0 2 run fail make"},
		"in a frame":       {said(fmt.Sprintf(frame, notification("b1", "failed", "x failed with exit code 2"))), "0 2 run 2 make"},
		"with more behind": {said(notification("b1", "failed", "x failed with exit code 2") + "\nRead the output file"), "0 2 run 2 make"},
		"second of two":    {said(notification("b7", "completed", "x") + "\n" + notification("b1", "failed", "x failed with exit code 2")), "0 2 run 2 make"},
		"of no origin":     {`{"type":"message","id":"n","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":` + js.Quote(notification("b1", "failed", "x failed with exit code 2")+"\nRead it") + `}}`, "0 2 run 2 make"},
		"another's":        {said(notification("b7", "failed", "x failed with exit code 2")), "0 1 run open make"},
		"running":          {said(notification("b1", "running", "x")), "0 1 run open make"},
		"not in front":     {said("He said " + notification("b1", "failed", "x failed with exit code 2")), "0 1 run open make"},
		"queued":           {kept(notification("b1", "failed", "x failed with exit code 2")), "0 2 run 2 make"},
		"queued, JSON":     {kept(`{"task_id":"b1","status":"failed","summary":"x failed with exit code 2"}`), "0 2 run 2 make"},
		"begins, JSON":     {kept(`{"task_id":"b1","description":"make","task_type":"local_bash"}`), "0 1 run open make"},
		"recorded":         {event("failed", "x failed with exit code 2"), "0 2 run 2 make"},
		"recorded, ended":  {event("completed", "x completed (exit code 0)"), "0 2 run 0 make"},
		"Kimi":             {said(`<notification id="t" category="task" type="task.failed" source_kind="background_task" source_id="b1">` + "\nTitle: x\n</notification>"), "0 2 run fail make"},
		"Kimi, timed out":  {said(`<notification id="t" category="task" type="task.timed_out" source_kind="background_task" source_id="b1">` + "\n</notification>"), "0 2 run fail make"},
	} {
		started := entries(t, call("a", "Bash", `{"command":"make","run_in_background":true}`), result("a", "Bash", "Command running in background with ID: b1. Output is being written to: /tmp/b1", false))
		all := calls.Of(beside(t, started, tt.entry), "/w")
		if got := rows(all); got[0] != tt.want {
			t.Errorf("%s: %s, want %s", name, got[0], tt.want)
		}
	}
}

// It has the one that a later call tells, or was ended by it.
func TestFollowers(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ tool, started, asks, about, answer, details, want string }{
		"asked":             {"Bash", "Command running in background with ID: bash_1", "BashOutput", `{"bash_id":"bash_1"}`, "<status>failed</status>\n\n<exit_code>3</exit_code>\n\n<stdout>\n<status>completed</status>\n</stdout>", "", "0 3 run 3 make"},
		"by its details":    {"Bash", "Command running in background with ID: bash_1", "BashOutput", `{"bash_id":"bash_1"}`, "", `{"shellId":"bash_1","status":"completed","exitCode":0}`, "0 3 run 0 make"},
		"runs":              {"Bash", "Command running in background with ID: bash_1", "BashOutput", `{"bash_id":"bash_1"}`, "<status>running</status>", `{"shellId":"bash_1","status":"running","exitCode":null}`, "0 1 run open make"},
		"another":           {"Bash", "Command running in background with ID: bash_1", "BashOutput", `{"bash_id":"bash_2"}`, "<status>failed</status>\n\n<exit_code>3</exit_code>", "", "0 1 run open make"},
		"task":              {"Bash", "Command running in background with ID: b1", "TaskOutput", `{"task_id":"b1","block":true}`, "<retrieval_status>success</retrieval_status>\n\n<task_id>b1</task_id>\n\n<status>failed</status>\n\n<exit_code>1</exit_code>\n\n<output>\nx\n</output>", "", "0 3 run 1 make"},
		"task, details":     {"Bash", "Command running in background with ID: b1", "TaskOutput", `{"task_id":"b1","block":true}`, "", `{"retrieval_status":"success","task":{"task_id":"b1","status":"failed","exitCode":1}}`, "0 3 run 1 make"},
		"waited in vain":    {"Bash", "Command running in background with ID: b1", "TaskOutput", `{"task_id":"b1","block":true}`, "", `{"retrieval_status":"timeout","task":{"task_id":"b1","status":"running","exitCode":null}}`, "0 1 run open make"},
		"killed":            {"Bash", "Command running in background with ID: bash_1", "KillShell", `{"shell_id":"bash_1"}`, `{"message":"Successfully killed shell: bash_1 (make)","shell_id":"bash_1"}`, "", "0 3 run fail make"},
		"stopped":           {"Bash", "Command was manually backgrounded by user with ID: b1", "TaskStop", `{"task_id":"b1"}`, `{"message":"Successfully stopped task: b1 (make)","task_id":"b1"}`, "", "0 3 run fail make"},
		"agent":             {"Agent", "Async agent launched successfully.\nagentId: a1 (internal ID)", "TaskOutput", `{"task_id":"a1"}`, "<retrieval_status>success</retrieval_status>\n\n<status>completed</status>\n\n<output>\n<status>failed</status>", "", "0 3 agent ok make"},
		"Kimi":              {"Bash", "task_id: bash-1\npid: 3\ndescription: make\nstatus: running\nautomatic_notification: true\n", "TaskOutput", `{"task_id":"bash-1"}`, "Wall time: 1.000 seconds\nretrieval_status: success\ntask_id: bash-1\nstatus: failed\nexit_code: 4\n\n[output]\nstatus: completed", "", "0 3 run 4 make"},
		"Kimi, ended first": {"Bash", "task_id: bash-1\npid: 3\ndescription: make\nstatus: running\n", "TaskStop", `{"task_id":"bash-1"}`, "Wall time: 1.000 seconds\ntask_id: bash-1\nstatus: completed\nreason: x", "", "0 3 run 0 make"},
		"Qwen":              {"run_shell_command", "Background shell started.\nid: bg_1\npid: 7\n", "task_stop", `{"task_id":"bg_1"}`, `Cancellation requested for background shell "bg_1".`, "", "0 3 run fail make"},
		"Qwen, printed":     {"run_shell_command", "Background shell bg_1 started (pid 7).", "task_stop", `{"task_id":"bg_1"}`, `Cancellation requested for background shell "bg_1".`, "", "0 3 run fail make"},
		"Gemini":            {"run_shell_command", "Command moved to background (PID: 7). Output hidden. Press Ctrl+B to view.", "list_background_processes", `{}`, "- [PID 6] RUNNING: `x`\n- [PID 7] EXITED: `make` (Exit Code: 2)", "", "0 3 run 2 make"},
		"Gemini, runs":      {"run_shell_command", "Command is running in background. PID: 7. Initial output:\n", "list_background_processes", `{}`, "- [PID 7] RUNNING: `make (Exit Code: 2)`", "", "0 1 run open make"},
	} {
		more := `"details":` + tt.details
		if tt.details == "" {
			more = `"details":null`
		}
		all := calls.Of(entries(t,
			call("a", tt.tool, `{"command":"make","prompt":"make"}`), result("a", tt.tool, tt.started, false),
			call("b", tt.asks, tt.about), result("b", tt.asks, tt.answer, false, more)), "/w")
		if got := rows(all); got[0] != tt.want {
			t.Errorf("%s: %s, want %s", name, got[0], tt.want)
		}
	}
}

// A name may be given again after its command ended. The refusal to kill one ends none.
func TestNamesGivenAgain(t *testing.T) {
	t.Parallel()
	begun := "Command running in background with ID: bash_1"
	want(t, calls.Of(entries(t,
		call("a", "Bash", `{"command":"x"}`), result("a", "Bash", begun, false),
		call("b", "KillShell", `{"shell_id":"bash_1"}`), result("b", "KillShell", "no", true),
		call("c", "BashOutput", `{"bash_id":"bash_1"}`), result("c", "BashOutput", "<status>failed</status>\n<exit_code>5</exit_code>", false),
		call("d", "Bash", `{"command":"y"}`), result("d", "Bash", begun, false),
		call("e", "BashOutput", `{"bash_id":"bash_1"}`), result("e", "BashOutput", "<status>completed</status>\n<exit_code>0</exit_code>", false),
	), "/w"), "0 5 run 5 x", "2 3 other fail ", "4 5 other 5 ", "6 9 run 0 y", "8 9 other 0 ")
}
