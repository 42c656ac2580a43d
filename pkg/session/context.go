package session

import (
	"strings"

	"github.com/sess-tools/sess/pkg/js"
)

// A Projected entry is one selected entry of a path with the messages it puts
// into the model's context: none, one, or two for a compaction that carries
// the system message.
type Projected struct {
	Entry    Entry
	Messages []Message
}

// Project selects the entries of a path that make up the context, in context
// order, as pi 1.5 does (docs/formats/pi.md, context): the newest compaction
// first, what it keeps, and everything after it. Entries without messages are
// part of the projection. A context_edit among them changes the messages of
// its target.
//
// oh-my-pi's reset_boundary begins a new context if it is newer than the newest
// compaction.
func Project(path []Entry) []Projected {
	selected := selectEntries(path)
	edits := map[string]string{}
	for _, e := range selected {
		if e.typ == TypeContextEdit {
			edits[e.Str("targetId")] = e.Get("replacement")
		}
	}
	out := make([]Projected, len(selected))
	own := make([]Message, 0, len(selected)) // the messages of message entries, in one piece
	for i, e := range selected {
		out[i].Entry = e
		if e.typ == TypeCompaction && i > 0 {
			continue // an older one inside the kept range
		}
		var messages []Message
		if m, ok := e.Message(); ok {
			own = append(own, withSomeContent(m))
			messages = own[len(own)-1 : len(own) : len(own)]
		} else {
			messages = e.Messages()
		}
		if replacement, edited := edits[e.id]; edited {
			messages = edit(messages, replacement)
		}
		out[i].Messages = messages
	}
	return out
}

func selectEntries(path []Entry) []Entry {
	compaction, reset := -1, -1
	for i, e := range path {
		switch e.typ {
		case TypeCompaction:
			compaction = i
		case TypeResetBoundary:
			reset = i
		}
	}
	if reset > compaction {
		return path[reset+1:]
	}
	if compaction < 0 {
		return path
	}
	c := path[compaction]
	selected := []Entry{c}
	kept, first := false, c.Str("firstKeptEntryId")
	for _, e := range path[:compaction] {
		kept = kept || e.id == first
		if kept && e.Role() != RoleSystem {
			selected = append(selected, e)
		}
	}
	return append(selected, path[compaction+1:]...)
}

// MessagesOf returns the messages of a projection, in context order.
func MessagesOf(projection []Projected) []Message {
	n := 0
	for _, p := range projection {
		n += len(p.Messages)
	}
	out := make([]Message, 0, n)
	for _, p := range projection {
		out = append(out, p.Messages...)
	}
	return out
}

// Messages returns what the entry of its own contributes to a context, before
// any context_edit.
func (e Entry) Messages() []Message {
	switch e.typ {
	case TypeMessage:
		if m, ok := e.Message(); ok {
			return []Message{withSomeContent(m)}
		}
	case TypeCustomMessage:
		return []Message{customMessage(e)}
	case TypeBranchSummary:
		if truthy(e.Get("summary")) {
			return []Message{branchMessage(e)}
		}
	case TypeCompaction:
		summary := compactionMessage(e)
		if raw := e.Get("systemMessage"); strings.HasPrefix(raw, "{") {
			return []Message{newMessage(raw), summary}
		}
		return []Message{summary}
	}
	return nil
}

// withSomeContent gives a message whose content is null or absent an empty
// one, where its role has content.
func withSomeContent(m Message) Message {
	if c := m.Get("content"); c != "" && c != "null" {
		return m
	}
	switch m.role {
	case RoleSystem:
		return m.withContent(`""`)
	case RoleUser, RoleAssistant, RoleToolResult:
		return m.withContent(`[]`)
	}
	return m
}

func customMessage(e Entry) Message {
	content := e.Get("content")
	if content == "" || content == "null" {
		content = "[]"
	}
	return newMessage(new(object).str("role", RoleCustom).raw("customType", e.Get("customType")).
		raw("content", content).raw("display", e.Get("display")).raw("details", e.Get("details")).
		raw("attribution", e.Get("attribution")).raw("timestamp", millis(e)).String())
}

