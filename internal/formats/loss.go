package formats

import (
	"fmt"

	"github.com/sess-tools/sess/pkg/session"
)

// A Loss is something that the result of a conversion cannot say, or says
// otherwise.
type Loss struct {
	// Where is the place: of the source when importing ("s.jsonl:12", "message
	// msg_1"), of the session when exporting ("entry 0d6f9a51"); "" if it concerns
	// the whole.
	Where string `json:"where,omitempty"`

	// Kind is one of the Kind constants.
	Kind string `json:"kind"`

	// What says what is lost and what stands in its place, without a full stop.
	What string `json:"what"`
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
	KindDamage    = "damage"    // of the source: what cannot be read
	KindBranch    = "branch"    // a branch, where there can be but one
	KindContext   = "context"   // the model is shown more or less than before
	KindEntry     = "entry"     // an entry whose type means nothing there
	KindRole      = "role"      // a message whose role means nothing there
	KindSystem    = "system"    // a system prompt, or a change of it
	KindThinking  = "thinking"  // thinking, a signature, a thinking level
	KindTool      = "tool"      // a tool call or a tool's result
	KindMedia     = "media"     // an image, audio, a file
	KindBlob      = "blob"      // a reference to a blob, which is not resolved
	KindUsage     = "usage"     // tokens and costs
	KindTitle     = "title"     // the name of the session
	KindTime      = "time"      // a time
	KindTree      = "tree"      // a cycle of parents, an entry without id
	KindText      = "text"      // text that would be read as something else
	KindReference = "reference" // what another file or session would have held
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

// ByKind counts losses, so that each kind is told as one. The zero value is ready for
// use.
type ByKind struct {
	counts map[string]int
	first  map[string]string // where the first one of a kind is
	order  []string
}

// Add counts a loss at an entry.
func (l *ByKind) Add(e session.Entry, kind string) {
	if l.counts == nil {
		l.counts, l.first = map[string]int{}, map[string]string{}
	}
	if l.counts[kind]++; l.counts[kind] == 1 {
		l.first[kind] = At(e)
		l.order = append(l.order, kind)
	}
}

// Tell tells t of what was counted. What says what is lost of a kind: of one, and of
// several, with a %d for their number.
func (l *ByKind) Tell(t *Target, what map[string][2]string) {
	for _, kind := range l.order {
		t.Lose(l.first[kind], kind, "%s", Counted(l.counts[kind], what[kind][0], what[kind][1]))
	}
}

// Unheld counts the entries of types that a format has nothing for, so that each type
// is one loss. The zero value is ready for use.
type Unheld struct {
	types map[string]*unheld
	order []string
}

type unheld struct {
	first string // where the first one is
	count int
}

// Add counts an entry.
func (u *Unheld) Add(e session.Entry) {
	if u.types == nil {
		u.types = map[string]*unheld{}
	}
	n := u.types[e.Type()]
	if n == nil {
		n = &unheld{first: At(e)}
		u.types[e.Type()] = n
		u.order = append(u.order, e.Type())
	}
	n.count++
}

// Tell tells t of what was counted: that it means nothing to agent, and, unless that is "",
// what was done with it.
func (u *Unheld) Tell(t *Target, agent, done string) {
	for _, typ := range u.order {
		n := u.types[typ]
		more := ""
		if n.count > 1 {
			more = fmt.Sprintf(", and %d more of that type", n.count-1)
		}
		if done != "" {
			more += ", " + done
		}
		t.Lose(n.first, KindEntry, "%s means nothing to %s%s", typ, agent, more)
	}
}
