package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/internal/account"
	"github.com/sess-tools/sess/internal/prices"
	"github.com/sess-tools/sess/internal/tty"
	"github.com/sess-tools/sess/pkg/js"
)

// showUsage prints rows in the form wanted.
func (r *report) showUsage(u *usage) error {
	if r.top > 0 && len(u.Rows) > r.top {
		first := *u // the limits are for all
		first.Rows = u.Rows[:r.top]
		u = &first
	}
	if r.svg != "" || r.plot || r.line {
		c, err := u.chart(r)
		if err != nil {
			return err
		}
		if r.svg != "" {
			err = r.picture(c)
		}
		if err != nil || r.svg == "-" {
			return err
		}
		if r.plot || r.line {
			return r.draw(c)
		}
	}
	if r.json {
		return r.usageJSON(u)
	}
	heads := append(append([]string{}, u.keys...), "calls", "input", "output", "cacheRead", "cacheWrite", "reasoning", "total", "cost", "priced-by")
	t := table{heads: heads, text: len(u.keys), last: true}
	for i := range u.Rows {
		row := &u.Rows[i]
		t.rows = append(t.rows, append(slices.Clone(row.Key), r.cells(&row.Sum, u)...))
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
	if n := u.Total.Copies; n > 0 && !r.csv {
		r.streams.Notef("%d copies of calls in %d sessions left out: they have %d tokens", n, u.copied, u.Total.CopyTokens)
	}
	return nil
}

// cells are the columns of a sum.
func (r *report) cells(s *account.Sum, u *usage) []string {
	t := s.Tokens
	var cells []string
	for _, n := range []int64{s.Calls, t.Input, t.Output, t.CacheRead, t.CacheWrite, t.Reasoning, t.Total()} {
		cells = append(cells, strconv.FormatInt(n, 10))
	}
	by := s.PricedBy()
	if s.ComputedCalls > 0 {
		by = strings.Replace(by, string(account.ByTable), string(account.ByTable)+" "+u.source+" "+u.date, 1)
	}
	return append(cells, s.Cost.Decimal(9), by)
}

// A table is rows of cells. On a terminal, and with --table, it has headings and columns,
// and amounts for people; elsewhere tabs.
type table struct {
	heads  []string
	rows   [][]string
	text   int   // how many columns in front are text
	indent []int // of the first column, by row
	last   bool  // the last column is text, the one before it an amount of money
}

// printTable prints a table in the form wanted.
func (r *report) printTable(t table) error {
	if r.csv {
		w := csv.NewWriter(r.streams.Out)
		w.UseCRLF = false
		if err := w.Write(t.heads); err != nil {
			return err
		}
		if err := w.WriteAll(t.rows); err != nil {
			return err
		}
		w.Flush()
		return w.Error()
	}
	if !r.asTable && !tty.IsTerminal(r.streams.OutFile()) {
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
	return r.columns(t)
}

// columns prints a table for people.
func (r *report) columns(t table) error {
	width := make([]int, len(t.heads))
	rows := append([][]string{t.heads}, t.rows...)
	for n, row := range rows {
		for i, cell := range row {
			if n > 0 {
				row[i] = r.forPeople(t, i, cell, n-1)
			}
			width[i] = max(width[i], len([]rune(row[i])))
		}
	}
	bold := tty.Color(r.color, r.streams.OutFile(), os.LookupEnv)
	for n, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			space := strings.Repeat(" ", width[i]-len([]rune(cell)))
			switch {
			case i < t.text, t.last && i == len(row)-1:
				b.WriteString(cell + space)
			default:
				b.WriteString(space + cell)
			}
			b.WriteString("  ")
		}
		text := strings.TrimRight(b.String(), " ")
		style := tty.Plain
		if n == 0 && bold {
			style = tty.Bold
		}
		if err := tty.WriteLine(r.streams.Out, style, text); err != nil {
			return err
		}
	}
	return nil
}

// forPeople is a cell on a terminal.
func (r *report) forPeople(t table, column int, cell string, row int) string {
	switch {
	case column == 0 && row < len(t.indent):
		return strings.Repeat(" ", t.indent[row]) + tty.Clean(orNone(cell))
	case column < t.text:
		return tty.Clean(cell)
	case t.last && column == len(t.heads)-1:
		return tty.Clean(cell)
	case t.last && column == len(t.heads)-2 && cell != "":
		whole, part, _ := strings.Cut(cell, ".")
		return "$" + tty.Thousands(whole) + "." + (part + "0000")[:4]
	}
	return tty.Thousands(cell)
}

// usageJSON prints a row as one object, and the total last. Members are only ever added.
func (r *report) usageJSON(u *usage) error {
	for i := range u.Rows {
		row := &u.Rows[i]
		var key []js.Field
		for k, name := range u.keys {
			key = append(key, js.StringField(name, js.ValidText(row.Key[k])))
		}
		fields := append([]js.Field{js.RawField("key", js.Object(key...))}, u.members(&row.Sum)...)
		if u.depth != nil {
			fields = append(fields, js.IntField("depth", int64(u.depth[row.Key[0]])))
		}
		if err := r.print(js.Object(fields...)); err != nil {
			return err
		}
	}
	total := append(u.members(&u.Total), js.IntField("copiedIn", int64(u.copied)))
	return r.print(js.Object(js.RawField("total", js.Object(total...))))
}

// print prints a JSON text.
func (r *report) print(text string) error {
	_, err := fmt.Fprintln(r.streams.Out, text)
	return err
}

// members are those of a sum.
func (u *usage) members(s *account.Sum) []js.Field {
	t := s.Tokens
	n := js.IntField
	out := []js.Field{
		n("calls", s.Calls), n("input", t.Input), n("output", t.Output), n("cacheRead", t.CacheRead), n("cacheWrite", t.CacheWrite),
		n("cacheWrite1h", t.CacheWrite1h), n("reasoning", t.Reasoning), n("total", t.Total()),
		js.StringField("cost", s.Cost.Decimal(9)), js.RawField("usd", number(s.Cost)),
		js.StringField("stored", s.Stored.Decimal(9)), js.StringField("computed", s.Computed.Decimal(9)),
		js.StringField("pricedBy", s.PricedBy()), n("unpriced", s.UnpricedCalls), n("unpricedTokens", s.UnpricedTokens),
		js.RawField("dup", js.Object(n("calls", s.Copies), n("tokens", s.CopyTokens))),
	}
	if s.Bad > 0 {
		out = append(out, n("bad", s.Bad))
	}
	if s.WrongTotals > 0 {
		out = append(out, n("wrongTotals", s.WrongTotals))
	}
	if s.ComputedCalls > 0 {
		out = append(out, js.RawField("prices", js.Object(js.StringField("source", u.source), js.StringField("date", u.date))))
	}
	return out
}

// number is an amount in USD as a JSON number.
func number(m prices.Money) string {
	text := strings.TrimRight(m.Decimal(9), "0")
	return strings.TrimSuffix(text, ".")
}
