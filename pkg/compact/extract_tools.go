package compact

import (
	"regexp"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// changed stands in front of a file that was written.
const changed = "changed "

// An action is what a tool call does.
type action struct {
	subject string // how items name it
	command bool   // it runs a command
	changes string // the file it changes, "" if none
}

// pathArguments and commandArguments are the names agents give to arguments.
var (
	pathArguments    = []string{"path", "file_path", "filePath"}
	commandArguments = []string{"command", "cmd"}
)

func actionOf(c session.ToolCall) action {
	if command := commandOf(c.Arguments); command != "" {
		return action{subject: quoted(command), command: true}
	}
	path := ""
	for _, name := range pathArguments {
		if path = shorten(argument(c.Arguments, name), subjectUnits); path != "" {
			break
		}
	}
	a := action{subject: strings.TrimSpace(shorten(c.Name, subjectUnits) + " " + path)}
	switch strings.ToLower(c.Name) {
	case "write", "edit", "multiedit":
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
	for _, name := range commandArguments {
		list := stringList(args.Get(name))
		if len(list) == 3 && (list[1] == "-c" || list[1] == "-lc") {
			return list[2] // of a shell
		}
		if len(list) > 0 {
			return strings.Join(list, " ")
		}
		if command := args.Str(name); command != "" {
			return command
		}
	}
	return ""
}

// quoted returns the first line of a command that is no comment.
func quoted(command string) string {
	for line := range strings.Lines(command) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return "`" + shorten(line, subjectUnits) + "`"
		}
	}
	return "`" + shorten(firstLine(command), subjectUnits) + "`"
}

func (d *digest) result(m session.Message, a action) {
	if a.subject == "" {
		a.subject = shorten(m.Str("toolName"), subjectUnits)
	}
	text, failed := m.Text("\n"), m.Get("isError") == "true"
	if a.command {
		status, failed := outcome(text, failed)
		d.command(a.subject, status, text, failed)
		return
	}
	d.blocked.drop(a.subject + " failed:")
	if failed {
		what := errorLine(text)
		if what == "" {
			what = "no message"
		}
		d.block(a.subject + " failed: " + what)
	} else if a.changes != "" {
		d.done.drop(changed + a.changes + " [")
		d.done.put(d.cite(changed+a.changes), 0, isChange)
	}
}

// execution takes a command the user ran, unless it was run for the user's eyes
// alone.
func (d *digest) execution(m session.Message, command string) {
	if m.Get("excludeFromContext") == "true" {
		return
	}
	subject, code := quoted(command), m.Get("exitCode")
	switch {
	case m.Get("cancelled") == "true":
		d.command(subject, "cancelled", "", false)
	case code == "" || code == "null":
		d.command(subject, "no exit status", "", false)
	default:
		d.command(subject, "exit status "+shorten(code, subjectUnits), m.Str("output"), code != "0")
	}
}

// command puts a command with its newest status where it belongs: with what
// stands in the way if its output tells of an error, else with what is good to
// know. What it said before it worked stays as a record of what was mended.
func (d *digest) command(subject, status, output string, failed bool) {
	ran, fails := subject+": ", subject+" failed: "
	before, _ := strings.CutPrefix(d.blocked.find(fails), fails)
	d.blocked.drop(fails)
	d.context.drop(ran)
	item, what := ran+status, ""
	if failed {
		what = errorLine(output)
	}
	switch {
	case what != "" && !d.isInspection(item):
		if status != withoutStatus {
			room := extractUnits - js.Len(fails) - js.Len(status) - len(" ()")
			what = shorten(what, room) + " (" + status + ")"
		}
		d.block(fails + what)
		return
	case what != "":
		item += ": " + what
	case before != "" && !failed:
		item += ", before: " + before
	}
	const most = 3 // commands that only look say little about where the work stands
	d.context.put(d.cite(item), 0, d.isInspection)
	if d.isInspection(item) {
		d.context.atMost(most, d.isInspection)
	}
}

// isInspection is the function of that name, which is asked about each item
// again and again.
func (d *digest) isInspection(text string) bool {
	known, ok := d.looks[text]
	if !ok {
		if d.looks == nil {
			d.looks = map[string]bool{}
		}
		known = isInspection(text)
		d.looks[text] = known
	}
	return known
}

var (
	// looking are the commands that change and check nothing.
	looking = regexp.MustCompile(`^(?:cd|ls|cat|head|tail|e?grep|fgrep|rg|find|fd|wc|pwd|which|type|file|stat|du|df|tree|echo|date|env|whoami|uname|` +
		`less|more|diff|sed|awk|jq|sort|uniq|cut|tr|ps|sleep|git (?:status|log|diff|show|branch|remote|blame|rev-parse|ls-files))(?:\s|$)`)
	inQuotes      = regexp.MustCompile(`"(?:[^"\\]|\\.)*"?|'[^']*'?`)
	harmless      = regexp.MustCompile(`[0-9&]?>\s*(?:&[0-9]|/dev/null)`)
	commandJoints = regexp.MustCompile(`&&|\|\|?|;`)
)

// isInspection reports whether an item tells of a command that only looks at
// something.
func isInspection(text string) bool {
	command, ok := strings.CutPrefix(text, "`")
	at := strings.Index(command, "`: ")
	if !ok || at < 0 {
		return false
	}
	command = harmless.ReplaceAllString(inQuotes.ReplaceAllString(command[:at], "''"), "")
	if strings.Contains(command, ">") || strings.Contains(command, "sed -i") || strings.Contains(command, "-delete") || strings.Contains(command, "-exec") {
		return false
	}
	for _, part := range commandJoints.Split(command, -1) {
		if part = strings.TrimSpace(part); part != "" && !looking.MatchString(part) {
			return false
		}
	}
	return true
}
