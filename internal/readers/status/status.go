// Package status says what an agent is doing, by the entries of its session: one machine for the
// sessions of every agent. It reads no clock and no file.
//
// What decides is the last thing on the newest line of the conversation:
//
//   - a user's message, a call without a result, a result without a reply behind it, and a reply that says
//     nothing of why it ended: the agent is working; a call that asks the user: it asks
//   - a reply that ended: it has answered; one that was aborted or interrupted: it has stopped
//   - a reply that failed may be tried again, and counts as failed once it stood alone for some time by its own
//     time ([State.At]). Claude Code and codex say themselves that they gave up, and pi that it tries again: it takes
//     the reply out of the context.
//   - the note behind what was handed over is no message to the agent: it is the user's turn
//   - a Stop hook that objects, and a notice of a task in the background, have Claude Code ask the model again
//
// Claude Code wrote no reason for the end of a message before 2.1.60, and until 2.1.99 only on its last line: then a line
// behind it tells the end (a turn's duration, a Stop hook, the last prompt), or some time without another one.
// Nothing is written while an agent waits for a permission: such a call looks like a slow one.
package status

import (
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/core/calls"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/typed"
)

// The states.
const (
	Empty    = "empty"    // no message
	Working  = "working"  // it is the agent's turn
	Asks     = "asks"     // the agent asks the user
	Answered = "answered" // it is the user's turn
	Stopped  = "stopped"  // the user stopped the agent
	Failed   = "failed"   // the last reply failed, or was cut short
	Closed   = "closed"   // the agent was told to end
)

// Names returns the states there are.
func Names() []string { return []string{Empty, Working, Asks, Answered, Stopped, Failed, Closed} }

// Waits reports whether in a state nothing happens unless the user does something.
func Waits(name string) bool { return name != Empty && name != Working }

// A State is what an agent is doing.
type State struct {
	Name  string
	Since int64      // when what decides it was written, in milliseconds since the epoch; 0 if that is not known
	Entry int        // the index of the entry that decides it, -1 for none
	Call  calls.Call // that is open, of which the last one made asks the user if one does; without an ID and a name there is none
	Guess bool       // it is taken to be so because of the time that has passed

	settled string // its kind if nothing follows for some time, "" if it stays
}

// Of returns the state after entries, in the order of their file: the newest line of a session with branches
// counts.
func Of(entries []session.Entry, cwd string) State {
	m := machine{State: State{Name: Empty, Entry: -1}}
	for m.index = range entries {
		m.entry(entries[m.index])
	}
	if m.Name == Working || m.Name == Asks || m.settled == Answered || m.Name == Answered {
		m.open(calls.Of(entries[m.turn:], cwd))
	}
	return m.State
}

// Settle is for how long a reply that failed, or says nothing of its end, usually counts for one that goes on: an agent may
// try again.
const Settle = 2 * time.Minute

// At is the state at a time, in milliseconds since the epoch, of replies that go on for settle.
func (s State) At(now int64, settle time.Duration) State {
	if age := time.Duration(now-s.Since) * time.Millisecond; s.settled != "" && age >= settle {
		s.Name, s.Guess = s.settled, s.settled == Answered
	}
	return s
}

// A machine makes a state of entries that follow each other.
type machine struct {
	State
	index   int    // of the entry that is looked at
	turn    int    // the index of the entry that the user's last turn begins with
	decides string // the id of the entry that decides the state
	moved   bool   // the last message is the note behind what was handed over
}

// becomes sets the state.
func (m *machine) becomes(name, settled string, at int64) {
	m.Name, m.settled, m.Since, m.Entry = name, settled, max(m.Since, at), m.index
}

func (m *machine) entry(e session.Entry) {
	at, _ := e.Timestamp()
	if message, ok := e.Message(); ok {
		_, m.moved = typed.Moved(e)
		switch message.Role() {
		case session.RoleUser:
			if message.Harness() == "" {
				m.turn = m.index
			}
			if m.moved {
				m.becomes(Answered, "", at)
				break
			}
			m.becomes(Working, "", at)
			m.said(message.Text("\n"), at)
		case session.RoleToolResult:
			m.becomes(Working, "", at)
		case session.RoleAssistant:
			m.reply(message, at)
		}
	}
	text := ""
	switch e.Type() {
	case session.TypeCustomMessage:
		if text = e.Raw(); e.Str("customType") == "claude:context" && wakes(js.Value(e.Get("content"))) {
			m.becomes(Working, "", at)
		}
	case session.TypeContextEdit:
		if m.settled == Failed && e.Str("targetId") == m.decides && e.Get("replacement") == "null" {
			m.becomes(Working, "", at)
		}
	}
	if m.Entry == m.index {
		m.decides = e.ID()
	}
	m.said(text, at)
	if e.Type() == session.TypeCustom && e.Str("customType") == "copilot:permission.requested" {
		m.becomes(Asks, "", at)
	}
	if kept := js.Value(js.Member(e.Raw(), "kept")); kept.IsObject() {
		for line := range kept.Get("claude", "lines").Elements() {
			m.claude(line, at)
		}
		for line := range kept.Get("codex", "lines").Elements() {
			m.codex(line, at)
		}
		for line := range kept.Get("opencode", "lines").Elements() {
			m.opencode(line.Get("info"), e.Type() == session.TypeCustom, at)
		}
	}
}

