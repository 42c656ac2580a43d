package portable

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/core/calls"
	"github.com/sess-tools/sess/internal/core/lazy"
	"github.com/sess-tools/sess/pkg/js"
)

// The meaning of an argument, by whatever name an agent has for it. The first ones name the deed;
// howRun says how a tool is to do it, and goes.
const (
	command  = "command"
	dir      = "dir"
	words    = "words" // a command as the words of a shell: ["bash", "-lc", COMMAND]
	ms       = "ms"    // a limit in milliseconds
	seconds  = "seconds"
	file     = "file"
	offset   = "offset" // the first line, from 1
	limit    = "limit"  // lines
	content  = "content"
	oldText  = "old"
	newText  = "new"
	each     = "each"  // every place, not the only one
	edits    = "edits" // a list of {oldText, newText}
	patch    = "patch"
	howRun   = ""
	forbid   = "forbid" // a call with it is another thing altogether, unless it is false
	selector = "selector"
)

// A tool is how an agent calls something that other agents can do as well.
type tool struct {
	name  string
	does  string            // equal ones do the same
	args  map[string]string // its arguments, and their meanings; a call with any other is not exact
	needs []string          // arguments without which it is no call of it

	absolute bool // it takes paths from the root only
	old      bool // calls of it are understood, and none is made
	gpt      int  // +1: only with models of OpenAI's, -1: only with others
}

// tools are the tools of agents that others have too, as the programs send them to models:
// Claude Code 2.1.330, codex 0.169, opencode 1.18.33, pi 0.87.1 and oh-my-pi 18.2.3. Tools of one
// agent alone, and those whose arguments say something else elsewhere, are not here.
var tools = map[string][]tool{
	"claude": {
		{name: "Bash", does: "shell", args: map[string]string{"command": command, "timeout": ms, "description": howRun, "run_in_background": forbid, "dangerouslyDisableSandbox": forbid}, needs: []string{"command"}},
		{name: "Read", does: "read", args: map[string]string{"file_path": file, "offset": offset, "limit": limit}, needs: []string{"file_path"}, absolute: true},
		{name: "Write", does: "write", args: map[string]string{"file_path": file, "content": content}, needs: []string{"file_path", "content"}, absolute: true},
		{name: "Edit", does: "edit", args: map[string]string{"file_path": file, "old_string": oldText, "new_string": newText, "replace_all": each}, needs: []string{"file_path", "old_string", "new_string"}, absolute: true},
	},
	"codex": {
		{name: "exec_command", does: "shell", args: map[string]string{"cmd": command, "workdir": dir, "yield_time_ms": howRun, "max_output_tokens": howRun, "justification": howRun, "sandbox_permissions": howRun, "prefix_rule": howRun, "login": howRun, "tty": forbid}, needs: []string{"cmd"}},
		{name: "shell_command", does: "shell", args: map[string]string{"command": command, "workdir": dir, "timeout_ms": ms, "justification": howRun, "sandbox_permissions": howRun, "login": howRun}, needs: []string{"command"}, old: true},
		{name: "shell", does: "shell", args: map[string]string{"command": words, "workdir": dir, "timeout_ms": ms, "justification": howRun, "sandbox_permissions": howRun, "with_escalated_permissions": howRun}, needs: []string{"command"}, old: true},
		{name: "apply_patch", does: "patch", args: map[string]string{"input": patch}, needs: []string{"input"}, old: true}, // one of eight models has it
	},
	"opencode": {
		{name: "bash", does: "shell", args: map[string]string{"command": command, "workdir": dir, "timeout": ms, "description": howRun}, needs: []string{"command"}},
		{name: "read", does: "read", args: map[string]string{"filePath": file, "offset": offset, "limit": limit}, needs: []string{"filePath"}, absolute: true},
		{name: "write", does: "write", args: map[string]string{"filePath": file, "content": content}, needs: []string{"filePath", "content"}, absolute: true, gpt: -1},
		{name: "edit", does: "edit", args: map[string]string{"filePath": file, "oldString": oldText, "newString": newText, "replaceAll": each}, needs: []string{"filePath", "oldString", "newString"}, absolute: true, gpt: -1},
		{name: "apply_patch", does: "patch", args: map[string]string{"patchText": patch}, needs: []string{"patchText"}, gpt: 1},
	},
	"pi": {
		{name: "bash", does: "shell", args: map[string]string{"command": command, "timeout": seconds}, needs: []string{"command"}},
		{name: "read", does: "read", args: map[string]string{"path": file, "offset": offset, "limit": limit}, needs: []string{"path"}},
		{name: "write", does: "write", args: map[string]string{"path": file, "content": content}, needs: []string{"path", "content"}},
		{name: "edit", does: "edit", args: map[string]string{"path": file, "edits": edits}, needs: []string{"path", "edits"}},
		{name: "edit", does: "edit", args: map[string]string{"path": file, "oldText": oldText, "newText": newText}, needs: []string{"path", "oldText", "newText"}, old: true},
	},
	"omp": {
		{name: "bash", does: "shell", args: map[string]string{"command": command, "cwd": dir, "timeout": seconds, "pty": forbid, "async": forbid, "i": howRun}, needs: []string{"command"}},
		{name: "read", does: "read", args: map[string]string{"path": selector, "i": howRun}, needs: []string{"path"}},
		{name: "write", does: "write", args: map[string]string{"path": file, "content": content, "i": howRun}, needs: []string{"path", "content"}},
		{name: "edit", does: "edit of oh-my-pi", args: map[string]string{"input": patch}, needs: []string{"input"}},
	},
}

