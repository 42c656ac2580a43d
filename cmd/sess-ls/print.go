package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/clikit"
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
		return func(r store.Row) error { return printf("%s\x00", r.Path) }
	case c.paths:
		return func(r store.Row) error { return printf("%s\n", r.Path) }
	case c.json:
		return func(r store.Row) error {
			if err := writeRow(s.Out, r); err != nil {
				return err
			}
			return printf("\n")
		}
	}
	if !tty.IsTerminal(s.OutFile()) {
		return func(r store.Row) error { return writeCells(s.Out, cells(r)) }
	}
	return c.table(s, printf)
}

// table prints for a terminal: headings, columns, titles cut to fit.
func (c *config) table(s *clikit.Streams, printf func(string, ...any) error) func(store.Row) error {
	const form = "%-36.36s  %-20s  %6s  %9s  %s"
	width := max(tty.Width(s.OutFile(), os.LookupEnv)-78, 20)
	headed := false
	return func(r store.Row) error {
		if !headed {
			headed = true
			head := fmt.Sprintf(form, "ID", "MODIFIED", "MSGS", "BYTES", "TITLE")
			if tty.Color(c.color, s.OutFile(), os.LookupEnv) {
				head = "\x1b[1m" + head + "\x1b[0m"
			}
			if err := printf("%s\n", head); err != nil {
				return err
			}
		}
		cell := cells(r)
		return printf(form+"\n", cell[0], cell[1], cell[2], cell[3], fit(tty.Clean(fit(cell[4], width+1)), width))
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
func writeCells(w io.Writer, cells []string) error {
	b := bufio.NewWriter(w) // which keeps the first error
	for i, cell := range cells {
		if i > 0 {
			_ = b.WriteByte('\t')
		}
		tty.Write(b, cell)
	}
	_ = b.WriteByte('\n')
	return b.Flush()
}

// cells are the columns: id, time, messages, bytes, title, which is not clean. A
// count that is a lower bound ends in a plus.
func cells(r store.Row) []string {
	messages := fmt.Sprint(r.Messages)
	if !r.Exact {
		messages += "+"
	}
	title := r.Name
	if title == "" {
		title = r.FirstMessage
	}
	line, _, _ := strings.Cut(strings.TrimSpace(js.ValidText(title)), "\n")
	return []string{tty.Clean(r.ID), stamp(r.Modified), messages, fmt.Sprint(r.Size), line}
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }
