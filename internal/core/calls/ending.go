package calls

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/internal/core/lazy"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// The outcomes of calls.
const (
	OK     = "ok"
	Fail   = "fail"
	Denied = "denied" // refused by the user, a hook or a rule, or cancelled: it never ran
	Open   = "open"   // without a result
)

// Outcomes returns the outcomes there are.
func Outcomes() []string { return []string{OK, Fail, Denied, Open} }

// An Ending says how a call ended.
type Ending struct {
	Outcome string
	Status  int  // of a command
	Known   bool // what the status is

	Cancelled bool // a call that is [Denied] without a refusal: another one failed, or the turn ended

	runs  string // by what its agent calls what goes on in the background
	tells bool   // it is the end of that
}

// String is the status of a command, or else the outcome.
func (e Ending) String() string {
	if e.Known && e.Outcome != Denied {
		return strconv.Itoa(e.Status)
	}
	return e.Outcome
}

// Is reports whether the ending is the one that text names: an outcome, or a status.
func (e Ending) Is(text string) bool { return text == e.Outcome || text == e.String() }

// CheckStatus refuses a text that is neither "" nor one that [Ending.Is] knows.
func CheckStatus(text string) error {
	if _, err := strconv.Atoi(text); err == nil || text == "" || slices.Contains(Outcomes(), text) {
		return nil
	}
	return fmt.Errorf("%q is none of %s, and no number", text, strings.Join(Outcomes(), ", "))
}

// edge is how many bytes of the beginning and the end of a result are looked at. What a command prints
// is between them, unless it prints little.
const edge = 400

// How agents tell the status of a command.
var (
	inFront = phrase{[]string{"Exit code:", "exited with code"}, lazy.Regexp(`^(?:Chunk ID: \S*\n)?(?:Wall time: [^\n]*\n)?(?:Command: [^\n]*\n)?(?:Exit code:|Process exited with code) (-?\d{1,10})(?:\n|$)`)}
	stopped = phrase{[]string{"Command timed out", "Command aborted"}, lazy.Regexp(`(?:^|\n)Command (?:timed out after [^\n]{1,40}|aborted)\s*$`)} // of pi
	claude  = phrase{[]string{"Exit code"}, lazy.Regexp(`^(?:Error: )?Exit code (\d{1,10})(?:\n|$)`)}
	behind  = phrase{[]string{"exited with code", "exit code", "Exit Code"}, lazy.Regexp(`(?:^|\n)(?:Command exited with code (-?\d{1,10})|Command failed with exit code: (-?\d{1,10})\.?|<shellId: \S+ completed with exit code (-?\d{1,10})>|Exit Code: (-?\d{1,10})(?:\n(?:Signal|Background PIDs|Process Group PGID): [^\n]*)*)\s*$`)}
)

// A phrase is a pattern with the texts of which each of its matches has one: most results have none of them,
// and searching for texts is quicker than matching.
type phrase struct {
	has     []string
	pattern func() *regexp.Regexp
}

func (p phrase) in(text string) []string {
	if !slices.ContainsFunc(p.has, func(part string) bool { return strings.Contains(text, part) }) {
		return nil
	}
	return p.pattern().FindStringSubmatch(text)
}

// cut returns the part of a text behind its first match, or with front not set the part in front of that; the text if there is none.
func (p phrase) cut(text string, front bool) string {
	if p.in(text) == nil {
		return text
	}
	at := p.pattern().FindStringIndex(text)
	if front {
		return text[at[1]:]
	}
	return text[:at[0]]
}

// Printed returns the text of a command's result without the words in which its agent tells the status.
func Printed(text string) string {
	text = untrusted(text)
	for _, p := range []phrase{inFront, claude} {
		head, _ := edges(text)
		text = p.cut(head, true) + text[len(head):]
	}
	for _, p := range []phrase{behind, stopped} {
		_, tail := edges(text)
		text = text[:len(text)-len(tail)] + p.cut(tail, false)
	}
	return text
}

// cancellations are the beginnings of results of calls that were cancelled, see [Ending.Cancelled].
var cancellations = []string{"<tool_use_error>Cancelled: ", "<tool_use_error>Sibling tool call errored", "[Operation Cancelled]", "[Request interrupted by user"}

// Refusal is the word for a call that is [Denied]: "refused" or "cancelled".
func (e Ending) Refusal() string {
	if e.Cancelled {
		return "cancelled"
	}
	return "refused"
}

// refusals are how agents tell a model that a call was not made: how the result begins. Those
// with a capital are all of it or its beginning.
var refusals = []string{
	"The user doesn't want to proceed with this tool use", "The user doesn't want to take this action right now",
	"[Request interrupted by user", "<tool_use_error>Cancelled: parallel tool call", "<tool_use_error>Sibling tool call errored",
	"Permission to use ", "Permission for this action has been denied", "Claude requested permissions", "This command requires approval",
	"The user rejected permission to use this specific tool call", "The user has specified a rule which prevents you from using this specific tool call",
	"[Operation Cancelled]", "The user denied this operation", "<system>ERROR: The tool call is rejected", "The tool call is rejected", "Permission denied and could not request permission from user",
	"The user rejected this tool call", "exec command rejected by user", "patch rejected by user", "apply_patch was rejected", "Tool execution was blocked",
}

