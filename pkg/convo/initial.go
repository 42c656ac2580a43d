package convo

import (
	"slices"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// CustomInitialContext is the customType of a custom_message entry that is
// initial context whatever its details say (sess-format(5)).
const CustomInitialContext = "initial-context"

// A Placement is a place in a context.
type Placement int

// Where [Reinject] puts initial context.
const (
	// AfterSummary is behind the compaction's summary, and behind tool results
	// that follow it at once.
	AfterSummary Placement = iota
	// BeforeLastUser is in front of the last message of role user, or
	// AfterSummary if the context has none.
	BeforeLastUser
)

// InitialContext returns what the newest compaction removed from the beginning of a
// conversation (docs/formats/pi.md, initial context), in this order:
//
//   - the system messages that were in force, unless the compaction carries
//     them. Where the path has none, the prompt of its session_init;
//   - the task of its session_init, as a user message;
//   - custom_message entries that are marked: their customType is
//     "initial-context", or their details have initialContext true.
//
// What the context still says, word for word, is left out. A context_edit
// counts wherever on the path it stands. What a reset_boundary in front of the
// compaction removed does not come back.
//
// The result is nil unless a compaction begins the context. An entry may be in
// it twice: session_init with its prompt and with its task.
func InitialContext(path []session.Entry) []Projected {
	context := Project(path)
	if len(context) == 0 || context[0].Entry.Type() != session.TypeCompaction {
		return nil
	}
	l := newCompacted(path, context)
	return slices.Concat(l.system(), l.init(session.RoleUser, "task"), l.custom())
}

// A compacted is a path at whose newest compaction initial context was lost.
type compacted struct {
	path       []session.Entry
	context    []Projected
	compaction session.Entry
	before     []session.Entry   // from the last reset to the compaction
	gone       map[string]bool   // ids of those of them that are not in the context
	said       map[string]bool   // what the context says
	edits      map[string]string // replacements by target
}

func newCompacted(path []session.Entry, context []Projected) *compacted {
	l := &compacted{
		path: path, context: context, compaction: context[0].Entry,
		gone: map[string]bool{}, said: map[string]bool{}, edits: map[string]string{},
	}
	begin, end := 0, 0
	for i, e := range path {
		switch e.Type() {
		case session.TypeResetBoundary: // in front of the newest compaction, or the context would not begin with that
			begin = i + 1
		case session.TypeCompaction:
			end = i
		case session.TypeContextEdit:
			l.edits[e.Str("targetId")] = e.Get("replacement")
		}
	}
	l.before = path[begin:end]
	for _, e := range l.before {
		l.gone[e.ID()] = true
	}
	for _, p := range context {
		delete(l.gone, p.Entry.ID())
		for _, m := range p.Messages {
			l.said[meaning(m)] = true
		}
	}
	return l
}

// messages returns the messages of an entry as a context_edit left them.
func (l *compacted) messages(e session.Entry) []session.Message {
	if replacement, ok := l.edits[e.ID()]; ok {
		return edit(EntryMessages(e), replacement)
	}
	return EntryMessages(e)
}

// withoutSaid returns the entry with those of the messages that the context does not
// say.
func (l *compacted) withoutSaid(e session.Entry, messages []session.Message) []Projected {
	messages = slices.DeleteFunc(messages, func(m session.Message) bool { return l.said[meaning(m)] })
	if len(messages) == 0 {
		return nil
	}
	return []Projected{{e, messages}}
}

// meaning is what makes two messages say the same to a model.
func meaning(m session.Message) string {
	if m.Role() == session.RoleUser {
		return strings.TrimSpace(m.Text("\n"))
	}
	parts := []string{m.Role()}
	for _, name := range []string{"customType", "content", "sections", "toolsAdded", "toolsRemoved"} {
		parts = append(parts, m.Get(name))
	}
	return strings.Join(parts, "\x00")
}

// system returns the system messages that were in force, from the newest
// compaction on that carries those before it.
func (l *compacted) system() []Projected {
	if carriesSystem(l.compaction) {
		return nil
	}
	var out []Projected
	found := false
	for _, e := range l.before {
		switch {
		case carriesSystem(e):
			out, found = nil, true
			if messages := l.messages(e); len(messages) > 0 {
				out = l.withoutSaid(e, messages[:1])
			}
		case e.Role() == session.RoleSystem:
			found = true
			out = append(out, l.withoutSaid(e, l.messages(e))...)
		}
	}
	if found || firstSystem(l.context) < len(l.context) {
		return out
	}
	return l.init(session.RoleSystem, "systemPrompt")
}

func carriesSystem(e session.Entry) bool {
	return e.Type() == session.TypeCompaction && strings.HasPrefix(e.Get("systemMessage"), "{")
}

// init returns the member called name of the session_init entry that counts,
// the newest of the path that has it, as a message.
func (l *compacted) init(role, name string) []Projected {
	for _, e := range slices.Backward(l.path) {
		if e.Type() != session.TypeSessionInit || strings.TrimSpace(e.Str(name)) == "" {
			continue
		}
		if !l.gone[e.ID()] {
			return nil
		}
		m := session.NewTextMessage(role, e.Str(name), timestamp(e))
		return l.withoutSaid(e, []session.Message{m})
	}
	return nil
}

func (l *compacted) custom() []Projected {
	var out []Projected
	for _, e := range l.before {
		if !l.gone[e.ID()] || !isInitialContext(e) {
			continue
		}
		for _, p := range l.withoutSaid(e, l.messages(e)) {
			l.said[meaning(p.Messages[0])] = true
			out = append(out, p)
		}
	}
	return out
}

// isInitialContext reports whether the entry is marked as initial context.
func isInitialContext(e session.Entry) bool {
	if e.Type() != session.TypeCustomMessage {
		return false
	}
	return e.Str("customType") == CustomInitialContext || js.Member(e.Get("details"), "initialContext") == "true"
}

// Reinject returns the projection with initial context, as [InitialContext]
// gives it, put in at a place. The projection begins with a compaction; it may
// have been shortened since. No tool result is parted from its call.
//
// System messages never stand behind one of the projection: theirs is newer,
// and the last text of a section counts.
func Reinject(projection, initial []Projected, at Placement) []Projected {
	if len(initial) == 0 {
		return projection
	}
	place := behindSummary(projection)
	if at == BeforeLastUser {
		if i := lastUser(projection); i >= 0 {
			place = i
		}
	}
	system := 0
	for system < len(initial) && initial[system].has(session.RoleSystem) {
		system++
	}
	first := min(place, firstSystem(projection))
	return slices.Concat(projection[:first], initial[:system], projection[first:place], initial[system:], projection[place:])
}

func (p Projected) has(role string) bool {
	return slices.ContainsFunc(p.Messages, func(m session.Message) bool { return m.Role() == role })
}

// behindSummary returns the first position behind the summary that is not in
// front of a tool result.
func behindSummary(projection []Projected) int {
	place := min(1, len(projection))
	for i := place; i < len(projection); i++ {
		if len(projection[i].Messages) == 0 {
			continue
		}
		if !projection[i].has(session.RoleToolResult) {
			break
		}
		place = i + 1
	}
	return place
}

func lastUser(projection []Projected) int {
	for i, p := range slices.Backward(projection) {
		if p.has(session.RoleUser) {
			return i
		}
	}
	return -1
}

// firstSystem returns the position of the first system message, the length if
// there is none.
func firstSystem(projection []Projected) int {
	if i := slices.IndexFunc(projection, func(p Projected) bool { return p.has(session.RoleSystem) }); i >= 0 {
		return i
	}
	return len(projection)
}
