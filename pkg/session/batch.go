package session

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/metering"
)

// A Batch collects new entries for one session. The entries of a batch are
// written together or not at all.
type Batch struct {
	// Leaf is the id of the entry the next one hangs from, "" for a new root.
	// It follows the entries as they are added.
	Leaf string

	// Now is the time of the new entries, in milliseconds since the epoch.
	Now int64

	// Known reports whether the session has an entry with that id.
	Known func(id string) bool

	// NewID returns a fresh entry id. Nil stands for NewEntryID.
	NewID func(known func(string) bool) (string, error)

	// Defaults fill what assistant messages lack.
	Defaults Defaults

	// Force accepts entries of unknown type, and messages of unknown role or of a
	// foreign shape.
	Force bool

	Entries []Entry

	added map[string]bool
}

// Defaults are the values of members that an assistant message lacks.
type Defaults struct{ API, Provider, Model, StopReason, Usage string }

// Add adds an entry with the given type and fields, behind the leaf. Custom
// entries get their fields before the id, as pi writes them.
func (b *Batch) Add(typ string, fields ...js.Field) (Entry, error) {
	return b.AddFunc(typ, func(string) []js.Field { return fields })
}

// AddFunc is Add for an entry whose fields name the entry itself: fields is
// called with the new entry's id.
func (b *Batch) AddFunc(typ string, fields func(id string) []js.Field) (Entry, error) {
	id, err := b.newID()
	if err != nil {
		return Entry{}, fmt.Errorf("making an entry id: %w", err)
	}
	place := []js.Field{js.StringField("id", id), js.RawField("parentId", parentLiteral(b.Leaf)), js.StringField("timestamp", js.FormatTime(b.Now))}
	first, last := place, fields(id)
	if typ == TypeCustom || typ == TypeCustomMessage {
		first, last = last, first
	}
	return b.take(js.Object(slices.Concat([]js.Field{js.StringField("type", typ)}, first, last)...))
}

// AddMessage adds a message, completed by the rules of its role.
func (b *Batch) AddMessage(m Message) (Entry, error) {
	m, err := b.complete(m)
	if err != nil {
		return Entry{}, err
	}
	if m.Role() == RoleCustom {
		return b.Add(TypeCustomMessage, js.StringField("customType", m.Str("customType")),
			js.RawField("content", m.Get("content")), js.RawField("display", m.Get("display")), js.RawField("details", m.Get("details")),
			js.RawField("attribution", m.Get("attribution")))
	}
	return b.Add(TypeMessage, js.RawField("message", m.Raw()))
}

// AddJSON adds an entry or a message given as one line of JSON: an object with
// a role is a message, one with a type an entry. An absent id, parentId or
// timestamp is filled in; an id that is taken and a parentId that is unknown
// are refused.
func (b *Batch) AddJSON(line string) (Entry, error) {
	e, err := ParseEntry(line)
	if err != nil {
		return Entry{}, refused(err)
	}
	if !e.hasType && e.Get("role") != "" {
		return b.AddMessage(NewMessage(strings.TrimSpace(line)))
	}
	if err := b.check(e); err != nil {
		return Entry{}, err
	}
	raw := strings.TrimSpace(e.raw)
	if e.typ == TypeMessage {
		m, _ := e.Message()
		full, err := b.complete(m)
		if err != nil {
			return Entry{}, err
		}
		if full.Raw() != m.Raw() {
			raw = string(js.Value(raw).With("message", js.Value(full.Raw())))
		}
	}
	if !e.hasID {
		id, err := b.newID()
		if err != nil {
			return Entry{}, err
		}
		raw = string(js.Value(raw).With("id", js.Value(js.Quote(id))))
	}
	if e.Get("parentId") == "" {
		raw = string(js.Value(raw).With("parentId", js.Value(parentLiteral(b.Leaf))))
	}
	if e.Get("timestamp") == "" {
		raw = string(js.Value(raw).With("timestamp", js.Value(js.Quote(js.FormatTime(b.Now)))))
	}
	return b.take(raw)
}

// Adopt adds an entry that another batch has made, as it is. An id that is taken
// and a parentId that is unknown are refused.
func (b *Batch) Adopt(e Entry) (Entry, error) {
	if err := b.check(e); err != nil {
		return Entry{}, err
	}
	return b.take(e.raw)
}

// Check reports whether an entry of the given type with these fields may be
// added.
func (b *Batch) Check(typ string, fields ...js.Field) error {
	return b.check(scan(js.Object(append([]js.Field{js.StringField("type", typ)}, fields...)...)))
}

