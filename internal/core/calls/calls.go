package calls

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/internal/core/lazy"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// A Call is what an agent did in one call of a tool.
type Call struct {
	session.ToolCall
	Ending

	Entry    int       // the index of the entry that has it
	By       string    // who made it, [ByProvider] or "" for the agent
	Result   int       // the index of the entry with its result, or that tells how it ended in the background; -1 for none
	Beside   []int     // those with what else was told of it if it went on in the background
	Kind     string    // see [Kinds]
	Command  string    // that it runs, "" if it runs none
	Programs []Program // that it runs, see [Programs]
	Told     bool      // the program stands in its arguments, or it has none
	cwd      string    // the session's directory
	Paths    []string  // that it names; below the session's directory they are relative to it
	Patched  bool      // a patch is among its arguments, or in its command: it writes Paths
	Target   string    // its subject: the command, the first path, the pattern or the text
	In       string    // the id of the call whose tool made it, "" for one that a model made
	Unread   bool      // its arguments are not recorded; without a name it stands for all calls that are not
}

// ByProvider is who made a call that the provider of a model made by itself, away from the user's machine. Its result
// stands in the reply.
const ByProvider = "provider"

// once leaves out the calls that an agent put back behind a compaction: the same call, which has its result in front of it.
func once(all []Call, entries []session.Entry) []Call {
	type call struct{ id, name, arguments string }
	var compacted []int
	for i, e := range entries {
		if e.Type() == session.TypeCompaction {
			compacted = append(compacted, i)
		}
	}
	if len(compacted) == 0 {
		return all
	}
	ended := map[call]int{}
	return slices.DeleteFunc(all, func(c Call) bool {
		key := call{c.ID, c.Name, c.Arguments}
		if c.Result >= 0 {
			ended[key] = c.Result
			return false
		}
		before, there := ended[key]
		return there && slices.ContainsFunc(compacted, func(at int) bool { return before < at && at < c.Entry })
	})
}

// Of returns the calls of entries, oldest first. The entries are those of a path, or of a session in
// the order of its file. cwd is the session's directory.
func Of(entries []session.Entry, cwd string) []Call {
	var messages []session.Message
	var at, beside []int // the entry of each message, and entries with calls of sub-agents
	for i, e := range entries {
		if m, ok := e.Message(); ok {
			messages, at = append(messages, m), append(at, i)
		} else if e.Type() == session.TypeCustom && e.Str("customType") == session.CustomCalls {
			beside = append(beside, i)
		}
	}
	pairs, n := convo.Pair(messages), 0
	for _, p := range pairs {
		n += len(p.Calls)
	}
	all := slices.Grow([]Call(nil), n)
	for i, p := range pairs {
		for len(beside) > 0 && beside[0] < at[i] {
			all = append(all, aside(entries, beside[0], cwd)...)
			beside = beside[1:]
		}
		first := len(all)
		for _, c := range p.Calls {
			call := About(c, cwd)
			call.Entry, call.Result, call.Outcome = at[i], -1, Open
			all = append(all, call)
		}
		var inner map[int][]Call
		for _, r := range p.Results {
			call := &all[first+r.Call]
			if call.Ending = call.end(messages[r.Message]); call.Outcome != Open || call.runs != "" {
				call.Result = at[r.Message]
			}
			if nested, more := messages[r.Message].NestedCalls(); len(nested) > 0 || more {
				if inner == nil {
					inner = map[int][]Call{}
				}
				inner[r.Call] = within(nested, more, call.ID, cwd, at[i], at[r.Message])
			}
		}
		for n := len(p.Calls) - 1; n >= 0 && inner != nil; n-- {
			all = slices.Insert(all, first+n+1, inner[n]...)
		}
		if p.Reply < 0 && messages[i].Role() == session.RoleToolResult { // the call is not there
			all = append(all, aside(entries, at[i], cwd)...)
		}
		for _, made := range messages[i].Provided() {
			call := About(made.ToolCall, cwd)
			call.Entry, call.Result, call.Outcome, call.By = at[i], -1, Open, ByProvider
			if made.Ended() {
				call.Ending, call.Result = End(made.Result), at[i]
			}
			all = append(all, call)
		}
	}
	for _, i := range beside {
		all = append(all, aside(entries, i, cwd)...)
	}
	all = once(all, entries)
	background(all, entries)
	tellShells(all, entries)
	return named(all)
}

// notRecorded is the target of the one call that stands for all that a tool made and did not record.
const notRecorded = "calls that are not recorded"

// aside returns the calls that entry i has though the call that started them is elsewhere.
func aside(entries []session.Entry, i int, cwd string) []Call {
	in, nested, more := entries[i].NestedCalls()
	return within(nested, more, in, cwd, i, i)
}

// within returns the calls that a tool made, or a sub-agent. In is the id of the call that started them; the indices are
// those of the entries that have it and its result.
func within(nested []session.NestedCall, more bool, in, cwd string, entry, result int) (all []Call) {
	for _, c := range nested {
		call := About(c.ToolCall, cwd)
		call.Unread = c.Arguments == ""
		failed := c.Status == "error"
		if call.Outcome = Open; failed || c.Status == "ok" {
			call.Result, call.Ending = result, End(session.NewMessage(js.Object(
				js.StringField("role", session.RoleToolResult), js.StringField("toolName", c.Name),
				js.RawField("content", js.Quote(c.Error)), js.RawField("isError", strconv.FormatBool(failed)),
				js.RawField("details", js.Object(js.RawField("exitCode", c.Exit))))))
		}
		all = append(all, call)
	}
	if more {
		all = append(all, Call{Ending: Ending{Outcome: Open}, Result: -1, Kind: Other, Target: notRecorded, Unread: true})
	}
	for i := range all {
		all[i].Entry, all[i].In = entry, in
	}
	return all
}

