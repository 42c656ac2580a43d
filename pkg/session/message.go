package session

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
)

// A Message is one message of a conversation as JSON text: what a "message"
// entry holds, or what an entry of another type turns into in the context. The zero one has no text.
type Message struct {
	_ [0]func() // not to be compared by ==
	*message
}

type message struct {
	raw, role string
	at        [len(asked)]span // of the members that are asked for most
}

// asked are the members that NewMessage finds in its one pass, beside the role.
var asked = [...]string{"content", "timestamp", "usage", "stopReason"}

// A span is where a member's value is in a text of at most 4 GiB, which takes half of the memory that the value would: there may
// be many. In a longer text the member is looked for.
type span struct{ from, to uint32 }

// of returns the value of the member called name of raw, whose span it is.
func (s span) of(raw, name string) string {
	if uint64(len(raw)) > math.MaxUint32 {
		return js.Member(raw, name)
	}
	return raw[s.from:s.to]
}

// walkMembers calls member for each member of the JSON object raw, with its key as a literal.
func walkMembers(raw string, member func(key, value string, at span)) {
	js.WalkObject(raw, len(raw)-len(strings.TrimLeft(raw, " \t\r\n")), func(key string, at int) int {
		end := js.ValueEnd(raw, at)
		if end > at {
			member(key, raw[at:end], span{uint32(at), uint32(end)})
		}
		return end
	})
}

// NewMessage makes a message of the JSON object raw, which must be valid.
func NewMessage(raw string) Message {
	m := &message{raw: raw}
	walkMembers(raw, func(key, value string, at span) {
		name := js.Unquote(key)
		if i := slices.Index(asked[:], name); i >= 0 {
			m.at[i] = at
		} else if name == "role" {
			m.role, _ = js.Value(value).Text()
		}
	})
	return Message{message: m}
}

// noMessage is what the zero message is.
var noMessage = &message{}

func (m Message) fields() *message { return cmp.Or(m.message, noMessage) }

// Raw returns the message's JSON text.
func (m Message) Raw() string { return m.fields().raw }

// Role returns the message's role.
func (m Message) Role() string { return m.fields().role }

// Get returns the JSON text of the member called name, "" if there is none.
func (m Message) Get(name string) string {
	k := m.fields()
	if i := slices.Index(asked[:], name); i >= 0 {
		return k.at[i].of(k.raw, name)
	}
	return js.Member(k.raw, name)
}

// Str returns the string value of the member called name, "" if it is absent
// or no string.
func (m Message) Str(name string) string {
	s, _ := js.Value(m.Get(name)).Text()
	return s
}

// A Block is one element of a message's content.
type Block struct {
	Type string // [BlockText] or another one
	raw  string // "" if a literal stands for the block

	text, thinking, id, name, arguments string // JSON texts of members that are asked for
}

// Get returns the JSON text of the block's member called name.
func (b Block) Get(name string) string {
	switch name {
	case "text":
		return b.text
	case "thinking":
		return b.thinking
	case "id":
		return b.id
	case "name":
		return b.name
	case "arguments":
		return b.arguments
	}
	switch {
	case b.raw != "":
		return js.Member(b.raw, name)
	case name == "type":
		return `"text"`
	}
	return ""
}

// Str returns the string value of the block's member called name.
func (b Block) Str(name string) string {
	s, _ := js.Value(b.Get(name)).Text()
	return s
}

// The types of blocks. Further ones may be in files; a provider's own words for them are not
// these.
const (
	BlockText     = "text"
	BlockThinking = "thinking"
	BlockImage    = "image"
	BlockToolCall = "toolCall"

	// BlockEncrypted is thinking in oh-my-pi's spelling that only the provider can read. See
	// [Block.Encrypted] for both spellings.
	BlockEncrypted = "redactedThinking"
)

var blockTypes = []string{BlockText, BlockThinking, BlockImage, BlockToolCall, BlockEncrypted, BlockProvided}

// IsThinking reports whether the block is thinking, readable or not.
func (b Block) IsThinking() bool { return b.Type == BlockThinking || b.Type == BlockEncrypted }

// Encrypted returns the data of thinking that only its provider can read, in pi's spelling
// or in oh-my-pi's; ok is false for any other block.
func (b Block) Encrypted() (data string, ok bool) {
	switch {
	case b.Type == BlockEncrypted:
		return b.Str("data"), true
	case b.Type == BlockThinking && b.Get("redacted") == "true":
		return b.Str("thinkingSignature"), true
	}
	return "", false
}

// Raw returns the block's JSON text.
func (b Block) Raw() string {
	if b.raw == "" {
		return TextBlock(b.text)
	}
	return b.raw
}

// Blocks iterates over the message's content. String content counts as one
// text block; elements that are no objects are left out.
func (m Message) Blocks() iter.Seq[Block] { return Blocks(m.Get("content")) }