func (b *Batch) check(e Entry) error {
	switch {
	case e.typ == TypeSession:
		return fmt.Errorf("%w: a session header is no entry", ErrRefused)
	case !e.hasType || e.typ == "":
		return fmt.Errorf("%w: neither a message (role) nor an entry (type)", ErrRefused)
	case e.Get("id") != "" && (!e.hasID || e.id == ""):
		return fmt.Errorf("%w: the id is no string", ErrRefused)
	case e.parent == "" && !slices.Contains([]string{"", "null", `""`}, e.Get("parentId")):
		return fmt.Errorf("%w: the parentId is no string", ErrRefused)
	case e.hasID && b.known(e.id):
		return fmt.Errorf("%w: id %s is taken", ErrRefused, quoteID(e.id))
	case e.parent != "" && !b.known(e.parent):
		return fmt.Errorf("%w: no parent %s", ErrRefused, quoteID(e.parent))
	}
	if !b.Force && !slices.Contains(Types(), e.typ) {
		return fmt.Errorf("%w: unknown entry type %s", ErrRefused, quoteID(e.typ))
	}
	for _, want := range required[e.typ] {
		name, form, _ := strings.Cut(want, ":")
		raw := e.Get(name)
		if raw == "" {
			return fmt.Errorf("%w: a %s entry needs %s", ErrRefused, e.typ, name)
		}
		if form != "any" && !slices.Contains(strings.Split(form, "|"), js.Value(raw).Type()) {
			return fmt.Errorf("%w: %s of a %s entry must be %s, not %s", ErrRefused, name, e.typ,
				strings.ReplaceAll(form, "|", " or "), js.Value(raw).Type())
		}
	}
	if e.typ == TypeModelChange && e.Str("model") == "" && (e.Str("provider") == "" || e.Str("modelId") == "") {
		return fmt.Errorf("%w: a model_change entry needs provider and modelId, or model", ErrRefused)
	}
	return b.checkTarget(e)
}

// checkTarget refuses entries that point at an entry the session lacks.
func (b *Batch) checkTarget(e Entry) error {
	name := ""
	switch e.typ {
	case TypeLabel, TypeContextEdit:
		name = "targetId"
	case TypeCompaction:
		name = "firstKeptEntryId"
	default:
		return nil
	}
	if target := e.Str(name); !b.known(target) && (target != e.id || target == "") {
		return fmt.Errorf("%w: %s %s names no entry", ErrRefused, name, quoteID(target))
	}
	return nil
}

func (b *Batch) take(raw string) (Entry, error) {
	e, err := ParseEntry(raw)
	if err != nil {
		return Entry{}, refused(err)
	}
	if strings.ContainsRune(raw, '\n') {
		return Entry{}, fmt.Errorf("%w: an entry is one line", ErrRefused)
	}
	b.Entries = append(b.Entries, e)
	if b.added == nil {
		b.added = map[string]bool{}
	}
	b.added[e.id] = true
	b.Leaf = e.id
	return e, nil
}

func (b *Batch) known(id string) bool { return b.added[id] || b.Known != nil && b.Known(id) }

func (b *Batch) newID() (string, error) {
	if b.NewID != nil {
		return b.NewID(b.known)
	}
	return NewEntryID(b.known), nil
}

// Lines returns the entries' lines, without line feeds. They are the memory of the entries,
// and must not be changed.
func (b *Batch) Lines() [][]byte {
	out := make([][]byte, len(b.Entries))
	for i, e := range b.Entries {
		out[i] = unsafe.Slice(unsafe.StringData(e.raw), len(e.raw)) // a line may be huge
	}
	return out
}

// refused turns the error of a line that is no entry into a refusal: it is the
// input that is wrong, not the session.
func refused(err error) error {
	reason, _ := strings.CutPrefix(err.Error(), ErrMalformed.Error()+": ")
	return fmt.Errorf("%w: %s", ErrRefused, reason)
}

// Roles returns the roles a message may be stored with, sorted.
func Roles() []string {
	return slices.Sorted(slices.Values([]string{
		RoleUser, RoleSystem, RoleDeveloper, RoleAssistant, RoleToolResult, RoleBashExecution, RolePythonExecution,
		RoleFileMention, RoleCustom,
	}))
}

