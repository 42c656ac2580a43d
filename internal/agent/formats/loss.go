package formats

import (
	"fmt"

	"github.com/sess-tools/sess/internal/api"
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

	// What says what is lost and what stands in its place, without a full stop.
	What string
}

// String returns the loss as a message without the name of its session.
func (l Loss) String() string {
	if l.Where == "" {
		return l.What
	}
	return l.Where + ": " + l.What
}

// The kinds of losses. They are for programs to tell losses apart, and only
// ever added to.
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

// A Tally counts losses that are alike, so that they are told as one. The zero value is
// ready for use.
type Tally struct {
	list []*counted // in the order of their first times
	at   map[string]*counted
}

type counted struct {
	Loss     // the first of them
	n    int // how many
}

// more says how many there were beside the first, which are of a kind.
func (c *counted) more(kind string) string {
	if c.n == 1 {
		return ""
	}
	return fmt.Sprintf(", and %d more %s", c.n-1, kind)
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
func (t *Tally) Tell(lose func(where, kind, format string, args ...any)) {
	for _, c := range t.list {
		lose(c.Where, c.Kind, "%s%s", c.What, c.more("like it"))
	}
}

// ByKind counts losses at entries, so that each kind is told as one. The zero value is
// ready for use.
type ByKind struct{ tally Tally }

// Add counts a loss at an entry. One that is [Silent] is none.
func (l *ByKind) Add(e session.Entry, kind string) {
	if !Silent(e) {
		l.tally.Add(At(e), kind, "")
	}
}

// Tell tells t of what was counted. What says what is lost of a kind: of one, and of
// several, with a %d for their number.
func (l *ByKind) Tell(t *Target, what map[string][2]string) {
	for _, c := range l.tally.list {
		t.Lose(c.Where, c.Kind, "%s", Counted(c.n, what[c.Kind][0], what[c.Kind][1]))
	}
}

// Unheld counts the entries of types that a format has nothing for, so that each type
// is one loss. The zero value is ready for use.
type Unheld struct{ tally Tally }

// Add counts an entry, unless it is [Silent].
func (u *Unheld) Add(e session.Entry) {
	if !Silent(e) {
		u.tally.Add(At(e), KindEntry, "%s", e.Type())
	}
}

// Tell tells t of what was counted: that it means nothing to agent, and, unless that is "",
// what was done with it.
func (u *Unheld) Tell(t *Target, agent, done string) {
	if done != "" {
		done = ", " + done
	}
	for _, c := range u.tally.list {
		t.Lose(c.Where, KindEntry, "%s means nothing to %s%s%s", c.What, agent, c.more("of that type"), done)
	}
}
