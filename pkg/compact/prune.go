package compact

import (
	"slices"

	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// Defaults of opencode's pruning: turns, and tokens as it estimates them.
const (
	DefaultPruneTurns   = 2
	DefaultPruneProtect = 40000
	DefaultPruneMinimum = 20000
)

// PruneOptions say what of the tool results is to stay. A zero field stands for
// opencode's default, a negative number switches the limit off.
type PruneOptions struct {
	Turns   int      // the newest turns are left alone
	Protect int64    // the newest results are left alone, up to so many tokens
	Minimum int64    // nothing is pruned unless it is more than so many tokens
	Tools   []string // tools whose results stay; nil means skill alone, an empty list none
}

func (o PruneOptions) orDefaults() PruneOptions {
	if o.Turns == 0 {
		o.Turns = DefaultPruneTurns
	}
	if o.Protect == 0 {
		o.Protect = DefaultPruneProtect
	}
	if o.Minimum == 0 {
		o.Minimum = DefaultPruneMinimum
	}
	if o.Tools == nil {
		o.Tools = []string{"skill"}
	}
	return o
}

// An Edit replaces the content of a tool result in the context.
type Edit struct {
	TargetID   string // id of the entry that holds the result
	Tokens     int64  // of the output taken out or given back, as opencode estimates
	Tool       string // name of the tool, "" if neither the result nor a call tells it
	ToolCallID string

	content string // JSON text
}

// Fields returns the fields of the context_edit entry, in pi's order.
func (e Edit) Fields() []js.Field {
	return []js.Field{
		js.StringField("targetId", e.TargetID),
		{Name: "replacement", Raw: `{"content":` + e.content + `}`},
	}
}

// Pruned is what Prune takes out of a context.
type Pruned struct {
	Edits  []Edit // oldest result first
	Tokens int64  // the sum of those of the edits

	// The context by convo.Estimate, in tokens. What the model reported is
	// not in it, so that the two compare.
	Before, After int64
}

// Prune plans to replace old tool results by a placeholder, as opencode 1.18
// does: the call stays and keeps its result, but the output no longer fills the
// context. The path must end where the edits are to be appended.
//
// The walk goes from the newest result of the context to the oldest. It passes
// over the newest Turns turns, which begin at user messages; over errors and
// the results of Tools, which count for nothing; and over results of up to
// Protect tokens in sum. What is older is pruned if that is more than Minimum
// tokens. A result that is pruned already ends the walk: what is older was
// looked at before. A result costs a quarter of the UTF-16 units of its text,
// rounded half up, as in opencode; its images cost nothing, but go as well.
//
// Four differences from opencode are deliberate. The walk is over the context,
// so results that a compaction keeps are pruned like others; opencode walks
// over what is stored, and ends at the summary once Turns user messages follow
// it, although the messages it keeps are before it. What is no longer in the
// context is not pruned, and a compaction is no turn, where opencode asks for a
// summary by a user message. A result that its placeholder would not make
// smaller counts in all sums but stays. So does one whose content is a string,
// as pi writes none: an edit could not give it back as it was.
//
// The error is ErrNothing if nothing is to be pruned.
func Prune(path []session.Entry, o PruneOptions) (*Pruned, error) {
	o = o.orDefaults()
	projection := convo.Project(path)
	edits := readEdits(projection)
	results, users := readResults(projection)
	p := new(Pruned)
	var seen, old int64
	for _, r := range slices.Backward(results) {
		if users-r.turn < o.Turns || r.failed() || slices.Contains(o.Tools, r.tool) {
			continue
		}
		if edits[r.id].pruned {
			break
		}
		tokens := r.tokens()
		if seen += tokens; seen <= o.Protect {
			continue
		}
		old += tokens
		content := js.Quote(placeholder(r.message))
		if gain := r.gain(content); gain > 0 {
			p.Edits = append(p.Edits, r.edit(content))
			p.Tokens += tokens
			p.After -= gain
		}
	}
	if old <= o.Minimum || len(p.Edits) == 0 {
		return nil, ErrNothing
	}
	slices.Reverse(p.Edits)
	for _, m := range convo.MessagesOf(projection) {
		p.Before += convo.Estimate(m)
	}
	p.After += p.Before
	return p, nil
}

// Unprune returns the edits that give the pruned results of a path's context
// back, oldest first: the content they had before, byte for byte, be it their
// own or that of an edit older than the placeholder. A context_edit cannot be
// taken back, and without content pi 0.87 would leave a result that has none.
// Results that are no longer in the context stay as they are.
//
// The error is ErrNothing if no result is pruned.
func Unprune(path []session.Entry) ([]Edit, error) {
	projection := convo.Project(path)
	before := readEdits(projection)
	results, _ := readResults(projection)
	var edits []Edit
	for _, r := range results {
		was := before[r.id]
		if !was.pruned {
			continue
		}
		if was.content == "" {
			was.content = r.own.Get("content")
		}
		r.message = resultOf(was.content)
		edits = append(edits, r.edit(was.content))
	}
	if len(edits) == 0 {
		return nil, ErrNothing
	}
	return edits, nil
}
