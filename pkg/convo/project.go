package convo

import (
	"context"
	"iter"
	"runtime"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/core/parallel"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// A Projected entry is one selected entry of a path with the messages it puts
// into the model's context: none, one, or two for a compaction that carries
// the system message.
type Projected struct {
	Entry    session.Entry
	Messages []session.Message
}

// Project selects the entries of a path that make up the context, in context order, as pi 1.5 does
// (docs/formats/pi.md, context): the newest compaction first, the entries that it keeps, and
// everything after it. Entries without messages are part of the projection. A context_edit among
// them changes the messages of its target.
//
// oh-my-pi's reset_boundary begins a new context if it is newer than the newest
// compaction.
func Project(path []session.Entry) []Projected {
	selected := selectEntries(path)
	edits := map[string]string{}
	for _, e := range selected {
		if e.Type() == session.TypeContextEdit {
			edits[e.Str("targetId")] = e.Get("replacement")
		}
	}
	out := make([]Projected, len(selected))
	do := func(_ context.Context, r run) struct{} { project(selected, edits, out, r); return struct{}{} }
	for range parallel.Map(context.Background(), runtime.GOMAXPROCS(0), runs(len(selected)), do) {
		continue // each puts its messages where they belong
	}
	return out
}

// A run are neighbours of a list, by their indices.
type run struct{ from, to int }

// runs divides a list of n into runs that take longer than to begin a goroutine.
func runs(n int) iter.Seq[run] {
	const together = 2048
	return func(yield func(run) bool) {
		for i := 0; i < n; i += together {
			if !yield(run{i, min(i+together, n)}) {
				return
			}
		}
	}
}

// project projects a run of the selected entries.
func project(selected []session.Entry, edits map[string]string, out []Projected, r run) {
	own := make([]session.Message, 0, r.to-r.from) // the messages of message entries, in one piece
	for i := r.from; i < r.to; i++ {
		e := selected[i]
		out[i].Entry = e
		if e.Type() == session.TypeCompaction && i > 0 {
			continue // an older one inside the kept range
		}
		var messages []session.Message
		if m, ok := e.Message(); ok {
			own = append(own, withSomeContent(m))
			messages = own[len(own)-1 : len(own) : len(own)]
		} else {
			messages = EntryMessages(e)
		}
		if replacement, edited := edits[e.ID()]; edited {
			messages = edit(messages, replacement)
		}
		out[i].Messages = messages
	}
}

func selectEntries(path []session.Entry) []session.Entry {
	compacted := slices.ContainsFunc(path, func(e session.Entry) bool { return e.Type() == session.TypeCompaction })
	positions := Select(len(path), func(i int) Step[string] {
		e := path[i]
		s := Step[string]{Type: e.Type(), ID: e.ID(), System: compacted && e.Role() == session.RoleSystem}
		if s.Type == session.TypeCompaction {
			s.FirstKept = e.Str("firstKeptEntryId")
		}
		return s
	})
	if len(positions) == len(path) && slices.IsSorted(positions) {
		return path
	}
	selected := make([]session.Entry, len(positions))
	for n, i := range positions {
		selected[n] = path[i]
	}
	return selected
}

// A Step is what of an entry of a path decides whether it is in the context. ID and
// FirstKept are ids, or anything that stands for them.
type Step[ID comparable] struct {
	Type      string
	ID        ID
	FirstKept ID   // of a compaction
	System    bool // it is a system message
}

// Select returns the positions of the entries of a path that [Project] selects, in
// context order, of a path of n entries, without having them all in memory.
func Select[ID comparable](n int, at func(i int) Step[ID]) []int {
	compaction, reset := -1, -1
	for i := range n {
		switch at(i).Type {
		case session.TypeCompaction:
			compaction = i
		case session.TypeResetBoundary:
			reset = i
		}
	}
	selected := make([]int, 0, n)
	from := max(compaction, reset) + 1
	if compaction > reset {
		selected = append(selected, compaction)
		kept, first := false, at(compaction).FirstKept
		for i := range compaction {
			s := at(i)
			kept = kept || s.ID == first
			if kept && !s.System {
				selected = append(selected, i)
			}
		}
	}
	for i := from; i < n; i++ {
		selected = append(selected, i)
	}
	return selected
}

// MessagesOf returns the messages of a projection, in context order.
func MessagesOf(projection []Projected) []session.Message {
	n := 0
	for _, p := range projection {
		n += len(p.Messages)
	}
	out := make([]session.Message, 0, n)
	for _, p := range projection {
		out = append(out, p.Messages...)
	}
	return out
}

// EntryMessages returns the messages that an entry by itself contributes to a context, before any
// context_edit.
func EntryMessages(e session.Entry) []session.Message {
	switch e.Type() {
	case session.TypeMessage:
		if m, ok := e.Message(); ok {
			return []session.Message{withSomeContent(m)}
		}
	case session.TypeCustomMessage:
		return []session.Message{customMessage(e)}
	case session.TypeBranchSummary:
		if js.Value(e.Get("summary")).Truthy() {
			return []session.Message{session.NewMessage(js.Object(
				js.StringField("role", session.RoleBranchSummary), field(e, "summary"), field(e, "fromId"), timestamp(e)))}
		}
	case session.TypeCompaction:
		summary := session.NewMessage(js.Object(js.StringField("role", session.RoleCompactionSummary), field(e, "summary"), field(e, "shortSummary"),
			field(e, "tokensBefore"), field(e, "tokensAfter"), field(e, "method"), field(e, "warning"), timestamp(e)))
		if raw := e.Get("systemMessage"); strings.HasPrefix(raw, "{") {
			return []session.Message{session.NewMessage(raw), summary}
		}
		return []session.Message{summary}
	}
	return nil
}

// withSomeContent gives a message whose content is null or absent an empty
// one, where its role has content.
func withSomeContent(m session.Message) session.Message {
	if c := m.Get("content"); c != "" && c != "null" {
		return m
	}
	switch m.Role() {
	case session.RoleSystem:
		return m.WithContent(`""`)
	case session.RoleUser, session.RoleAssistant, session.RoleToolResult:
		return m.WithContent(`[]`)
	}
	return m
}

func customMessage(e session.Entry) session.Message {
	content := e.Get("content")
	if content == "" || content == "null" {
		content = "[]"
	}
	return session.NewMessage(js.Object(js.StringField("role", session.RoleCustom), field(e, "customType"),
		js.RawField("content", content), field(e, "display"), field(e, "details"), field(e, "attribution"), timestamp(e)))
}

// field takes a member over into a message.
func field(e session.Entry, name string) js.Field { return js.RawField(name, e.Get(name)) }

// timestamp is the entry's time in milliseconds: null for one that does not
// parse, as JavaScript writes an invalid date.
func timestamp(e session.Entry) js.Field {
	ms, ok := e.Timestamp()
	if !ok {
		return js.RawField("timestamp", "null")
	}
	return js.IntField("timestamp", ms)
}

// edit applies the replacement of a context_edit: null removes the messages,
// an object with content replaces theirs.
func edit(messages []session.Message, replacement string) []session.Message {
	if replacement == "null" {
		return nil
	}
	content := ""
	if strings.HasPrefix(replacement, "{") {
		content = js.Member(replacement, "content")
	}
	var out []session.Message
	for _, m := range messages {
		switch m.Role() {
		case session.RoleAssistant, session.RoleToolResult:
			if strings.HasPrefix(content, `"`) {
				m = m.WithContent("[" + session.TextBlock(content) + "]")
			} else if content != "" {
				m = m.WithContent(content)
			}
		case session.RoleUser, session.RoleCustom:
			if content != "" {
				m = m.WithContent(content)
			}
		}
		out = append(out, m)
	}
	return out
}

// Model names a model.
type Model struct{ Provider, ID string }

// A Context is what a model gets of a path: the messages, the thinking level and its
// own name.
type Context struct {
	Messages      []session.Message
	ThinkingLevel string // JSON text of the level; `"off"` if none was ever set
	Model         *Model // nil if the path names none
}

// ContextOf returns the context of a path whose projection is given, as pi's
// buildSessionContext does. The thinking level and the model come from the whole
// path, not only from the part in the context.
func ContextOf(projection []Projected, path []session.Entry) Context {
	state := StateOf(path)
	return Context{Messages: MessagesOf(projection), ThinkingLevel: state.ThinkingLevel, Model: state.Model}
}

// levelOf is the thinking level an entry sets; null, as oh-my-pi writes it,
// means off.
func levelOf(e session.Entry) string {
	if raw := e.Get("thinkingLevel"); raw != "" && raw != "null" {
		return raw
	}
	return js.Quote("off")
}

// changedModel is the model after a model_change in pi's form, or in
// oh-my-pi's, where a change for another role than "default" leaves it alone.
func changedModel(e session.Entry, before *Model) *Model {
	name := e.Str("model")
	if name == "" {
		return &Model{Provider: e.Str("provider"), ID: e.Str("modelId")}
	}
	if role := e.Str("role"); role != "" && role != "default" {
		return before
	}
	provider, id, ok := strings.Cut(name, "/")
	if !ok {
		provider, id = "", name
	}
	return &Model{Provider: provider, ID: id}
}

// Pieces returns the context as JSON, as pi's buildSessionContext gives it, in
// parts to be written one after another: messages, which may be huge, are not
// copied.
func (c Context) Pieces() []string {
	model := "null"
	if c.Model != nil {
		model = js.Object(js.StringField("provider", c.Model.Provider), js.StringField("modelId", c.Model.ID))
	}
	pieces := []string{`{"messages":[`}
	for i, m := range c.Messages {
		if i > 0 {
			pieces = append(pieces, ",")
		}
		pieces = append(pieces, m.Raw())
	}
	rest := js.Object(js.RawField("thinkingLevel", c.ThinkingLevel), js.RawField("model", model))
	return append(pieces, "],"+rest[len("{"):])
}
