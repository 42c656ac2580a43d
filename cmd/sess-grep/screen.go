package main

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/screen"
	"github.com/sess-tools/sess/internal/core/selection"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/internal/readers/grep"
	"github.com/sess-tools/sess/pkg/session"
)

// onScreen returns the terminal that gets rows below headings; nil if there is none, or if a flag asks for the rows
// that programs get.
func (c *config) onScreen(sc *screen.Screen) *screen.Screen {
	if c.json || c.entries || c.count || c.names || c.namesWithout || c.only || c.withName || c.withoutName ||
		c.nul || c.quiet || c.before+c.after > 0 || c.maxTokens >= 0 {
		return nil
	}
	return sc
}

// above reads what the heading of a document and its rows need: the title, and the ids of all entries.
func (d *document) above(ctx context.Context, r *result) error {
	info, err := session.InfoReader{Omit: session.LastMessage | session.Expenses}.Read(d.reader(ctx, 0))
	if err != nil {
		return address.Locate(d.in.Name, err)
	}
	outline, err := session.ReadOutline(d.reader(ctx, 0))
	if err != nil {
		return address.Locate(d.in.Name, err)
	}
	ids := make([]string, len(outline.Entries))
	for i, e := range outline.Entries {
		ids[i] = e.ID()
	}
	r.info, r.short = info, screen.Short(ids)
	return nil
}

// A screened printer prints rows on a terminal: those of a session below its heading, equal ones once.
type screened struct {
	*screen.Screen
	address  func(string) string // shortens one
	of       *result             // the session whose rows are held
	held     []*found
	same     map[rawRow]*found
	rows     int // that were found
	sessions int // that have one
	headed   *result
}

// A rawRow is what rows have in common that are equal before they are laid out: who said the text, a hash of what may be shown of it,
// where the match is in that, and whether there is more on each side.
type rawRow struct {
	role         string
	hash         uint64
	at           int
	begins, ends bool
}

// rawPerColumn is how many bytes of a text for each column are what may be shown of it.
const rawPerColumn = 8

var rawSeed = maphash.MakeSeed()

// A found is a row.
type found struct {
	left  []screen.Cell
	row   screen.Row // it laid out
	at    time.Time  // of the entry, if the row has a time
	text  string
	spans []screen.Span
	times int
}

// mostFound is how many rows of a session are held, to find equal ones.
const mostFound = 200

// mostAround is how many bytes of a text are kept on each side of a match.
const mostAround = 32 << 10

// item takes the rows of an entry.
func (sc *screened) item(r *result, it item) error {
	last, whole, at := grep.Text{}, "", 0 // the text that a row is of, and where the next row begins in it
	for from, line := range it.rows {
		if from != last {
			last, whole, at = from, "", 0
			if text := from.String(); len(text) <= 2*mostAround {
				whole = text
			}
		}
		f := &found{at: sc.at(it), text: line.Text, times: 1}
		f.left = sc.left(r, it, from, f.at)
		before := 0
		if n := strings.Index(whole[at:], line.Text); n >= 0 && whole != "" {
			before, f.text = at+n, whole
			at = before + len(line.Text)
		}
		for _, m := range line.Matches {
			f.spans = append(f.spans, screen.Span{From: before + m.From, To: before + m.To})
		}
		f.crop()
		if err := sc.add(r, f); err != nil {
			return err
		}
	}
	return nil
}

// crop lets go of a text that is far from the first match.
func (f *found) crop() {
	first := screen.Span{}
	if len(f.spans) > 0 {
		first = f.spans[0]
	}
	from, to := max(first.From-mostAround, 0), min(first.From+mostAround, len(f.text))
	if from == 0 && to == len(f.text) {
		return
	}
	f.text = strings.Clone(f.text[from:to])
	var spans []screen.Span
	for _, m := range f.spans {
		if m.From < to {
			spans = append(spans, screen.Span{From: m.From - from, To: min(m.To, to) - from})
		}
	}
	f.spans = spans
}

// The columns of a role, and of one with its tool on a screen from so many columns on, which has the time, too.
const (
	roleWidth, toolWidth = 9, 14
	timedScreen          = 100
)

