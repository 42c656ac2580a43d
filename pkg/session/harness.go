package session

import (
	"cmp"
	"iter"
	"strings"

	"github.com/sess-tools/sess/pkg/agent"
	"github.com/sess-tools/sess/pkg/js"
)

// Agents put words into a conversation in the user's name: reminders, lists of skills,
// what a hook printed. No person typed them, and they are meant for the model of that agent.
// The writer of an entry with such words marks it, and every reader asks
// [Entry.IsHarness] and [Message.Said]. There are two marks:
//
//   - a custom_message whose customType is "AGENT:context";
//   - the member "harness":"AGENT" of a block, in a message that may hold words of the
//     user as well.
//
// What an importer keeps of the original, and what a recorder notes of a run, is in
// custom entries whose customType begins with "AGENT:", see [Entry.IsAside].
//
// A custom message of an extension of pi or oh-my-pi has no such name. It is the session's own.

// writers are the names in front of a colon that are no agents' and no APIs', see [agent.Named]: with what their
// writers are called.
var writers = map[string]string{
	"chat":        "the chat",
	"sess":        "sess",
	"sess-record": "sess-record",
}

// programName returns what the program is called whose short name importers and recorders put in front of a colon; ok is
// false if none has it.
func programName(name string) (program string, ok bool) {
	if a, ok := agent.Named(name); ok {
		return a.Program, true
	}
	program, ok = writers[name]
	return program, ok
}

// ownAgent is the prefix of the names of agents that only the user knows, whose sessions are read by a map of the user's own.
const ownAgent = "map."

// OwnAgent returns the part in front of the colon of a customType for an agent that only the user
// knows.
func OwnAgent(name string) string { return ownAgent + name }

// AgentName returns what the program is called whose short name is given, "claude" for
// one; of an unknown one its short name.
func AgentName(name string) string {
	if program, ok := programName(name); ok {
		return program
	}
	return strings.TrimPrefix(name, ownAgent)
}

const contextSuffix = ":context"

// CustomContext returns the customType of a custom_message with words of an agent.
func CustomContext(agent string) string { return agent + contextSuffix }

// harnessKey is the member of a block that names the agent whose words it has.
const harnessKey = "harness"

// HarnessBlock marks a block, a JSON object, as words of an agent.
func HarnessBlock(block, agent string) string {
	return string(js.Value(block).Add(js.StringField(harnessKey, agent)))
}

// agentOf returns the agent that a customType names, "" if it names none. Calls of sub-agents are for people.
func agentOf(customType string) string {
	if customType == CustomCalls {
		return ""
	}
	name, _, ok := strings.Cut(customType, ":")
	if _, known := programName(name); ok && (known || strings.HasPrefix(name, ownAgent)) {
		return name
	}
	return ""
}

// Harness returns the agent whose words a block has, "" if it is none's.
func (b Block) Harness() string { return BlockHarness(b.raw) }

// BlockHarness is [Block.Harness] of a block given as JSON text.
func BlockHarness(block string) string {
	if !marked(block) {
		return ""
	}
	return js.Value(block).Get(harnessKey).Str()
}

// marked reports whether there may be a mark in a JSON text: most have none.
func marked(json string) bool { return strings.Contains(json, `"`+harnessKey+`"`) }

// Harness returns the agent that put the whole message into the conversation in the user's name, ""
// if the user or a model said it.
func (m Message) Harness() string {
	switch m.Role() {
	case RoleCustom:
		if customType := m.Str("customType"); strings.HasSuffix(customType, contextSuffix) {
			return agentOf(customType)
		}
	case RoleUser, RoleDeveloper:
		return harnessOf(m.Get("content"))
	}
	return ""
}

// isUsers reports whether a message of a role is the user's, or may be an agent's in the
// user's name.
func isUsers(role string) bool { return role == RoleUser || role == RoleDeveloper }

