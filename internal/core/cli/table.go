package cli

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Columns are those of a table for people, two spaces apart: of words without wide characters, as in help. Tables with texts of
// users are printed by package screen, which small programs do not link.
type Columns []Column

// A Column is one of a table. Its width is a number of characters.
type Column struct {
	Head  string
	Width int  // of a cell at least
	Right bool // its cells stand on the right
	Cut   bool // wider texts than Width are cut off
}

// Fit makes the columns at least as wide as their heads and the cells of the rows.
func (c Columns) Fit(rows ...[]string) {
	for i := range c {
		c[i].Width = max(c[i].Width, utf8.RuneCountInString(c[i].Head))
		for _, row := range rows {
			c[i].Width = max(c[i].Width, utf8.RuneCountInString(row[i]))
		}
	}
}

// Line returns a row, without a line feed. Nothing is put behind its last cell.
func (c Columns) Line(cells ...string) string {
	cells = slices.Clone(cells)
	for i, cell := range cells {
		space := c[i].Width - utf8.RuneCountInString(cell)
		switch padding := strings.Repeat(" ", max(space, 0)); {
		case c[i].Cut && space < 0:
			cells[i] = string([]rune(cell)[:c[i].Width])
		case c[i].Right:
			cells[i] = padding + cell
		case i < len(cells)-1:
			cells[i] += padding
		}
	}
	return strings.Join(cells, "  ")
}

// Table returns rows as lines, each behind an indent, with columns on the left.
func Table(indent string, rows [][]string) string {
	columns, text := make(Columns, len(rows[0])), ""
	columns.Fit(rows...)
	for _, row := range rows {
		text += indent + columns.Line(row...) + "\n"
	}
	return text
}
