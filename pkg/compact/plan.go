package compact

import (
	"errors"
	"slices"

	"github.com/sess-tools/sess/pkg/session"
)

// ErrNothing is returned for a path with nothing to summarize: its last entry
// is a compaction, or all of it fits into what is to be kept.
var ErrNothing = errors.New("nothing to compact")

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
	Keep  int64 // tokens of recent messages to keep; 0 means DefaultKeep, a negative number as few as possible
	Rules Rules
}

// A Part is a message to summarize and the entry it comes from.
type Part struct {
	EntryID string
	Message session.Message
}

// A Plan is where a path is cut and what becomes of its two sides.
type Plan struct {
	Leaf            string // id of the last entry of the path
	FirstKept       string // id of the first entry that is kept
	SplitTurn       bool   // the cut goes through a turn
	TokensBefore    int64  // size of the context before
	PreviousSummary string // of the compaction this one follows, "" if none
	Summarize       []Part // whole turns, oldest first
	TurnPrefix      []Part // the first part of the turn that is cut
	Files           FileOps
	System          string // JSON text of the system message in force, "" if none

	path  []session.Entry
	rules Rules
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
	projection := session.Project(path)
	p := &Plan{Leaf: path[len(path)-1].ID(), path: path, rules: o.Rules}
	var span []candidate
	var previous *session.Entry
	if o.Rules == Pi073 {
		span, previous = raw073(path)
		p.TokensBefore = session.MeasureWithoutImages(messages(projection)).Tokens
	} else {
		span, previous = projected15(projection)
		p.TokensBefore = session.MeasureProjection(projection, path).Tokens
	}
	bindCalls(span)
	cut := findCut(span, o)
	if cut.first >= len(span) || span[cut.first].entry.ID() == "" {
		return nil, ErrNothing
	}
	p.FirstKept, p.SplitTurn = span[cut.first].entry.ID(), cut.split
	historyEnd := cut.first
	if cut.split {
		historyEnd = cut.turn
		p.TurnPrefix = parts(span[cut.turn:cut.first], o.Rules)
	}
	p.Summarize = parts(span[:historyEnd], o.Rules)
	if len(p.Summarize) == 0 && len(p.TurnPrefix) == 0 {
		return nil, ErrNothing
	}
	if previous != nil {
		p.PreviousSummary = previous.Str("summary")
	}
	p.Files = p.fileOps(previous)
	if system, ok := session.FoldSystem(messages(projection)); ok {
		p.System = system.Raw()
	}
	return p, nil
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
	var out []Part
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

func messages(projection []session.Projected) []session.Message {
	var out []session.Message
	for _, p := range projection {
		out = append(out, p.Messages...)
	}
	return out
}

// After returns the path as it will be with the compaction entry appended, so
// that its context can be measured before anything is written.
func (p *Plan) After(compaction session.Entry) []session.Entry {
	return append(slices.Clone(p.path), compaction)
}

// Kept returns the entries of the path from the first kept one on.
func (p *Plan) Kept() []session.Entry {
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
