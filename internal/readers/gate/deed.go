package gate

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/core/calls"
	"github.com/sess-tools/sess/internal/readers/shell"
	"github.com/sess-tools/sess/pkg/js"
)

// A Deed is a call, and the commands that it runs.
type Deed struct {
	calls.Call
	shell.Simple
	Unparsed bool // its command is no command line of bash, so the programs that it runs are not known

	perhaps []shell.Command // that a list among the arguments of a tool may be
	scripts []string        // what earlier calls wrote into the scripts that it runs
	wrote   []string        // its files, as far as they are known
	unnamed bool            // it writes files that are not known
}

// Read parses the command of a call.
func Read(c calls.Call) Deed { return read(c, "") }

// read parses the command of a call. What was typed before it into the same shell, and not ended by a line feed, is typed.
func read(c calls.Call, typed string) Deed {
	d := Deed{Call: c}
	for _, p := range c.Programs {
		d.reads(p, typed)
	}
	sure := 0
	for _, p := range c.Programs {
		if !p.Maybe {
			sure++
		}
	}
	if sure > 1 {
		for i := range d.Commands {
			d.Commands[i].Ends = shell.Unknown // of which of them the status is, is not said
		}
	}
	d.Unparsed = d.Unparsed || c.Kind == calls.Run && !c.Told && sure == 0
	d.names()
	return d
}

// reads adds what a program runs.
func (d *Deed) reads(p calls.Program, typed string) {
	var s shell.Simple
	ok := true
	switch {
	case p.Words != nil:
		s, ok = shell.Exec(p.Words)
	case p.Typed:
		s = types(typed, strings.Trim(p.Line, "\x03\x04"))
	case p.Shell == "cmd" || p.Shell == "fish" || p.Shell == "nu":
		s, _ = shell.Parse(p.Line)
		s.Hide(shell.OtherShell, p.Line)
	case powerShell(d.Name), powerShell(p.Shell):
		s = shell.PowerShell(p.Line)
	default:
		s, ok = shell.Parse(p.Line)
		if p.Shell == "" && shell.Power(p.Line, s, ok) { // which shell the tool has is not known: it has to be plain for both
			if !ok {
				s, ok = shell.Simple{}, true
			}
			s.Join(shell.PowerShell(p.Line))
		}
	}
	if p.Code {
		ok = true
		s.Hide(shell.Language, p.Line)
	}
	if p.Maybe {
		d.perhaps = append(d.perhaps, s.Commands...)
		return
	}
	d.Unparsed = d.Unparsed || !ok
	for _, f := range s.Files {
		f.Behind += len(d.Commands)
		d.Files = append(d.Files, f)
	}
	d.Join(s)
	d.PatchDir, d.PatchLost = s.PatchDir, d.PatchLost || s.PatchLost
}

// types reads a line that is typed into an open shell, behind one that was not ended. How its commands ended is not known.
func types(before, line string) shell.Simple {
	s, ok := shell.Parse(before + line)
	for i := range s.Commands {
		s.Commands[i].Ends = shell.Unknown
	}
	edits := strings.ContainsFunc(line, func(r rune) bool { return r < ' ' && r != '\n' && r != '\r' || strings.ContainsRune("!^\\", r) })
	if !ok || edits || before != "" {
		s.Hide(shell.Typed, before+line)
	}
	return s
}

// names finds out which files the deed writes.
func (d *Deed) names() {
	arguments := js.Value(js.Trim(d.Arguments))
	where := ""
	for _, name := range []string{"workdir", "cwd", "working_directory", "workingDirectory", "dir_path"} {
		if text := arguments.Get(name).Str(); text != "" && d.Kind == calls.Run {
			where = text
		}
	}
	at := func(dir, name string) string {
		if name == "" || path.IsAbs(name) || strings.HasPrefix(name, "~") || dir == "" {
			return name
		}
		return path.Join(dir, name)
	}
	add := func(dir, name string) {
		if name = d.Relative(at(where, at(dir, name))); name == "" {
			d.unnamed = true
		} else if !slices.Contains(d.wrote, name) {
			d.wrote = append(d.wrote, name)
		}
	}
	if d.Kind == calls.Write || d.Patched || d.unknown() {
		for _, name := range d.Paths {
			add(d.PatchDir, name)
		}
		d.unnamed = d.unnamed || len(d.Paths) == 0 || d.PatchLost
	}
	for _, f := range d.Files {
		add("", f.Path)
	}
}

