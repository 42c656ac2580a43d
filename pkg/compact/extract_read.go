package compact

import (
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/core/lazy"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/typed"
)

// read adds what messages say to the digest.
func (d *digest) read(parts []Part) {
	messages := make([]session.Message, len(parts))
	for i, p := range parts {
		messages[i] = p.Message
	}
	pairs := convo.Pair(messages)
	for i, p := range parts {
		d.entry = p.EntryID
		switch m := p.Message; m.Role() {
		case session.RoleUser:
			if !typed.IsCodexContext(m) {
				d.user(m.Text("\n"))
			}
		case session.RoleAssistant:
			d.assistant(m)
		case session.RoleToolResult:
			var a action
			if call, ok := convo.CallOf(pairs, i); ok {
				a = actionOf(call)
			}
			d.result(m, a)
		case session.RoleBashExecution:
			d.execution(m, m.Str("command"))
		case session.RolePythonExecution:
			d.execution(m, m.Str("code"))
		case session.RoleBranchSummary:
			if branch := carried(m.Str("summary")); len(branch.goal) > 0 {
				goal, _ := reference(branch.goal[0])
				d.context.add(d.cite("another branch was explored: " + goal))
			}
		}
	}
}

func (d *digest) cite(text string) string { return cite(text, d.entry) }

// The words in front of questions without an answer.
const (
	askedUser   = "asked the user: "
	notAnswered = "not answered: "
)

// says stands between a question of the assistant and the user's answer.
const says = " The user: "

// user takes what a message asks for and the rules it lays down.
func (d *digest) user(text string) {
	line := requestLine(text)
	if line == "" {
		return
	}
	d.reply(text)
	if d.silent && !isQuestion(line) {
		const most = 3
		for _, question := range d.asking {
			d.next.add(question)
		}
		d.next.atMost(most, isNotAnswered)
		d.asking = nil
	}
	d.silent = false
	if isQuestion(line) {
		d.asking = append(d.asking, d.cite(notAnswered+line))
	}
	if small := terse(line); !small || len(d.goal) == 0 {
		if goal, _ := reference(strings.Join(d.goal, "")); !small && terse(goal) {
			d.goal = nil // there is something better to begin with
		}
		d.goal.put(d.cite(line), 1, isQuestion)
		d.forget()
	}
	for line := range prose(text) {
		for s := range sentences(line) {
			if ruleWeight(s) > 0 {
				d.constraints.put(d.cite(s), 1, isWeakRule)
			}
		}
	}
}

// reply takes a message of the user for the answer to the assistant's question, and for the end of
// the work that it had under way.
func (d *digest) reply(text string) {
	line := requestLine(text)
	if question := d.blocked.find(askedUser); question != "" {
		d.blocked.drop(askedUser)
		if !isQuestion(line) && !isSlash(line) {
			question = shorten(strings.TrimPrefix(question, askedUser), subjectUnits)
			d.decide(question + says + shorten(line, extractUnits-subjectUnits-len(says)))
		}
	}
	if !d.working {
		// The assistant's last words report its work.
		for _, item := range d.progress {
			if text, ref := reference(item); ref != "" && !terse(text) {
				d.done.put(item, 0, isChange)
			}
		}
		d.progress.dropCited()
	}
}

// forget drops what has not come up for some requests: errors that are not seen
// again, and plans.
func (d *digest) forget() {
	const failure, plan = 8, 3 // requests
	d.requests++
	if d.requests-d.planned == plan {
		d.dropPlan()
	}
	d.blocked = slices.DeleteFunc(d.blocked, func(item string) bool {
		_, ref := reference(item)
		return ref != "" && d.requests-d.since[item] >= failure
	})
}

// block adds an obstacle.
func (d *digest) block(text string) {
	item := d.cite(text)
	d.blocked.add(item)
	if d.since == nil {
		d.since = map[string]int{}
	}
	d.since[item] = d.requests
}

// decide adds a decision. Mere reasons, of which prose is full, are few.
func (d *digest) decide(text string) {
	const most = 4
	d.decisions.put(d.cite(text), 0, isReason)
	d.decisions.atMost(most, isReason)
}

const modelFailed = "the model failed:"

func (d *digest) assistant(m session.Message) {
	stop, text := m.Str("stopReason"), m.Text("\n")
	broken := m.Failed()
	final := !broken && stop != "toolUse" && len(m.ToolCalls()) == 0
	d.working = !final
	d.blocked.drop(modelFailed)
	d.blocked.drop(askedUser)
	if stop == "error" {
		d.block(modelFailed + " " + firstLine(m.Str("errorMessage")))
	}
	statement := statementOf(text)
	d.silent = broken || final && statement == ""
	if statement == "" {
		return
	}
	if !broken {
		d.asking = nil
	}
	d.progress.dropCited()
	d.progress.add(d.cite(statement))
	d.plan(text)
	for line := range prose(text) {
		for s := range sentences(line) {
			if js.Len(s) <= extractUnits && !isQuestion(s) && (decisionWords().in(s) || reasonWords().in(s)) {
				d.decide(s)
			}
		}
	}
	if question := lastQuestion(text); final && question != "" {
		d.block(askedUser + question)
	}
}

// plan takes the steps an assistant's text says are still to be done. A new plan
// takes the place of the one before.
func (d *digest) plan(text string) {
	const most = 6 // of a plan's steps
	steps := planned(text)
	if len(steps) == 0 {
		return
	}
	d.dropPlan()
	for _, step := range steps[:min(len(steps), most)] {
		d.next.add(d.cite(step))
	}
	d.planned = d.requests
}

