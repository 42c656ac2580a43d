package calls

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// A Program is a command line that a call has run, or a list of words.
type Program struct {
	Line  string
	Words []string
	Code  bool   // Line may be of another language than the shell's
	Typed bool   // Line is typed into a running program
	Maybe bool   // that it is one is not known: it stands under a name that says nothing
	Shell string // that the session says commands are given to, "" if it says none
}

// The arguments that have a command, by agents' names for them; those in which they are deeper; and the words of one.
var (
	lineArguments = []string{"command", "cmd", "commands", "cmds", "command_line", "commandLine", "shell_command", "bash_command", "program", "executable", "exec", "script", "code"}
	deepArguments = []string{"action", "arguments", "params", "parameters", "input", "options", "steps", "tool_calls", "tool_uses", "calls"}
	argvArguments = []string{"args", "argv", "arguments"}
	listArguments = []string{"run", "cell", "keys", "subcommand", "subcommands"} // a list of these is a command, and a text may be one
	typedBy       = map[string][]string{"write_stdin": {"chars", "input", "text"}, "write_bash": {"input", "text", "chars"}, "send_to_terminal": {"command", "text", "input"}, "send_terminal_input": {"input", "text"}, "interact_with_process": {"input"}, "send_keys": {"keys"}}
	// Editors are what tools that edit files have under the name of a command.
	Editors = []string{"view", "create", "str_replace", "insert", "undo_edit", "write", "edit", "replace", "delete", "rename"}
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
		text := one(arguments, names)
		for _, name := range names {
			if keys := texts(arguments.Get(name)); text == "" && keys != nil {
				text = typed(keys)
			}
		}
		if text != "" {
			all = []Program{{Line: text, Typed: true}}
		}
		return all, true
	}
	all, told = programs(arguments, 0)
	listed, more := lists(arguments, own, kind == Run, told)
	all, told = append(all, listed...), told || more
	if kind == Other && len(all) == 1 && slices.Contains(Editors, all[0].Line) && c.File() != "" {
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
		case text != "" && tail(v) != nil:
			all = append(all, Program{Words: append([]string{text}, tail(v)...)}, Program{Line: text, Code: code})
		case text != "":
			all = append(all, Program{Line: strings.TrimSpace(text + " " + member(v, argvArguments).Str()), Code: code})
		case words != nil && strings.HasSuffix(name, "s"):
			for _, line := range words {
				all = append(all, Program{Line: line})
			}
			all = append(all, Program{Words: words})
		case words != nil:
			all = append(all, Program{Words: append(words, tail(v)...)})
		case deep < 3:
			all = append(all, inner(of, deep)...)
		}
	}
	for _, name := range []string{"argv", "args"} {
		if words := texts(v.Get(name)); words != nil && !told {
			all, told = append(all, Program{Words: words}), true
		}
	}
	for _, name := range deepArguments {
		if of := v.Get(name); deep < 3 && (of.IsObject() || of.IsArray()) {
			more := inner(of, deep)
			all, told = append(all, more...), told || len(more) > 0
		}
	}
	return all, told
}

// tail returns the words behind a program that stand beside it, nil for none.
func tail(v js.Value) []string {
	between := texts(v.Get("subcommand"))
	if text := v.Get("subcommand").Str(); text != "" {
		between = strings.Fields(text)
	}
	words := texts(member(v, argvArguments))
	if words == nil && between != nil {
		words = strings.Fields(member(v, argvArguments).Str())
	}
	if words == nil && between == nil {
		return nil
	}
	return append(between, words...)
}

// lists returns the programs that stand in the lists of words of an object, and in texts of such names: under a name that is
// for commands, and perhaps under any other. runs says that the tool is one for commands, and known that one was found.
// Where no program is named, the tool may be it.
func lists(v js.Value, tool string, runs, known bool) (all []Program, told bool) {
	for name, of := range v.Members() {
		words, named := texts(of), slices.Contains(listArguments, name)
		text := ""
		if named && words == nil {
			text = of.Str()
		}
		switch {
		case text != "":
			all = append(all, Program{Line: text, Code: name == "cell", Typed: name == "keys" && runs, Maybe: !runs})
			told = runs
		case len(words) == 0, slices.Contains(lineArguments, name), slices.Contains(argvArguments, name):
		case name == "subcommand" && known: // it stands behind the program
		default:
			told = told || named
			all = append(all, Program{Words: words, Maybe: !named})
			if name == "keys" {
				all = append(all, Program{Line: typed(words), Typed: true})
			}
			if name == "cell" {
				all = append(all, Program{Line: strings.Join(words, "\n"), Code: true})
			}
			for i, word := range words {
				if strings.ContainsAny(word, " \t\n") {
					all = append(all, Program{Line: word, Maybe: !named || i > 0 && !strings.ContainsAny(words[0], " \t\n")})
				}
			}
		}
		for line := range strings.Lines(text + strings.Join(words, "\n")) {
			if shell, is := strings.CutPrefix(line, "!"); is && name == "cell" {
				all = append(all, Program{Line: shell})
			}
		}
	}
	if words := tail(v); words != nil && !runs && member(v, lineArguments) == "" {
		all, told = append(all, Program{Words: append([]string{tool}, words...)}), true
	}
	if text := member(v, argvArguments).Str(); text != "" && runs && !known && !told {
		all, told = append(all, Program{Line: text}), true
	}
	return all, told
}

// typed returns the text that a list of keys types: names of keys, as tmux has them, stand for their characters.
func typed(keys []string) string {
	var b strings.Builder
	for _, key := range keys {
		switch name := strings.ToLower(strings.Trim(key, "{}<>")); {
		case slices.Contains([]string{"enter", "return", "kpenter", "c-m", "c-j", "cr"}, name):
			b.WriteByte('\n')
		case name == "space":
			b.WriteByte(' ')
		case len(name) > 2 && name[1] == '-' && (name[0] == 'c' || name[0] == 'm'):
			b.WriteByte(0x1b) // the effect on the text is not known
		default:
			b.WriteString(key)
		}
	}
	return b.String()
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

// contextOfCodex is the type of entries in which codex tells its model of the machine: they are no words of a user.
const contextOfCodex = "codex:context"

// tellShells notes which shell the session says that commands are given to: codex does, at the start and where that changes.
func tellShells(all []Call, entries []session.Entry) {
	shell, next := "", 0
	for i := range all {
		for ; next <= all[i].Entry; next++ {
			if e := entries[next]; e.Type() == session.TypeCustomMessage && e.Str("customType") == contextOfCodex {
				shell = cmp.Or(shellIn(js.Value(e.Get("content"))), shell)
			}
		}
		for j := range all[i].Programs {
			all[i].Programs[j].Shell = shell
		}
	}
}

// shellIn returns the shell that the content of a message tells of, "" for none.
func shellIn(content js.Value) string {
	text := content.Str()
	for part := range content.Elements() {
		text += part.Get("text").Str()
	}
	_, context, _ := strings.Cut(text, "<environment_context>")
	_, behind, _ := strings.Cut(context, "<shell>")
	name, _, _ := strings.Cut(behind, "</shell>")
	return strings.ToLower(strings.TrimSpace(name))
}
