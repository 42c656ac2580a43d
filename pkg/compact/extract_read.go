package compact

import (
	"slices"
	"strings"

	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
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
			if !isContextual(m) {
				d.user(m.Text("\n"))
			}
		case session.RoleAssistant:
			d.assistant(m)
		case session.RoleToolResult:
			var a action
			if call, ok := pairs[i].Call(); ok {
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

// What stands in front of questions nobody has answered.
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
	for line := range said(text) {
		for s := range sentences(line) {
			if ruleWeight(s) > 0 {
				d.constraints.put(d.cite(s), 1, isWeakRule)
			}
		}
	}
}

// reply takes a message of the user for the answer to what the assistant asked,
// and for the end of what it had under way.
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
		d.report()
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

// block adds what stands in the way.
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

// report takes what the assistant said last for what it has done.
func (d *digest) report() {
	for _, item := range d.progress {
		if text, ref := reference(item); ref != "" && !terse(text) {
			d.done.put(item, 0, isChange)
		}
	}
	d.progress.dropCited()
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
	for line := range said(text) {
		for s := range sentences(line) {
			if isDecision(s) {
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