// complete fills in what a message lacks by the rules of its role, and refuses
// one that lacks what cannot be filled in.
func (b *Batch) complete(m Message) (Message, error) {
	switch m.Role() {
	case RoleUser, RoleSystem, RoleDeveloper:
		return b.stamped(withBlocks(m), m, "content")
	case RoleAssistant:
		return b.assistant(m)
	case RoleToolResult:
		m = withDefaults(m, js.RawField("isError", "false"))
		return b.stamped(withBlocks(m), m, "toolCallId", "toolName", "content")
	case RoleBashExecution:
		m = withDefaults(m, js.RawField("output", `""`), js.RawField("cancelled", "false"), js.RawField("truncated", "false"))
		return b.stamped(m, m, "command")
	case RolePythonExecution:
		return b.stamped(m, m, "code")
	case RoleFileMention:
		return b.stamped(m, m, "files")
	case RoleCustom:
		m = withDefaults(m, js.RawField("display", "true"))
		return b.stamped(m, m, "customType", "content")
	case RoleBranchSummary, RoleCompactionSummary:
		return Message{}, fmt.Errorf("%w: a %s message is made from an entry, not stored", ErrRefused, m.Role())
	case "":
		return Message{}, fmt.Errorf("%w: the message has no role", ErrRefused)
	case "tool", "function": // OpenAI's
		if !b.Force {
			return Message{}, fmt.Errorf("%w: a message of role %s", ErrForeign, m.Role())
		}
	}
	if !b.Force {
		return Message{}, fmt.Errorf("%w: unknown role %s", ErrRefused, quoteID(m.Role()))
	}
	return b.stamped(m, m)
}

// stamped returns m with a timestamp, after a look at what the message as
// given must have.
func (b *Batch) stamped(m, given Message, needs ...string) (Message, error) {
	for _, name := range needs {
		if raw := given.Get(name); raw == "" || raw == "null" {
			return Message{}, fmt.Errorf("%w: a message of role %s needs %s", ErrRefused, m.Role(), name)
		}
	}
	if content := given.Get("content"); content != "" && content[0] != '"' && content[0] != '[' {
		return Message{}, fmt.Errorf("%w: the content of a message is a string or an array", ErrRefused)
	}
	if err := b.understood(given); err != nil {
		return Message{}, err
	}
	return withDefaults(m, js.IntField("timestamp", b.Now)), nil
}

// understood refuses a message of which every reader would ignore a part.
func (b *Batch) understood(m Message) error {
	if b.Force {
		return nil
	}
	if what := m.Foreign(); what != "" {
		return fmt.Errorf("%w: %s", ErrForeign, what)
	}
	return nil
}

func (b *Batch) assistant(m Message) (Message, error) {
	given := m
	m = withBlocks(m)
	stop := b.Defaults.StopReason
	if stop == "" && m.Get("stopReason") == "" {
		stop = "stop"
		if len(m.ToolCalls()) > 0 {
			stop = "toolUse"
		}
	}
	m = withDefaults(m,
		js.StringField("api", orUnknown(b.Defaults.API)), js.StringField("provider", orUnknown(b.Defaults.Provider)),
		js.StringField("model", orUnknown(b.Defaults.Model)), js.RawField("usage", cmp.Or(b.Defaults.Usage, metering.NoUsage)), js.StringField("stopReason", stop),
		js.IntField("timestamp", b.Now))
	if err := b.understood(m); err != nil { // before its usage gets the counters it lacks
		return Message{}, err
	}
	full, err := metering.CompleteUsage(m.Get("usage"))
	if err != nil {
		return Message{}, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	if full != m.Get("usage") {
		m = NewMessage(string(js.Value(m.Raw()).With("usage", js.Value(full))))
	}
	return b.stamped(m, given, "content")
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}

// withBlocks turns string content into one text block; only a system message
// keeps a string.
func withBlocks(m Message) Message {
	content := m.Get("content")
	if m.Role() == RoleSystem || !strings.HasPrefix(content, `"`) {
		return m
	}
	return m.WithContent("[" + TextBlock(content) + "]")
}

// withDefaults adds the fields that a message does not have, all in one go: it may be huge.
func withDefaults(m Message, fields ...js.Field) Message {
	lacks := slices.DeleteFunc(fields, func(f js.Field) bool { return m.Get(f.Name) != "" })
	if len(lacks) == 0 {
		return m
	}
	return NewMessage(string(js.Value(m.Raw()).Add(lacks...)))
}

// NewTextMessage returns a message of the role with one text, and the further
// fields given. A Batch completes it.
func NewTextMessage(role, text string, fields ...js.Field) Message {
	all := []js.Field{js.StringField("role", role)}
	var behind []js.Field
	for _, f := range fields {
		if f.Name == "toolCallId" || f.Name == "toolName" {
			all = append(all, f)
		} else {
			behind = append(behind, f)
		}
	}
	switch role {
	case RoleSystem, RoleCustom:
		all = append(all, js.StringField("content", text))
	case RoleBashExecution:
		all = append(all, js.StringField("command", text))
	default:
		all = append(all, js.RawField("content", "["+TextBlock(js.Quote(text))+"]"))
	}
	return NewMessage(js.Object(append(all, behind...)...))
}