// wakes reports whether the content of a message is one that Claude Code asks the model to answer.
func wakes(content js.Value) bool {
	text := content.Str()
	for block := range content.Elements() {
		text += block.Get("text").Str()
	}
	return strings.HasPrefix(text, "Stop hook feedback:") || strings.HasPrefix(text, "<task-notification>")
}

// reply is what a reply makes of the state.
func (m *machine) reply(message session.Message, at int64) {
	has := len(message.ToolCalls()) > 0
	switch reason := message.Str("stopReason"); {
	case reason == "aborted":
		m.becomes(Stopped, "", at)
	case reason == "error", reason == "length" && !has:
		m.becomes(Working, Failed, at)
	case has, reason == "toolUse", reason == "deferred": // a batch of the provider runs
		m.becomes(Working, "", at)
	case reason == "stop":
		m.becomes(Answered, "", at)
	default:
		m.becomes(Working, Answered, at)
	}
}

// said looks for what agents write in the user's name when they are interrupted or told to end.
func (m *machine) said(text string, at int64) {
	switch {
	case text == "":
	case strings.Contains(text, "[Request interrupted by user"):
		m.becomes(Stopped, "", at)
	case strings.Contains(text, "<command-name>/exit</command-name>"), strings.Contains(text, "<command-name>/quit</command-name>"):
		m.becomes(Closed, "", at)
	}
}

// claude is what a line of Claude Code makes of the state that an entry does not say.
func (m *machine) claude(line js.Value, at int64) {
	if t, ok := js.ParseTime(line.Get("timestamp").Str()); ok {
		at = t
	}
	subtype := line.Get("subtype").Str()
	ended := subtype == "turn_duration" || subtype == "stop_hook_summary"
	switch line.Get("type").Str() {
	case "assistant":
		switch {
		case line.Get("isApiErrorMessage").Truthy():
			m.becomes(Failed, "", at)
		case m.Name == Answered && js.Member(string(line.Get("message")), "stop_reason") == "null":
			m.becomes(Working, Answered, at)
		case m.settled == Answered && line.Get("message", "stop_reason").IsString():
			m.becomes(Answered, "", at)
		}
	case "system":
		if subtype == "api_error" {
			m.becomes(Working, "", at)
			if try, most := line.Get("retryAttempt").Int(), line.Get("maxRetries").Int(); try >= most {
				m.becomes(Failed, "", at)
			}
		}
		m.said(line.Get("content").Str(), at)
	case "last-prompt":
		ended = true
	case "progress":
		ended = line.Get("data", "hookEvent").Str() == "Stop"
	}
	if ended && m.settled == Answered {
		m.becomes(Answered, "", at)
	}
}

// codex is what a line of codex makes of the state.
func (m *machine) codex(line js.Value, at int64) {
	if t, ok := js.ParseTime(line.Get("timestamp").Str()); ok {
		at = t
	}
	payload := line.Get("payload")
	kind := payload.Get("type").Str()
	if strings.HasSuffix(payload.Get("$json").Str(), ".thinkingSignature") { // a kept signature of thinking
		kind = "reasoning"
	}
	switch kind {
	case "user_message":
		if !m.moved {
			m.becomes(Working, "", at)
		}
	case "task_started":
		m.becomes(Working, "", at)
	case "task_complete":
		switch {
		case payload.Get("error").IsObject(): // 0.169 writes no event of it
			m.becomes(Failed, "", at)
		case m.Name != Failed && m.Name != Stopped:
			m.becomes(Answered, "", at)
		}
	case "token_count": // behind each reply
		if m.settled == Answered {
			m.becomes(Answered, "", at)
		}
	case "turn_aborted":
		m.becomes(Stopped, "", at)
	case "error":
		m.becomes(Failed, "", at)
	case "message", "reasoning":
		switch phase := payload.Get("phase").Str(); {
		case m.moved: // the note again
		case phase == "commentary":
			m.becomes(Working, "", at)
		case phase == "final_answer":
			m.becomes(Answered, "", at)
		default: // thoughts and texts are written before the calls that the same reply makes
			if m.Name == Answered {
				m.becomes(Working, Answered, at)
			}
		}
	}
}

// opencode is what a message of opencode makes of the state. It is stored when it begins, and a user's without its text.
func (m *machine) opencode(info js.Value, bare bool, at int64) {
	ended := info.Get("time", "completed").Int()
	switch user := info.Get("role").Str() == "user"; {
	case user && bare, !user && ended == 0 && info.Get("finish").Str() == "" && !info.Get("error").IsObject():
		m.becomes(Working, "", at)
	default:
		m.Since = max(m.Since, ended)
	}
}

// open says what the calls of the turn make of the state: one that is open is worked on, or asks.
func (m *machine) open(all []calls.Call) {
	for _, c := range all {
		if c.Outcome != calls.Open || c.Result >= 0 || c.In != "" {
			continue // one that went on in the background has a result, as a call has whose tool left others unfinished
		}
		if m.Call.Kind != calls.Ask || c.Kind == calls.Ask {
			m.Call = c
			m.Call.Entry += m.turn
		}
	}
	switch {
	case m.Call.Kind == "":
	case m.Call.Kind == calls.Ask:
		m.Name, m.settled = Asks, ""
	case m.Name != Asks:
		m.Name, m.settled = Working, ""
	}
}
