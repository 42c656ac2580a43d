package formats

import "fmt"

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
