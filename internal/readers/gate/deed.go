package gate

import (
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

	searched []string // texts that are no command lines of bash, in which words are looked for
	wrote    []string // its files, as far as they are known
	unnamed  bool     // it writes files that are not known
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
	var ok bool
	switch {
	case p.Words != nil:
		s, ok = shell.Exec(p.Words)
	case p.Typed:
		if s, ok = shell.Parse(typed + p.Line); !ok {
			d.searched, ok, s.Opaque = append(d.searched, typed+p.Line), true, true
		}
		for i := range s.Commands {
			s.Commands[i].Ends = shell.Unknown
		}
		s.Opaque = s.Opaque || strings.ContainsFunc(p.Line, func(r rune) bool { return r < ' ' && !strings.ContainsRune("\n\r\t\x03\x04\x1a", r) })
	default:
		s, ok = shell.Parse(p.Line)
		switch power := powerShell(d.Name); {
		case power:
			d.searched = append(d.searched, unquoted(p.Line))
			s.Opaque, ok = hidesPowerShell(p.Line), true
		case p.Code:
			if s.Opaque = true; !ok {
				d.searched, ok = append(d.searched, p.Line), true
			}
		}
	}
	if p.Maybe {
		d.Perhaps, d.Opaque = slices.Concat(d.Perhaps, s.Commands, s.Perhaps), d.Opaque || ok && s.Opaque
		return
	}
	for _, text := range s.Foreign {
		d.searched = append(d.searched, unquoted(text))
	}
	d.Unparsed = d.Unparsed || !ok
	before := len(d.Commands)
	for _, f := range s.Files {
		f.Behind += before
		d.Files = append(d.Files, f)
	}
	d.Commands, d.Perhaps, d.Opaque = append(d.Commands, s.Commands...), append(d.Perhaps, s.Perhaps...), d.Opaque || s.Opaque
	d.PatchDir, d.PatchLost = s.PatchDir, d.PatchLost || s.PatchLost
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

// powerShell reports whether a tool runs PowerShell.
func powerShell(tool string) bool {
	tool = strings.ToLower(tool)
	return strings.Contains(tool, "powershell") || strings.Contains(tool, "pwsh")
}

// unquoted takes what PowerShell, or another shell that is not read here, takes no notice of off a text.
func unquoted(text string) string {
	return strings.NewReplacer("`", "", `"`, "", "'", "", "^", "", `\`, "").Replace(text)
}

// hidesPowerShell reports whether a text has what makes commands of texts there.
func hidesPowerShell(text string) bool {
	text = strings.ToLower(unquoted(text))
	return slices.ContainsFunc([]string{"iex", "invoke-expression", "& $", "&$", ". $", "encodedcommand", "frombase64", "[char]", "-join", "scriptblock", "& (", "&("}, func(part string) bool {
		return strings.Contains(text, part)
	})
}

// Deeds parses the commands of calls.
func Deeds(all []calls.Call) []Deed {
	out := make([]Deed, len(all))
	typed := map[string]string{}
	for i, c := range all {
		if len(c.Programs) == 1 && c.Programs[0].Typed {
			out[i] = read(c, typed[c.Subject()])
			text := typed[c.Subject()] + c.Programs[0].Line
			typed[c.Subject()] = text[strings.LastIndexAny(text, "\r\n")+1:]
			continue
		}
		out[i] = Read(c)
	}
	return out
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
	case d.Outcome == calls.Denied, d.Outcome == calls.Open, c.Ends == shell.Same && !c.Maybe:
		return d.Ending, true
	case c.Ends == shell.Zero && !c.Maybe && d.Outcome == calls.OK && (!d.Ending.Known || d.Status == 0):
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
	return d.Opaque || d.Unparsed || len(d.searched) > 0 || slices.ContainsFunc(d.Commands, func(c shell.Command) bool { return !c.Reads() })
}
