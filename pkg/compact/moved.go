package compact

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sess-tools/sess/pkg/session"
)

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
		Keep: p.keep, Strategy: p.Strategy, Rules: p.rules, FirstKept: p.FirstKept, Estimate: p.estimate,
	})
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", ErrMoved, err)
	}
	if moved.FirstKept != p.FirstKept || moved.PreviousSummary != p.PreviousSummary || !slices.Equal(moved.covers, p.covers) {
		return nil, ErrMoved
	}
	// A hook may have taken messages out, and copies are what they were.
	moved.Summarize, moved.TurnPrefix, moved.Copies, moved.Files = p.Summarize, p.TurnPrefix, p.Copies, p.Files
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

// covered returns the ids of the entries that a summary speaks of, those of the
// first part of a split turn behind a mark.
func (p *Plan) covered() []string {
	var out []string
	for _, part := range p.Summarize {
		out = append(out, part.EntryID)
	}
	out = append(out, "")
	for _, part := range p.TurnPrefix {
		out = append(out, part.EntryID)
	}
	return out
}
