package calls

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/core/lazy"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// How agents tell a model that a call goes on in the background, and by which name. All but Copilot say so in front.
var (
	goesOn = phrase{
		[]string{"Process running", "Script running", "Command ", "Background ", "Async agent", "task_id: "},
		lazy.Regexp(`^(?:` + strings.Join([]string{
			`(?:Chunk ID: \S*\n)?(?:Wall time: [^\n]*\n)?Process running with session ID (\S+)(?:\n|$)`,
			`Script running with cell ID (\S+)(?:\n|$)`,
			`Command (?:running in background|was [a-z ]*backgrounded[a-z ]*) with ID: ([\w-]+)`,
			`Command (?:moved to background \(|is running in background\. )PID: (\d+)`,
			`Background shell (?:started\.\nid: (\S+)|(\S+) started \(pid )`,
			`(?:Async|Background) agent launched successfully\.\nagentId: (\S+)`,
			`task_id: (\S+)\n(?:pid: \d+\ndescription: |status: running\nagent_id: )`,
		}, "|") + `)`),
	}
	stays = phrase{[]string{"<command "}, lazy.Regexp(`<command (?:with shellId: (\S+) is still running after [^\n]*|started in background with shellId: ([^\s>]+))>\s*$`)}
)

// goingOn returns the name that an agent gives to what goes on in the background after a result, "" if nothing does.
func goingOn(details js.Value, text string) string {
	name := details.Get("backgroundTaskId").Str()
	if details.Get("status").Str() == "async_launched" {
		name = cmp.Or(details.Get("taskId").Str(), details.Get("agentId").Str())
	}
	head, tail := edges(text)
	for _, m := range [][]string{goesOn.in(head), stays.in(tail)} {
		if m != nil {
			name = cmp.Or(name, strings.Join(m[1:], ""))
		}
	}
	return name
}

// Started returns the id of the session that a call of another agent started, "" if its result does not say it: Claude Code,
// opencode and codex do.
func Started(result session.Message) string {
	details := js.Value(result.Get("details"))
	if id := details.Get("agentId").Str(); id != "" {
		return "agent-" + id
	}
	return cmp.Or(details.Get("sessionId").Str(), js.ObjectIn(result.Text("\n")).Get("agent_id").Str())
}

// followers are the tools that ask after something in the background, and stoppers those that end it.
var (
	followers = map[string]bool{"write_stdin": true, toolWait: true, "read_bash": true, "write_bash": true, "BashOutput": true, "AgentOutputTool": true, "TaskOutput": true, "get_command_or_subagent_output": true}
	stoppers  = map[string]bool{"KillShell": true, "KillBash": true, "TaskStop": true, "task_stop": true, "stop_bash": true, "kill_command_or_subagent": true}
)

// Subject returns the name of what a follower or a stopper is about, "" if the call is of another tool.
func (c *Call) Subject() string {
	if _, own := Own(c.Name); followers[own] || stoppers[own] {
		arguments := js.Value(c.Arguments)
		for _, member := range []string{"session_id", "cell_id", "shellId", "task_id", "bash_id", "shell_id", "agentId"} {
			if v := arguments.Get(member); v != "" {
				return strings.Trim(string(v), `"`)
			}
		}
		if ids := slices.Collect(arguments.Get("task_ids").Elements()); len(ids) == 1 { // of several, the answer tells the state of none
			return ids[0].Str()
		}
	}
	return ""
}

// processes is the tool whose result is Gemini's list of what goes on in the background.
const processes = "list_background_processes"

// The state of a task in what its agent answers to one that asks after it, in front of its output.
var (
	states = lazy.Regexp(`(?m)^(?:<status>|status: )(\w+)`)
	codes  = lazy.Regexp(`(?m)^(?:<exit_code>|exit_code: )(-?\d{1,10})`)
	output = lazy.Regexp(`(?m)^(?:<output>|<stdout>|<stderr>|\[output\])`)
)

// stateOf returns the ending that an answer to a follower or a stopper tells, if it tells the state of a task.
func stateOf(details js.Value, text string) (Ending, bool) {
	if task := details.Get("task"); task.IsObject() {
		details = task
	}
	if word := details.Get("status").Str(); word != "" {
		return ending(word, string(details.Get("exitCode")))
	}
	if at := output().FindStringIndex(text); at != nil {
		text = text[:at[0]]
	}
	return ending(last(states(), text), last(codes(), text))
}

// last returns the group of the last match.
func last(re *regexp.Regexp, text string) (group string) {
	for _, m := range re.FindAllStringSubmatch(text, -1) {
		group = m[1]
	}
	return group
}

// ending is the one that agents mean by a word for the state of a task, and the status of its command, "" or null for none.
func ending(word, status string) (e Ending, ok bool) {
	switch word {
	case "running":
		return Ending{Outcome: Open, runs: word}, true
	case "completed", "exited":
		e.Outcome = OK
	case "failed", "error", "killed", "terminated", "stopped", "cancelled", "timed_out", "lost":
		e.Outcome = Fail
	default:
		return e, false
	}
	e = e.told(status)
	e.tells = true
	return e, true
}

// A notice is what an agent says by itself of a task in the background.
type notice struct {
	task string
	Ending
}

// How agents begin a notice, and how the line of a process looks in Gemini's list.
var (
	kimi    = lazy.Regexp(`^<notification [^>]*type="task\.(\w+)"[^>]* source_id="([^"]+)"`)
	element = lazy.Regexp(`<(task-id|status)>([^<]*)</`)
	summed  = lazy.Regexp(`exit code (\d{1,10})\)?(?:</summary>|$)`)
	listed  = lazy.Regexp(`(?m)^- \[PID (\d+)\] (EXITED): .* \(Exit Code: (-?\d{1,10})\)`)
)