func (d *digest) dropPlan() {
	d.next = slices.DeleteFunc(d.next, func(item string) bool { return !isNotAnswered(item) })
}

func isNotAnswered(text string) bool { return strings.HasPrefix(text, notAnswered) }

// isChange marks the items of Done that the file lists have as well.
func isChange(text string) bool { return strings.HasPrefix(text, changed) }

// changed stands in front of a file that was written.
const changed = "changed "

// An action is what a tool call does.
type action struct {
	subject string // how items name it
	command bool   // it runs a command
	changes string // the file it changes, "" if none
}

func actionOf(c session.ToolCall) action {
	if command := c.Command(); command != "" {
		return action{subject: quoted(command), command: true}
	}
	path := shorten(c.File(), subjectUnits)
	a := action{subject: strings.TrimSpace(shorten(c.Name, subjectUnits) + " " + path)}
	switch strings.ToLower(c.Name) {
	case "write", "edit", "multiedit":
		a.changes = path
	}
	return a
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
	text, failed := m.Text("\n"), m.IsError()
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

// command puts a command with its newest status where it belongs: with the obstacles if its output
// tells of an error, else with the facts that are good to know. Its output before it worked stays
// as a record of the repair.
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
	looking = lazy.Regexp(`^(?:cd|ls|cat|head|tail|e?grep|fgrep|rg|find|fd|wc|pwd|which|type|file|stat|du|df|tree|echo|date|env|whoami|uname|` +
		`less|more|diff|sed|awk|jq|sort|uniq|cut|tr|ps|sleep|git (?:status|log|diff|show|branch|remote|blame|rev-parse|ls-files))(?:\s|$)`)
	inQuotes      = lazy.Regexp(`"(?:[^"\\]|\\.)*"?|'[^']*'?`)
	harmless      = lazy.Regexp(`[0-9&]?>\s*(?:&[0-9]|/dev/null)`)
	commandJoints = lazy.Regexp(`&&|\|\|?|;`)
)

// isInspection reports whether an item tells of a command that only looks at
// something.
func isInspection(text string) bool {
	command, ok := strings.CutPrefix(text, "`")
	at := strings.Index(command, "`: ")
	if !ok || at < 0 {
		return false
	}
	command = harmless().ReplaceAllString(inQuotes().ReplaceAllString(command[:at], "''"), "")
	if strings.Contains(command, ">") || strings.Contains(command, "sed -i") || strings.Contains(command, "-delete") || strings.Contains(command, "-exec") {
		return false
	}
	for _, part := range commandJoints().Split(command, -1) {
		if part = strings.TrimSpace(part); part != "" && !looking().MatchString(part) {
			return false
		}
	}
	return true
}

var (
	exitStatus = lazy.Regexp(`(?i)\bexit(?:ed)?(?: with)?(?: code| status)?:? (-?\d{1,6})\b`)
	// statusLine is a line that has the status and nothing else.
	statusLine = lazy.Regexp(`(?i)^\W{0,3}(?:(?:the )?(?:command|process) )?(?:exit(?:ed)?(?: with)?(?: code| status)?[:=]? (-?\d{1,6})|(aborted|timed out[\w ]{0,40}))\W{0,3}$`)
	noOutput   = lazy.Regexp(`(?i)^\W{0,3}no output\W{0,3}$`)
)

// withoutStatus stands for the status of a failure that has none.
const withoutStatus = "failed"

// outcome says how a command ended, and whether that is bad. Results have no
// field for the exit status: agents write it at an end of the text, some without
// saying that anything failed.
func outcome(text string, failed bool) (status string, bad bool) {
	const near = 200 // bytes
	tail, head := text[max(0, len(text)-near):], text[:min(near, len(text))]
	for _, line := range []string{lastLine(tail), firstLine(head)} {
		if found := statusLine().FindStringSubmatch(clean(line)); found != nil {
			if found[2] != "" {
				return strings.ToLower(found[2]), true
			}
			return "exit status " + found[1], failed || found[1] != "0"
		}
	}
	if !failed {
		return "exit status 0", false
	}
	for _, end := range []string{tail, head} {
		if found := exitStatus().FindAllStringSubmatch(end, -1); len(found) > 0 {
			return "exit status " + found[len(found)-1][1], true
		}
	}
	return withoutStatus, true
}

// lastLine returns the last line of a text that is not blank.
func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}

var (
	// errorWords mark a line as the one that tells what went wrong.
	errorWords = lazy.Regexp(`(?i)error|fail|panic|fatal|exception|denied|not found|no such|cannot|unable to|` +
		`fehler|nicht gefunden|erreur|échec|introuvable|errore|\berro\b|fallo|ошибка|не найден|не удалось|错误|失败|エラー|失敗|오류|실패`)
	noErrors = lazy.Regexp(`(?i)\b(?:no|0) (?:errors?|fail)|(?:error|fail)\w*[:=] ?0\b`)
	location = lazy.Regexp(`[\w/]\.\w+[:(]\d+`) // a place in a file
)

// errorLine returns the first line that tells of an error, else the first with
// a place in a file, else the last. It returns "" if there is none but the
// status.
func errorLine(text string) string {
	place, last := "", ""
	for line := range strings.Lines(text) {
		if len(line) > 4*extractUnits {
			line = js.Head(line, 4*extractUnits)
		}
		if line = clean(line); line == "" || noOutput().MatchString(line) || statusLine().MatchString(line) {
			continue
		}
		last = line
		if errorWords().MatchString(line) && !noErrors().MatchString(line) {
			return line
		}
		if place == "" && location().MatchString(line) {
			place = line
		}
	}
	if place != "" {
		return place
	}
	return last
}
