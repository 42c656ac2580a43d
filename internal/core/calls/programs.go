package calls

import (
	"slices"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// A Program is a command line that a call has run, or a list of words.
type Program struct {
	Line  string
	Words []string
	Code  bool // Line may be of another language than the shell's
	Typed bool // Line is typed into a running program
}

// The arguments that have a command, by agents' names for them; those in which they are deeper; and the words of one.
var (
	lineArguments = []string{"command", "cmd", "commands", "cmds", "command_line", "commandLine", "shell_command", "bash_command", "program", "executable", "exec", "script", "code"}
	deepArguments = []string{"action", "arguments", "params", "parameters", "input", "options", "steps", "tool_calls", "tool_uses", "calls"}
	argvArguments = []string{"args", "argv", "arguments"}
	typedBy       = map[string][]string{"write_stdin": {"chars", "input", "text"}, "write_bash": {"input", "text", "chars"}, "send_to_terminal": {"command", "text", "input"}, "send_terminal_input": {"input", "text"}, "interact_with_process": {"input"}, "send_keys": {"keys"}}
	editors       = []string{"view", "create", "str_replace", "insert", "undo_edit", "write", "edit", "replace", "delete", "rename"}
)

// Programs returns the programs that a call of a kind has run, by its arguments. told is false if there are some, and none of them
// has a command.
func Programs(c session.ToolCall, kind string) (all []Program, told bool) {
	if kind != Run && kind != Other {
		return nil, true
	}
	arguments := js.Value(js.Trim(c.Arguments))
	if text := arguments.Str(); arguments.IsString() {
		if given := js.ObjectIn(text); given != "" {
			arguments = given
		} else if kind == Run && text != "" {
			return []Program{{Line: text}}, true
		}
	}
	_, own := Own(c.Name)
	if tool, is := strings.CutPrefix(own, "mcp__"); is {
		_, own, _ = strings.Cut(tool, "__")
	}
	if names := typedBy[own]; names != nil {
		if text := one(arguments, names); text != "" {
			all = []Program{{Line: text, Typed: true}}
		}
		return all, true
	}
	all, told = programs(arguments, 0)
	if kind == Other && len(all) == 1 && slices.Contains(editors, all[0].Line) && c.File() != "" {
		return nil, true
	}
	return all, told || !strings.Contains(string(arguments), ":")
}

// programs looks for commands in an object, deep times within another.
func programs(v js.Value, deep int) (all []Program, told bool) {
	for _, name := range lineArguments {
		of := v.Get(name)
		if of == "" {
			continue
		}
		told = true
		code := name == "script" || name == "code" && !slices.Contains([]string{"bash", "sh", "shell", "zsh"}, v.Get("language").Str())
		text := of.Str()
		words := texts(of)
		switch {
		case text != "" && texts(member(v, argvArguments)) != nil:
			all = append(all, Program{Words: append([]string{text}, texts(member(v, argvArguments))...)}, Program{Line: text, Code: code})
		case text != "":
			all = append(all, Program{Line: strings.TrimSpace(text + " " + member(v, argvArguments).Str()), Code: code})
		case words != nil && strings.HasSuffix(name, "s"):
			for _, line := range words {
				all = append(all, Program{Line: line})
			}
			all = append(all, Program{Words: words})
		case words != nil:
			all = append(all, Program{Words: words})
		case deep < 3:
			all = append(all, inner(of, deep)...)
		}
	}
	if words := texts(v.Get("argv")); words != nil && !told {
		all, told = append(all, Program{Words: words}), true
	}
	for _, name := range deepArguments {
		if of := v.Get(name); deep < 3 && (of.IsObject() || of.IsArray()) {
			more := inner(of, deep)
			all, told = append(all, more...), told || len(more) > 0
		}
	}
	return all, told
}

// inner looks for commands in an object, or in each of a list.
func inner(v js.Value, deep int) (all []Program) {
	if v.IsObject() {
		all, _ = programs(v, deep+1)
		return all
	}
	for e := range v.Elements() {
		if e.IsObject() {
			more, _ := programs(e, deep+1)
			all = append(all, more...)
		}
	}
	return all
}

// member returns the first member of a value that is there.
func member(v js.Value, names []string) js.Value {
	for _, name := range names {
		if of := v.Get(name); of != "" {
			return of
		}
	}
	return ""
}

// texts are the texts of a list, nil if it is none of texts alone.
func texts(v js.Value) (out []string) {
	if !v.IsArray() {
		return nil
	}
	for e := range v.Elements() {
		if !e.IsString() {
			return nil
		}
		out = append(out, e.Str())
	}
	return out
}
