package calls_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/core/calls"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// entries makes entries of messages.
func entries(t *testing.T, messages ...string) []session.Entry {
	t.Helper()
	text := `{"type":"session","version":3,"id":"s1","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}` + "\n"
	parent := "null"
	for i, m := range messages {
		text += fmt.Sprintf(`{"type":"message","id":"e%d","parentId":%s,"timestamp":"2026-01-02T03:04:05.000Z","message":%s}`+"\n", i, parent, m)
		parent = fmt.Sprintf(`"e%d"`, i)
	}
	s, err := session.Read(strings.NewReader(text))
	must.Do(t, err)
	if len(s.Entries) != len(messages) {
		t.Fatalf("%d entries of %d", len(s.Entries), len(messages))
	}
	return s.Entries
}

// call is a reply with a call, and result the answer to it.
func call(id, name, arguments string) string {
	return `{"role":"assistant","content":[{"type":"toolCall","id":"` + id + `","name":"` + name + `","arguments":` + arguments + `}],"stopReason":"toolUse"}`
}

func result(id, name, text string, failed bool, more ...string) string {
	return fmt.Sprintf(`{"role":"toolResult","toolCallId":%q,"toolName":%q,"content":[{"type":"text","text":%s}],"isError":%t%s}`, id, name, js.Quote(text), failed, strings.Join(append([]string{""}, more...), ","))
}

// rows are the calls as sess-calls prints them, with the entries of call and result.
func rows(all []calls.Call) (out []string) {
	for _, c := range all {
		out = append(out, fmt.Sprintf("%d %d %s %s %s", c.Entry, c.Result, c.Kind, c.Ending, c.Target))
	}
	return out
}