const (
	noticed = "<task-notification>"
	closes  = "</task-notification>"
	framed  = "<system-reminder>\n[SYSTEM NOTIFICATION - NOT USER INPUT]\n" // by the importer of Claude Code
)

// notices returns what an entry tells of tasks: a message that an agent wrote, an event that was recorded, or a line
// that only waited to be told.
func notices(e session.Entry) (all []notice) {
	if !slices.ContainsFunc([]string{"notification", "task_id", processes}, func(part string) bool { return strings.Contains(e.Raw(), part) }) {
		return nil
	}
	m, _ := e.Message()
	switch {
	case e.Type() == session.TypeCustomMessage:
		all = spoken(session.NewMessage(js.Object(js.StringField("role", session.RoleUser), js.RawField("content", e.Get("content")))).Text("\n"))
	case e.Type() == session.TypeCustom && js.Value(e.Get("data")).Get("subtype").Str() == "task_notification":
		all = event(js.Value(e.Get("data")))
	case m.Role() == session.RoleUser:
		all = spoken(m.Text("\n"))
	case m.Role() == session.RoleToolResult && m.Str("toolName") == processes:
		for _, p := range listed().FindAllStringSubmatch(m.Text("\n"), -1) {
			all = said(all, p[1], strings.ToLower(p[2]), p[3])
		}
	}
	for line := range e.KeptLines("claude") {
		if text := line.Get("content").Str(); line.Get("type").Str() == "queue-operation" {
			all = append(append(all, spoken(text)...), event(js.Value(text))...)
		}
	}
	return all
}

// spoken returns the notices that a text consists of.
func spoken(text string) (all []notice) {
	text = strings.TrimPrefix(text, framed)
	if m := kimi().FindStringSubmatch(text); m != nil {
		return said(nil, m[2], m[1], "")
	}
	for strings.HasPrefix(text, noticed) {
		var one, head string
		one, text, _ = strings.Cut(text, closes)
		text = strings.TrimSpace(text)
		head, _, _ = strings.Cut(one, "<result>")
		found := map[string]string{}
		for _, m := range element().FindAllStringSubmatch(head, -1) {
			found[m[1]] = cmp.Or(found[m[1]], m[2]) // behind them is what the task was called
		}
		all = said(all, found["task-id"], found["status"], last(summed(), strings.TrimSpace(head)))
	}
	return all
}

// event is a notice as JSON.
func event(v js.Value) []notice {
	return said(nil, v.Get("task_id").Str(), v.Get("status").Str(), cmp.Or(string(v.Get("exit_code")), last(summed(), v.Get("summary").Str())))
}

func said(all []notice, task, word, status string) []notice {
	if e, ok := ending(word, status); ok && e.tells {
		all = append(all, notice{task, e})
	}
	return all
}

// background gives what went on in the background the ending that a later call, or the agent itself, tells.
func background(all []Call, entries []session.Entry) {
	running, answered := map[string]*Call{}, map[int][]*Call{}
	some, open := false, map[string]*Call{}
	for i := range all {
		if all[i].By != "" {
			continue
		}
		if some = some || all[i].runs != ""; all[i].Outcome == Open {
			open[all[i].ID] = &all[i]
		}
		answered[all[i].Result] = append(answered[all[i].Result], &all[i])
	}
	if len(open) > 0 {
		codexEnds(open, entries)
	}
	if !some {
		return
	}
	for i, e := range entries {
		for _, n := range notices(e) {
			running[n.task].becomes(n.Ending, i)
		}
		for _, c := range answered[i] {
			of := running[c.Subject()]
			switch _, own := Own(c.Name); {
			case (c.Kind == Run || c.Kind == Agent || c.Script()) && !followers[own]:
				if c.runs != "" {
					running[c.runs] = c
				}
			case c.tells, !stoppers[own]:
				of.becomes(c.Ending, i)
			case c.Outcome == OK:
				of.becomes(Ending{Outcome: Fail, tells: true}, i)
			}
		}
	}
}

// codexEnds gives calls that are open, by their ids, the ending that codex tells behind them: its event of the end of a command stays with
// its line.
func codexEnds(open map[string]*Call, entries []session.Entry) {
	for i, e := range entries {
		if !strings.Contains(e.Raw(), "CommandExecution") && !strings.Contains(e.Raw(), "exec_command_end") {
			continue
		}
		for line := range e.KeptLines("codex") {
			of := line.Get("payload")
			id := of.Get("call_id").Str()
			switch item := of.Get("item"); {
			case item.Get("type").Str() == "CommandExecution":
				of, id = item, item.Get("id").Str()
			case of.Get("type").Str() != "exec_command_end":
				continue
			}
			c := open[id]
			if c == nil || c.Entry > i {
				continue
			}
			code, word := of.Get("exit_code"), of.Get("status").Str()
			if word != "failed" && code.IsNumber() {
				word = "completed"
			}
			if told, ok := ending(word, string(code)); ok && (told.Known || told.Outcome == Fail) { // one that is completed has a code
				c.runs = cmp.Or(c.runs, id)
				c.becomes(told, i)
				delete(open, id)
			}
		}
	}
}

// becomes takes an ending that an entry tells, if it is one and the call has none.
func (c *Call) becomes(e Ending, at int) {
	if c == nil || c.runs == "" {
		return
	}
	if e.tells {
		if c.Kind == Run && e.Outcome == OK {
			e.Known = true // an agent calls no other command completed
		}
		at, c.Ending, c.Result = c.Result, e, at
	}
	if at >= 0 {
		c.Beside = append(c.Beside, at)
	}
}
