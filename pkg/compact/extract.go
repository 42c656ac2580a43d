package compact

import (
	"slices"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// Bounds of an extracted summary: list items a section, and UTF-16 units an
// item. They keep a summary of summaries from growing.
const (
	extractItems = 12
	extractUnits = 240
)

// Extract makes a summary without a model: it quotes. The headings are those a
// model is asked for; a previous summary's sections are carried on. The same
// plan always gives the same text.
func Extract(p *Plan) Summary {
	s := Summary{Details: []session.Field{session.StringField("summarizer", "extractive")}}
	if p.NeedsHistory() {
		x := newExtract(p.PreviousSummary)
		x.read(p.Summarize)
		s.History = x.text()
	}
	if p.NeedsPrefix() {
		x := newExtract("")
		x.read(p.TurnPrefix)
		s.TurnPrefix = x.prefixText()
	}
	return s
}

// extract gathers list items by section.
type extract struct {
	goal, constraints, done, blocked, commands, last []string
}

// section says where the items of a heading are gathered.
func (x *extract) section(heading string) *[]string {
	switch heading {
	case "## Goal":
		return &x.goal
	case "## Constraints & Preferences":
		return &x.constraints
	case "### Done":
		return &x.done
	case "### Blocked":
		return &x.blocked
	case "## Critical Context":
		return &x.commands
	}
	return nil
}

// newExtract starts from the items of a previous summary, as far as it has the
// headings.
func newExtract(previous string) *extract {
	x := &extract{}
	previous, _, _ = strings.Cut(previous, "\n\n<read-files>")
	previous, _, _ = strings.Cut(previous, "\n\n<modified-files>")
	var into *[]string
	for line := range strings.Lines(previous) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") {
			into = x.section(line)
			continue
		}
		item := strings.TrimPrefix(strings.TrimPrefix(line, "- "), "[x] ")
		if into != nil && item != "" && item != "(none)" {
			keep(into, item)
		}
	}
	return x
}

// constraintWords mark a sentence of the user as a rule.
var constraintWords = []string{"must", "never", "always", "don't", "do not", "only ", "prefer", "without", "should"}

func (x *extract) read(parts []Part) {
	exit := map[string]string{} // call id to command
	for _, p := range parts {
		m := p.Message
		switch m.Role() {
		case session.RoleUser:
			x.user(m.Text("\n"))
		case session.RoleAssistant:
			if text := firstLine(m.Text("\n")); text != "" {
				x.last = []string{text}
			}
			for _, c := range m.ToolCalls() {
				x.call(c, exit)
			}
		case session.RoleToolResult:
			x.result(m, exit[m.Str("toolCallId")])
		case session.RoleBashExecution:
			status := m.Get("exitCode")
			if status == "" {
				status = "none"
			}
			keep(&x.commands, "ran `"+firstLine(m.Str("command"))+"`, exit status "+status)
		}
	}
}

func (x *extract) user(text string) {
	if line := firstLine(text); line != "" {
		keep(&x.goal, line)
	}
	for line := range strings.Lines(text) {
		lower := strings.ToLower(line)
		if slices.ContainsFunc(constraintWords, func(w string) bool { return strings.Contains(lower, w) }) {
			keep(&x.constraints, strings.TrimSpace(line))
		}
	}
}

func (x *extract) call(c session.ToolCall, exit map[string]string) {
	args := session.NewMessage("{}")
	if strings.HasPrefix(c.Arguments, "{") {
		args = session.NewMessage(c.Arguments)
	}
	switch path, command := args.Str("path"), args.Str("command"); {
	case command != "":
		keep(&x.commands, "ran `"+firstLine(command)+"`")
		exit[c.ID] = firstLine(command)
	case path != "" && (c.Name == "write" || c.Name == "edit"):
		keep(&x.done, c.Name+" "+path)
	}
}

func (x *extract) result(m session.Message, command string) {
	if m.Get("isError") != "true" {
		return
	}
	what := m.Str("toolName")
	if command != "" {
		what = "`" + command + "`"
	}
	keep(&x.blocked, what+" failed: "+firstLine(m.Text("\n")))
}

func (x *extract) text() string {
	var b strings.Builder
	list(&b, "## Goal", "- ", x.goal)
	list(&b, "\n## Constraints & Preferences", "- ", x.constraints)
	b.WriteString("\n## Progress")
	list(&b, "\n### Done", "- [x] ", x.done)
	list(&b, "\n### In Progress", "- [ ] ", x.last)
	list(&b, "\n### Blocked", "- ", x.blocked)
	b.WriteString("\n## Key Decisions\n- (none)\n")
	next := []string{"Go on with the last request"}
	if len(x.goal) > 0 {
		next = []string{"Go on with: " + x.goal[len(x.goal)-1]}
	}
	list(&b, "\n## Next Steps", "1. ", next)
	list(&b, "\n## Critical Context", "- ", x.commands)
	return strings.TrimSpace(b.String())
}

func (x *extract) prefixText() string {
	var b strings.Builder
	list(&b, "## Original Request", "- ", x.goal)
	list(&b, "\n## Progress So Far", "- ", append(slices.Clone(x.done), x.last...))
	list(&b, "\n## Context Needed to Continue", "- ", append(slices.Clone(x.commands), x.blocked...))
	return strings.TrimSpace(b.String())
}

func list(b *strings.Builder, heading, bullet string, items []string) {
	b.WriteString(heading + "\n")
	if len(items) == 0 {
		items, bullet = []string{"(none)"}, "- "
	}
	for _, item := range items {
		b.WriteString(bullet + item + "\n")
	}
}

// keep adds an item once. Of too many the first stays, since it tells what the
// session is about, and the newest.
func keep(items *[]string, item string) {
	item = shorten(item)
	if slices.Contains(*items, item) {
		return
	}
	*items = append(*items, item)
	if len(*items) > extractItems {
		*items = slices.Delete(*items, 1, 2)
	}
}

func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			return shorten(line)
		}
	}
	return ""
}

func shorten(s string) string {
	if js.Len(s) <= extractUnits {
		return s
	}
	return js.Head(s, extractUnits-1) + "…"
}