func want(t *testing.T, all []calls.Call, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, rows(all)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// How each agent tells how a command ended.
func TestStatus(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		tool, text string
		failed     bool
		details    string
		want       string
	}{
		{"Bash", "ok\nExit code 3", false, "", "0"},
		{"Bash", "Exit code 3\nno", true, "", "3"},
		{"Bash", "Error: Exit code 127\nno", true, `"Error: Exit code 127"`, "127"},
		{"Bash", "Exit code 3\nno", false, `{"stdout":""}`, "0"},
		{"Bash", "it failed", true, "", "fail"},
		{"Bash", "Command running in background with ID: b1", false, "", "open"},
		{"Bash", "some\n", false, `{"stdout":"some\n","backgroundTaskId":"b1"}`, "open"},
		{"Bash", "Command running in background with ID: b1", true, "", "fail"},
		{"Agent", "Async agent launched successfully.\nagentId: a1", false, `{"status":"async_launched","agentId":"a1"}`, "open"},
		{"Agent", "It says: Async agent launched successfully.\nagentId: a1", false, "", "ok"},
		{"Agent", "the tests end with\nExit Code: 1", false, "", "ok"},
		{"Bash", "The user doesn't want to proceed with this tool use. The tool use was rejected", true, "", "denied"},
		{"Bash", "<tool_use_error>Cancelled: parallel tool call Bash(x) errored</tool_use_error>", true, "", "denied"},
		{"Bash", "PreToolUse:Bash hook error: [x]: no", true, "", "denied"},
		{"Bash", "Permission to use Bash with command git push has been denied.", true, "", "denied"},
		{"bash", "Permission to use Bash denied\n\nCommand exited with code 1", true, "", "1"},
		{"bash", "Permission to use Bash denied\n\nCommand timed out after 5 seconds", true, "", "fail"},
		{"bash", "Permission to use Bash denied\n\nCommand aborted", true, "", "fail"},
		{"bash", "Permission to use Bash denied", true, `{"exitCode":1}`, "1"},
		{"Edit", "The user doesn't want to proceed with this tool use.", true, "", "denied"},
		{"Edit", "The user doesn't want to proceed with this tool use.", false, "", "ok"},
		{"Edit", "Exit code 1", true, "", "fail"},
		{"shell_command", "Exit code: 0\nWall time: 0.1 seconds\nOutput:\nExit code: 5", false, "", "0"},
		{"shell_command", "Exit code: 1\nWall time: 0 seconds\nOutput:\n", false, "", "1"},
		{"exec_command", "Chunk ID: 0b1940\nWall time: 0.0002 seconds\nProcess exited with code 101\nOriginal token count: 0\nOutput:\n", true, "", "101"},
		{"exec_command", "x", false, `{"exitCode":-1}`, "-1"},
		{"exec_command", "Chunk ID: a\nWall time: 1.0 seconds\nProcess running with session ID 7\nOutput:\n", false, "", "open"},
		{"exec_command", "exec command rejected by user", true, "", "denied"},
		{"shell", "anything", false, "", "ok"},
		{"bash", "no\n\nCommand exited with code 2", true, "", "2"},
		{"bash", "Command exited with code 2", false, "", "0"},
		{"bash", "x", false, `{"output":"x","exit":4}`, "4"},
		{"bash", "x", false, `{"output":"x","exit":null}`, "ok"},
		{"bash", "out\n<shellId: 9 completed with exit code 6>", false, "", "6"},
		{"bash", "out\n<command with shellId: 9 is still running after 30 seconds. The command is still running. Use read_bash to continue waiting for output, or stop_bash to stop it.>", false, "", "open"},
		{"bash", "<command started in background with shellId: 9>", false, "", "open"},
		{"run_shell_command", "<untrusted_context>\nout\nExit Code: 3\n</untrusted_context>", false, "", "3"},
		{"run_shell_command", "<untrusted_context>\nCommand moved to background (PID: 7). Output hidden.\n</untrusted_context>", false, "", "open"},
		{"run_shell_command", "<untrusted_context>\nout\n</untrusted_context>", false, "", "0"},
		{"bash", "it says <command with shellId: 9 is still running after it", false, "", "0"},
		{"run_shell_command", "Output: x\nExit Code: 2\nProcess Group PGID: 12", false, "", "2"},
		{"run_shell_command", "Output: x\nProcess Group PGID: 12", false, "", "0"},
		{"run_shell_command", "[Operation Cancelled] Reason: User denied execution.", true, "", "denied"},
		{"Shell", "out\nerr\nCommand failed with exit code: 3.", true, "", "3"},
		{"Shell", "<system>ERROR: Shell blocked by hook</system>", true, "", "denied"},
		{"claude_Bash", "Exit code 9\nx", true, "", "9"},
		{"Read", "no such file", true, "", "fail"},
		{"x", "Exit code 9", false, `{"exitCode":9}`, "ok"},
	} {
		var more []string
		if tt.details != "" {
			more = append(more, `"details":`+tt.details)
		}
		all := calls.Of(entries(t, call("c", tt.tool, `{}`), result("c", tt.tool, tt.text, tt.failed, more...)), "/w")
		if got := all[0].Ending.String(); got != tt.want {
			t.Errorf("%s, %t, %q %s: %s, want %s", tt.tool, tt.failed, tt.text, tt.details, got, tt.want)
		}
		if all[0].Known && (all[0].Status == 0) != (all[0].Outcome == calls.OK) {
			t.Errorf("%q: %d is %s", tt.text, all[0].Status, all[0].Outcome)
		}
	}
}

// A command of codex that goes on running has the status that a later call tells, even if that
// takes several.
func TestCodexBackgroundStatus(t *testing.T) {
	t.Parallel()
	running := "Chunk ID: a\nWall time: 1.0 seconds\nProcess running with session ID 7\nOutput:\n"
	all := calls.Of(entries(t,
		call("a", "exec_command", `{"cmd":"go test"}`), result("a", "exec_command", running, false),
		call("b", "exec_command", `{"cmd":"sleep"}`), result("b", "exec_command", strings.Replace(running, "7", "8", 1), false),
		call("c", "write_stdin", `{"session_id":7,"chars":""}`), result("c", "write_stdin", running, false),
		call("d", "write_stdin", `{"session_id":7,"chars":""}`), result("d", "write_stdin", "Wall time: 2 seconds\nProcess exited with code 1\nOutput:\n", true),
	), "/w")
	want(t, all, "0 7 run 1 go test", "2 3 run open sleep", "4 5 other open ", "6 7 other 1 ")
	if diff := cmp.Diff([]int{5, 1}, all[0].Beside); diff != "" {
		t.Errorf("what it printed before:\n%s", diff)
	}
}

