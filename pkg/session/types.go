package session

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/metering"
)

// Entry types, as pi 1.5 and oh-my-pi 18 write them (sess-format(5)).
const (
	TypeSession        = "session"
	TypeTitle          = "title" // oh-my-pi's title slot, before the header
	TypeMessage        = "message"
	TypeThinkingLevel  = "thinking_level_change"
	TypeModelChange    = "model_change"
	TypeCompaction     = "compaction"
	TypeBranchSummary  = "branch_summary"
	TypeCustom         = "custom"
	TypeCustomMessage  = "custom_message"
	TypeLabel          = "label"
	TypeSessionInfo    = "session_info"
	TypeUsage          = "usage"
	TypeContextEdit    = "context_edit"
	TypeSessionInit    = "session_init"
	TypeModeChange     = "mode_change"
	TypeTTSRInjection  = "ttsr_injection"
	TypeServiceTier    = "service_tier_change"
	TypeMCPSelection   = "mcp_tool_selection"
	TypeTitleChange    = "title_change"
	TypeCredentialPin  = "credential_pin"
	TypeResetBoundary  = "reset_boundary"
	TypeModelUsage     = "model_usage"
	typeFirstKeptIndex = "firstKeptEntryIndex" // v1 compactions
)

// CustomRun is the customType of the entries of type custom in which a recording says who ran,
// and how the run ended. They are about how a session was made and no part of what was said.
const CustomRun = "sess:run"

// RunEnded begins the errorMessage of a reply whose program ended with a status, which stands behind it, in a recording.
const RunEnded = "the command ended with status "

// CustomCalls is the customType of the entries of type custom in which a recording has calls that sub-agents made and no
// result has: the call that started them is the toolCallId of the data, and the calls are its nestedCalls.
const CustomCalls = "sess:calls"

// Message roles.
const (
	RoleUser              = "user"
	RoleAssistant         = "assistant"
	RoleToolResult        = "toolResult"
	RoleSystem            = "system"
	RoleDeveloper         = "developer"
	RoleBashExecution     = "bashExecution"
	RolePythonExecution   = "pythonExecution"
	RoleFileMention       = "fileMention"
	RoleCustom            = "custom"
	RoleHookMessage       = "hookMessage"
	RoleBranchSummary     = "branchSummary"
	RoleCompactionSummary = "compactionSummary"
)

// required lists, for each known type, the members an entry must have, as
// name:form. Forms are the JSON types, any, and a choice of two by a bar.
var required = map[string][]string{
	TypeMessage:       {"message:object"},
	TypeThinkingLevel: {"thinkingLevel:string|null"},
	TypeModelChange:   {}, // provider and modelId, or model: checked apart
	TypeCompaction:    {"summary:string", "firstKeptEntryId:string", "tokensBefore:number"},
	TypeBranchSummary: {"fromId:string", "summary:string"},
	TypeCustom:        {"customType:string"},
	TypeCustomMessage: {"customType:string", "content:string|array", "display:boolean"},
	TypeLabel:         {"targetId:string"},
	TypeSessionInfo:   {"name:string"},
	TypeUsage:         {"kind:string", "provider:string", "model:string", "usage:object"},
	TypeContextEdit:   {"targetId:string", "replacement:object|null"},
	TypeSessionInit:   {"systemPrompt:string", "task:string", "tools:array"},
	TypeModeChange:    {"mode:string"},
	TypeTTSRInjection: {"injectedRules:array"},
	TypeServiceTier:   {"serviceTier:any"},
	TypeMCPSelection:  {"selectedToolNames:array"},
	TypeTitleChange:   {"title:string", "source:string"},
	TypeCredentialPin: {"provider:string", "hash:string"},
	TypeResetBoundary: {},
	TypeModelUsage:    {"purpose:string", "provider:string", "model:string", "usage:object"},
}

// Types returns the entry types this package knows, sorted.
func Types() []string { return slices.Sorted(maps.Keys(required)) }

// Sentinel errors. A [Problem] matches one of them with errors.Is.
var (
	// ErrNotSession: the first JSON value of the input is no session header.
	ErrNotSession = errors.New("not a session")

	// ErrVersion: the session is of a version this package cannot read.
	ErrVersion = errors.New("unsupported session version")

	// ErrMalformed: the session holds something its format forbids.
	ErrMalformed = errors.New("malformed session")

	// ErrRefused: an entry is not fit to be added to a session.
	ErrRefused = errors.New("entry refused")

	// ErrNotFound: a reference names no entry.
	ErrNotFound = errors.New("no such entry")

	// ErrAmbiguous: a reference names several entries.
	ErrAmbiguous = errors.New("ambiguous reference")

	// ErrLeafMoved: the leaf is not the entry the caller expected.
	ErrLeafMoved = errors.New("the leaf moved")
)

// A Kind names one form of damage.
type Kind string

