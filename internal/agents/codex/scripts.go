package codex

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// In code mode a model calls one tool, whose input is a program in JavaScript. What that called has no items: events name the
// commands, the changed files and the calls of MCP servers, each by another id.

// script is the tool that runs a program.
const script = "exec"

// A deed is what an event says was done.
type deed struct {
	end
	id, name, arguments string
	said                string // its output, or the reason of its failure
	began               int64  // in milliseconds since the epoch, 0 if it is not told
	users               bool   // the user ran it, or it is a part of another deed
}

// deedOf returns the deed of an event that says how one ended; ok is false for any other event.
func deedOf(v js.Value) (d deed, ok bool) {
	of, kind := v, v.Get("type").Str()
	if item := v.Get("item"); item.IsObject() {
		of, kind = item, item.Get("type").Str()
		d.id, d.began = item.Get("id").Str(), api.Tokens(v.Get("started_at_ms"))
	} else {
		d.id = v.Get("call_id").Str()
	}
	status := of.Get("status").Str()
	d.failed = status == "failed" || status == "declined" || of.Get("success") == "false"
	switch kind {
	case "CommandExecution", "exec_command_end":
		d.command, d.name = true, "exec_command"
		d.arguments = js.Object(js.StringField("cmd", commandIn(of.Get("command"))), js.StringField("workdir", strings.TrimPrefix(of.Get("cwd").Str(), "file://")))
		d.exit = number(string(of.Get("exit_code")))
		d.said = of.Get("aggregated_output").Str()
		source := of.Get("source").Str()
		d.users = source == "user_shell" || source == "userShell" || source == "unified_exec_interaction"
	case "FileChange", "patch_apply_end":
		d.name, d.said = "apply_patch", of.Get("stderr").Str()
		var changes []string
		for name, change := range of.Get("changes").Members() {
			changes = append(changes, js.Object(js.StringField("path", name), js.StringField("kind", change.Get("type").Str())))
			if to := change.Get("move_path").Str(); to != "" {
				changes = append(changes, js.Object(js.StringField("path", to), js.StringField("kind", "move")))
			}
		}
		d.arguments = js.Object(js.RawField("changes", api.Array(changes...)))
	case "McpToolCall", "mcp_tool_call_end":
		call := of
		if invocation := of.Get("invocation"); invocation.IsObject() {
			call = invocation
		}
		d.name, d.arguments = "mcp__"+call.Get("server").Str()+"__"+call.Get("tool").Str(), string(call.Get("arguments"))
		if !call.Get("arguments").IsObject() {
			d.arguments = "{}"
		}
		result := of.Get("result")
		d.failed = d.failed || failedResult(result)
		d.said = result.Get("Err").Str()
	default:
		d.users = true
		d.failed = d.failed || failedResult(of.Get("result"))
	}
	return d, d.id != ""
}

// failedResult reports whether the result of a call of a server's tool says that it failed.
func failedResult(result js.Value) bool {
	return result.Get("Err") != "" || result.Get("Ok", "isError") == "true" || result.Get("Ok", "is_error") == "true"
}

// commandIn returns the command line that a shell was given, or else the words of a command.
func commandIn(v js.Value) string {
	if v.IsString() {
		return v.Str()
	}
	var words []string
	for word := range v.Elements() {
		words = append(words, word.Str())
	}
	if len(words) == 3 && (words[1] == "-c" || words[1] == "-lc") && slices.Contains([]string{"sh", "bash", "zsh", "dash"}, path.Base(words[0])) {
		return words[2]
	}
	for i, word := range words {
		if word == "" || strings.ContainsAny(word, " \t\n\"'\\$`|&;<>()*?[]#~=%{}!") {
			words[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// maxSaid is how many bytes of what a deed printed are in its record.
const maxSaid = 400

// record is a deed as a result has it, see [session.Message.NestedCalls].
func (d deed) record() string {
	fields := []js.Field{js.StringField("id", d.id), js.StringField("name", d.name), js.RawField("arguments", d.arguments)}
	switch {
	case d.failed || d.exit != "" && d.exit != "0":
		fields = append(fields, js.StringField("status", "error"), js.StringField("error", strings.ToValidUTF8(d.said[:min(len(d.said), maxSaid)], "")))
	case d.command && d.exit == "": // it had not ended
		fields = append(fields, js.StringField("status", "unfinished"))
	default:
		fields = append(fields, js.StringField("status", "ok"))
	}
	if d.exit != "" {
		fields = append(fields, js.RawField("exitCode", d.exit))
	}
	return js.Object(fields...)
}

// nestedCalls is what an entry has of deeds.
func nestedCalls(records []string) string {
	complete := !slices.ContainsFunc(records, func(r string) bool { return strings.Contains(r, `"status":"unfinished"`) })
	return js.Object(js.RawField("calls", api.Array(records...)), js.RawField("complete", strconv.FormatBool(complete)))
}

// A run is a program that a model had run.
type run struct {
	id    string
	began int64 // in milliseconds since the epoch
	ended bool  // its result is there
	deeds []string
}

// scripts are the programs of the conversation, as far as deeds may still belong to them.
type scripts struct{ all []*run }

// begins takes a program.
func (s *scripts) begins(id string, at int64) {
	const most = 64 // that a command of one may outlive
	if s.all = append(s.all, &run{id: strings.Clone(id), began: at}); len(s.all) > most {
		s.all = slices.Delete(s.all, 0, 1)
	}
}

// of returns the program that began a deed: the last one that had begun by then.
func (s *scripts) of(d deed) *run {
	for _, r := range slices.Backward(s.all) {
		if d.began == 0 || r.began <= d.began {
			return r
		}
	}
	return s.all[0]
}

// made reports whether a program did a deed: no call of the model has its id.
func (s *scripts) made(d deed, called map[string]bool) bool {
	return len(s.all) > 0 && !d.users && d.name != "" && !called[d.id]
}

// closes takes the result of a program, which has the deeds until then.
func (s *scripts) closes(id string) (deeds []string) {
	for _, r := range s.all {
		if r.id == id && !r.ended {
			deeds, r.deeds, r.ended = r.deeds, nil, true
			return deeds
		}
	}
	return nil
}

// nest adds a deed to the result of the program that did it. One that ended behind that result becomes another entry.
func (c *conv) nest(d deed) {
	c.called[strings.Clone(d.id)] = true // two events may tell of one
	r, record := c.scripts.of(d), strings.Clone(d.record())
	if !r.ended {
		r.deeds = append(r.deeds, record)
		return
	}
	p := &pending{custom: session.CustomCalls, callID: r.id, key: "deed:" + d.id, time: c.now, nested: []string{record}}
	if c.x != nil {
		c.x.beside = append(c.x.beside, p)
		return
	}
	c.put(len(c.batch))
	c.emit(p)
	c.anchor, c.context = c.b.Leaf(), false
}
