package compact

import (
	"regexp"
	"slices"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// read adds what messages say to the digest.
func (d *digest) read(parts []Part) {
	pending := map[string]action{} // tool calls by id
	for _, p := range parts {
		switch m := p.Message; m.Role() {
		case session.RoleUser:
			d.user(m.Text("\n"))
		case session.RoleAssistant:
			d.assistant(m)
			for _, c := range m.ToolCalls() {
				pending[c.ID] = actionOf(c)
			}
		case session.RoleToolResult:
			d.result(m, pending[m.Str("toolCallId")])
		case session.RoleBashExecution:
			d.bash(m)
		case session.RoleBranchSummary:
			branch := carried(m.Str("summary"))
			if len(branch.goal) > 0 {
				d.context.add("another branch was explored: " + branch.goal[0])
			}
		}
	}
}

// ruleWords mark a sentence of the user as a rule.
var ruleWords = regexp.MustCompile(`(?i)\b(?:must|never|always|don't|do not|only|prefer|avoid|without|should)\b`)

// user takes the first line for what is asked for, and lines that sound like
// a rule for rules. Long lines and code are something the user shows, not says.
func (d *digest) user(text string) {
	d.goal.add(firstLine(text))
	code := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") {
			code = !code
		}
		if !code && len(line) <= extractUnits && ruleWords.MatchString(line) {
			d.constraints.add(line)
		}
	}
}

const modelFailed = "the model failed:"

func (d *digest) assistant(m session.Message) {
	if m.Str("stopReason") == "error" {
		d.blocked.set(modelFailed, firstLine(m.Str("errorMessage")))
	} else {
		d.blocked.drop(modelFailed)
	}
	if line := firstLine(m.Text("\n")); line != "" {
		d.progress = nil
		d.progress.add(line)
	}
}

// An action is what a tool call does.
type action struct {
	subject string // how items name it
	command bool   // it runs a command
	changes string // the file it changes, "" if none
}

func actionOf(c session.ToolCall) action {
	if command := commandOf(c.Arguments); command != "" {
		return action{subject: quoted(command), command: true}
	}
	path := shorten(argument(c.Arguments, "path"), subjectUnits)
	a := action{subject: strings.TrimSpace(shorten(c.Name, subjectUnits) + " " + path)}
	if c.Name == "write" || c.Name == "edit" {
		a.changes = path
	}
	return a
}

// commandOf returns the command a tool call runs, "" if it runs none: a string,
// or as codex has it an array of words.
func commandOf(arguments string) string {
	if !strings.HasPrefix(arguments, "{") {
		return ""
	}
	args := session.NewMessage(arguments)
	if list := stringList(args.Get("command")); len(list) > 0 {
		return strings.Join(list, " ")
	}
	return args.Str("command")
}

func quoted(command string) string { return "`" + shorten(firstLine(command), subjectUnits) + "`" }

func (d *digest) result(m session.Message, a action) {
	if a.subject == "" {
		a.subject = shorten(m.Str("toolName"), subjectUnits)
	}
	text, failed := m.Text("\n"), m.Get("isError") == "true"
	if a.command {
		d.context.set(a.subject+":", resultStatus(text, failed))
	}
	if failed {
		d.blocked.set(a.subject+" failed:", errorLine(text))
		return
	}
	d.blocked.drop(a.subject + " failed:")
	if a.changes != "" {
		d.done.add("changed " + a.changes)
	}
}

// bash takes a command the user ran, unless it was run for the user's eyes
// alone.
func (d *digest) bash(m session.Message) {
	if m.Get("excludeFromContext") == "true" {
		return
	}
	subject, status := quoted(m.Str("command")), m.Get("exitCode")
	switch {
	case m.Get("cancelled") == "true":
		d.context.set(subject+":", "cancelled")
		return
	case status == "" || status == "null":
		d.context.set(subject+":", "no exit status")
		return
	}
	d.context.set(subject+":", "exit status "+shorten(status, subjectUnits))
	if status == "0" {
		d.blocked.drop(subject + " failed:")
	} else {
		d.blocked.set(subject+" failed:", errorLine(m.Str("output")))
	}
}

var exitStatus = regexp.MustCompile(`(?i)\bexit(?:ed)?(?: with)?(?: code| status)?:? (-?\d{1,6})\b`)

// resultStatus says how a command ended. Results have no field for the exit
// status: agents write it at an end of the text.
func resultStatus(text string, failed bool) string {
	if !failed {
		return "exit status 0"
	}
	const near = 200 // bytes
	for _, end := range []string{text[max(0, len(text)-near):], text[:min(near, len(text))]} {
		if found := exitStatus.FindAllStringSubmatch(end, -1); len(found) > 0 {
			return "exit status " + found[len(found)-1][1]
		}
	}
	return "failed"
}

// errorWords mark a line as the one that tells what went wrong.
var errorWords = []string{"error", "fail", "panic", "fatal", "denied", "not found", "no such"}

// errorLine returns the first line that tells of an error, else the first.
func errorLine(text string) string {
	for line := range strings.Lines(text) {
		if len(line) > 4*extractUnits {
			line = js.Head(line, extractUnits)
		}
		lower := strings.ToLower(line)
		if slices.ContainsFunc(errorWords, func(w string) bool { return strings.Contains(lower, w) }) {
			return strings.TrimSpace(line)
		}
	}
	return firstLine(text)
}
