package codex_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/core/calls"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// did are the calls of a session, each "kind:ending:target", and within another one its id in front.
func did(s *session.Session) (out []string) {
	for _, c := range calls.Of(s.Entries, "/w") {
		row := c.Kind + ":" + c.Ending.String() + ":" + cmp.Or(c.Target, c.Name)
		if c.In != "" {
			row = c.In + ">" + row
		}
		out = append(out, row)
	}
	return out
}

func running(id, program string) string {
	return item(`{"type":"custom_tool_call","call_id":"` + id + `","name":"exec","input":` + js.Quote(program) + `}`)
}

// printed is an output of several parts.
func printed(kind, id string, parts ...string) string {
	for i, p := range parts {
		parts[i] = `{"type":"input_text","text":` + js.Quote(p) + `}`
	}
	return item(`{"type":"` + kind + `","call_id":"` + id + `","output":[` + strings.Join(parts, ",") + `]}`)
}

func ran(id, command, members string) string {
	return event("item_completed", `,"item":{"type":"CommandExecution","id":"`+id+`","command":["/bin/bash","-lc",`+js.Quote(command)+`],"cwd":"file:///w","aggregated_output":"x"`+members+`}`)
}

const (
	completed = "Script completed\nWall time 0.1 seconds\nOutput:\n"
	scripts   = "custom_tool_call_output"
	shell     = `await tools.exec_command({cmd: c});`
)

