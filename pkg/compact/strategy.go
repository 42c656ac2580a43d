package compact

import (
	"slices"

	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

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
