package compact

import (
	"errors"
	"slices"

	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// ErrNothing is returned for a path with nothing to summarize: its last entry
// is a compaction, or all of it fits into what is to be kept.
var ErrNothing = errors.New("nothing to compact")

// ErrNoCut is returned where Options.FirstKept is an entry that a cut may not
// fall in front of: it is not in the context, or a tool result, or stands between
// a call and its result.
var ErrNoCut = errors.New("no cut can fall there")

// Defaults of pi, in tokens.
const (
	DefaultKeep    = 20000
	DefaultReserve = 16384
)

// Rules choose whose algorithm cuts.
type Rules int

// The algorithms.
const (
	Pi15  Rules = iota // pi 1.5
	Pi073              // pi 0.73
)

// Options say how to plan.
type Options struct {
	// Keep is how many tokens of recent messages to keep, of user messages for
	// KeepUser; 0 means DefaultKeep, a negative number as few as possible.
	// LastTurn takes no heed of it.
	Keep int64

	Strategy Strategy
	Rules    Rules // for KeepRecent; the other strategies go by those of pi 1.5

	// FirstKept is the id of the entry to cut in front of, whatever the strategy
	// says; "" leaves it to the strategy. KeepUser, which cuts nowhere, takes no
	// heed of it.
	FirstKept string

	// Estimate returns the tokens a message costs, for the cut of KeepRecent and
	// for Gain. Nil stands for the estimate of the rules. KeepUser always counts
	// as codex does, by the bytes of the text, and TokensBefore is as pi has it.
	Estimate func(session.Message) int64
}

// A Part is a message to summarize and the entry it comes from.
type Part struct {
	EntryID string
	Message session.Message
}

// A Plan is where a path is cut and what becomes of its two sides.
type Plan struct {
	Leaf            string // id of the last entry of the path
	Strategy        Strategy
	FirstKept       string // id of the first entry that is kept; "" for KeepUser, which keeps Copies
	SplitTurn       bool   // the cut goes through a turn
	TokensBefore    int64  // size of the context before
	PreviousSummary string // of the compaction this one follows, "" if none
	Summarize       []Part // whole turns, oldest first
	TurnPrefix      []Part // the first part of the turn that is cut
	Copies          []Part // user messages kept as copies, oldest first; each is in Summarize too, perhaps longer
	Files           FileOps
	System          string // JSON text of the system message in force, "" if none

	path      []session.Entry
	rules     Rules
	keep      int64                       // Options.Keep
	covers    []string                    // see covered; Summarize and TurnPrefix may be changed
	estimate  func(session.Message) int64 // nil for convo.Estimate
	preserved string                      // JSON text of the preserveData to carry on, "" if none
}

// New plans the compaction of a path. The error is ErrNothing if there is
// nothing to do.
func New(path []session.Entry, o Options) (*Plan, error) {
	if len(path) == 0 || path[len(path)-1].Type() == session.TypeCompaction {
		return nil, ErrNothing
	}
	if o.Keep == 0 {
		o.Keep = DefaultKeep
	}
	if o.Strategy != KeepRecent {
		o.Rules = Pi15
	}
	projection := convo.Project(path)
	p := &Plan{Leaf: path[len(path)-1].ID(), Strategy: o.Strategy, path: path, rules: o.Rules, keep: o.Keep, estimate: o.Estimate}
	var span []candidate
	var previous *session.Entry
	if o.Rules == Pi073 {
		span, previous = raw073(path)
		p.TokensBefore = convo.MeasurePi073(convo.MessagesOf(projection), convo.EstimatePi073).Tokens
	} else {
		span, previous = projected15(projection)
		p.TokensBefore = convo.MeasureProjection(projection, path, convo.Estimate).Tokens
	}
	if err := p.divide(span, o); err != nil {
		return nil, err
	}
	p.covers = p.covered()
	if previous != nil {
		p.PreviousSummary, p.preserved = previous.Str("summary"), preserved(*previous)
	}
	p.Files = p.fileOps(previous)
	if system, ok := systemOf(projection); ok {
		p.System = system.Raw()
	}
	return p, nil
}

// divide says what of the range is summarized and what is kept.
func (p *Plan) divide(span []candidate, o Options) error {
	var cut cut
	var err error
	switch {
	case o.Strategy == KeepUser:
		return p.keepUser(span, o.Keep)
	case o.FirstKept != "":
		bindCalls(span)
		cut, err = cutAt(span, o.FirstKept)
	case o.Strategy == LastTurn:
		cut = lastTurn(span)
	default:
		bindCalls(span)
		cut = findCut(span, o)
	}
	if err != nil {
		return err
	}
	if cut.first >= len(span) || span[cut.first].entry.ID() == "" {
		return ErrNothing
	}
	p.FirstKept, p.SplitTurn = span[cut.first].entry.ID(), cut.split
	historyEnd := cut.first
	if cut.split {
		historyEnd = cut.turn
		p.TurnPrefix = parts(span[cut.turn:cut.first], o.Rules)
	}
	p.Summarize = parts(span[:historyEnd], o.Rules)
	if len(p.Summarize) == 0 && len(p.TurnPrefix) == 0 {
		return ErrNothing
	}
	return nil
}

// fileOps gathers the files of the compaction before, if there is one, and of
// what is summarized.
func (p *Plan) fileOps(previous *session.Entry) FileOps {
	var files fileSet
	if previous != nil {
		files.carry(*previous)
	}
	files.collect(p.Summarize)
	files.collect(p.TurnPrefix)
	return files.ops()
}

// parts returns the messages of the candidates that a summary may speak of.
func parts(candidates []candidate, rules Rules) []Part {
	out := make([]Part, 0, len(candidates))
	for _, c := range candidates {
		if c.entry.Type() == session.TypeCompaction {
			continue
		}
		for _, m := range c.messages {
			if rules == Pi15 && m.Role() == session.RoleSystem {
				continue
			}
			out = append(out, Part{EntryID: c.entry.ID(), Message: m})
		}
	}
	return out
}

// systemOf returns one system message that says what those of a context say.
func systemOf(projection []convo.Projected) (m session.Message, ok bool) {
	var all []session.Message
	for _, p := range projection {
		for _, m := range p.Messages {
			if m.Role() == session.RoleSystem {
				all = append(all, m)
			}
		}
	}
	return convo.FoldSystem(all)
}

// After returns the path as it will be with the entries appended that AddTo has
// added to a batch, so that its context can be measured before anything is
// written.
func (p *Plan) After(added ...session.Entry) []session.Entry {
	return slices.Concat(p.path, added)
}

// Kept returns the entries of the path from the first kept one on: none for
// KeepUser.
func (p *Plan) Kept() []session.Entry {
	if p.FirstKept == "" {
		return nil
	}
	for i, e := range p.path {
		if e.ID() == p.FirstKept {
			return p.path[i:]
		}
	}
	return nil
}

// ShouldCompact reports whether a context of that many tokens leaves less than
// reserve tokens of the model's window.
func ShouldCompact(tokens, window, reserve int64) bool { return tokens > window-reserve }