// Blocks iterates over the blocks of a content, or of another array of objects,
// given as JSON text. See [Message.Blocks].
func Blocks(content string) iter.Seq[Block] {
	return func(yield func(Block) bool) {
		if strings.HasPrefix(content, `"`) {
			yield(Block{Type: "text", text: content}) // not copied: it may be huge
			return
		}
		if !strings.HasPrefix(content, "[") {
			return
		}
		js.WalkArray(content, 0, func(at int) (end int) {
			if content[at] != '{' {
				return js.ValueEnd(content, at)
			}
			b, end := blockAt(content, at)
			if end > at && !yield(b) {
				return at
			}
			return end
		})
	}
}

// NewBlock makes a block of the JSON object raw, which must be valid.
func NewBlock(raw string) Block {
	b, _ := blockAt(raw, 0)
	return b
}

// blockAt reads the block that begins at content[at], and says where it ends.
func blockAt(content string, at int) (b Block, end int) {
	end = js.WalkObject(content, at, func(key string, at int) int {
		end := js.ValueEnd(content, at)
		value := content[at:end]
		switch js.PlainKey(key) {
		case `"type"`:
			b.Type, _ = js.Value(value).Text()
		case `"text"`:
			b.text = value
		case `"thinking"`:
			b.thinking = value
		case `"id"`:
			b.id = value
		case `"name"`:
			b.name = value
		case `"arguments"`:
			b.arguments = value
		}
		return end
	})
	if end > at {
		b.raw = content[at:end]
	}
	return b, end
}

// Text returns the message's text blocks joined by sep. For a role without
// content it is "".
func (m Message) Text(sep string) string { return TextOf(m.Get("content"), sep) }

// TextOf returns the text blocks of a content, given as JSON text, joined by sep.
func TextOf(content, sep string) string {
	var parts []string
	for b := range Blocks(content) {
		if b.Type == BlockText {
			parts = append(parts, b.Str("text"))
		}
	}
	return strings.Join(parts, sep)
}

// A ToolCall is a tool call of an assistant message.
type ToolCall struct {
	ID        string
	Name      string
	Arguments string // JSON text, as in the file
}

// ToolCalls returns the message's tool calls, in order.
func (m Message) ToolCalls() []ToolCall {
	if m.Role() != RoleAssistant {
		return nil
	}
	var calls []ToolCall
	for b := range m.Blocks() {
		if b.Type == BlockToolCall {
			calls = append(calls, ToolCall{ID: b.Str("id"), Name: b.Str("name"), Arguments: b.Get("arguments")})
		}
	}
	return calls
}

// A NestedCall is a call that a tool made while it ran, as the result of that tool records it. What came of it is not
// kept but for the beginning of an error.
type NestedCall struct {
	ToolCall        // without Arguments if those were too long for the record
	Status   string // ok, error or unfinished
	Error    string // of one whose Status is error
	Exit     string // the exit status of a command, a JSON number; "" if it is not known
}

// mostNested is how many calls a record of pi has at most.
const mostNested = 256

// NestedCalls returns the calls that the tool made of which the message is the result, oldest first. More reports
// whether there were others that are not in the record.
func (m Message) NestedCalls() (calls []NestedCall, more bool) {
	// Most results have none, and searching is quicker than walking. A name can be spelled with the escapes of its letters.
	if m.Role() != RoleToolResult || !strings.Contains(m.Raw(), "nestedCalls") && !strings.Contains(m.Raw(), `\u00`) {
		return nil, false
	}
	record := js.Value(m.Get("nestedCalls"))
	if !record.IsObject() {
		return nil, false
	}
	why := false // a call tells why the record is not complete
	for v := range record.Get("calls").Elements() {
		if !v.IsObject() {
			more = true
			continue
		}
		c := NestedCall{
			ToolCall{ID: v.Get("id").Str(), Name: v.Get("name").Str(), Arguments: string(v.Get("arguments"))},
			v.Get("status").Str(), v.Get("error").Str(), string(v.Get("exitCode")),
		}
		why = why || c.Arguments == "" || c.Status == "unfinished"
		calls = append(calls, c)
	}
	return calls, more || record.Get("complete") == "false" && (!why || len(calls) == mostNested)
}

// AsResult returns an entry of [CustomCalls] as people are shown it: as a result without a text. Ok is false for any other.
func (e Entry) AsResult() (m Message, ok bool) {
	if e.Type() != TypeCustom || e.Str("customType") != CustomCalls {
		return Message{}, false
	}
	data := js.Value(e.Get("data"))
	return NewMessage(js.Object(js.StringField("role", RoleToolResult), js.RawField("toolCallId", data.Get("toolCallId")),
		js.StringField("toolName", "sub-agent"), js.RawField("content", "[]"), js.RawField("nestedCalls", data.Get("nestedCalls")))), true
}

// NestedCalls returns the calls that an entry has and no model of the conversation made: those of [Message.NestedCalls], or
// of an entry of [CustomCalls]. In is the id of the call whose tool, or whose agent, made them.
func (e Entry) NestedCalls() (in string, calls []NestedCall, more bool) {
	m, ok := e.Message()
	if !ok {
		m, _ = e.AsResult()
	}
	calls, more = m.NestedCalls()
	return m.Str("toolCallId"), calls, more
}

