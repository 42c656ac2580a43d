package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/listing"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/store"
)

// show prints the rows to keep, as many as are wanted. None is the answer no.
func (c *config) show(ctx context.Context, s *cli.Streams, rows []store.Row, keep func(store.Row) (bool, error)) error {
	printer := c.printer(s, rows)
	printed := 0
	for _, row := range rows {
		ok, err := keep(row)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if err := printer(row); err != nil {
			return err
		}
		if printed++; printed == c.limit {
			break
		}
	}
	if printed == 0 {
		if len(rows) == 0 && c.inStore {
			s.Infof("%s", address.NothingStored(ctx, s, c.sessions.All, c.sessions.CWD))
		}
		return cli.No("")
	}
	return nil
}

// printer returns the function that prints one row in the form wanted.
func (c *config) printer(s *cli.Streams, rows []store.Row) func(store.Row) error {
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
	if !tty.IsTerminal(s.OutFile()) {
		return func(r store.Row) error { return writeCells(s.Out, c.cells(r)) }
	}
	return c.table(s, rows, printf)
}

// table prints for a terminal: headings, columns, ids as short as they tell the rows
// apart, ages, titles cut to fit.
func (c *config) table(s *cli.Streams, rows []store.Row, printf func(string, ...any) error) func(store.Row) error {
	number := func(head string, width int) cli.Column {
		return cli.Column{Head: head, Width: width, Right: true}
	}
	columns := cli.Columns{{Head: "ID", Width: shortest(rows), Cut: true}, {Head: "MODIFIED", Width: 10}, number("MSGS", 6), number("BYTES", 9)}
	if c.usage {
		columns = append(columns, number("INPUT", 9), number("OUTPUT", 9), number("CACHE READ", 10), number("WRITE", 10), number("COST", 9))
	}
	if c.several() {
		columns = append(columns, cli.Column{Head: "AGENT", Width: 9, Cut: true})
	}
	several := tty.Several(rows, func(r store.Row) string { return r.CWD })
	home, _ := os.UserHomeDir()
	if several {
		columns = append(columns, cli.Column{Head: "DIRECTORY", Width: dirWidth, Cut: true})
	}
	room := tty.Width(s.OutFile(), os.LookupEnv)
	for _, column := range columns {
		room -= column.Width + len("  ")
	}
	room, columns = max(room, 20), append(columns, cli.Column{Head: "TITLE"})
	headed, now := false, time.Now()
	return func(r store.Row) error {
		if !headed {
			headed = true
			if err := columns.WriteHead(s, c.color); err != nil {
				return err
			}
		}
		cells := c.cells(r)
		title := len(cells) - 1
		cells[1] = listing.Ago(r.Modified, now)
		cells[title] = tty.Fit(tty.Clean(tty.Fit(cells[title], room+1)), room)
		if several {
			cells = slices.Insert(cells, title, tty.Directory(r.CWD, home, dirWidth))
		}
		return printf("%s\n", columns.Line(cells...))
	}
}

// dirWidth is how many characters of a directory are shown, if there are several.
const dirWidth = 24

// leastID is how many characters of an id are shown at least: the time in a UUID of
// version 7, to the millisecond.
const leastID = 13

// shortest returns how many characters of the ids tell the rows apart.
func shortest(rows []store.Row) int {
	ids := make([]string, len(rows))
	for i, r := range rows {
		ids[i] = r.ID
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	n := leastID
	for i := 1; i < len(ids); i++ {
		n = max(n, common(ids[i-1], ids[i])+1)
	}
	return min(n, 36)
}

// common returns how many characters two texts begin with in common.
func common(a, b string) int {
	n := 0
	for x, y := []rune(a), []rune(b); n < min(len(x), len(y)) && x[n] == y[n]; {
		n++
	}
	return n
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

// cells are the columns: id, time, messages, bytes, with --usage tokens and cost,
// the agent if there are several, title, which is not clean. A count that is a lower bound ends in a plus.
func (c *config) cells(r store.Row) []string {
	bound := ""
	if !r.Exact {
		bound = "+"
	}
	out := []string{tty.Clean(r.ID), stamp(r.Modified), fmt.Sprint(r.Messages) + bound, fmt.Sprint(r.Size)}
	if c.usage {
		for _, n := range []int64{r.Spent.Input, r.Spent.Output, r.Spent.CacheRead, r.Spent.CacheWrite} {
			out = append(out, fmt.Sprint(n)+bound)
		}
		out = append(out, listing.Cost(r.Spent)+bound)
	}
	if c.several() {
		out = append(out, c.owned(r).Agent)
	}
	title := r.Name
	if title == "" {
		title = r.FirstMessage
	}
	line, _, _ := strings.Cut(strings.TrimSpace(title), "\n") // the title may be huge
	return append(out, js.ValidText(line))
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }

// writeRow writes it.
func (c *config) writeRow(w io.Writer, r store.Row) error { return listing.Write(w, c.owned(r)) }
