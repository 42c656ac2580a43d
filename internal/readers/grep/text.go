package grep

import (
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// A Field is what a text of an entry is.
type Field string

// The fields. Each string of an entry is of one of them at most: the data of images,
// signatures, encrypted content, ids and times are of none.
const (
	FieldText     Field = "text"     // what was said
	FieldThinking Field = "thinking" // what a model thought
	FieldCall     Field = "call"     // the name of a tool and its arguments, a command, code
	FieldResult   Field = "result"   // what came of it
	FieldSummary  Field = "summary"  // of a compaction or a branch
	FieldSystem   Field = "system"   // instructions: system messages, the prompt of a session_init
	FieldTitle    Field = "title"    // names of the session
	FieldLabel    Field = "label"    // names of entries
	FieldCustom   Field = "custom"   // extensions' data, details, entries of unknown type
	FieldPath     Field = "path"     // the session's working directory, files that were mentioned
)

// Fields returns the names of all fields.
func Fields() []Field {
	return []Field{FieldText, FieldThinking, FieldCall, FieldResult, FieldSummary, FieldSystem, FieldTitle, FieldLabel, FieldCustom, FieldPath}
}

// Usual returns the fields that are searched unless others are named.
func Usual() []Field {
	return []Field{FieldText, FieldCall, FieldResult, FieldSummary, FieldTitle}
}

// A Text is one string of an entry.
type Text struct {
	Field Field
	Block int    // its place in the content, counted from 0; -1 outside of a content
	Tool  string // the tool that was called, or whose result it is
	Call  string // the id of the call
	Quiet bool   // no person said it: it is an agent's in the user's name, or kept by an importer for itself
	Copy  bool   // it was said before, and a compaction put it back

	literal string
}

// String decodes the text. Bytes that are not UTF-8 become U+FFFD.
func (t Text) String() string { return js.ValidText(js.Unquote(t.literal)) }

// Line decodes the first line of the text alone.
func (t Text) Line() string { return js.ValidText(js.UnquoteLine(t.literal)) }

// Texts calls visit for the texts of an entry, in the order of the line, until it
// returns false.
func Texts(e session.Entry, visit func(Text) bool) {
	w := &walker{visit: visit, at: Text{Block: -1, Quiet: e.IsAside() || e.IsHarness(), Copy: e.IsCopy()}}
	switch m, isMessage := e.Message(); {
	case isMessage:
		w.message(m.Raw())
		w.nested(e)
	case e.Type() == session.TypeCustom && e.Str("customType") == session.CustomCalls:
		w.nested(e)
	default:
		w.entry(e)
	}
}

// HeaderTexts is Texts for the header of a session.
func HeaderTexts(h session.Header, visit func(Text) bool) {
	w := &walker{visit: visit, at: Text{Block: -1}}
	raw := js.Value(h.Raw())
	w.literal(FieldTitle, raw.Get("title"))
	w.literal(FieldPath, raw.Get("cwd"))
}

// Role returns what an entry is called in front of its text: the role of its message,
// else its type.
func Role(e session.Entry) string {
	if role := e.Role(); role != "" {
		return role
	}
	return e.Type()
}

// Speaker is a role in a word for people.
func Speaker(role string) string {
	switch role {
	case session.RoleToolResult:
		return string(FieldResult)
	case session.RoleBashExecution:
		return "command"
	}
	return role
}

// A walker shows texts.
type walker struct {
	visit   func(Text) bool
	at      Text // all but the field
	stopped bool
}

func (w *walker) literal(field Field, v js.Value) {
	if w.stopped || !v.IsString() {
		return
	}
	t := w.at
	t.Field, t.literal = field, string(v)
	w.stopped = !w.visit(t)
}

// all shows the strings of a value, at any depth, but for those that are not for reading. The data of an image is no text.
func (w *walker) all(field Field, v js.Value) {
	skip := func(name string, of js.Value) bool {
		return opaque(name) || name == "" && (of.Get("type").Str() == "image" || of.Get("mimeType").IsString() && of.Get("data").IsString())
	}
	v.Strings(skip, func(literal js.Value) bool {
		w.literal(field, literal)
		return !w.stopped
	})
}

// opaque reports whether a member of a name is not for reading, such as a signature.
func opaque(name string) bool {
	switch name {
	case "thinkingSignature", "textSignature", "thoughtSignature", "signature", "encrypted_content", "encryptedContent":
		return true
	}
	return false
}

// message shows the texts of a message.
func (w *walker) message(raw string) {
	m := session.NewMessage(raw)
	get := func(name string) js.Value { return js.Value(m.Get(name)) }
	role, said := m.Role(), FieldText // where text blocks are found
	switch role {
	case session.RoleBashExecution, session.RolePythonExecution:
		w.literal(FieldCall, get("command"))
		w.literal(FieldCall, get("code"))
		w.literal(FieldResult, get("output"))
		return
	case session.RoleFileMention:
		for file := range get("files").Elements() {
			w.literal(FieldPath, file.Get("path"))
			w.literal(FieldText, file.Get("content"))
		}
		return
	case session.RoleBranchSummary, session.RoleCompactionSummary:
		w.literal(FieldSummary, get("summary"))
		w.literal(FieldSummary, get("shortSummary"))
		return
	case session.RoleToolResult:
		w.at.Tool, w.at.Call = m.Str("toolName"), m.Str("toolCallId")
		said = FieldResult
	case session.RoleSystem:
		said = FieldSystem
	}
	w.content(get("content"), said)
	w.literal(FieldText, get("errorMessage"))
	if role == session.RoleSystem {
		w.all(FieldSystem, get("sections"))
	}
	w.all(FieldCustom, get("details"))
}

// nested shows the calls that a tool or a sub-agent made, with the errors of those that failed.
func (w *walker) nested(e session.Entry) {
	_, calls, _ := e.NestedCalls()
	before := w.at
	for _, c := range calls {
		w.at.Tool, w.at.Call = c.Name, c.ID
		w.literal(FieldCall, js.Value(js.Quote(c.Name)))
		w.all(FieldCall, js.Value(c.Arguments))
		if c.Error != "" {
			w.literal(FieldResult, js.Value(js.Quote(c.Error)))
		}
	}
	w.at = before
}

// content shows the texts of a content, whose text is of a field.
func (w *walker) content(v js.Value, field Field) {
	if v.IsString() {
		w.at.Block = 0
		w.literal(field, v)
	}
	n, quiet := 0, w.at.Quiet
	for el := range v.Elements() {
		w.at.Block, w.at.Quiet = n, quiet || session.BlockHarness(string(el)) != ""
		n++
		switch el.Get("type").Str() {
		case session.BlockText:
			w.literal(field, el.Get("text"))
		case session.BlockThinking:
			w.literal(FieldThinking, el.Get("thinking"))
		case session.BlockToolCall:
			before := w.at
			w.at.Tool, w.at.Call = el.Get("name").Str(), el.Get("id").Str()
			w.literal(FieldCall, el.Get("name"))
			w.all(FieldCall, el.Get("arguments"))
			w.at = before
		default:
			w.provided(session.NewBlock(string(el)))
		}
	}
	w.at.Block, w.at.Quiet = -1, quiet
}

// provided shows what the provider did by itself, if a block is that.
func (w *walker) provided(b session.Block) {
	p, ok := b.Provided()
	if !ok {
		return
	}
	before := w.at
	w.at.Tool, w.at.Call = p.Name, p.ID
	w.literal(FieldCall, js.Value(js.Quote(p.Name)))
	w.all(FieldCall, js.Value(p.Arguments))
	for of := range p.Result.Blocks() {
		w.literal(FieldResult, js.Value(of.Get("text")))
	}
	w.at = before
}

// entry shows the texts of an entry that is no message.
func (w *walker) entry(e session.Entry) {
	get := func(name string) js.Value { return js.Value(e.Get(name)) }
	switch e.Type() {
	case session.TypeCompaction, session.TypeBranchSummary:
		if m := get("systemMessage"); m.IsObject() {
			w.message(string(m))
		}
		w.literal(FieldSummary, get("summary"))
		w.literal(FieldSummary, get("shortSummary"))
		w.all(FieldCustom, get("details"))
	case session.TypeCustomMessage:
		w.content(get("content"), FieldText)
		w.all(FieldCustom, get("details"))
	case session.TypeContextEdit:
		w.content(get("replacement").Get("content"), FieldText)
	case session.TypeSessionInit:
		w.literal(FieldSystem, get("systemPrompt"))
		w.literal(FieldText, get("task"))
	case session.TypeSessionInfo:
		w.literal(FieldTitle, get("name"))
	case session.TypeTitle, session.TypeTitleChange:
		w.literal(FieldTitle, get("title"))
	case session.TypeLabel:
		w.literal(FieldLabel, get("label"))
	case session.TypeModelChange, session.TypeThinkingLevel, session.TypeUsage, session.TypeModelUsage,
		session.TypeServiceTier, session.TypeMCPSelection, session.TypeCredentialPin, session.TypeModeChange,
		session.TypeTTSRInjection, session.TypeResetBoundary, session.TypeMessage:
		// Nothing that anybody said.
	default:
		for name, v := range js.Value(e.Raw()).Members() {
			if name != "type" && name != "id" && name != "parentId" && name != "timestamp" && !opaque(name) {
				w.all(FieldCustom, v)
			}
		}
	}
}
