package main

import (
	"cmp"
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

// table prints a row for each session, for people.
func (w *watcher) table(sc *screen.Screen) error {
	type line struct {
		*watched
		state string
		since int64
	}
	var rows []line
	var names []string
	for _, d := range w.all {
		st := d.state.At(sc.Now.UnixMilli(), w.settle, w.patience)
		if st.Name == status.Working && st.Since != 0 && sc.Now.Sub(time.UnixMilli(st.Since)) > silentAfter {
			st.Name = silent
		}
		rows = append(rows, line{d, st.Name, st.Since})
		names = append(names, d.shownName())
	}
	slices.SortStableFunc(rows, func(a, b line) int {
		return cmp.Or(cmp.Compare(slices.Index(urgency, a.state), slices.Index(urgency, b.state)), cmp.Compare(b.since, a.since))
	})
	short := screen.Short(names)
	cols := []screen.Col{{Head: "STATE"}, {Head: "SINCE", From: 50}, {Head: "SESSION"}, {Head: "DIRECTORY", Max: 14, From: 90}, {Head: "WHAT", Flex: true}}
	return sc.Table(cols, func(yield func([]screen.Cell) bool) {
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