// harnessOf returns the agent whose words all blocks of a content are, "" if there are
// others or none.
func harnessOf(content string) (agent string) {
	if !marked(content) {
		return ""
	}
	for b := range Blocks(content) {
		if agent = b.Harness(); agent == "" {
			return ""
		}
	}
	return agent
}

// IsHarness reports whether an entry is words of an agent and nothing else.
func (e Entry) IsHarness() bool { return e.Harness() != "" }

// Harness returns the agent that put an entry into the conversation in the user's name,
// "" if it is no such entry.
func (e Entry) Harness() string {
	switch e.Type() {
	case TypeCustomMessage:
		if customType := e.Str("customType"); strings.HasSuffix(customType, contextSuffix) {
			return agentOf(customType)
		}
	case TypeMessage:
		if !marked(e.Raw()) {
			return ""
		}
		if m, ok := e.Message(); ok {
			return m.Harness()
		}
	}
	return ""
}

// IsAside reports whether an entry says nothing to people or models: it keeps what an
// importer needs for the way back, or tells of a run that was recorded.
func (e Entry) IsAside() bool { return e.Aside() != "" }

// Aside returns the agent for whose sake an entry is kept, "" if it is an entry like
// others. See [Entry.IsAside].
func (e Entry) Aside() string {
	if e.Type() != TypeCustom {
		return ""
	}
	return agentOf(e.Str("customType"))
}

// MemberCopy is the member of an entry that says it is a copy: what a compaction of its agent put
// back of the messages before it. It is in the context, and nowhere else: it was said once, before.
const MemberCopy = "copy"

// IsCopy reports whether an entry is a copy that a compaction put back. See [MemberCopy].
func (e Entry) IsCopy() bool {
	return strings.Contains(e.Raw(), `"`+MemberCopy+`":true`) && e.Get(MemberCopy) == "true"
}

// MemberThread is the member of a message or an entry with a usage whose request another session made than that which it stands in:
// the id of that session. The responseId beside it is the id of the request.
const MemberThread = "thread"

// MemberWindow is the member of a reply that says how many tokens the context of its model holds, as the agent said then.
const MemberWindow = "contextWindow"

// MemberKept is the member of an entry in which an importer keeps what the lines say that the
// entry was made of: {"AGENT":{"lines":[…]}}. It is for the way back to that agent, and
// not to be read by people. internal/agents/formats writes and reads it.
const MemberKept = "kept"

// Importer returns the agent for which an importer keeps lines with the entry, in new memory; "" if there are none.
func (e Entry) Importer() string {
	if strings.Contains(e.Raw(), `"`+MemberKept+`"`) {
		for agent := range js.Value(e.Get(MemberKept)).Members() {
			if agent = agentOf(agent + ":"); agent != "sess" { // as which a listing reads
				return strings.Clone(agent)
			}
			break
		}
	}
	return ""
}

// KeptLines yields the lines that an importer keeps with an entry for an agent, as far as
// they are not said by the entry itself.
func (e Entry) KeptLines(agent string) iter.Seq[js.Value] {
	if !strings.Contains(e.Raw(), `"`+MemberKept+`"`) {
		return func(func(js.Value) bool) {}
	}
	return js.Value(e.Get(MemberKept)).Get(agent, "lines").Elements()
}

// Said returns the message without the blocks that are words of an agent, the agent, and
// how many bytes of text these had. The agent is "" if nothing was left out: then the
// message is as it was. If there are no other blocks the content is empty.
func (m Message) Said() (said Message, agent string, left int64) {
	var own []string
	if agent = m.Harness(); agent == "" {
		if !isUsers(m.Role()) || !marked(m.Get("content")) {
			return m, "", 0
		}
	}
	whole := agent != ""
	for b := range m.Blocks() {
		from := b.Harness()
		if !whole && from == "" {
			own = append(own, b.Raw())
			continue
		}
		agent = cmp.Or(agent, from)
		left += int64(len(b.Str("text")))
	}
	if agent == "" {
		return m, "", 0
	}
	return m.WithContent("[" + strings.Join(own, ",") + "]"), agent, left
}