// powerShell reports whether a tool or a shell of a name is PowerShell.
func powerShell(tool string) bool {
	tool = strings.ToLower(tool)
	return strings.Contains(tool, "powershell") || strings.Contains(tool, "pwsh")
}

// Deeds parses the commands of calls.
func Deeds(all []calls.Call) []Deed {
	out := make([]Deed, len(all))
	typed, written := map[string]string{}, map[string]string{}
	for i, c := range all {
		if i > 0 {
			out[i-1].leaves(written)
		}
		if len(c.Programs) == 1 && c.Programs[0].Typed {
			out[i] = read(c, typed[c.Subject()])
			text := typed[c.Subject()] + c.Programs[0].Line
			typed[c.Subject()] = text[strings.LastIndexAny(text, "\r\n")+1:]
			continue
		}
		out[i] = Read(c)
		for _, script := range out[i].Scripts {
			if text := written[out[i].Relative(script)]; text != "" {
				out[i].scripts = append(out[i].scripts, text)
			}
		}
	}
	return out
}

// leaves notes what a deed wrote into files, by their names.
func (d *Deed) leaves(written map[string]string) {
	for _, name := range d.wrote {
		written[name] = cmp.Or(d.Command, d.Arguments)
	}
}

// mayRun returns the arguments of a call of other tools than shells, as far as a command may be in them: all of an unknown tool or of a
// server, and the command of any other. Editors have their actions under that name.
func (d *Deed) mayRun() string {
	command := js.Value(js.Trim(d.Arguments)).Get("command").Str()
	switch {
	case slices.Contains(harmless, d.Name), d.Kind != calls.Other && slices.Contains(calls.Editors, command):
		return ""
	case d.Kind == calls.Other, strings.HasPrefix(d.Name, "mcp__"):
		return d.Arguments
	}
	return command
}

// Unread makes deeds of calls for gates that look at no command.
func Unread(all []calls.Call) []Deed {
	out := make([]Deed, len(all))
	for i, c := range all {
		out[i].Call = c
	}
	return out
}

// A Line is a simple command of a deed, and how it ended.
type Line struct {
	Text   string
	Ending calls.Ending
	Known  bool // how it ended
}

// Lines are the simple commands of a deed; the whole command if that is not parsed.
func (d *Deed) Lines() []Line {
	if d.Unparsed {
		return []Line{{d.Command, d.Ending, true}}
	}
	lines := make([]Line, len(d.Commands))
	for i, c := range d.Commands {
		e, known := d.ended(c)
		lines[i] = Line{c.String(), e, known}
	}
	return lines
}

// ended returns how a command of the deed ended, if that is known.
func (d *Deed) ended(c shell.Command) (calls.Ending, bool) {
	switch {
	case d.Outcome == calls.Denied, d.Outcome == calls.Open, c.Ends == shell.Same:
		return d.Ending, true
	case c.Ends == shell.Zero && d.Outcome == calls.OK && (!d.Ending.Known || d.Status == 0):
		return d.Ending, true
	}
	return calls.Ending{}, false
}

// Writes reports whether a call writes files: by itself, by a patch in its command, or by a command that is known to.
func (d *Deed) Writes() bool {
	return d.Kind == calls.Write || d.Patched || len(d.Files) > 0 || d.unknown()
}

// unknown reports whether a deed stands for calls of which nothing is recorded.
func (d *Deed) unknown() bool { return d.Unread && d.Name == "" }

// harmless are tools of no kind that write no files.
var harmless = strings.Fields("BashOutput TaskOutput AgentOutputTool KillShell KillBash TaskStop task_stop stop_bash read_bash list_bash write_stdin Skill skill ToolSearch tool_search list_background_processes " +
	"list_mcp_resources read_mcp_resource ListMcpResourcesTool ReadMcpResourceTool wait wait_agent close_agent send_input report_intent store_memory think view_image lsp LSP get_diagnostics getDiagnostics StructuredOutput SendMessage")

// MayWrite reports whether a deed may write files that are not known.
func (d *Deed) MayWrite() bool {
	switch {
	case d.unnamed:
		return true
	case d.Kind == calls.Other:
		return !slices.Contains(harmless, d.Name) && !d.Script()
	case d.Kind != calls.Run:
		return false
	}
	return d.Opaque || d.Unparsed || slices.ContainsFunc(d.Commands, func(c shell.Command) bool { return !c.Reads() })
}
