package main

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/core/calls"
	"github.com/sess-tools/sess/internal/core/screen"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/internal/readers/gate"
	"github.com/sess-tools/sess/pkg/session"
)

// A shown is a row on a screen.
type shown struct {
	entry         string // its id, short
	kind, outcome string
	refusal       string // of a call that is denied, the word for that
	status        int    // that was not 0
	at            time.Time
	took          time.Duration
	text          string // what the call is about, on one line
	changed       string // the lines that it adds and removes
	times         int
}

// shows makes a row for a screen. It stands behind the others, or counts for the last one if that says the same.
func (p *part) shows(sc *screen.Screen, entries []session.Entry, d *gate.Deed, line gate.Line, short func(string) string) {
	row := shown{
		entry: short(entries[d.Entry].ID()), kind: d.Kind, outcome: line.Ending.Outcome,
		text: sc.Joined(line.Text), times: 1,
	}
	if row.outcome == calls.Denied {
		row.refusal = line.Ending.Refusal()
	}
	if line.Known && line.Ending.Known && row.outcome != calls.Denied {
		row.status = line.Ending.Status
	}
	if ms, ok := entries[d.Entry].Timestamp(); ok {
		row.at = time.UnixMilli(ms)
		switch {
		case d.Result >= 0:
			if ended, ok := entries[d.Result].Timestamp(); ok {
				row.took = time.UnixMilli(ended).Sub(row.at)
			}
		case row.outcome == calls.Open && sc.Now.Sub(row.at) < 24*time.Hour:
			row.took = sc.Now.Sub(row.at)
		}
	}
	if d.Kind == calls.Write && !d.Patched {
		row.changed = changes(sc, d.Edits())
	}
	if n := len(p.shown); n > 0 && p.shown[n-1].says(row) {
		p.shown[n-1].times++
		return
	}
	p.shown = append(p.shown, row)
}

// says reports whether a row says the same as another one.
func (s shown) says(other shown) bool {
	return s.kind == other.kind && s.outcome == other.outcome && s.refusal == other.refusal && s.status == other.status && s.text == other.text && s.changed == other.changed
}

// changes says how many lines edits add and remove: "+1 −1".
func changes(sc *screen.Screen, edits []calls.Edit) string {
	added, removed := 0, 0
	for _, e := range edits {
		before, after := linesOf(e.Old), linesOf(e.New)
		same := common(before, after)
		added, removed = added+len(after)-same, removed+len(before)-same
	}
	var parts []string
	if added > 0 {
		parts = append(parts, "+"+screen.Count(added))
	}
	if removed > 0 {
		parts = append(parts, sc.Marks.Minus+screen.Count(removed))
	}
	return strings.Join(parts, " ")
}

func linesOf(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// mostCompared is how many pairs of lines are compared at most.
const mostCompared = 1 << 20

// common returns how many lines two texts have in common, in their order. Of long ones it counts those at their
// beginning and end alone.
func common(a, b []string) int {
	same := 0
	for ; len(a) > 0 && len(b) > 0 && a[0] == b[0]; same++ {
		a, b = a[1:], b[1:]
	}
	for ; len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1]; same++ {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(a)*len(b) > mostCompared {
		return same
	}
	row := make([]int, len(b)+1) // of the lines of a so far, with each beginning of b
	for _, line := range a {
		diagonal := 0
		for j := range b {
			above := row[j+1]
			if line == b[j] {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return same + row[len(b)]
}

// A screened are the rows of all sessions on a screen.
type screened struct {
	*screen.Screen
	kinds, outcomes map[string]int
}

// The columns of a kind with its status, and of a screen from which on the entry stands in front.
const (
	kindWidth   = 7
	entryScreen = 140
)

// print prints the rows of a session.
func (sc *screened) print(p part) error {
	if len(p.shown) == 0 {
		return nil
	}
	if err := sc.Head(p.heading); err != nil {
		return err
	}
	entry := 0
	for _, row := range p.shown {
		entry = max(entry, screen.Columns(row.entry))
	}
	for _, row := range p.shown {
		sc.kinds[row.kind] += row.times
		sc.outcomes[cmp.Or(row.refusal, row.outcome)] += row.times
		if err := sc.Day(row.at, "  "); err != nil {
			return err
		}
		mark, style := sc.Ending(row.outcome)
		kind := row.kind
		if row.status != 0 {
			kind += fmt.Sprintf(" %d", row.status)
		}
		left := []screen.Cell{{Text: sc.Pad(mark, screen.Columns(sc.Marks.More)) + "  ", Style: style}}
		if sc.Width >= entryScreen {
			left = append(left, screen.Cell{Text: sc.Pad(row.entry, entry) + "  ", Style: tty.Dim})
		}
		left = append(left,
			screen.Cell{Text: fmt.Sprintf("%-8s  %3s  ", screen.Clock(row.at, sc.Now), screen.Duration(row.took)), Style: tty.Dim},
			screen.Cell{Text: sc.Pad(kind, max(kindWidth, len(kind))) + "  "})
		what := screen.Cell{Text: row.text}
		if row.changed != "" {
			what.Tail = "  " + row.changed
		}
		if row.refusal != "" {
			what.Tail += "  " + row.refusal
		}
		what.Tail += sc.Times(row.times)
		if err := sc.Line(left, what); err != nil {
			return err
		}
	}
	return nil
}

// foot says how many calls there are, how they ended, and of which kinds they are.
func (sc *screened) foot() error {
	all, ended, kinds := 0, "", []string(nil)
	for _, kind := range calls.Kinds() {
		if n := sc.kinds[kind]; n > 0 {
			all += n
			kinds = append(kinds, screen.Count(n)+" "+kind)
		}
	}
	if all == 0 {
		return nil
	}
	for _, of := range [][2]string{{calls.Fail, "failed"}, {"refused", "refused"}, {"cancelled", "cancelled"}, {calls.Open, "open"}} {
		if n := sc.outcomes[of[0]]; n > 0 {
			ended += ", " + screen.Count(n) + " " + of[1]
		}
	}
	if err := sc.Blank(); err != nil {
		return err
	}
	return sc.Foot("%s%s: %s", tty.Count(all, "call", "calls"), ended, strings.Join(kinds, ", "))
}
