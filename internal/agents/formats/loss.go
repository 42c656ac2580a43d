package formats

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/pkg/session"
)

// A Loss is something that the result of a conversion cannot say, or says
// otherwise.
type Loss struct {
	// Where is the place: of the source when importing ("s.jsonl:12", "message
	// msg_1"), of the session when exporting ("entry 0d6f9a51"); "" if it concerns
	// the whole.
	Where string

	// Kind is one of the Kind constants.
	Kind string

	// What names the part that is lost and its replacement, without a full stop.
	What string

	// N is how many parts are lost, 0 for one.
	N int
}

// Many returns a loss of n parts: with the text of one, or of many, which has a %d for n.
func Many(n int, where, kind, one, many string) Loss {
	return Loss{Where: where, Kind: kind, What: Counted(n, one, many), N: n}
}

// String returns the loss as a message without the name of its session.
func (l Loss) String() string {
	if l.Where == "" {
		return l.What
	}
	return l.Where + ": " + l.What
}

// Fault reports whether the source is at fault, and not the result that cannot say what the source has.
func (l Loss) Fault() bool {
	return l.Kind == KindDamage || l.Kind == KindTree || l.Kind == KindReference
}

// How losses begin that [Loss.Torn] and [Loss.Orphan] tell.
const (
	tornLine = "torn last line"
	NoParent = "its parent is not in the "
)

// Torn reports whether the loss is a last line without its end, which may be one that is being written.
func (l Loss) Torn() bool { return l.Kind == KindDamage && strings.HasPrefix(l.What, tornLine) }

// Orphan reports whether an entry has lost its parent.
func (l Loss) Orphan() bool { return l.Kind == KindTree && strings.HasPrefix(l.What, NoParent) }

// The kinds of losses. They are for programs to tell losses apart, and only ever added to.
const (
	KindDamage    = api.KindDamage  // of the source: what cannot be read
	KindBranch    = "branch"        // a branch, where there can be but one
	KindContext   = api.KindContext // the model is shown more or less than before
	KindEntry     = "entry"         // an entry whose type means nothing there
	KindRole      = "role"          // a message whose role means nothing there
	KindSystem    = "system"        // a system prompt, or a change of it
	KindThinking  = "thinking"      // thinking, a signature, a thinking level
	KindTool      = api.KindTool    // a tool call or a tool's result
	KindMedia     = api.KindMedia   // an image, audio, a file
	KindBlob      = "blob"          // a reference to a blob, which is not resolved
	KindUsage     = "usage"         // tokens and costs
	KindTitle     = "title"         // the name of the session
	KindTime      = "time"          // a time
	KindTree      = "tree"          // a cycle of parents, an entry without id
	KindText      = "text"          // text that would be read as something else
	KindReference = "reference"     // what another file or session would have held
)

// things name in a table what a conversion does not keep of a kind.
var things = map[string]string{
	KindDamage: "damaged parts", KindBranch: "other branches", KindContext: "attachments and notes", KindEntry: "entries of other kinds", KindRole: "messages of other roles",
	KindSystem: "system prompts", KindThinking: "thinking", KindTool: "details of tool calls", KindMedia: "images and files", KindBlob: "files kept apart",
	KindUsage: "tokens and costs", KindTitle: "titles", KindTime: "times", KindTree: "links between entries", KindText: "text",
	KindReference: "other files",
}

// Things names in a table what a conversion does not keep of a kind.
func Things(kind string) string { return things[kind] }

func loss(where, kind, format string, args []any) Loss {
	return Loss{Where: where, Kind: kind, What: fmt.Sprintf(format, args...)}
}

// Counted says what was lost n times: one, or many, which has a %d for n.
func Counted(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return fmt.Sprintf(many, n)
}

// A Tally counts losses that are alike, so that they are told as one. The zero value is ready for use.
type Tally struct {
	list []*counted // in the order of their first times
	at   map[string]*counted
}

type counted struct {
	Loss     // the first of them
	n    int // how many
}

// Add counts a loss: alike are those of one kind and with one text.
func (t *Tally) Add(where, kind, format string, args ...any) {
	l := loss(where, kind, format, args)
	key := kind + "\x00" + l.What
	if t.at == nil {
		t.at = map[string]*counted{}
	}
	if t.at[key] == nil {
		t.at[key] = &counted{Loss: l}
		t.list = append(t.list, t.at[key])
	}
	t.at[key].n++
}

// Tell tells of each loss once, with how many more there were like it.
func (t *Tally) Tell(lost func(Loss)) {
	for _, c := range t.list {
		lost(c.all())
	}
}

// all is the loss of all that are alike.
func (c *counted) all() Loss {
	l := c.Loss
	if l.N = c.n; c.n > 1 {
		l.What += fmt.Sprintf(", and %d more like it", c.n-1)
	}
	return l
}

// Lost counts the parts that an export leaves out of the entries of a session, so that equal losses
// are told as one. An entry that is [Silent] loses nothing.
type Lost struct {
	// Words describe a loss of a kind: of one part, and of several, with a %d for their number. A
	// kind that is not here has the words that most formats use.
	Words map[string][2]string

	tally Tally
}

// leftOut are the words of most formats.
var leftOut = map[string][2]string{
	KindThinking: {"a block of thinking, left out", "%d blocks of thinking, left out"},
	KindTool:     {"a tool call or a result, left out", "%d tool calls and results, left out"},
	KindMedia:    {"an image, left out", "%d images, left out"},
	KindSystem:   {"a system message, left out", "%d system messages, left out"},
	KindRole:     {"a message of another role, left out", "%d messages of other roles, left out"},
	KindContext:  {"an edit of the context, without effect there", "%d edits of the context, without effect there"},
}

// Add counts a loss of a kind.
func (l *Lost) Add(e session.Entry, kind string) { l.Say(e, kind, "") }

// Say counts a loss with a description that is formatted here.
func (l *Lost) Say(e session.Entry, kind, format string, args ...any) {
	if !Silent(e) {
		l.tally.Add(At(e), kind, format, args...)
	}
}

// Blocks counts the blocks of a message whose types are not among those that are held.
func (l *Lost) Blocks(e session.Entry, m session.Message, held ...string) {
	for b := range m.Blocks() {
		switch {
		case slices.Contains(held, b.Type):
		case b.IsThinking():
			l.Add(e, KindThinking)
		case b.Type == session.BlockToolCall:
			l.Add(e, KindTool)
		case b.Type == session.BlockImage:
			l.Add(e, KindMedia)
		case b.Type == session.BlockProvided:
			l.Say(e, KindTool, "what the provider did by itself (%s), left out", b.Str("name"))
		default:
			l.Say(e, KindMedia, "content of type %q, left out", b.Type)
		}
	}
}

// Entry counts an entry of a type that an agent has nothing for.
func (l *Lost) Entry(e session.Entry, agent string) {
	l.Say(e, KindEntry, "%s means nothing to %s, left out", e.Type(), agent)
}

// Tell tells t of what was counted.
func (l *Lost) Tell(t *Target) {
	for _, c := range l.tally.list {
		if c.What != "" {
			t.Lost(c.all())
			continue
		}
		words, ok := l.Words[c.Kind]
		if !ok {
			words = leftOut[c.Kind]
		}
		t.Lost(Many(c.n, c.Where, c.Kind, words[0], words[1]))
	}
}