// A mapper says what calls of one agent are for another.
type mapper struct {
	from, to string // agents
	cwd      string // of the session
	gpt      bool   // the target's model is one of OpenAI's
	known    bool   // it is known what the target's model is
	zero     bool   // the source may count lines from 0
}

// A what describes the deed of a call: its arguments by their meanings, as JSON texts.
type what map[string]js.Value

// fits reports whether a call is one of an agent's tool, and returns its deed.
func (t *tool) fits(arguments js.Value) (what, bool) {
	w := what{}
	for name, value := range arguments.Members() {
		says, ok := t.args[name]
		switch {
		case !ok:
			return nil, false
		case value == "null" || says == howRun:
		case says == forbid:
			if value.Truthy() {
				return nil, false
			}
		default:
			w[says] = value
		}
	}
	for _, name := range t.needs {
		if _, ok := w[t.args[name]]; !ok {
			return nil, false
		}
	}
	return w, w.settle()
}

// shells are the programs whose -c takes a command.
var shells = []string{"bash", "sh", "zsh", "/bin/bash", "/bin/sh", "/bin/zsh", "/usr/bin/bash"}

// ranges are the lines that oh-my-pi reads of a file: from and to, or from and how many.
var ranges = lazy.Regexp(`^(.*?):L?(\d+)(?:([-+])L?(\d+))?$`)

// settle gives one form to what agents spell in several. ok is false for what no other tool says.
func (w what) settle() (ok bool) {
	if list := w[words]; list != "" {
		argv := slices.Collect(list.Elements())
		if len(argv) != 3 || !slices.Contains(shells, argv[0].Str()) || argv[1].Str() != "-lc" && argv[1].Str() != "-c" {
			return false
		}
		delete(w, words)
		w[command] = argv[2]
	}
	if list := w[edits]; list != "" {
		all := slices.Collect(list.Elements())
		if len(all) == 1 && all[0].Get("oldText").IsString() && all[0].Get("newText").IsString() {
			delete(w, edits)
			w[oldText], w[newText] = all[0].Get("oldText"), all[0].Get("newText")
		}
	}
	if each, ok := w[each]; ok && !each.Truthy() {
		delete(w, "each")
	}
	place, selected := w[selector]
	if !selected {
		return true
	}
	delete(w, selector)
	name := place.Str()
	if m := ranges().FindStringSubmatch(name); m != nil {
		from, _ := strconv.ParseInt(m[2], 10, 32)
		n, _ := strconv.ParseInt(m[4], 10, 32)
		if m[3] == "-" {
			n -= from - 1
		}
		if m[3] == "" || from < 1 || n < 1 {
			return false
		}
		name, w[offset], w[limit] = m[1], js.Value(api.Int(from)), js.Value(api.Int(n))
	}
	w[file] = js.Value(js.Quote(name))
	return !strings.Contains(name, ":")
}

// call returns the name and the arguments under which the target has a call, and whether it
// is one of the target's own tools.
func (m mapper) call(name string, arguments js.Value) (string, js.Value, bool) {
	if !arguments.IsObject() {
		arguments = js.Value(js.Object(js.RawField("input", cmp.Or(arguments, `""`))))
	}
	from := m.from
	if agent, own := calls.Own(name); agent != "" {
		if agent != m.to || m.collides(own, arguments) {
			return legal(name), arguments, false
		}
		return legal(own), arguments, true
	}
	if from == m.to {
		return legal(name), arguments, true
	}
	for i := range tools[from] {
		t := &tools[from][i]
		if t.name != name {
			continue
		}
		if w, ok := t.fits(arguments); ok && !(m.zero && w[offset] != "") {
			if made, args, ok := m.make(t.does, w); ok {
				return made, args, true
			}
		}
	}
	return legal(from + "_" + name), arguments, false
}