// The forms of damage that reading a session meets.
const (
	Empty         Kind = "empty"
	NoHeader      Kind = "no-header"
	BadVersion    Kind = "version"
	BOM           Kind = "bom"
	NotJSON       Kind = "not-json"
	NotObject     Kind = "not-object"
	Fused         Kind = "fused"
	NUL           Kind = "nul"
	TooDeep       Kind = "too-deep"
	Torn          Kind = "torn"
	InvalidUTF8   Kind = "invalid-utf8"
	LaterHeader   Kind = "later-header"
	NoID          Kind = "no-id"
	DuplicateID   Kind = "duplicate-id"
	MissingParent Kind = "missing-parent"
	Cycle         Kind = "cycle"
	NoFirstKept   Kind = "no-first-kept"
)

// A Problem is one finding about a session. It is an error, so that a caller
// that may not go on can return it.
type Problem struct {
	Line   int   // 1-based; 0 if the problem has no line
	Offset int64 // of the line's first byte
	Kind   Kind
	ID     string // of the entry concerned, "" if unknown
	Text   string // the problem, and how it is dealt with
}

// Error returns the text without the line, which belongs beside the file name.
func (p Problem) Error() string { return p.Text }

// Is matches the sentinel error of the problem's kind.
func (p Problem) Is(target error) bool {
	switch p.Kind {
	case Empty, NoHeader:
		return target == ErrNotSession
	case BadVersion:
		return target == ErrVersion
	default:
		return target == ErrMalformed
	}
}

func problem(line int, off int64, kind Kind, id, format string, args ...any) Problem {
	return Problem{Line: line, Offset: off, Kind: kind, ID: id, Text: fmt.Sprintf(format, args...)}
}

// Problem returns a problem of the entry. The text is formatted as by
// [fmt.Sprintf].
func (e Entry) Problem(kind Kind, format string, args ...any) Problem {
	return problem(e.Line(), e.offset, kind, e.id, format, args...)
}

// ErrForeign is returned for a message in the shape of another program's API. If it
// were stored, every reader would ignore a part of it. It matches [ErrRefused].
var ErrForeign = fmt.Errorf("%w: not of this format", ErrRefused)

// Foreign names the first part of a message that readers of the format ignore: a
// content block of an unknown type or in the shape of another API, tool calls beside
// the content, a usage without a known counter. It is "" if readers understand all
// of the message.
func (m Message) Foreign() string {
	if strings.HasPrefix(m.Get("content"), "[") {
		if what := foreignContent(m.Get("content")); what != "" {
			return what
		}
	}
	if m.Role() != RoleAssistant {
		return ""
	}
	first := len(foreignMembers)
	for key := range js.Members(m.Raw()) {
		if i := slices.Index(foreignMembers, js.PlainKey(key)); i >= 0 {
			first = min(first, i)
		}
	}
	if first < len(foreignMembers) {
		return "the member " + strings.Trim(foreignMembers[first], `"`) + " beside the content"
	}
	if strings.HasPrefix(m.Get("usage"), "{") && !metering.CountsTokens(m.Get("usage")) {
		return "a usage without one counter that is known: " + strings.Join(metering.Counters(), ", ")
	}
	return ""
}

// foreignMembers are where OpenAI's API has the calls of an assistant message, as literals.
var foreignMembers = []string{`"tool_calls"`, `"function_call"`}

func foreignContent(content string) string {
	for raw := range js.Elements(content) {
		var shape blockShape
		if isObject(raw) {
			for key, value := range js.Members(raw) {
				shape.has(key, value)
			}
		}
		if what := shape.foreign(); what != "" {
			return what
		}
	}
	return ""
}

// A blockShape is what tells whether a content block is of the format.
type blockShape struct {
	typ       string // JSON text, "" if it has none
	data      bool
	signature bool
}

// has takes a member of the block.
func (b *blockShape) has(key, value string) {
	switch js.PlainKey(key) {
	case `"type"`:
		b.typ = value
	case `"data"`:
		b.data = true
	case `"signature"`:
		b.signature = true
	}
}

// outline returns the least block of the same shape.
func (b *blockShape) outline() string {
	fields := []js.Field{js.RawField("type", b.typ)}
	if b.signature {
		fields = append(fields, js.StringField("signature", ""))
	}
	return js.Object(fields...)
}

// foreign names the first part that is not of the format.
func (b *blockShape) foreign() string {
	switch typ, ok := js.Value(b.typ).Text(); {
	case !ok:
		return "a content element that is no block with a type"
	case typ == BlockImage && !b.data:
		return "an image block without data"
	case typ == BlockThinking && b.signature:
		return "a thinking block whose signature is not called thinkingSignature"
	case !slices.Contains(blockTypes, typ):
		return "a content block of type " + quoteID(typ)
	}
	return ""
}