// What a program of code mode did are calls within its call, as far as events name it; of the rest it is said that it is not known.
func TestScripts(t *testing.T) {
	t.Parallel()
	changed := `"changes":{"/w/den/a.go":{"type":"add","content":"x"},"/w/old":{"type":"update","move_path":"/w/new"}}`
	for name, tt := range map[string]struct{ lines, want string }{
		"a command":         {running("p", shell) + ran("exec-1", "make fox", `,"exit_code":2,"status":"failed"`) + printed(scripts, "p", completed), "other:ok:exec p>run:2:make fox"},
		"several":           {running("p", shell) + ran("exec-1", "a", `,"exit_code":0,"status":"completed"`) + ran("exec-2", "b", `,"exit_code":1,"status":"failed"`) + printed(scripts, "p", completed), "other:ok:exec p>run:0:a p>run:1:b"},
		"a patch":           {running("p", `tools.apply_patch("x")`) + event("item_completed", `,"item":{"type":"FileChange","id":"exec-1",`+changed+`,"status":"completed"}`) + printed(scripts, "p", completed), "other:ok:exec p>write:ok:den/a.go"},
		"a patch, legacy":   {running("p", `tools.apply_patch("x")`) + event("patch_apply_end", `,"call_id":"exec-1","success":false,`+changed) + printed(scripts, "p", completed), "other:ok:exec p>write:fail:den/a.go"},
		"a command, legacy": {running("p", shell) + event("exec_command_end", `,"call_id":"exec-1","command":["bash","-lc","make"],"exit_code":4`) + printed(scripts, "p", completed), "other:ok:exec p>run:4:make"},
		"a tool of MCP":     {running("p", `tools.mcp__docs__find({})`) + event("item_completed", `,"item":{"type":"McpToolCall","id":"exec-1","server":"docs","tool":"find","arguments":{"q":"fox"},"status":"failed"}`) + printed(scripts, "p", completed), "other:ok:exec p>search:fail:mcp__docs__find"},
		"no shell":          {running("p", shell) + event("item_completed", `,"item":{"type":"CommandExecution","id":"exec-1","command":["ls","a b"],"exit_code":0,"status":"completed"}`) + printed(scripts, "p", completed), "other:ok:exec p>run:0:ls 'a b'"},
		"told twice":        {running("p", shell) + ran("exec-1", "a", `,"exit_code":0`) + event("exec_command_end", `,"call_id":"exec-1","command":["a"],"exit_code":0`) + printed(scripts, "p", completed), "other:ok:exec p>run:0:a"},
		"no code":           {running("p", shell) + ran("exec-1", "a", `,"exit_code":null,"status":"completed"`) + printed(scripts, "p", completed), "other:ok:exec p>run:open:a"},
		"nothing named":     {running("p", shell+`tools.update_plan({})`) + printed(scripts, "p", completed), "other:ok:exec p>run:open:exec_command p>plan:open:update_plan"},
		"a part named":      {running("p", shell+`tools.apply_patch("x")`) + event("patch_apply_end", `,"call_id":"exec-1","success":true,`+changed) + printed(scripts, "p", completed), "other:ok:exec p>write:ok:den/a.go p>run:open:exec_command"},
		"hidden":            {running("p", `const t = tools; t["exec" + "_command"]({cmd})`) + printed(scripts, "p", completed), "other:ok:exec p>other:open:calls that are not recorded"},
		"hidden by escapes": {running("p", `t\u006fols.exec_command({cmd})`) + printed(scripts, "p", completed), "other:ok:exec p>other:open:calls that are not recorded"},
		"nothing done":      {running("p", `text("tea")`) + printed(scripts, "p", completed), "other:ok:exec"},
		"failed":            {running("p", `throw 1`) + printed(scripts, "p", "Script failed\nWall time 0.1 seconds\nOutput:\n", "Script error:\n1"), "other:fail:exec"},
		"behind its result": {running("p", shell) + printed(scripts, "p", completed) + ran("exec-1", "make", `,"exit_code":5,"status":"failed"`), "other:ok:exec p>run:5:make"},
		"by the user":       {running("p", `text(1)`) + ran("u", "ls", `,"source":"user_shell","exit_code":0`) + printed(scripts, "p", completed), "other:ok:exec"},
		"of a call":         {running("p", `text(1)`) + printed(scripts, "p", completed) + calling("c", "exec_command") + ran("c", "ls", `,"exit_code":0`) + output("c", "Exit code: 0\nWall time: 1 seconds\nOutput:\n"), "other:ok:exec run:0:exec_command"},
		"no program":        {calling("c", "exec_command") + ran("c", "ls", `,"exit_code":0`) + output("c", "Exit code: 0\nWall time: 1 seconds\nOutput:\n") + ran("u", "ls", `,"exit_code":0`), "run:0:exec_command"},
		"goes on": {running("p", shell) + output("p", "Script running with cell ID 5\nWall time 0.5 seconds\nOutput:\n") + item(`{"type":"function_call","name":"wait","call_id":"w","arguments":"{\"cell_id\":\"5\"}"}`) +
			ran("exec-1", "make", `,"exit_code":0,"status":"completed"`) + printed("function_call_output", "w", completed, "tea"), "other:ok:exec other:ok:wait p>run:0:make"},
		"still goes on": {running("p", `text(1)`) + output("p", "Script running with cell ID 5\nWall time 0.5 seconds\nOutput:\n") + reply("It goes on."), "other:open:exec"},
		"failed later": {running("p", `text(1)`) + output("p", "Script running with cell ID 5\nWall time 0.5 seconds\nOutput:\n") + item(`{"type":"function_call","name":"wait","call_id":"w","arguments":"{\"cell_id\":\"5\"}"}`) +
			output("w", "Script failed\nWall time 0.5 seconds\nOutput:\n"), "other:fail:exec other:fail:wait"},
	} {
		text := meta + asked + strings.ReplaceAll(tt.lines, `"type":"function_call_output","call_id":"p"`, `"type":"`+scripts+`","call_id":"p"`) + reply("So it is.") + event("task_complete", "")
		s := imported(t, text)
		if got := strings.Join(did(s), " "); got != tt.want {
			t.Errorf("%s:\n%s, want\n%s", name, got, tt.want)
		}
		if back := exported(t, s, "legacy"); back != text {
			t.Errorf("%s comes back as\n%s", name, back)
		}
	}
}

// A deed belongs to the program that ran when it began, though another one runs when it ends.
func TestScriptOfDeed(t *testing.T) {
	t.Parallel()
	at := func(second int, line string) string {
		_, rest, _ := strings.Cut(line, `","type"`)
		return fmt.Sprintf(`{"timestamp":"2026-02-03T04:05:%02d.000Z","type"%s`, second, rest)
	}
	ms, _ := js.ParseTime("2026-02-03T04:05:11.500Z")
	late := strings.Replace(ran("exec-1", "sleep", `,"exit_code":5,"status":"failed"`), `,"item"`, fmt.Sprintf(`,"started_at_ms":%d,"item"`, ms), 1)
	text := meta + asked + at(11, running("p", shell)) + at(12, printed(scripts, "p", completed)) + at(13, running("q", `text(1)`)) + at(14, late) + at(15, printed(scripts, "q", completed)) + at(16, reply("So."))
	if got := did(imported(t, text)); !slices.Contains(got, "p>run:5:sleep") || len(got) != 3 {
		t.Errorf("%q", got)
	}
}

