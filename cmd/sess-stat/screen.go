package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/screen"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/internal/readers/prices"
	"github.com/sess-tools/sess/internal/readers/usage"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// moreKeys is how many columns a key takes beside the first one: columns of numbers go earlier by that.
const moreKeys = 12

// widestKey is how many columns the value of a key has at most.
const widestKey = 32

// usageScreen prints sums for people, and notes on gaps in the sums below.
func (r *report) usageScreen(u *usageTable) error {
	sc := r.screen
	from := func(columns int) int {
		if columns == 0 {
			return 0
		}
		return columns + moreKeys*(len(u.keys)-1)
	}
	var cols []screen.Col
	for _, key := range u.keys {
		cols = append(cols, screen.Col{Head: strings.ToUpper(key), Max: widestKey})
	}
	for _, c := range []struct {
		head string
		from int
	}{{"CALLS", 70}, {"INPUT", from(50)}, {"OUTPUT", from(44)}, {"CACHED", from(50)}, {"WRITTEN", from(100)}, {"TOKENS", 0}, {"COST", 0}} {
		cols = append(cols, screen.Col{Head: c.head, Right: true, From: c.from})
	}
	bars := len(u.Rows) > 1 && u.Total.Cost > 0
	if bars {
		cols = append(cols, screen.Col{Flex: true, Bar: true, From: from(72)})
	}
	var most prices.Money
	var names []string
	for i := range u.Rows {
		most = max(most, u.Rows[i].Cost)
		names = append(names, nameOf(&u.Rows[i]))
	}
	short := screen.Short(names)
	line := func(keys []screen.Cell, s *usage.Sum, part float64) []screen.Cell {
		t := s.Tokens
		row := slices.Concat(keys, []screen.Cell{{Text: screen.Count(s.Calls)}})
		for _, n := range []int64{t.Input, t.Output, t.CacheRead, t.CacheWrite, t.Total()} {
			text := tokenText(sc, n)
			if s.Unknown() {
				text = sc.Marks.None
			}
			row = append(row, screen.Cell{Text: text})
		}
		row = append(row, screen.Cell{Text: costText(sc, s.Cost, s.Priced())})
		if bars {
			row = append(row, screen.Cell{Part: part})
		}
		return row
	}
	err := sc.Table(cols, func(yield func([]screen.Cell) bool) {
		for i := range u.Rows {
			row := &u.Rows[i]
			if !yield(line(u.keyCells(sc, row, short), &row.Sum, float64(row.Cost)/float64(max(most, 1)))) {
				return
			}
		}
		total := make([]screen.Cell, len(u.keys))
		total[0] = screen.Cell{Text: "total", Style: tty.Bold}
		yield(line(total, &u.Total, 0))
	})
	if err != nil {
		return err
	}
	r.noteCopies(u)
	var said []string
	if s := &u.Total; s.ComputedCalls > 0 {
		text := "prices: " + u.source + " of " + u.date
		if s.StoredCalls > 0 {
			text += ", and what sessions have stored"
		}
		said = append(said, text)
	}
	if names := u.Total.Assumed; len(names) > 0 {
		said = append(said, "priced as "+strings.Join(names, ", ")+" where a session names no provider")
	}
	said = append(said, r.lacks...)
	for i, text := range said {
		said[i] = strings.ToUpper(text[:1]) + text[1:] + "."
	}
	return r.screen.Foot("%s", strings.Join(said, " "))
}

// keyCells are the keys of a row.
func (u *usageTable) keyCells(sc *screen.Screen, row *usage.Row, short func(string) string) (cells []screen.Cell) {
	for i, key := range u.keys {
		c := screen.Cell{Text: orNone(row.Key[i])}
		switch {
		case row.Key[i] == "":
			c.Style = tty.Dim
		case key == "session":
			c = screen.Cell{Text: sc.Directory(short(nameOf(row)), widestKey), Style: tty.Cyan}
			if u.depth != nil {
				c.Text = strings.Repeat("  ", u.depth[row.Key[0]]) + c.Text
			}
		case key == "project":
			c.Text = sc.Directory(c.Text, widestKey)
		}
		cells = append(cells, c)
	}
	return cells
}

// nameOf is the name of a row's session for people, before it is shortened.
func nameOf(row *usage.Row) string {
	if row.Session == nil {
		return ""
	}
	s := row.Session
	return address.Shown(s.Agent, cmp.Or(s.Operand, s.Path, s.Name), s.ID)
}

// tokenText is a number of tokens, with a mark for none.
func tokenText(sc *screen.Screen, n int64) string {
	if n == 0 {
		return sc.Marks.None
	}
	return screen.Tokens(n)
}

// costText is an amount, with a mark for one that is not known.
func costText(sc *screen.Screen, m prices.Money, known bool) string {
	if !known {
		return sc.Marks.None
	}
	return screen.USD(float64(m) / float64(prices.USD))
}