// So has one of Copilot. One that was stopped has failed, and has none.
func TestCopilotBackgroundStatus(t *testing.T) {
	t.Parallel()
	running := func(id string) string {
		return "<command with shellId: " + id + " is still running after 30 seconds. The command is still running but hasn't produced output yet. Use read_bash to continue waiting, or stop_bash to stop it.>"
	}
	all := calls.Of(entries(t,
		call("a", "bash", `{"command":"go test"}`), result("a", "bash", running("7"), false),
		call("b", "bash", `{"command":"sleep"}`), result("b", "bash", running("8"), false),
		call("c", "read_bash", `{"shellId":"7","delay":5}`), result("c", "read_bash", running("7"), false),
		call("d", "read_bash", `{"shellId":"7","delay":5}`), result("d", "read_bash", "no\n<shellId: 7 completed with exit code 1>", false),
		call("e", "stop_bash", `{"shellId":"8"}`), result("e", "stop_bash", "<command with id: 8 stopped>", false),
	), "/w")
	want(t, all, "0 7 run 1 go test", "2 9 run fail sleep", "4 5 other open ", "6 7 other 1 ", "8 9 other ok ")
}

func TestMadeUpResultIsOpen(t *testing.T) {
	t.Parallel()
	all := calls.Of(entries(t, call("a", "exec_command", `{"cmd":"x"}`), result("a", "exec_command", "aborted", true, `"details":`+session.MadeUp)), "/w")
	want(t, all, "0 -1 run open x")
}

// A tool of no known name runs a command if the call has one: its result has the status then, and not where the call has none.
func TestStatusByArguments(t *testing.T) {
	t.Parallel()
	for arguments, told := range map[string]string{`{"command":"make"}`: "0 1 run 3 make", `{"query":"make"}`: "0 1 other ok make"} {
		want(t, calls.Of(entries(t, call("c", "exec", arguments), result("c", "exec", "x", false, `"details":{"exitCode":3}`)), "/w"), told)
	}
}

func TestPairing(t *testing.T) {
	t.Parallel()
	two := `{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"bash","arguments":{"command":"a"}},{"type":"toolCall","id":"c","name":"bash","arguments":{"command":"b"}}],"stopReason":"toolUse"}`
	want(t, calls.Of(entries(t, two, result("c", "bash", "x", false), result("c", "bash", "Command exited with code 1", true)), "/w"), "0 1 run 0 a", "0 2 run 1 b")
	want(t, calls.Of(entries(t, result("c", "bash", "x", false), call("c", "bash", `{"command":"a"}`)), "/w"), "1 0 run 0 a")
	aborted := strings.Replace(call("c", "bash", `{"command":"a"}`), "toolUse", "aborted", 1)
	want(t, calls.Of(entries(t, aborted), "/w"), "0 -1 run open a")
}

// A call that an agent puts back behind a compaction is the one in front of it; the same call without a compaction between is another one.
func TestPutBack(t *testing.T) {
	t.Parallel()
	made := []string{call("c", "bash", `{"command":"a"}`), result("c", "bash", "x", false), call("c", "bash", `{"command":"a"}`)}
	want(t, calls.Of(entries(t, made...), "/w"), "0 1 run 0 a", "2 -1 run open a")
	all := entries(t, made...)
	summary, err := session.ParseEntry(`{"type":"compaction","id":"z","parentId":null,"timestamp":"2026-01-02T03:04:05.000Z","summary":"s","firstKeptEntryId":"z","tokensBefore":1}`)
	must.Do(t, err)
	want(t, calls.Of(slices.Insert(slices.Clone(all), 2, summary), "/w"), "0 1 run 0 a")
	want(t, calls.Of(slices.Insert(slices.Clone(all), 1, summary), "/w"), "0 2 run 0 a", "3 -1 run open a")
}

