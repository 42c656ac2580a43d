package compact

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// ErrNothing is returned for a path with nothing to summarize: its last entry is a compaction, or
// all of it fits into the tokens to keep.
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

// Options say how to plan.
type Options struct {
	// Keep is how many tokens of recent messages to keep, of user messages for
	// KeepUser; 0 means DefaultKeep, a negative number as few as possible.
	// LastTurn takes no heed of it.
	Keep int64

	Strategy Strategy

	// FirstKept is the id of the entry to cut in front of, whatever the strategy
	// says; "" leaves it to the strategy. KeepUser, which cuts nowhere, takes no
	// heed of it.
	FirstKept string

	// Estimate returns the tokens a message costs, for the cut of KeepRecent and
	// for Gain. Nil stands for [convo.Estimate]. KeepUser always counts
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
	keep      int64                       // Options.Keep
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
	projection := convo.Project(path)
	p := &Plan{Leaf: path[len(path)-1].ID(), Strategy: o.Strategy, path: path, keep: o.Keep, estimate: o.Estimate}
	span, previous := candidates(projection)
	p.TokensBefore = convo.MeasureProjection(projection, path, convo.Estimate).Tokens
	if err := p.divide(span, o); err != nil {
		return nil, err
	}
	if previous != nil {
		p.PreviousSummary, p.preserved = previous.Str("summary"), preserved(*previous)
	}
	var files fileSet
	if previous != nil {
		files.carry(*previous)
	}
	files.collect(p.Summarize)
	files.collect(p.TurnPrefix)
	p.Files = files.ops()
	if system, ok := systemOf(projection); ok {
		p.System = system.Raw()
	}
	return p, nil
}

// divide decides which entries of the range are summarized and which are kept.
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
	if cut.first >= len(span) || span[cut.first].Entry.ID() == "" {
		return ErrNothing
	}
	p.FirstKept, p.SplitTurn = span[cut.first].Entry.ID(), cut.split
	historyEnd := cut.first
	if cut.split {
		historyEnd = cut.turn
		p.TurnPrefix = parts(span[cut.turn:cut.first])
	}
	p.Summarize = parts(span[:historyEnd])
	if len(p.Summarize) == 0 && len(p.TurnPrefix) == 0 {
		return ErrNothing
	}
	return nil
}

