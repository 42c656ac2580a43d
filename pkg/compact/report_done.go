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
	var all []*deed
	open := map[string]*deed{} // calls without their result, by id
	for _, p := range context {
		id := p.Entry.ID()
		for _, m := range p.Messages {
			for _, c := range m.ToolCalls() {
				d := &deed{entry: id, call: c, command: commandOf(c.Arguments), gone: gone[id]}
				all = append(all, d)
				open[c.ID] = d
			}
			switch m.Role() {
			case session.RoleToolResult:
				d := open[m.Str("toolCallId")]
				if d == nil {
					d = &deed{entry: id}
					all = append(all, d)
				}
				delete(open, m.Str("toolCallId"))
				d.nested, d.gone = m.Get("nestedCalls"), d.gone || gone[id]
				d.failed = m.Get("isError") == "true"
				d.status = number(strings.TrimPrefix(resultStatus(m.Text("\n"), d.failed), "exit status "))
			case session.RoleBashExecution:
				if d := executed(m); d != nil {
					d.entry, d.gone = id, gone[id]
					all = append(all, d)
				}
			}
		}
	}
	return all
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