func branchMessage(e Entry) Message {
	return newMessage(new(object).str("role", RoleBranchSummary).raw("summary", e.Get("summary")).
		raw("fromId", e.Get("fromId")).raw("timestamp", millis(e)).String())
}

func compactionMessage(e Entry) Message {
	return newMessage(new(object).str("role", RoleCompactionSummary).raw("summary", e.Get("summary")).
		raw("shortSummary", e.Get("shortSummary")).raw("tokensBefore", e.Get("tokensBefore")).
		raw("tokensAfter", e.Get("tokensAfter")).raw("method", e.Get("method")).raw("warning", e.Get("warning")).
		raw("timestamp", millis(e)).String())
}

// millis is the entry's time as JSON: null for one that does not parse, as
// JavaScript writes an invalid date.
func millis(e Entry) string {
	ms, ok := e.Timestamp()
	if !ok {
		return "null"
	}
	return numLiteral(ms)
}

// edit applies the replacement of a context_edit: null removes the messages,
// an object with content replaces theirs.
func edit(messages []Message, replacement string) []Message {
	if replacement == "null" {
		return nil
	}
	content := ""
	if strings.HasPrefix(replacement, "{") {
		content = member(replacement, "content")
	}
	var out []Message
	for _, m := range messages {
		switch m.role {
		case RoleAssistant, RoleToolResult:
			if strings.HasPrefix(content, `"`) {
				m = m.withContent("[" + textBlock(content) + "]")
			} else if content != "" {
				m = m.withContent(content)
			}
		case RoleUser, RoleCustom:
			if content != "" {
				m = m.withContent(content)
			}
		}
		out = append(out, m)
	}
	return out
}

// Model names a model.
type Model struct{ Provider, ID string }

// A Context is what a path says to a model.
type Context struct {
	Messages      []Message
	ThinkingLevel string // JSON text of the level; `"off"` if none was ever set
	Model         *Model // nil if the path names none
}

// BuildContext returns the context of a path, as pi's buildSessionContext does.
// The thinking level and the model come from the whole path, not only from the
// part in the context.
func BuildContext(path []Entry) Context {
	state := StateOf(path)
	return Context{Messages: MessagesOf(Project(path)), ThinkingLevel: state.ThinkingLevel, Model: state.Model}
}

// levelOf is the thinking level an entry sets; null, as oh-my-pi writes it,
// means off.
func levelOf(e Entry) string {
	if raw := e.Get("thinkingLevel"); raw != "" && raw != "null" {
		return raw
	}
	return js.Quote("off")
}

// changedModel is the model after a model_change in pi's form, or in
// oh-my-pi's, where a change for another role than "default" leaves it alone.
func changedModel(e Entry, before *Model) *Model {
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

// JSON returns the context as pi's buildSessionContext gives it.
func (c Context) JSON() string { return strings.Join(c.Pieces(), "") }

// Pieces returns the parts of JSON in order, to be written one after another.
// Messages, which may be huge, are not copied for it.
func (c Context) Pieces() []string {
	model := "null"
	if c.Model != nil {
		model = new(object).str("provider", c.Model.Provider).str("modelId", c.Model.ID).String()
	}
	pieces := []string{`{"messages":[`}
	for i, m := range c.Messages {
		if i > 0 {
			pieces = append(pieces, ",")
		}
		pieces = append(pieces, m.raw)
	}
	rest := new(object).raw("thinkingLevel", c.ThinkingLevel).raw("model", model).String()
	return append(pieces, "],"+rest[len("{"):])
}

// MessageArray returns messages as one JSON array.
func MessageArray(messages []Message) string {
	raws := make([]string, len(messages))
	for i, m := range messages {
		raws[i] = m.raw
	}
	return "[" + strings.Join(raws, ",") + "]"
}