// parts returns the messages of the candidates that a summary may speak of: what agents
// say in the user's name is not among them.
func parts(candidates []candidate) []Part {
	out := make([]Part, 0, len(candidates))
	for _, c := range candidates {
		if c.Entry.Type() == session.TypeCompaction {
			continue
		}
		said, _ := convo.Spoken(c.Messages)
		for _, m := range said {
			if m.Role() == session.RoleSystem {
				continue
			}
			out = append(out, Part{EntryID: c.Entry.ID(), Message: m})
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

// ShouldCompact reports whether a context of that many tokens leaves less than
// reserve tokens of the model's window.
func ShouldCompact(tokens, window, reserve int64) bool { return tokens > window-reserve }

// A Strategy says what stays of a context beside its summary.
type Strategy int

// The strategies.
const (
	KeepRecent Strategy = iota // the newest messages, as pi keeps them
	KeepUser                   // copies of the newest user messages alone, as codex 0.169 keeps them
	LastTurn                   // the last user message and all that follows, as ZeroClaw keeps them
)

var strategyNames = []string{KeepRecent: "keep-recent", KeepUser: "keep-user", LastTurn: "last-turn"}

// Strategies returns the names of the strategies, the default first.
func Strategies() []string { return slices.Clone(strategyNames) }

// StrategyFor returns the strategy of that name; ok is false if there is none.
func StrategyFor(name string) (s Strategy, ok bool) {
	i := slices.Index(strategyNames, name)
	return Strategy(max(i, 0)), i >= 0
}

// String returns the strategy's name.
func (s Strategy) String() string {
	if s < 0 || int(s) >= len(strategyNames) {
		return "unknown strategy"
	}
	return strategyNames[s]
}

// NothingNew reports whether no entry with messages follows the newest
// compaction on the path; without one, whether the path has no messages at all.
// What the compaction kept stands before it, copies of KeepUser included.
func NothingNew(path []session.Entry) bool {
	for _, e := range slices.Backward(path) {
		if e.Type() == session.TypeCompaction {
			return true
		}
		if len(convo.EntryMessages(e)) > 0 {
			return false
		}
	}
	return true
}

// A MinGain is how much smaller a compaction has to make a context to be worth
// it. The zero value asks for one token; if both members are set, both count.
type MinGain struct {
	Tokens  int64
	Percent float64 // of the context before
}

// ParseMinGain reads a number of tokens, "500", or a share of the context
// before, "10%" or "2.5%".
func ParseMinGain(s string) (MinGain, error) {
	if share, ok := strings.CutSuffix(s, "%"); ok {
		percent, err := strconv.ParseFloat(share, 64)
		if err == nil && strings.Trim(share, "0123456789.") == "" && percent <= 100 {
			return MinGain{Percent: percent}, nil
		}
		return MinGain{}, fmt.Errorf("%q: a share goes from 0%% to 100%%", s)
	}
	tokens, err := strconv.ParseInt(s, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return MinGain{}, fmt.Errorf("%q: too many tokens", s)
	case err != nil || strings.Trim(s, "0123456789") != "":
		return MinGain{}, fmt.Errorf(`%q: neither a number of tokens, as "500", nor a share, as "10%%"`, s)
	}
	return MinGain{Tokens: tokens}, nil
}

// Enough reports whether a context of that many tokens before and after has
// become enough smaller.
func (m MinGain) Enough(before, after int64) bool {
	gain := before - after
	return gain >= max(m.Tokens, 1) && float64(gain)*100 >= m.Percent*float64(before)
}

// ErrMoved is returned by Moved for a path that the summary of a plan does not
// fit.
var ErrMoved = fmt.Errorf("%w: what was summarized is not what stands before the cut", ErrNoCut)

// Moved returns the plan with the same cut for another path, which usually goes
// on behind the one that p was made for: a summary made for p fits it too, and
// what came meanwhile is kept. The error is ErrMoved if the summary does not fit,
// because the path has been compacted since, lacks an entry that was summarized
// or the one that is kept first, or because p keeps no entries but copies, so
// that new messages would be lost.
func (p *Plan) Moved(path []session.Entry) (*Plan, error) {
	moved, err := New(path, Options{
		Keep: p.keep, Strategy: p.Strategy, FirstKept: p.FirstKept, Estimate: p.estimate,
	})
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", ErrMoved, err)
	}
	if moved.FirstKept != p.FirstKept || moved.PreviousSummary != p.PreviousSummary || !moved.coversSame(p) {
		return nil, ErrMoved
	}
	return moved, nil
}

// Reply returns the one text that makes the same summary when it is given to
// Answer, for a summary that is to be kept outside the session.
func (p *Plan) Reply(s Summary) string {
	if p.Answer("").Whole {
		return strings.TrimSuffix(p.Text(s), p.Files.Text())
	}
	return s.TurnPrefix
}

// coversSame reports whether the summaries of two plans speak of the same entries.
func (p *Plan) coversSame(q *Plan) bool {
	same := func(a, b Part) bool { return a.EntryID == b.EntryID }
	return slices.EqualFunc(p.Summarize, q.Summarize, same) && slices.EqualFunc(p.TurnPrefix, q.TurnPrefix, same)
}

// keepUser has the whole context summarized and keeps copies of the newest user
// messages. Where that would change nothing, because all there is are such
// messages, there is nothing to do; codex would ask for a summary.
func (p *Plan) keepUser(span []candidate, keep int64) error {
	if NothingNew(p.path) {
		return ErrNothing
	}
	p.Summarize = parts(span)
	p.Copies = nil
	for _, c := range convo.CodexKept(messagesOf(p.Summarize), keep) {
		p.Copies = append(p.Copies, Part{EntryID: p.Summarize[c.Of].EntryID, Message: c.Message})
	}
	same := func(a, b Part) bool { return a.Message.Raw() == b.Message.Raw() }
	if slices.EqualFunc(p.Summarize, p.Copies, same) {
		return ErrNothing
	}
	return nil
}
