package compact

import (
	"strconv"
	"strings"

	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// A deed is a tool call with its result, or one of the two.
type deed struct {
	entry   string           // id of the entry of the call, else of the result
	call    session.ToolCall // the zero value for a result without call
	nested  string           // JSON text of the calls within the result
	command string
	status  *int
	failed  bool
	gone    bool // the call or the result left
}

// done returns the files and commands of a context that stand in the calls and
// results of entries that are gone. A result that was edited away counts with
// its call, which stayed.
func done(context []convo.Projected, gone map[string]bool) (FileOps, []ReportCommand) {
	var files fileSet
	var commands []ReportCommand
	for _, d := range deeds(context, gone) {
		if !d.gone {
			continue
		}
		files.call(d.call.Name, d.call.Arguments)
		files.nested(d.nested)
		if d.command != "" {
			commands = append(commands, ReportCommand{EntryID: d.entry, Command: d.command, Status: d.status, Failed: d.failed})
		}
	}
	return files.ops(), commands
}

func deeds(context []convo.Projected, gone map[string]bool) []*deed {
	var messages []session.Message
	var ids []string // of the entry of each message
	for _, p := range context {
		for _, m := range p.Messages {
			messages, ids = append(messages, m), append(ids, p.Entry.ID())
		}
	}
	var all []*deed
	for i, p := range convo.Pair(messages) {
		m, id := messages[i], ids[i]
		first := len(all)
		for _, c := range p.Calls {
			all = append(all, &deed{entry: id, call: c, command: commandOf(c.Arguments), gone: gone[id]})
		}
		for _, r := range p.Results {
			all[first+r.Call].answered(messages[r.Message], gone[ids[r.Message]])
		}
		switch {
		case m.Role() == session.RoleToolResult && p.Reply < 0:
			d := &deed{entry: id}
			d.answered(m, gone[id])
			all = append(all, d)
		case m.Role() == session.RoleBashExecution:
			if d := executed(m); d != nil {
				d.entry, d.gone = id, gone[id]
				all = append(all, d)
			}
		}
	}
	return all
}

// answered takes the result of a call.
func (d *deed) answered(m session.Message, gone bool) {
	d.nested, d.gone = m.Get("nestedCalls"), d.gone || gone
	d.failed = m.Get("isError") == "true"
	d.status = number(strings.TrimPrefix(resultStatus(m.Text("\n"), d.failed), "exit status "))
}

// executed is what a bashExecution does, nil for one that the model does not
// see.
func executed(m session.Message) *deed {
	if m.Get("excludeFromContext") == "true" {
		return nil
	}
	d := &deed{command: m.Str("command"), status: number(m.Get("exitCode"))}
	d.failed = m.Get("cancelled") == "true" || d.status != nil && *d.status != 0
	return d
}

func number(text string) *int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return nil
	}
	return &n
}