// How a command ended is read wherever codex tells it, and what it does not tell is not known.
func TestHowItEnded(t *testing.T) {
	t.Parallel()
	on := "Chunk ID: 8d\nWall time: 0.2 seconds\nProcess running with session ID 7\nOutput:\n"
	for name, tt := range map[string]struct{ lines, want string }{
		"stopped":                  {output("c", "Wall time: 11.7 seconds\naborted by user"), calls.Fail},
		"stopped, in a chunk":      {output("c", "Chunk ID: 8d\nWall time: 1.3 seconds\naborted by user"), calls.Fail},
		"stopped, with its code":   {ran("c", "make", `,"exit_code":-1,"status":"failed"`) + output("c", "Wall time: 1.3 seconds\naborted by user"), "-1"},
		"printed such words":       {output("c", "Exit code: 0\nWall time: 1 seconds\nOutput:\naborted by user"), "0"},
		"refused by a sandbox":     {output("c", "failed in sandbox LinuxSeccomp with execution error: sandbox denied exec error, exit code: 101, stdout: , stderr: no"), "101"},
		"in two parts":             {printed("function_call_output", "c", "Exit code: 3\nWall time: 1 seconds\nOutput:\n", "tea"), "3"},
		"an event alone":           {ran("c", "make", `,"exit_code":6,"status":"failed"`) + output("c", "tea"), "6"},
		"an event behind":          {output("c", "tea") + ran("c", "make", `,"exit_code":6,"status":"failed"`), "6"},
		"goes on":                  {output("c", on), calls.Open},
		"ended behind the turn":    {output("c", on) + reply("It runs.") + event("task_complete", "") + ran("c", "make", `,"exit_code":5,"status":"failed"`), "5"},
		"ended well":               {output("c", on) + reply("It runs.") + ran("c", "make", `,"exit_code":0,"status":"completed"`), "0"},
		"ended next to its output": {output("c", on) + ran("c", "make", `,"exit_code":0,"status":"completed"`) + reply("It ran."), "0"},
		"ended without a code":     {output("c", on) + reply("It runs.") + ran("c", "make", `,"exit_code":null,"status":"completed"`), calls.Open},
		"in progress":              {output("c", on) + reply("It runs.") + ran("c", "make", `,"exit_code":null,"status":"in_progress"`), calls.Open},
		"killed":                   {output("c", on) + reply("It runs.") + ran("c", "make", `,"exit_code":-1,"status":"failed"`), "-1"},
		"another one's":            {output("c", on) + reply("It runs.") + ran("d", "make", `,"exit_code":5,"status":"failed"`), calls.Open},
		"legacy":                   {output("c", on) + reply("It runs.") + event("exec_command_end", `,"call_id":"c","command":["make"],"exit_code":5`), "5"},
		"without an output":        {ran("c", "make", `,"exit_code":5,"status":"failed"`) + event("turn_aborted", ""), "5"},
	} {
		text := meta + asked + calling("c", "exec_command") + tt.lines
		s := imported(t, text)
		if got := calls.Of(s.Entries, "/w")[0].Ending.String(); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
		if back := exported(t, s, "legacy"); back != text {
			t.Errorf("%s comes back as\n%s", name, back)
		}
	}
}

// A search for tools and its output are one call.
func TestToolSearch(t *testing.T) {
	t.Parallel()
	search := item(`{"type":"tool_search_call","call_id":"s","status":"completed","execution":"client","arguments":{"query":"foxes"}}`)
	found := item(`{"type":"tool_search_output","call_id":"s","status":"completed","tools":[{"type":"namespace","name":"den"}]}`)
	for text, want := range map[string]string{
		search + found:                            "search:ok:foxes",
		search + told(nil, nil) + found:           "search:ok:foxes",
		search:                                    "search:open:foxes",
		search + found + search + found:           "search:ok:foxes search:ok:foxes",
		reply("I look.") + search + found + asked: "search:ok:foxes",
	} {
		text = meta + asked + text
		s := imported(t, text)
		if got := strings.Join(did(s), " "); got != want {
			t.Errorf("%s, want %s of\n%s", got, want, text)
		}
		if back := exported(t, s, "legacy"); back != text {
			t.Errorf("comes back as\n%s", back)
		}
	}
}
