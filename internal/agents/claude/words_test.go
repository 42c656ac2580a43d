package claude_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/agents/claude"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/typed"
)

// turns makes a file of lines: of the user, of a model, and of the queue. "!" begins what the user runs, "?" a reply with a call,
// "=" its result, "~" what the program says in the user's name, "^" in front of any of them a line without a uuid, "+" and "-" operations of the queue.
func turns(lines ...string) string {
	var b strings.Builder
	parent, at := "null", 0
	for i, l := range lines {
		at++
		when := fmt.Sprintf("2026-03-01T08:00:%02d.000Z", at)
		if rest, ok := strings.CutPrefix(l, "+"); ok {
			fmt.Fprintf(&b, `{"type":"queue-operation","operation":"enqueue","timestamp":%q,"sessionId":"s","content":%q}`+"\n", when, rest)
			continue
		}
		if rest, ok := strings.CutPrefix(l, "-"); ok {
			fmt.Fprintf(&b, `{"type":"queue-operation","operation":%q,"timestamp":%q,"sessionId":"s"}`+"\n", rest, when)
			continue
		}
		l, unnamed := strings.CutPrefix(l, "^")
		typ, message, meta := "user", fmt.Sprintf(`{"role":"user","content":%q}`, l), ""
		reply := func(block string) {
			typ, message = "assistant", fmt.Sprintf(`{"id":"m%d","role":"assistant","model":"claude-x","content":[%s]}`, i, block)
		}
		switch rest := l[1:]; l[0] {
		case '?':
			reply(fmt.Sprintf(`{"type":"tool_use","id":%q,"name":"Bash","input":{}}`, rest))
		case '~':
			message, meta = fmt.Sprintf(`{"role":"user","content":%q}`, rest), `,"isMeta":true`
		case '=':
			message = fmt.Sprintf(`{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":"done"}]}`, rest)
		case '.':
			reply(fmt.Sprintf(`{"type":"text","text":%q}`, rest))
		}
		uuid := fmt.Sprintf("00000000-0000-4000-8000-%012d", i+1)
		if unnamed {
			fmt.Fprintf(&b, `{"sessionId":"s","type":%q,"message":%s,"timestamp":%q}`+"\n", typ, message, when)
			continue
		}
		fmt.Fprintf(&b, `{"parentUuid":%s,"isSidechain":false,"sessionId":"s","type":%q,"message":%s,"uuid":%q,"timestamp":%q%s}`+"\n", parent, typ, message, uuid, when, meta)
		parent = `"` + uuid + `"`
	}
	return b.String()
}

// TestWhoseWords lists what the path of a session says, prompts in brackets, and has it come back byte for byte.
func TestWhoseWords(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, file, says string
	}{
		{
			"what the user ran", turns("go", ".yes", "<bash-input>make</bash-input>", "<bash-stdout>a</bash-stdout><bash-stderr>b</bash-stderr>", "why?"),
			"[go] yes $make>a\nb [why?]",
		},
		{"without an output", turns("<bash-input>make</bash-input>", "<bash-input>ls</bash-input>", "<bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>"), "$make> $ls>a"},
		{"an output alone", turns("go", "<bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>"), "[go]"},
		{"a prompt of the queue alone", turns("go", "?c", "+and this", "=c", "-remove", ".done"), "[go] call result [and this] done"},
		{"taken before the result", turns("go", "?c", "+and this", "-remove", "=c", ".done"), "[go] call result [and this] done"},
		{"of two one alone", turns("go", "+one", "+two", "-dequeue", "two", ".done", "-dequeue", ".more"), "[go] [two] [one] done more"},
		{"a line of its own", turns("go", "+and this", ".done", "-dequeue", "and this", ".more"), "[go] done [and this] more"},
		{"lines that left it together", turns("go", "+one", "+two", "-dequeue", "-dequeue", "one\ntwo", ".more"), "[go] [one\ntwo] more"},
		{"what waits still", turns("go", ".done", "+and this"), "[go] done"},
		{"taken back", turns("go", "+and this", "-popAll", ".done", "that", ".more"), "[go] done [that] more"},
		{"a command in the queue", turns("go", "+/plan", "-dequeue", "<command-name>/plan</command-name>\n<command-message>plan</command-message>\n<command-args></command-args>", ".done"), "[go] done"},
		{"notices in the queue", turns("go", `+{"task_id":"b","task_type":"local_bash"}`, "+<task-notification>x</task-notification>\nRead it", "-remove", "-remove", ".done"), "[go] done"},
		{"a prompt behind a notice", turns("go", "+<task-notification>x</task-notification>", "+now", "-remove", ".one", "-remove", ".two"), "[go] [now] one two"},
		{"a fork, which begins with its queue", turns("+now", "-dequeue", "go", ".done", "now"), "[go] [now] done [now]"},
		{"a notice with words behind it", turns("go", "<task-notification>x</task-notification>\nRead the output", ".done"), "[go] done"},
		{
			"a task of a leader", turns("<teammate-message teammate_id=\"lead\">\nYou are the tester.\n</teammate-message>", ".yes", "<teammate-message teammate_id=\"lead\">stop</teammate-message>"),
			"You are the tester. yes",
		},
		{"a hook", turns("go", ".done", "Stop hook feedback:\nno", ".really"), "[go] done really"},
		{"a command that asks the model", turns(goal, output, "~Begin at once.", ".yes", "go", ".done"), "[/goal make it pass] yes [go] done"},
		{"with a caveat in front", turns("go", ".done", "~<local-command-caveat>x</local-command-caveat>", goal, output, "~Begin.", "?c", "=c", ".yes"), "[go] done [/goal make it pass] call result yes"},
		{"one of two", turns(model, output, goal, output, "~Begin.", ".yes"), "[/goal make it pass] yes"},
		{"a command that asks no model", turns("go", ".done", model, output, "more", ".yes"), "[go] done [more] yes"},
		{"an output that the model is told of later", turns("go", ".done", model, output, "~## Context usage", "more", ".yes"), "[go] done [more] yes"},
		{"a command before a session goes on", turns("go", ".done", model, output, "~Continue from where you left off.", ".yes"), "[go] done yes"},
		{"a command, and a notice that is answered", turns("go", ".done", model, output, "<task-notification>x</task-notification>", ".yes"), "[go] done yes"},
		{"a command that asked, and had no answer", turns("go", ".done", goal, output, "~Begin."), "[go] done"},
		{"a prompt without a uuid", turns("go", "^now", ".done", "more"), "[go] [now] done [more]"},
		{"several", turns("^go", "^now", ".done", "^.more", "^so", ".yes"), "[go] [now] done more [so] yes"},
		{"between a call and its result", turns("go", "?c", "^now", "=c", ".done"), "[go] call [now] result done"},
		{"a call and its result without", turns("go", "^?c", "^=c", ".done"), "[go] call result done"},
		{"behind the last line", turns("go", ".done", "^now"), "[go] done [now]"},
		{"no line with a uuid", turns("^go", "^.done", "^now", "^.yes"), "[go] done [now] yes"},
		{"a frame", turns("<system-reminder>x</system-reminder>\nlook", ".done"), "[look] done"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := formatstest.One(t, claude.Claude, &formats.Source{Path: formatstest.File(t, "s.jsonl", tt.file)}).Session(t)
			if diff := cmp.Diff(tt.says, saysOf(s)); diff != "" {
				t.Errorf("it says (-want +got):\n%s", diff)
			}
			if files, _ := formatstest.Export(t, claude.Claude, s, ""); files != tt.file {
				t.Errorf("it comes back as\n%s", files)
			}
			formatstest.Grows(t, claude.Claude, formatstest.Corpus{Sources: map[string]string{"x": tt.file}, File: "s.jsonl", Lines: true}, "x")
		})
	}
}

