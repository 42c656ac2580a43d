package main

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/internal/core/row"
	"github.com/sess-tools/sess/internal/core/screen"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/internal/readers/prices"
	"github.com/sess-tools/sess/internal/readers/usage"
	"github.com/sess-tools/sess/pkg/js"
)

// showUsage prints rows in the form wanted.
func (r *report) showUsage(u *usageTable) error {
	if r.top > 0 && len(u.Rows) > r.top {
		first := *u // the limits are for all
		first.Rows = u.Rows[:r.top]
		u = &first
	}
	if r.svg != "" || r.plot != "" {
		c, err := u.chart(r)
		if err != nil {
			return err
		}
		if r.svg != "" {
			err = r.picture(c)
		}
		switch {
		case err != nil:
			return err
		case r.plot != "":
			return r.draw(c)
		case r.pictureAlone():
			return r.drawn()
		}
	}
	if r.json {
		return r.usageJSON(u)
	}
	if r.screen != nil {
		return r.usageScreen(u)
	}
	heads := append(append([]string{}, u.keys...), "calls", "input", "output", "cacheRead", "cacheWrite", "reasoning", "total", "cost", "priced-by")
	t := table{heads: heads, text: len(u.keys), last: true}
	for i := range u.Rows {
		line := &u.Rows[i]
		t.rows = append(t.rows, append(slices.Clone(line.Key), r.cells(&line.Sum, u)...))
	}
	total := make([]string, len(u.keys))
	total[0] = "total"
	t.rows = append(t.rows, append(total, r.cells(&u.Total, u)...))
	if u.depth != nil {
		for i := range u.Rows {
			t.indent = append(t.indent, 2*u.depth[u.Rows[i].Key[0]])
		}
	}
	if err := r.printTable(t); err != nil {
		return err
	}
	if !r.csv {
		r.noteCopies(u)
	}
	return nil
}

// noteCopies says how much of the sessions is a copy.
func (r *report) noteCopies(u *usageTable) {
	if n := u.Total.Copies; n > 0 {
		r.streams.Notef("%s in %s left out, with %s", tty.Count(n, "copy of a call", "copies of calls"), tty.Count(u.copied, "session", "sessions"),
			tty.Count(u.Total.CopyTokens, "token", "tokens"))
	}
}

// cells are the columns of a sum.
func (r *report) cells(s *usage.Sum, u *usageTable) []string {
	t := s.Tokens
	var cells []string
	for _, n := range []int64{s.Calls, t.Input, t.Output, t.CacheRead, t.CacheWrite, t.Reasoning, t.Total()} {
		cells = append(cells, strconv.FormatInt(n, 10))
	}
	if s.Unknown() {
		return append(cells[:1], "", "", "", "", "", "", "", "unknown")
	}
	by := s.PricedBy()
	if s.ComputedCalls > 0 {
		by = strings.Replace(by, string(usage.ByTable), string(usage.ByTable)+" "+u.source+" "+u.date, 1)
	}
	if len(s.Assumed) > 0 {
		by += ", assumed " + strings.Join(s.Assumed, " ")
	}
	return append(cells, s.Cost.Decimal(9), by)
}

// A table is rows of cells: with --table with headings and columns, and with amounts for people; else with tabs.
type table struct {
	heads  []string
	rows   [][]string
	text   int   // how many columns in front are text
	indent []int // of the first column, by row
	last   bool  // the last column is text, the one before it an amount of money

	people [][]screen.Cell // the rows on a screen
}

// printTable prints a table in the form wanted.
func (r *report) printTable(t table) error {
	if r.csv {
		w := csv.NewWriter(r.streams.Out)
		w.UseCRLF = false
		if err := w.Write(t.heads); err != nil {
			return err
		}
		for _, row := range t.rows {
			for i := range row[:t.text] {
				row[i] = inSheet(row[i])
			}
		}
		return w.WriteAll(t.rows)
	}
	if len(t.people) > 0 {
		return r.screen.Table(compactionCols, slices.Values(t.people))
	}
	for _, row := range t.rows {
		for i := range row {
			row[i] = tty.Clean(row[i])
		}
		if err := r.write(strings.Join(row, "\t") + "\n"); err != nil {
			return err
		}
	}
	return nil
}

// inSheet is the text of a cell for a spreadsheet, which takes one that begins with one of these characters for a formula.
func inSheet(text string) string {
	if text = tty.Clean(text); text != "" && strings.IndexByte("=+-@", text[0]) >= 0 {
		return "'" + text
	}
	return text
}

// usageJSON prints a row as one object, and the total last.
func (r *report) usageJSON(u *usageTable) error {
	for i := range u.Rows {
		line := &u.Rows[i]
		out := callRow{place: place(r.place), Key: keyFields(u.keys, u.values(line)), spent: u.spent(&line.Sum)}
		if line.Session != nil {
			out.place = place(placeOf(line.Session))
		}
		if u.depth != nil {
			out.Depth = new(u.depth[line.Key[0]])
		}
		if err := r.print(row.JSON(out)); err != nil {
			return err
		}
	}
	return r.print(row.JSON(callTotalRow{place: place(r.place), spent: u.spent(&u.Total), CopiedIn: u.copied}))
}

// values are those of the keys of a row as rows of JSON have them: a session by its id alone.
func (u *usageTable) values(line *usage.Row) []string {
	values := slices.Clone(line.Key)
	if at := slices.Index(u.keys, "session"); at >= 0 {
		values[at] = line.Session.ID
	}
	return values
}

// keyFields returns members for keys. An unknown value is null.
func keyFields(keys, values []string) (fields []js.Field) {
	for i, name := range keys {
		field := js.Field{Name: name, Raw: "null"}
		if values[i] != "" {
			field = js.StringField(name, js.ValidText(values[i]))
		}
		fields = append(fields, field)
	}
	return fields
}

// print prints a JSON text.
func (r *report) print(text string) error {
	_, err := fmt.Fprintln(r.streams.Out, text)
	return err
}

// spent is a sum as rows have it.
func (u *usageTable) spent(s *usage.Sum) spent {
	out := spent{
		Calls: s.Calls, CacheWrite1h: s.Tokens.CacheWrite1h, Cost: money(s.Cost, s.Priced()),
		Stored: money(s.Stored, s.StoredCalls > 0), Computed: money(s.Computed, s.ComputedCalls > 0), PricedBy: s.PricedBy(),
		Unpriced: s.UnpricedCalls, UnpricedTokens: s.UnpricedTokens, Because: s.Because, PricedAs: s.PricedAs, Assumed: s.Assumed, Copies: s.Copies, CopiedTokens: s.CopyTokens, Bad: s.Bad, WrongTotals: s.WrongTotals,
		CallTokens: s.Parts, OwnTotals: s.Told,
	}
	if !s.Unknown() {
		out.Tokens = new(tokens(s.Tokens))
	}
	if s.Parts > 0 {
		out.Totals = "differ"
	}
	if s.ComputedCalls > 0 {
		out.Prices = &pricesRow{u.source, u.date}
	}
	return out
}

// tokens are tokens as rows have them.
func tokens(t prices.Tokens) row.Tokens {
	return row.Tokens{Input: t.Input, Output: t.Output, CacheRead: t.CacheRead, CacheWrite: t.CacheWrite, Reasoning: t.Reasoning, Total: t.Total()}
}

// money is an amount, exact to a unit of it.
func money(m prices.Money, known bool) row.Number {
	if !known {
		return ""
	}
	return row.USD(m.Decimal(12))
}