// Usage is the token usage an assistant message reports, in tokens.
type Usage struct {
	Input, Output, CacheRead, CacheWrite, Total int64
}

// ContextTokens is the size of the context the usage speaks of: the total, or
// if that is 0 the sum of the parts (docs/formats/pi.md, tokens).
func (u Usage) ContextTokens() int64 {
	if u.Total != 0 {
		return u.Total
	}
	return u.Input + u.Output + u.CacheRead + u.CacheWrite
}

// Usage returns the message's usage; ok is false if it has none.
func (m Message) Usage() (u Usage, ok bool) {
	raw := m.Get("usage")
	if !strings.HasPrefix(raw, "{") {
		return Usage{}, false
	}
	n := func(name string) int64 { return js.Value(js.Member(raw, name)).Int() }
	return Usage{
		Input: n("input"), Output: n("output"), CacheRead: n("cacheRead"), CacheWrite: n("cacheWrite"),
		Total: n("totalTokens"),
	}, true
}

// Failed reports whether the message is a reply that ended in an error or was
// aborted. No model is shown such a reply, nor the results of its calls.
func (m Message) Failed() bool {
	if m.Role() != RoleAssistant {
		return false
	}
	stop := m.Str("stopReason")
	return stop == "error" || stop == "aborted"
}

// MadeUp are the details of a result that an importer put in for a call that has none, and
// that no line of the source stands for.
const MadeUp = `{"madeUp":true}`

// IsMadeUp reports whether the message is a result that stands for none, see [MadeUp]. It
// tells a model that nothing came of the call, and is neither a result nor a failure.
func (m Message) IsMadeUp() bool { return m.Role() == RoleToolResult && m.Get("details") == MadeUp }

// IsError reports whether the message is a result of a call that failed.
func (m Message) IsError() bool {
	return m.Role() == RoleToolResult && js.Value(m.Get("isError")).Truthy() && !m.IsMadeUp()
}

// WithContent returns the message with its content replaced by the JSON text
// content, in place, or added at the end.
func (m Message) WithContent(content string) Message {
	return NewMessage(string(js.Value(m.Raw()).With("content", js.Value(content))))
}

// WithRole returns the message with another role, for a text that is shown to people.
func (m Message) WithRole(role string) Message {
	return NewMessage(string(js.Value(m.Raw()).With("role", js.Value(js.Quote(role)))))
}

// IsPlainRun reports whether a message is a command that the user ran, of which other agents can say all: it ended,
// its output is whole, and a model is shown it.
func (m Message) IsPlainRun() bool {
	is := func(name string) bool { return js.Value(m.Get(name)).Truthy() }
	return m.Role() == RoleBashExecution && !is("excludeFromContext") && !is("cancelled") && !is("truncated")
}

// TextBlock returns a text block for a text given as JSON string literal.
func TextBlock(literal string) string { return `{"type":"text","text":` + literal + `}` }

// What a call is about is told by its arguments, whose names are those of the agents. These
// lists are the only ones; the most telling name stands first.
var (
	fileArguments    = []string{"path", "file_path", "filePath", "file", "filename", "notebook_path", "absolute_path", "target_file", "filepath", "AbsolutePath", "TargetFile"}
	commandArguments = []string{"command", "cmd", "CommandLine"}
	patternArguments = []string{"pattern", "regex", "query", "url", "uri"}
	wordArguments    = []string{"prompt", "task", "description", "title", "name"}
)

// Files returns the paths that a call names, as they stand in its arguments: of the file that it
// reads, writes or looks into. There may be none.
func (c ToolCall) Files() []string { return c.texts(fileArguments) }

// File returns the first of [ToolCall.Files], "" if there is none.
func (c ToolCall) File() string { return first(c.Files()) }

// Command returns the command that a call runs, "" if it runs none: a text, or as codex
// has it an array of words, of which a shell with -c runs the third.
func (c ToolCall) Command() string {
	arguments := js.Value(js.Trim(c.Arguments))
	for _, name := range commandArguments {
		v := arguments.Get(name)
		if text := v.Str(); text != "" {
			return text
		}
		var words []string
		for w := range v.Elements() {
			if w.IsString() {
				words = append(words, w.Str())
			}
		}
		if len(words) == 3 && (words[1] == "-c" || words[1] == "-lc") {
			return words[2]
		}
		if len(words) > 0 {
			return strings.Join(words, " ")
		}
	}
	return ""
}

// Asks returns what a call looks for: a pattern, words of a search, an address, "" if
// it looks for nothing.
func (c ToolCall) Asks() string { return first(c.texts(patternArguments)) }

// Words returns what a call is told to do in words, such as a task of a sub-agent, "" if
// that is nothing.
func (c ToolCall) Words() string { return first(c.texts(wordArguments)) }

// texts returns the arguments of these names that have a text.
func (c ToolCall) texts(names []string) (texts []string) {
	arguments := js.Value(js.Trim(c.Arguments))
	for _, name := range names {
		if text := arguments.Get(name).Str(); text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

func first(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	return texts[0]
}