// collides reports whether the target has a tool of this name that takes other arguments.
func (m mapper) collides(name string, arguments js.Value) bool {
	has := false
	for i := range tools[m.to] {
		t := &tools[m.to][i]
		if t.name != name {
			continue
		}
		if _, ok := t.fits(arguments); ok {
			return false
		}
		has = true
	}
	return has
}

// make makes a call of the target's that does the same. Not ok is one that would do anything else.
func (m mapper) make(does string, w what) (string, js.Value, bool) {
	for i := range tools[m.to] {
		t := &tools[m.to][i]
		if t.does != does || t.old || t.gpt != 0 && (!m.known || (t.gpt > 0) != m.gpt) {
			continue
		}
		if args, ok := m.arguments(t, w); ok {
			return t.name, args, true
		}
	}
	return "", "", false
}

// arguments returns what a tool of the target is called with, its arguments in the order in
// which it needs them.
func (m mapper) arguments(t *tool, w what) (js.Value, bool) {
	w, ok := m.suited(t, w)
	if !ok {
		return "", false
	}
	var fields []js.Field
	for _, name := range append(slices.Clone(t.needs), slices.Sorted(maps.Keys(t.args))...) {
		if value, ok := w[t.args[name]]; ok && t.args[name] != howRun {
			fields = append(fields, js.RawField(name, value))
			delete(w, t.args[name])
		}
	}
	return js.Value(js.Object(fields...)), len(w) == 0
}

// suited says what a call does as a tool of the target says it.
func (m mapper) suited(t *tool, given what) (what, bool) {
	has := map[string]bool{}
	for _, says := range t.args {
		has[says] = true
	}
	w := what{}
	for says, value := range given {
		w[says] = value
	}
	if path.Clean(w[dir].Str()) == path.Clean(m.cwd) || w[dir] == `""` {
		delete(w, dir)
	}
	limited(w, has)
	if name := w[file].Str(); t.absolute && !path.IsAbs(name) && w[file] != "" {
		if !path.IsAbs(m.cwd) || strings.HasPrefix(name, "~") || strings.ContainsAny(name, ":\\") {
			return nil, false
		}
		w[file] = js.Value(js.Quote(path.Join(m.cwd, name)))
	}
	if has[edits] && w[oldText] != "" {
		one := js.Object(js.RawField("oldText", w[oldText]), js.RawField("newText", w[newText]))
		w[edits] = js.Value(api.Array(one))
		delete(w, oldText)
		delete(w, newText)
	}
	if has[selector] && w[file] != "" {
		return w, w.selected()
	}
	return w, true
}

// limited says how long a command may take in the target's unit. A tool that has none, or cannot
// say it, is not told: what the command does is the same.
func limited(w what, has map[string]bool) {
	long, inMS := w[ms], true
	if long == "" {
		long, inMS = w[seconds], false
	}
	delete(w, ms)
	delete(w, seconds)
	n, err := strconv.ParseInt(string(long), 10, 64)
	switch {
	case long == "" || err != nil || n <= 0:
	case has[ms] && inMS, has[seconds] && !inMS:
		w[map[bool]string{true: ms, false: seconds}[inMS]] = long
	case has[ms]:
		w[ms] = js.Value(api.Int(n * 1000))
	case has[seconds] && n%1000 == 0:
		w[seconds] = js.Value(api.Int(n / 1000))
	}
}

// selected puts the lines that are read behind the name of the file, as oh-my-pi has it. It has
// no range without an end.
func (w what) selected() bool {
	name := w[file].Str()
	from, lines := cmp.Or(w[offset], "1"), w[limit]
	if strings.Contains(name, ":") || lines == "" && w[offset] != "" {
		return false
	}
	if lines != "" {
		name += ":" + string(from) + "+" + string(lines)
	}
	delete(w, file)
	delete(w, offset)
	delete(w, limit)
	w[selector] = js.Value(js.Quote(name))
	return from.IsNumber() && (lines == "" || lines.IsNumber())
}

// maxName is how many characters the name of a tool may have, for every API.
const maxName = 64

var illegal = lazy.Regexp(`[^A-Za-z0-9_-]`)

// legal returns a name that every API takes.
func legal(name string) string {
	name = illegal().ReplaceAllString(name, "_")
	return name[:min(len(name), maxName)]
}