// What a call is about.
func TestAbout(t *testing.T) {
	t.Parallel()
	patch := `*** Begin Patch\n*** Add File: a.go\n+*** Update File: no.go\n*** Update File: d/b.go\n*** Move to: d/c.go\n*** Delete File: /w/e.go\n*** End Patch`
	for _, tt := range []struct{ name, tool, arguments, cwd, want string }{
		{"command", "Bash", `{"command":"go test"}`, "/w", "run|go test||go test"},
		{"words", "shell", `{"command":["bash","-lc","go test"]}`, "/w", "run|go test||go test"},
		{"file", "Read", `{"file_path":"/w/a/b.go"}`, "/w", "read||a/b.go|a/b.go"},
		{"path-outside-cwd", "Read", `{"file_path":"/x/b.go"}`, "/w", "read||/x/b.go|/x/b.go"},
		{"beside cwd", "Read", `{"file_path":"/wx/b.go"}`, "/w", "read||/wx/b.go|/wx/b.go"},
		{"files", "read_files", `{"files":[{"path":"/w/a"},{"path":"/w/b"}]}`, "/w", "read||a,b|a"},
		{"windows-path", "Write", `{"file_path":"C:\\w\\a\\b.go"}`, `C:\w`, "write||a/b.go|a/b.go"},
		{"backslash", "Write", `{"file_path":"a\\b"}`, `/w`, `write||a\b|a\b`},
		{"home", "Write", `{"file_path":"~/b"}`, `/w`, `write||~/b|~/b`},
		{"dots", "Write", `{"file_path":"./x/../b"}`, `/w`, `write||b|b`},
		{"patch-paths", "apply_patch", `{"input":"` + patch + `"}`, "/w", "write||a.go,d/b.go,d/c.go,e.go|a.go"},
		{"patch of opencode", "apply_patch", `{"patchText":"` + patch + `"}`, "/w", "write||a.go,d/b.go,d/c.go,e.go|a.go"},
		{"patch-in-heredoc", "shell_command", `{"command":"apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: a.go\n+x\n*** End Patch\nEOF"}`, "/w", "run|apply_patch <<'EOF'|a.go|apply_patch <<'EOF'"},
		{"patch that is printed", "shell_command", `{"command":"cat <<'EOF'\n*** Begin Patch\n*** Add File: a.go\nEOF"}`, "/w", "run|cat <<'EOF'||cat <<'EOF'"},
		{"MultiEdit", "MultiEdit", `{"file_path":"/w/a","edits":[]}`, "/w", "write||a|a"},
		{"notebook", "NotebookEdit", `{"notebook_path":"/w/a.ipynb"}`, "/w", "write||a.ipynb|a.ipynb"},
		{"editor", "str_replace_based_edit_tool", `{"command":"view","path":"/w/a"}`, "/w", "write||a|a"},
		{"search", "Grep", `{"pattern":"x","path":"/w/a"}`, "/w", "search||a|x"},
		{"fetch", "WebFetch", `{"url":"https://example.org","prompt":"p"}`, "/w", "fetch|||https://example.org"},
		{"task", "Task", `{"description":"d","prompt":"p"}`, "/w", "agent|||p"},
		{"question", "AskUserQuestion", `{"questions":[{"question":"q?"}]}`, "/w", "ask|||q?"},
		{"of another agent", "claude_Edit", `{"file_path":"/w/a"}`, "/w", "write||a|a"},
		{"unknown", "mcp__x", `{"query":"q"}`, "/w", "other|||q"},
		{"no object", "Bash", `"x"`, "/w", "run|x||x"},
		{"cwd itself", "LS", `{"path":"/w"}`, "/w", "search||.|."},
	} {
		c := calls.About(session.ToolCall{Name: tt.tool, Arguments: tt.arguments}, tt.cwd)
		line := func(text string) string { text, _, _ = strings.Cut(text, "\n"); return text }
		if got := strings.Join([]string{c.Kind, line(c.Command), strings.Join(c.Paths, ","), line(c.Target)}, "|"); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
		if c.Patched != strings.Contains(tt.name, "patch-") && !strings.HasPrefix(tt.name, "patch of") {
			t.Errorf("%s: patched is %t", tt.name, c.Patched)
		}
	}
}