// Lines of commands that the program runs by itself, and what they print.
const (
	goal   = "<command-name>/goal</command-name>\n            <command-message>goal</command-message>\n            <command-args>make it pass</command-args>"
	model  = "<command-name>/model</command-name>\n            <command-message>model</command-message>\n            <command-args></command-args>"
	output = "<local-command-stdout>Set.</local-command-stdout>"
)

// The words of a reply are one string, wherever the API cut them into blocks, on one line or on several; what stands between two
// texts keeps them apart.
func TestCutReplies(t *testing.T) {
	t.Parallel()
	const words = "According to the page, Ada wrote \U0001f600 it."
	text := func(s string) string { return fmt.Sprintf(`{"type":"text","text":%q,"citations":[]}`, s) }
	line := func(n int, blocks ...string) string {
		return fmt.Sprintf(`{"parentUuid":"00000000-0000-4000-8000-%012d","isSidechain":false,"sessionId":"s","type":"assistant","message":{"id":"m1","role":"assistant","model":"claude-x","content":[%s]},"uuid":"00000000-0000-4000-8000-%012d","timestamp":"2026-03-01T08:00:05.000Z","requestId":"r"}`+"\n",
			n-1, strings.Join(blocks, ","), n)
	}
	for at := range words {
		for name, file := range map[string]string{
			"one line":  line(2, text(words[:at]), text(words[at:])),
			"two lines": line(2, text(words[:at])) + line(3, text(words[at:])),
		} {
			file = turns("go") + file
			s := formatstest.One(t, claude.Claude, &formats.Source{Path: formatstest.File(t, "s.jsonl", file)}).Session(t)
			if got := saysOf(s); got != "[go] "+words {
				t.Errorf("cut at %d, %s: it says %q", at, name, got)
			}
			if files, _ := formatstest.Export(t, claude.Claude, s, ""); files != file {
				t.Errorf("cut at %d, %s: it comes back as\n%s", at, name, files)
			}
		}
	}
}

func saysOf(s *session.Session) string {
	path := formatstest.Path(s)
	var says []string
	for _, e := range path {
		m, ok := e.Message()
		if !ok || m.Harness() != "" {
			continue
		}
		prompt, isPrompt := typed.Prompt(e)
		switch {
		case isPrompt:
			says = append(says, "["+prompt+"]")
		case m.Role() == session.RoleBashExecution:
			says = append(says, "$"+m.Str("command")+">"+m.Str("output"))
		case m.Role() == session.RoleToolResult:
			says = append(says, "result")
		case len(m.ToolCalls()) > 0:
			says = append(says, "call")
		default:
			says = append(says, m.Text(""))
		}
	}
	return strings.Join(says, " ")
}