// About says what a call is about, and nothing of how it ended.
func About(c session.ToolCall, cwd string) Call {
	call := Call{ToolCall: c, Kind: KindOf(c.Name), Result: -1, cwd: cwd}
	if call.Kind == Run || call.Kind == Other {
		call.Programs, call.Told = Programs(c, call.Kind)
		call.runsAny()
	}
	files := c.Files()
	if call.Kind == Write || call.Kind == Read {
		files = append(files, moreOf(js.Value(js.Trim(c.Arguments)))...)
	}
	for patch := range call.patches() {
		for _, m := range patchHeads().FindAllStringSubmatch(patch, -1) {
			call.Patched, files = true, append(files, strings.TrimSpace(m[1]))
		}
	}
	for _, name := range files {
		if name = Relative(name, cwd); !slices.Contains(call.Paths, name) {
			call.Paths = append(call.Paths, name)
		}
	}
	call.Target = call.about()
	return call
}

// runsAny takes the command of a call from its programs. A call of a tool that is not known is one of a command if it has
// one: its name says nothing else.
func (c *Call) runsAny() {
	for _, p := range c.Programs {
		if p.Maybe || p.Code && c.Kind == Other {
			continue
		}
		c.Kind = Run
		if c.Command = c.ToolCall.Command(); c.Command == "" {
			c.Command = cmp.Or(p.Line, strings.Join(p.Words, " "))
		}
		return
	}
}

// about is what a call is about. The command and the path are known; the rest is looked for in the arguments.
func (c Call) about() string {
	first := strings.Join(c.Paths[:min(1, len(c.Paths))], "")
	switch {
	case c.Kind == Agent, c.Kind == Plan:
		return c.Words()
	case c.Kind == Ask:
		return question(js.Value(js.Trim(c.Arguments)))
	case c.Kind == Search:
		return cmp.Or(c.Asks(), first)
	case c.Command != "":
		return c.Command
	case first != "" && (c.Kind == Read || c.Kind == Write):
		return first
	}
	return cmp.Or(c.Asks(), first, c.Words())
}

// Touches reports whether a pattern matches one of the paths that a call names, below the session's directory
// or as it stands.
func (c Call) Touches(g *Glob) bool { return g.MatchAny(c.Paths) || g.MatchAny(c.Files()) }

// Left returns the text that a call leaves in a file, "" if its arguments do not say it.
func (c Call) Left() string { return one(js.Value(js.Trim(c.Arguments)), newArguments) }

// question returns what the user is asked.
func question(arguments js.Value) string {
	for q := range arguments.Get("questions").Elements() {
		return cmp.Or(q.Get("question").Str(), q.Get("title").Str())
	}
	return cmp.Or(arguments.Get("question").Str(), arguments.Get("plan").Str())
}

// patchHeads are the lines of a patch that name a file.
var patchHeads = lazy.Regexp(`(?m)^[ \t]*\*\*\* (?:Add File|Update File|Delete File|Move to): (.+?)\r?$`)

const patchBegins = "*** Begin Patch"

// The arguments of a call that reads or writes which name more files, and those that are lists of edits or of files.
var (
	moreFiles = []string{"destination", "dest", "new_path", "newPath", "target_path", "targetPath", "filepath", "uri"}
	manyEdits = []string{"edits", "replacements", "changes", "operations", "files"}
)

// moreOf returns the files that the arguments of a call name which reads or writes, beside those of [session.ToolCall.Files].
func moreOf(arguments js.Value) (files []string) {
	for _, name := range moreFiles {
		if text := arguments.Get(name).Str(); text != "" {
			files = append(files, text)
		}
	}
	for _, name := range append(manyEdits, "paths") {
		for e := range arguments.Get(name).Elements() {
			if name := e.Str(); name != "" {
				files = append(files, name)
			}
			files = append(files, session.ToolCall{Arguments: string(e)}.Files()...)
		}
	}
	return files
}

// Relative returns a path as [Relative] does, in the session's directory.
func (c Call) Relative(name string) string { return Relative(name, c.cwd) }

// Relative returns a path as it is called: with slashes, and below the directory cwd relative
// to it.
func Relative(name, cwd string) string {
	name = strings.TrimPrefix(name, "file://")
	for _, home := range []string{"$HOME/", "${HOME}/"} {
		if rest, is := strings.CutPrefix(name, home); is {
			name = "~/" + rest
		}
	}
	if windows(name) || windows(cwd) {
		name, cwd = strings.ReplaceAll(name, `\`, "/"), strings.ReplaceAll(cwd, `\`, "/")
	}
	if name == "" || strings.HasPrefix(name, "~") {
		return name
	}
	name = path.Clean(name)
	if cwd == "" || cwd == "/" {
		return name
	}
	if cwd = path.Clean(cwd); name == cwd {
		return "."
	}
	return strings.TrimPrefix(name, cwd+"/")
}

// windows reports whether a path begins with a drive, or with a server.
func windows(name string) bool {
	return len(name) > 2 && name[1] == ':' && (name[2] == '\\' || name[2] == '/') || strings.HasPrefix(name, `\\`)
}
