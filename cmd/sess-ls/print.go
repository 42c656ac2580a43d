package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/listing"
	"github.com/sess-tools/sess/internal/core/screen"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/pkg/store"
)

// show prints the rows to keep, as many as are wanted. None is the answer no.
func (c *config) show(ctx context.Context, s *cli.Streams, rows []store.Row, keep func(store.Row) (bool, error)) error {
	printer := c.printer(s)
	sc := screen.On(s.Out, s.OutFile(), s.Color)
	if c.json || c.paths || c.nul {
		sc = nil
	}
	var kept []store.Row // for the screen
	if sc != nil {
		printer = func(r store.Row) error {
			kept = append(kept, r)
			return nil
		}
	}
	if c.sort == byCost {
		var err error
		if rows, err = c.dearest(ctx, s, rows, keep); err != nil {
			return err
		}
		keep = func(store.Row) (bool, error) { return true, nil }
	}
	printed, err := each(rows, c.limit, keep, printer)
	if sc != nil && c.usage && c.costs == nil && !c.remote() {
		if err := c.price(ctx, s, kept); err != nil {
			s.Warnf("only stored costs are shown: %v", err)
			c.costs = nil
		}
	}
	if err = errors.Join(err, c.table(sc, kept)); err != nil {
		return err
	}
	if printed == 0 {
		if len(rows) == 0 && c.inStore {
			s.Infof("%s", address.NothingStored(ctx, s, c.sessions.All, c.sessions.CWD))
		}
		if len(rows) == 0 && c.sessions.Fell {
			s.Infof("%s", address.NothingHere)
		} else if len(rows) == 0 && c.sessions.Since == "" && c.sessions.Until == "" && c.sessions.CWD == "" && address.OfNoAgent(s, c.sessions.Agents) {
			s.Infof("%s", address.NoSessions)
		}
		return cli.No("")
	}
	return nil
}

// each calls do for the rows to keep, at most limit unless that is 0, and counts them.
func each(rows []store.Row, limit int, keep func(store.Row) (bool, error), do func(store.Row) error) (n int, err error) {
	for _, row := range rows {
		ok, err := keep(row)
		if err != nil {
			return n, err
		}
		if !ok {
			continue
		}
		if err := do(row); err != nil {
			return n, err
		}
		if n++; n == limit {
			break
		}
	}
	return n, nil
}

// printer returns the function that prints one row in the form wanted.
func (c *config) printer(s *cli.Streams) func(store.Row) error {
	printf := func(format string, args ...any) error {
		_, err := fmt.Fprintf(s.Out, format, args...)
		return err
	}
	switch {
	case c.nul:
		return func(r store.Row) error { return printf("%s\x00", c.nameOf(r)) }
	case c.paths:
		return func(r store.Row) error { return printf("%s\n", c.nameOf(r)) }
	case c.json:
		return func(r store.Row) error {
			if err := c.writeRow(s.Out, r); err != nil {
				return err
			}
			return printf("\n")
		}
	}
	return func(r store.Row) error { return writeCells(s.Out, c.cells(r)) }
}

// The widths of a screen from which on a directory has the directories above it, and the columns that it takes.
const (
	wideScreen        = 110
	baseWidth, upWide = 14, 30
)

// table prints rows for a terminal, and how many there are. Names are as short as tell the rows apart.
func (c *config) table(sc *screen.Screen, rows []store.Row) error {
	if len(rows) == 0 {
		return nil
	}
	cols := []screen.Col{{Head: "SESSION", Max: 24}, {Head: "CHANGED"}, {Head: "MSGS", Right: true, From: 96}, {Head: "SIZE", Right: true, From: wideScreen}}
	if c.usage {
		cols = append(cols, screen.Col{Head: "COST", Right: true}, screen.Col{Head: "TOKENS", Right: true, From: 60})
	}
	dir := screen.Col{Head: "DIRECTORY", Max: baseWidth, From: 60}
	if sc.Width >= wideScreen {
		dir.Max = upWide
	}
	several := screen.Several(rows, func(r store.Row) string { return r.CWD })
	if several {
		cols = append(cols, dir)
	}
	names, sum := make([]string, len(rows)), int64(0)
	for i, r := range rows {
		names[i] = address.Shown(c.owned(r).Agent, c.nameOf(r), r.ID)
		sum += r.Size
	}
	short := screen.Short(names)
	err := sc.Table(append(cols, screen.Col{Head: "TITLE", Flex: true}), func(yield func([]screen.Cell) bool) {
		for i, r := range rows {
			cells := []screen.Cell{
				{Text: sc.Directory(short(names[i]), cols[0].Max), Style: tty.Cyan},
				{Text: screen.When(r.Modified, sc.Now), Style: tty.Dim},
				{Text: sc.Marks.None},
				{Text: screen.Size(r.Size)},
			}
			if r.Exact {
				cells[2].Text = screen.Count(r.Messages)
			}
			if c.usage {
				cells = append(cells, c.spent(sc, r)...)
			}
			if several {
				name := screen.Base(r.CWD)
				if sc.Width >= wideScreen {
					name = sc.Directory(r.CWD, dir.Max)
				}
				cells = append(cells, screen.Cell{Text: name, Style: tty.Dim})
			}
			if !yield(append(cells, c.titleCell(r))) {
				return
			}
		}
	})
	if err != nil {
		return err
	}
	return sc.Foot("%s, %s", tty.Count(len(rows), "session", "sessions"), screen.Size(sum))
}