// hooks are the refusals in whose beginning the name of the tool or of the hook stands.
var hooks = lazy.Regexp(`^(?:Error: |<system>ERROR: )?(?:PreToolUse:\S+ hook|Hook PreToolUse|\S+ blocked by hook|execution error: Io\(Custom \{ kind: Other, error: "rejected)`)

// End returns how a call ended, by its result m alone. The message of a command that the user ran has an exit code. The ending
// of any other message is empty.
func End(m session.Message) Ending {
	switch m.Role() {
	case session.RoleBashExecution, session.RolePythonExecution:
		code := js.Value(m.Get("exitCode"))
		e := Ending{Outcome: OK, Status: int(code.Int()), Known: code.IsNumber()}
		if e.Status != 0 || js.Value(m.Get("cancelled")).Truthy() {
			e.Outcome = Fail
		}
		return e
	case session.RoleToolResult:
	default:
		return Ending{}
	}
	if m.IsMadeUp() {
		return Ending{Outcome: Open}
	}
	_, tool := Own(m.Str("toolName"))
	about, kind := followers[tool] || stoppers[tool], kindOf(tool)
	failed, runs, isTask := m.IsError(), kind == Run || about, kind == Agent || tool == toolScript
	if !failed && !runs && !isTask {
		return Ending{Outcome: OK} // whatever the text, which may be all of a file
	}
	text, e, details := untrusted(m.Text("\n")), Ending{Outcome: OK}, js.Value(m.Get("details"))
	switch {
	case failed && refused(text) && !(runs && ran(tool, details, text)):
		begins := func(with string) bool { return strings.HasPrefix(text, with) }
		return Ending{Outcome: Denied, Cancelled: slices.ContainsFunc(cancellations, begins)}
	case failed:
		e.Outcome = Fail
	}
	if m := scriptEnds().FindStringSubmatch(text); tool == toolWait && m != nil {
		told, _ := ending(m[1], "")
		return told
	}
	if about && !failed {
		if told, ok := stateOf(details, text); ok {
			return told
		}
	}
	if name := goingOn(details, text); name != "" && !failed && !stoppers[tool] {
		return Ending{Outcome: Open, runs: name}
	}
	if !runs || stoppers[tool] {
		return e
	}
	return e.command(tool, details, text)
}

// end returns how a call ended by its result. A command that is known by the arguments alone has the status that the details say.
func (c Call) end(m session.Message) Ending {
	e := End(m)
	if c.Kind != Run || e.Known || e.Outcome != OK && e.Outcome != Fail {
		return e
	}
	if code := js.Value(m.Get("details")).Get("exitCode"); code.IsNumber() {
		return e.told(string(code))
	}
	return e
}

// untrusted returns the text in the frame by which Gemini tells a model that a result is data.
func untrusted(text string) string {
	if inner, ok := strings.CutPrefix(text, "<untrusted_context>\n"); ok {
		if inner, ok = strings.CutSuffix(strings.TrimRight(inner, "\n"), "\n</untrusted_context>"); ok {
			return inner
		}
	}
	return text
}

// refused reports whether a result tells that its call was not made.
func refused(text string) bool {
	begins := func(with string) bool { return strings.HasPrefix(text, with) }
	return slices.ContainsFunc(refusals, begins) || hooks().MatchString(text[:min(len(text), edge)])
}

// ran reports whether the result of a command tells that it ran, whatever the command printed.
func ran(tool string, details js.Value, text string) bool {
	_, tail := edges(text)
	return Ending{Outcome: Fail}.command(tool, details, text).tells || stopped.in(tail) != nil
}

// told is an ending with a status, if that is a number.
func (e Ending) told(status string) Ending {
	n, err := strconv.Atoi(status)
	if err != nil {
		return e
	}
	if e.Status, e.Known, e.tells = n, true, true; n != 0 {
		e.Outcome = Fail
	}
	return e
}

// edges returns the beginning and the end of a text.
func edges(text string) (head, tail string) {
	return text[:min(len(text), edge)], text[max(0, len(text)-edge):]
}

// command is the ending of a command, which has a status if its agent tells one.
func (e Ending) command(tool string, details js.Value, text string) Ending {
	for _, member := range []string{"exitCode", "exit"} {
		if code := details.Get(member); code.IsNumber() {
			return e.told(string(code))
		}
	}
	head, tail := edges(text)
	if m := inFront.in(head); m != nil {
		return e.told(m[1])
	}
	if m := claude.in(head); m != nil && e.Outcome == Fail {
		return e.told(m[1])
	}
	if m := behind.in(tail); m != nil && (e.Outcome == Fail || m[3]+m[4] != "") {
		return e.told(m[1] + m[2] + m[3] + m[4])
	}
	// opencode has the output in its details, and no exit of a command that was cut short. Where an agent of this name stores none, the exit
	// code is null.
	if e.Outcome == OK && zeroIfFine(tool) && details.Get("output") == "" && js.Member(string(details), "exitCode") != "null" {
		return e.told("0")
	}
	return e
}