// left returns the cells in front of a text.
func (sc *screened) left(r *result, it item, from grep.Text, at time.Time) []screen.Cell {
	id := it.address()
	if it.index >= 0 {
		id = r.short(id)
	}
	role, width := it.said(from), roleWidth
	cells := []screen.Cell{{Text: "  " + id + "  ", Style: tty.Dim}}
	if sc.Width >= timedScreen {
		width = toolWidth
		cells = append(cells, screen.Cell{Text: fmt.Sprintf("%-5s  ", screen.Minute(at, sc.Now)), Style: tty.Dim})
		if role == "result" && from.Tool != "" {
			role += " " + from.Tool
		}
	}
	return append(cells, screen.Cell{Text: sc.Pad(role, width) + "  "})
}

// at returns the time of an entry where a row has one, else the zero time.
func (sc *screened) at(it item) time.Time {
	if ms, ok := it.entry.Timestamp(); ok && it.index >= 0 && sc.Width >= timedScreen {
		return time.UnixMilli(ms)
	}
	return time.Time{}
}

// said says in a word who said a text.
func (it item) said(from grep.Text) string {
	switch from.Field {
	case grep.FieldThinking, grep.FieldCall, grep.FieldResult, grep.FieldSummary, grep.FieldSystem, grep.FieldTitle, grep.FieldLabel:
		return string(from.Field)
	}
	return grep.Speaker(it.role())
}

// role is the cell in front of the text.
func (f *found) role() string { return f.left[len(f.left)-1].Text }

// add holds a row, or counts it.
func (sc *screened) add(r *result, f *found) error {
	if sc.of != r || len(sc.held) == mostFound {
		if err := sc.flush(); err != nil {
			return err
		}
		sc.of, sc.same = r, map[rawRow]*found{}
	}
	sc.rows++
	at := 0
	if len(f.spans) > 0 && len(f.text) > sc.Width { // a text that a screen has room for is one row, however many matches it has
		at = f.spans[0].From
	}
	from, to := max(at-rawPerColumn*(sc.Width+1), 0), min(at+rawPerColumn*(sc.Width+1), len(f.text))
	key := rawRow{f.role(), maphash.String(rawSeed, f.text[from:to]), at - from, from == 0, to == len(f.text)}
	if same := sc.same[key]; same != nil {
		same.times++
		return nil
	}
	sc.same[key] = f
	sc.held = append(sc.held, f)
	return nil
}

// flush prints the rows that are held.
func (sc *screened) flush() error {
	if len(sc.held) == 0 {
		return nil
	}
	if r := sc.of; sc.headed != r {
		sc.headed = r
		sc.sessions++
		if err := sc.Head(r.src.Heading(r.place, r.info, sc.address)); err != nil {
			return err
		}
	}
	shown := map[string]*found{} // by their texts and who said them
	for _, f := range sc.held {
		f.row = sc.Row(f.left, screen.Cell{Text: f.text}, f.spans...)
		key := f.role() + f.row.Text()
		if first := shown[key]; first != nil {
			first.times, f.times = first.times+f.times, 0
			continue
		}
		shown[key] = f
	}
	for _, f := range sc.held {
		if f.times == 0 {
			continue
		}
		if f.times > 1 { // which is said behind it
			f.row = sc.Row(f.left, screen.Cell{Text: f.text, Tail: sc.Times(f.times)}, f.spans...)
		}
		if err := errors.Join(sc.Day(f.at, "  "), sc.PrintRow(f.row)); err != nil {
			return err
		}
	}
	sc.held = nil
	return nil
}

// foot prints how many rows there are. With the nil pointer it does nothing.
func (sc *screened) foot(all selection.Found) error {
	if sc == nil || sc.rows == 0 {
		return nil
	}
	if err := errors.Join(sc.flush(), sc.Blank()); err != nil {
		return err
	}
	return sc.Foot("%s in %d of %s", tty.Count(sc.rows, "match", "matches"), sc.sessions, tty.Count(len(all.List), "session", "sessions"))
}