func Test50MBCommand(t *testing.T) {
	t.Parallel()
	huge := strings.Repeat("x", 50<<20)
	all := calls.Of(entries(t, call("c", "Bash", `{"command":"`+huge+`"}`), result("c", "Bash", huge, false)), "/w")
	if len(all) != 1 || len(all[0].Command) != len(huge) || all[0].Ending.String() != "0" {
		t.Error("it is not whole")
	}
}

func TestUserCommand(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"role":"bashExecution","command":"x","output":"","exitCode":3,"cancelled":false}`: "3",
		`{"role":"bashExecution","command":"x","output":"","exitCode":0,"cancelled":false}`: "0",
		`{"role":"bashExecution","command":"x","output":"","cancelled":true}`:               "fail",
		`{"role":"user","content":"x"}`: "",
	} {
		if got := calls.End(session.NewMessage(text)).String(); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
}

func TestGlob(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		pattern, text string
		file, line    bool
	}{
		{"*.go", "a.go", true, true},
		{"*.go", "d/a.go", true, true},
		{"d/*.go", "d/a.go", true, true},
		{"d/*.go", "d/e/a.go", false, true},
		{"src/**", "src/a/b", true, true},
		{"src/**", "src", false, false},
		{"**/x", "x", true, true},
		{"**/x", "a/b/x", true, true},
		{"a?c", "a/c", false, true},
		{"git push*", "git push o a/b", false, true},
		{"git push*", "git push", true, true},
		{"[a-c]x", "bx", true, true},
		{"[!a]x", "ax", false, false},
		{`\*x`, "*x", true, true},
		{`\*x`, "ax", false, false},
		{"a.c", "abc", false, false},
		{"é?", "éü", true, true},
		{"*", "a\nb", true, true},
		{"x", "a x", false, false},
	} {
		file, err := calls.FileGlob(tt.pattern)
		must.Do(t, err)
		line, err := calls.LineGlob(tt.pattern)
		must.Do(t, err)
		if file.Match(tt.text) != tt.file || line.Match(tt.text) != tt.line {
			t.Errorf("%s %q: as a path %t, as a line %t", tt.pattern, tt.text, file.Match(tt.text), line.Match(tt.text))
		}
	}
	for _, bad := range []string{"[a", "[", "[b-a]x"} {
		if _, err := calls.FileGlob(bad); err == nil {
			t.Errorf("%s is a pattern", bad)
		}
	}
}

// Calls that a tool made are calls, behind its own: with how they ended, as far as its result records that.
func TestNested(t *testing.T) {
	t.Parallel()
	nested := func(record string) string { return `"nestedCalls":{"calls":[` + record + `}` }
	const (
		made    = `{"id":"b/1","name":"bash","status":"ok","arguments":{"command":"make"}}`
		failed  = `{"id":"b/2","name":"bash","status":"error","arguments":{"command":"git push || exit 4"},"error":"no\n\nCommand exited with code 4"}`
		refused = `{"id":"b/3","name":"write","status":"error","arguments":{"path":"/w/x.go"},"error":"Permission to use write has been denied"}`
		begun   = `{"id":"b/4","name":"read","status":"unfinished","arguments":{"path":"y"}}`
		long    = `{"id":"b/5","name":"write","status":"ok","argumentsBytes":9000}`
	)
	many := strings.Repeat(made+",", 255) + begun
	two := `{"role":"assistant","content":[{"type":"toolCall","id":"a","name":"read","arguments":{"path":"a"}},{"type":"toolCall","id":"b","name":"codemode","arguments":{"code":"x"}},{"type":"toolCall","id":"c","name":"read","arguments":{"path":"c"}}]}`
	for name, tt := range map[string]struct {
		record string
		want   []string
	}{
		"ended":      {made + "," + failed + `],"complete":true`, []string{"0 1 run 0 make", "0 1 run 4 git push || exit 4"}},
		"refused":    {refused + `],"complete":true`, []string{"0 1 write denied x.go"}},
		"unfinished": {begun + `],"complete":false`, []string{"0 -1 read open y"}},
		"long":       {long + `],"complete":false`, []string{"0 1 write ok "}},
		"lost":       {made + `],"complete":false`, []string{"0 1 run 0 make", "0 -1 other open calls that are not recorded"}},
		"no call":    {`7],"complete":true`, []string{"0 -1 other open calls that are not recorded"}},
		"none":       {`],"complete":true`, nil},
	} {
		all := calls.Of(entries(t, two, result("b", "codemode", "done", false, nested(tt.record)), result("c", "read", "c", false), result("a", "read", "a", false)), "/w")
		want(t, all, append(append([]string{"0 3 read ok a", "0 1 other ok "}, tt.want...), "0 2 read ok c")...)
		for _, c := range all {
			if inner := len(c.ID) != 1; (c.In == "b") != inner || c.Unread != (c.ID == "b/5" || c.ID == "") {
				t.Errorf("%s: %s %s is in %q, unread %t", name, c.ID, c.Target, c.In, c.Unread)
			}
		}
	}
	all := calls.Of(entries(t, two, result("b", "codemode", "done", false, nested(many+`],"complete":false`))), "/w")
	if last := rows(all)[258]; last != "0 -1 other open calls that are not recorded" {
		t.Errorf("a full record ends in %s", last)
	}
	// The result stands alone.
	want(t, calls.Of(entries(t, result("b", "codemode", "done", false, nested(made+`],"complete":true`))), "/w"), "0 0 run 0 make")
}

// What a command printed is its result without the words in which its agent tells the status.
func TestPrinted(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                   "",
		"exit status 1":                      "exit status 1", // which a program printed
		"Exit code 1\nFAIL":                  "FAIL",
		"Exit code: 2\nWall time: 1 s":       "Wall time: 1 s",
		"FAIL\n\nCommand exited with code 1": "FAIL\n",
		"so far\nCommand aborted":            "so far",
		strings.Repeat("x", 5000) + "\n<shellId: 3 completed with exit code 0>": strings.Repeat("x", 5000),
	} {
		if got := calls.Printed(text); got != want {
			t.Errorf("%.80q: %.80q, want %.80q", text, got, want)
		}
	}
}

// The shell that codex tells its model of is that of the calls behind it. What a user says of one is not.
func TestShellsAreTold(t *testing.T) {
	t.Parallel()
	told := func(kind, shell string) string {
		return `{"type":"custom_message","customType":"` + kind + `","display":false,"content":[{"type":"text","text":"x"},{"type":"text","text":` + js.Quote("<environment_context>\n  <shell>"+shell+"</shell>\n</environment_context>") + `}]`
	}
	run := func(id string) string {
		return `{"type":"message","message":` + call(id, "shell_command", `{"command":"ls"}`)
	}
	text, parent := `{"type":"session","version":3,"id":"s1","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}`+"\n", "null"
	for i, entry := range []string{run("a"), told("codex:context", "PowerShell"), run("b"), told("other", "fish"), run("c"), told("codex:context", "zsh"), run("d")} {
		text += fmt.Sprintf(`%s,"id":"e%d","parentId":%s,"timestamp":"2026-01-02T03:04:05.000Z"}`+"\n", entry, i, parent)
		parent = fmt.Sprintf(`"e%d"`, i)
	}
	s, err := session.Read(strings.NewReader(text))
	must.Do(t, err)
	var got []string
	for _, c := range calls.Of(s.Entries, "/w") {
		got = append(got, c.Programs[0].Shell)
	}
	if want := []string{"", "powershell", "powershell", "zsh"}; !cmp.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Nobody refused a call that was cancelled.
func TestRefusal(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"<tool_use_error>Sibling tool call errored</tool_use_error>":                      "cancelled",
		"<tool_use_error>Cancelled: parallel tool call Bash(x) errored</tool_use_error>":  "cancelled",
		"[Operation Cancelled] by the user":                                               "cancelled",
		"The user doesn't want to proceed with this tool use. The tool use was rejected.": "refused",
		"exec command rejected by user":                                                   "refused",
	} {
		all := calls.Of(entries(t, call("c", "Bash", `{}`), result("c", "Bash", text, true)), "/w")
		if got := all[0].Refusal(); got != want || all[0].Outcome != calls.Denied {
			t.Errorf("%q is %s, %s", text, all[0].Outcome, got)
		}
	}
}