// contextScreen prints the parts of a context for people, what no file has last.
func (r *report) contextScreen(rows []weight, c usage.Context) error {
	sc := r.screen
	plain := slices.Equal(r.keys, []string{"role", "tool"})
	var cols []screen.Col
	if plain {
		cols = append(cols, screen.Col{Head: "WHAT", Max: widestKey})
	} else {
		for _, key := range r.keys {
			cols = append(cols, screen.Col{Head: strings.ToUpper(key), Max: widestKey})
		}
	}
	cols = append(cols,
		screen.Col{Head: "TOKENS", Right: true}, screen.Col{Head: "SHARE", Right: true, From: 50},
		screen.Col{Head: "ENTRIES", Right: true, From: 70}, screen.Col{Flex: true, Bar: true})
	slices.SortStableFunc(rows, func(a, b weight) int { return cmp.Compare(outsideRank(a), outsideRank(b)) })
	var most int64
	for _, w := range rows {
		most = max(most, w.tokens)
	}
	return sc.Table(cols, func(yield func([]screen.Cell) bool) {
		for _, w := range rows {
			var row []screen.Cell
			if plain {
				row = append(row, screen.Cell{Text: whatOf(w.key[0], w.key[1])})
			} else {
				for i, value := range w.key {
					if r.keys[i] == "file" {
						value = sc.Directory(value, widestKey)
					}
					if i == 0 || value != "" {
						value = whatOf(orNone(value), "")
					}
					row = append(row, screen.Cell{Text: value})
				}
			}
			entries := sc.Marks.None
			if w.entries > 0 {
				entries = screen.Count(w.entries)
			}
			percent := strconv.FormatFloat(100*float64(w.tokens)/float64(max(c.Tokens, 1)), 'f', 0, 64) + "%"
			if !yield(append(row, screen.Cell{Text: screen.Tokens(w.tokens)}, screen.Cell{Text: percent}, screen.Cell{Text: entries},
				screen.Cell{Part: float64(w.tokens) / float64(max(most, 1))})) {
				return
			}
		}
	})
}

// outsideRank sorts tokens that no file has, such as those of tools, behind the others: it is 1 for them, and 0 for others.
func outsideRank(w weight) int {
	if w.key[0] == usage.KindOutside {
		return 1
	}
	return 0
}

// whatOf says what parts of a role are, with the tool that they are of.
func whatOf(role, tool string) string {
	names := map[string]string{
		usage.KindOutside: "not in the file", usage.KindContext: "notes to the model",
		session.RoleCompactionSummary: "summaries", session.RoleBranchSummary: "summaries of branches", session.RoleSystem: "system prompt",
		session.RoleUser: "prompts", session.RoleAssistant: "answers", session.RoleToolResult: "tool results", session.RoleBashExecution: "commands of the user",
	}
	name := cmp.Or(names[role], role)
	switch {
	case tool == "":
		return name
	case role == session.RoleAssistant:
		name = "calls"
	}
	return name + ", " + tool
}

// windowFoot says on a screen how full a context is.
func (r *report) windowFoot(c usage.Context, path []session.Entry) error {
	if r.screen == nil {
		return nil
	}
	text := "total  " + screen.Tokens(c.Tokens) + " tokens"
	if !c.Calibrated {
		text = "total  about " + screen.Tokens(c.Tokens) + " tokens"
	}
	table, err := prices.Builtin()
	if err != nil {
		return err
	}
	if window, _ := windowOf(path, &usage.Costing{Table: table}); window > 0 {
		text += fmt.Sprintf(", %.0f%% of a window of %s", 100*float64(c.Tokens)/float64(window), screen.Tokens(window))
	}
	return r.screen.Write(screen.Cell{Text: text, Style: tty.Dim})
}

// compactedCells is a compaction in the columns of compactionCols.
func (r *report) compactedCells(name string, c usage.Compacted, is usage.Charge) []screen.Cell {
	at := ""
	if t, ok := js.ParseTime(c.Time); ok {
		at = screen.When(time.UnixMilli(t), r.screen.Now)
	}
	cells := []screen.Cell{{Text: name, Style: tty.Cyan}, {Text: screen.Short(nil)(c.Entry), Style: tty.Dim}, {Text: at, Style: tty.Dim}}
	for _, text := range []string{
		tokenText(r.screen, c.Before), tokenText(r.screen, c.After), tokenText(r.screen, c.Before-c.After),
		screen.Count(c.Entries), screen.Count(len(c.Files)), costText(r.screen, is.Cost, c.Called && is.By != usage.Unpriced),
	} {
		cells = append(cells, screen.Cell{Text: text})
	}
	return cells
}

// compactionCols are the columns of compactions on a screen.
var compactionCols = []screen.Col{
	{Head: "SESSION", Max: widestKey},
	{Head: "ENTRY", From: 100},
	{Head: "TIME", From: 60},
	{Head: "BEFORE", Right: true},
	{Head: "AFTER", Right: true},
	{Head: "SAVED", Right: true, From: 50},
	{Head: "ENTRIES", Right: true, From: 70},
	{Head: "FILES", Right: true, From: 90},
	{Head: "COST", Right: true},
}
