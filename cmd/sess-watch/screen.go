package main

import (
	"cmp"
	"os"
	"slices"
	"time"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/screen"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/internal/readers/status"
)

// silent is what people are told of an agent that works and has written nothing for so long: its program may be gone.
const (
	silent      = "silent"
	silentAfter = time.Hour
)

// urgency are the states in the order in which people see them: first those that want something of the user.
var urgency = []string{status.Asks, status.Failed, status.Working, silent, status.Stopped, status.Answered, status.Closed, status.Empty}

// colours are the styles of states; others are plain.
var colours = map[string]tty.Style{status.Asks: tty.Yellow, status.Working: tty.Yellow, status.Failed: tty.Red}

// shown are the rows that people see at a terminal while they wait: a table of many sessions that is drawn in place, or a
// line for each entry of a single one.
type shown struct {
	screen  func() *screen.Screen // of the width of now
	drawing *screen.Drawing       // nil for a single session
	short   func(string) string   // shortens the id of an entry
}

// idleAfter is how long ago the last of a session may be for it to be in the table that is drawn in place.
const idleAfter = 24 * time.Hour

// onScreen returns how people see rows; nil if programs read them, or a flag asks for the rows that those get.
func (w *watcher) onScreen() *shown {
	on := func() *screen.Screen { return screen.On(w.streams.Out, w.streams.OutFile(), w.streams.Color) }
	if w.once || w.json || w.lines || w.quiet || w.streams.Verbose || w.argv != nil || os.Getenv("TERM") == "dumb" || on() == nil {
		return nil
	}
	s := &shown{screen: on}
	if !w.single {
		s.drawing = &screen.Drawing{Out: w.streams.Out}
	}
	return s
}

// isDrawn reports whether a table is drawn in place.
func (w *watcher) isDrawn() bool { return w.people != nil && w.people.drawing != nil }

// draw draws the table of many sessions anew if it has changed.
func (w *watcher) draw() error {
	if !w.isDrawn() {
		return nil
	}
	return w.people.drawing.Draw(*w.people.screen(), tty.Height(w.streams.OutFile(), os.LookupEnv), func(sc *screen.Screen) error {
		isIdle := func(state string, since int64) bool {
			return state == status.Closed || since != 0 && sc.Now.Sub(time.UnixMilli(since)) > idleAfter
		}
		left, err := w.table(sc, isIdle)
		if err == nil && left > 0 {
			err = sc.Foot("left out: %d closed or silent for a day; --once lists all", left)
		}
		return err
	})
}

// state prints the state of a single session.
func (s *shown) state(d *watched, st status.State) error {
	if s.drawing != nil {
		return nil
	}
	what := ""
	if st.Call.Name != "" {
		what = d.what
	}
	return s.line(d.entry, st.Name, what)
}

// line prints what people see of an entry of a single session, or of its state.
func (s *shown) line(entry, role, text string) error {
	sc := s.screen()
	return sc.Line([]screen.Cell{
		{Text: sc.Pad(s.short(entry), 10), Style: tty.Dim}, {Text: sc.Pad(role, 11), Style: colours[role]},
	}, screen.Cell{Text: text})
}

// table prints a row for each session, for people, but for those that isIdle reports, and returns how many it left out.
func (w *watcher) table(sc *screen.Screen, isIdle func(state string, since int64) bool) (left int, err error) {
	type line struct {
		*watched
		state string
		since int64
	}
	var rows []line
	var names []string
	for _, d := range w.all {
		st := d.state.At(sc.Now.UnixMilli(), w.settle)
		if st.Name == status.Working && st.Since != 0 && sc.Now.Sub(time.UnixMilli(st.Since)) > silentAfter {
			st.Name = silent
		}
		if isIdle(st.Name, st.Since) {
			left++
			continue
		}
		rows = append(rows, line{d, st.Name, st.Since})
		names = append(names, d.shownName())
	}
	slices.SortStableFunc(rows, func(a, b line) int {
		return cmp.Or(cmp.Compare(slices.Index(urgency, a.state), slices.Index(urgency, b.state)), cmp.Compare(b.since, a.since))
	})
	short := screen.Short(names)
	cols := []screen.Col{{Head: "STATE"}, {Head: "SINCE", From: 50}, {Head: "SESSION"}, {Head: "DIRECTORY", Max: 14, From: 90}, {Head: "WHAT", Flex: true}}
	return left, sc.Table(cols, func(yield func([]screen.Cell) bool) {
		for _, r := range rows {
			at := ""
			if r.since != 0 {
				at = screen.When(time.UnixMilli(r.since), sc.Now)
			}
			if !yield([]screen.Cell{
				{Text: r.state, Style: colours[r.state]},
				{Text: at, Style: tty.Dim},
				{Text: sc.Directory(short(r.shownName()), 24), Style: tty.Cyan},
				{Text: screen.Base(r.cwd), Style: tty.Dim},
				{Text: screen.OneLine(r.what)},
			}) {
				return
			}
		}
	})
}

// shownName is the name of a session for people, before it is shortened.
func (d *watched) shownName() string {
	if d.src.Name == "-" {
		return d.src.Label()
	}
	return address.Shown(d.src.Owner(), cmp.Or(d.place.Address, d.src.Name), d.place.Session)
}