// spent are the cells of what the answers of a session cost, and of their tokens. A lower bound ends in a plus.
func (c *config) spent(sc *screen.Screen, r store.Row) []screen.Cell {
	cost, tokens := sc.Marks.None, sc.Marks.None
	if u := r.Spent; !c.owned(r).Unspent && !u.Unknown() {
		bound := ""
		if !r.Exact {
			bound = "+"
		}
		tokens = screen.Tokens(u.Total()) + bound
		price := c.costs[c.nameOf(r)]
		if c.costs == nil {
			price.usd, price.known, price.bound = u.Cost, u.Priced, bound != ""
		}
		if text := screen.USD(price.usd); price.known && text != "" {
			cost = text
			if price.bound {
				cost += "+"
			}
		}
	}
	return []screen.Cell{{Text: cost}, {Text: tokens}}
}

// unread stands in front of the title of a session that was not read.
const unread = "(not read) "

// titleOf is the title of a session, in a row of text.
func (c *config) titleOf(r store.Row) string {
	title, _ := r.Title()
	if c.owned(r).Unread {
		title = unread + title
	}
	return title
}

// titleCell is the cell of a title.
func (c *config) titleCell(r store.Row) screen.Cell {
	title := c.titleOf(r)
	if text := screen.OneLine(title); text != "" {
		return screen.Cell{Text: text}
	}
	return screen.Cell{Text: "(no prompt)", Style: tty.Dim}
}

// writeCells writes columns, made clean, with tabs between them. It neither joins
// nor copies them: one may be huge.
func writeCells(w io.Writer, cells []string) error {
	b := bufio.NewWriter(w) // which is w, if that is one: then it is flushed at the end
	for i, cell := range cells {
		if i > 0 {
			_ = b.WriteByte('\t')
		}
		tty.Write(b, cell)
	}
	if err := b.WriteByte('\n'); err != nil || io.Writer(b) == w {
		return err
	}
	return b.Flush()
}

// operand is the name that every tool takes for a session: its address, the id of one of the store, or the path.
func (c *config) operand(r store.Row) string {
	switch agent := c.owned(r).Agent; {
	case agent != "":
		return address.Shown(agent, c.nameOf(r), r.ID)
	case c.inStore && !c.remote():
		return r.ID
	}
	return c.nameOf(r)
}

// cells are the columns: operand, time, messages, bytes, with --usage tokens and cost,
// the agent if there are several, title, which is not clean. A count that is a lower bound ends in a plus.
func (c *config) cells(r store.Row) []string {
	bound := ""
	if !r.Exact {
		bound = "+"
	}
	out := []string{tty.Clean(c.operand(r)), stamp(r.Modified), fmt.Sprint(r.Messages) + bound, fmt.Sprint(r.Size)}
	if c.usage {
		for _, n := range []int64{r.Spent.Input, r.Spent.Output, r.Spent.CacheRead, r.Spent.CacheWrite} {
			out = append(out, fmt.Sprint(n)+bound)
		}
		if out = append(out, listing.Cost(r.Spent)+bound); r.Spent.Unknown() { // no reply has a usage
			copy(out[4:], []string{"", "", "", "", ""})
		}
	}
	if c.several() {
		out = append(out, c.owned(r).Agent)
	}
	return append(out, c.titleOf(r))
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }

// writeRow writes it.
func (c *config) writeRow(w io.Writer, r store.Row) error { return listing.Write(w, c.full(r)) }
