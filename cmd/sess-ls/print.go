package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/clikit"
	"github.com/sess-tools/sess/internal/listing"
	"github.com/sess-tools/sess/internal/tty"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/store"
)

// show prints the rows to keep, as many as are wanted. None is the answer no.
func (c *config) show(s *clikit.Streams, rows []store.Row, keep func(store.Row) (bool, error)) error {
	printer := c.printer(s)
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
		return clikit.No("")
	}
	return nil
}

// printer returns the function that prints one row in the form wanted.
func (c *config) printer(s *clikit.Streams) func(store.Row) error {
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
		b := bufio.NewWriter(s.Out)
		return func(r store.Row) error { return writeCells(b, c.cells(r)) }
	}
	return c.table(s, printf)
}

// table prints for a terminal: headings, columns, titles cut to fit.
func (c *config) table(s *clikit.Streams, printf func(string, ...any) error) func(store.Row) error {
	form, heads, taken := "%-36.36s  %-20s  %6s  %9s  ", []any{"ID", "MODIFIED", "MSGS", "BYTES"}, 78
	if c.usage {
		form += "%9s  %9s  %10s  %10s  %9s  "
		heads = append(heads, "INPUT", "OUTPUT", "CACHE READ", "WRITE", "COST")
		taken += 57
	}
	if c.agent == everyAgent {
		form += "%-9.9s  "
		heads = append(heads, "AGENT")
		taken += 11
	}
	form, heads = form+"%s", append(heads, "TITLE")
	width := max(tty.Width(s.OutFile(), os.LookupEnv)-taken, 20)
	headed := false
	return func(r store.Row) error {
		if !headed {
			headed = true
			head := fmt.Sprintf(form, heads...)
			if tty.Color(c.color, s.OutFile(), os.LookupEnv) {
				head = "\x1b[1m" + head + "\x1b[0m"
			}
			if err := printf("%s\n", head); err != nil {
				return err
			}
		}
		var cells []any
		for _, cell := range c.cells(r) {
			cells = append(cells, cell)
		}
		title := len(cells) - 1
		cells[title] = fit(tty.Clean(fit(cells[title].(string), width+1)), width)
		return printf(form+"\n", cells...)
	}
}

// fit returns a text of at most width characters, the last of which stands for
// what was cut off.
func fit(text string, width int) string {
	n, last := 0, 0 // characters, and where the last but one ends
	for i := range text {
		if n++; n == width {
			last = i
		}
		if n > width {
			return text[:last] + "…"
		}
	}
	return text
}

// writeCells writes columns, made clean, with tabs between them. It neither joins
// nor copies them: one may be huge.
func writeCells(b *bufio.Writer, cells []string) error {
	for i, cell := range cells {
		if i > 0 {
			_ = b.WriteByte('\t')
		}
		tty.Write(b, cell)
	}
	_ = b.WriteByte('\n')
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
	if c.agent == everyAgent {
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
