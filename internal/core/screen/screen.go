package screen

import (
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/core/tty"
)

// Least is how many columns a layout is made for at least. A narrower terminal wraps it.
const Least = 40

// A Screen is a terminal that rows are printed on.
type Screen struct {
	Out   io.Writer
	Width int       // in columns, at least [Least]
	Now   time.Time // in the zone in which times are shown
	Home  string    // the user's home directory, "" for none
	Color bool
	Marks Marks
	begun bool        // something was printed
	day   time.Time   // of the rows below, as a heading says it
	held  *[]tty.Text // gets the lines instead of Out, unless nil
}

// On returns the terminal that file is, with out as the way to it, or nil if it is none. Color is the value
// of --color, "" for a tool without it.
func On(out io.Writer, file *os.File, color string) *Screen {
	if file == nil || !tty.IsTerminal(file) {
		return nil
	}
	home, _ := os.UserHomeDir()
	return New(Screen{
		Out: out, Width: tty.Width(file, os.LookupEnv), Now: time.Now(), Home: home, Color: tty.Color(color, file, os.LookupEnv),
	}, !tty.UTF8(os.LookupEnv))
}

// New returns a screen with the fields of another one, and its marks, which may have to be ASCII.
func New(of Screen, ascii bool) *Screen {
	of.Width = max(of.Width, Least)
	of.Marks = unicodeMarks
	if ascii {
		of.Marks = asciiMarks
	}
	return &of
}

// A Cell is text in a style. What could act on a terminal is made visible, and line ends are spaces.
type Cell struct {
	Text  string
	Style tty.Style
	Tail  string  // stays behind the text if that is cut
	Part  float64 // of 1, in a column of bars
}

// A Col is a column of a table.
type Col struct {
	Head  string
	Right bool // cells stand on the right
	Flex  bool // takes the room that the others leave; several share it, and the last takes the rest
	Max   int  // the columns of a cell at most, 0 for any number
	Bar   bool // with Flex: cells are bars, as long as their Part
	From  int  // on a screen of fewer columns it is left out
}

// mostBar is how many columns a bar has at most.
const mostBar = 30

// gap stands between the columns of a table.
const gap = "  "

// mostHeld is how many rows of a table its widths are made for: those behind are cut to them.
const mostHeld = 1000

// Table prints rows, which have a cell for each column, under their heads. Without rows it prints nothing.
func (sc *Screen) Table(cols []Col, rows iter.Seq[[]Cell]) error {
	var kept []int
	for i, c := range cols {
		if c.From <= sc.Width {
			kept = append(kept, i)
		}
	}
	t := table{sc: sc}
	for _, i := range kept {
		t.cols = append(t.cols, cols[i])
	}
	var held [][]Cell
	for row := range rows {
		one := make([]Cell, len(kept))
		for i, at := range kept {
			one[i] = row[at]
			one[i].Text, one[i].Tail = cleaned(one[i].Text), cleaned(one[i].Tail)
		}
		if held != nil || t.widths == nil {
			if held = append(held, one); len(held) < mostHeld {
				continue
			}
			if err := t.begin(held); err != nil {
				return err
			}
			held = nil
			continue
		}
		if err := t.row(one); err != nil {
			return err
		}
	}
	if len(held) > 0 {
		return t.begin(held)
	}
	return nil
}

// A table is one that is printed.
type table struct {
	sc     *Screen
	cols   []Col
	widths []int
}

// leastFlex is how many columns the rest of a row has at least.
const leastFlex = 8

// begin measures rows, and prints the heads and them.
func (t *table) begin(rows [][]Cell) error {
	t.widths = make([]int, len(t.cols))
	headed, sum := false, -len(gap)
	var flex []int
	for i, c := range t.cols {
		headed = headed || c.Head != ""
		sum += len(gap)
		if c.Flex {
			flex = append(flex, i)
			continue
		}
		t.widths[i] = t.wanted(i, rows)
		sum += t.widths[i]
	}
	most := t.sc.Width - leastFlex*len(flex)
	for ; sum > most; sum-- { // the widest texts give way
		widest := -1
		for i, c := range t.cols {
			if !c.Right && !c.Flex && t.widths[i] > leastFlex && (widest < 0 || t.widths[i] > t.widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		t.widths[widest]--
	}
	for k, i := range flex {
		room := (t.sc.Width - sum) / (len(flex) - k)
		if k < len(flex)-1 {
			room = min(room, t.wanted(i, rows))
		}
		t.widths[i] = max(room, leastFlex)
		sum += t.widths[i]
	}
	if headed {
		heads := make([]Cell, len(t.cols))
		for i, c := range t.cols {
			heads[i] = Cell{Text: c.Head, Style: tty.Bold}
		}
		if err := t.row(heads); err != nil {
			return err
		}
	}
	for _, row := range rows {
		if err := t.row(row); err != nil {
			return err
		}
	}
	return nil
}

// wanted returns how wide the cells of a column are, and its head.
func (t *table) wanted(i int, rows [][]Cell) int {
	c := t.cols[i]
	n := Columns(c.Head)
	for _, row := range rows {
		n = max(n, Columns(row[i].Text)+Columns(row[i].Tail))
	}
	if c.Max > 0 {
		n = min(n, max(c.Max, Columns(c.Head)))
	}
	return n
}

// row prints a row.
func (t *table) row(cells []Cell) error {
	var out []Cell
	for i, c := range cells {
		if i > 0 {
			out = append(out, Cell{Text: gap})
		}
		if t.cols[i].Bar {
			c.Text = t.sc.Bar(c.Part, 1, min(t.widths[i], mostBar))
		}
		fitted := fit([]Cell{c}, t.widths[i], t.sc.Marks.More)
		space := Cell{Text: strings.Repeat(" ", max(t.widths[i]-Columns(join(fitted)), 0))}
		switch {
		case t.cols[i].Right:
			out = append(append(out, space), fitted...)
		case i < len(cells)-1:
			out = append(append(out, fitted...), space)
		default:
			out = append(out, fitted...)
		}
	}
	return t.sc.print(out)
}

// A Heading says which session the rows below are of.
type Heading struct {
	Address  string // as short as people read it
	Modified time.Time
	CWD      string
	Title    string
}

// addressWidth is how many columns an address of Claude Code takes, so that headings stand below each other.
const addressWidth = 15

// nameWidth is how many columns the name of a file has at least where it stands for a session.
const nameWidth = 24

// Head prints a heading, behind a blank line if something stands above it.
func (sc *Screen) Head(h Heading) error {
	if err := sc.Blank(); err != nil {
		return err
	}
	cells := []Cell{{Text: pad(sc.Directory(h.Address, max(nameWidth, sc.Width/3)), addressWidth, false), Style: tty.Cyan}}
	for _, c := range []Cell{
		{Text: When(h.Modified, sc.Now), Style: tty.Dim},
		{Text: Base(h.CWD), Style: tty.Dim},
		{Text: OneLine(head(h.Title, sc.Width)), Style: tty.Bold},
	} {
		if c.Text != "" {
			cells = append(cells, Cell{Text: gap}, c)
		}
	}
	sc.Dated(h.Modified)
	return sc.print(cells)
}

// Dated says that the heading of the rows below has a time.
func (sc *Screen) Dated(t time.Time) { sc.day = t }

// Day prints the day of a row that has only its time of day, if it is another than that of the heading and of the rows above. The zero time is of no day.
func (sc *Screen) Day(t time.Time, indent string) error {
	if t.IsZero() || ofDay(t, sc.Now, time.DateOnly) == ofDay(sc.day, sc.Now, time.DateOnly) {
		return nil
	}
	sc.day = t
	return sc.print([]Cell{{Text: indent + Date(t, sc.Now), Style: tty.Dim}})
}

// Blank prints a blank line, unless nothing stands above it.
func (sc *Screen) Blank() error {
	if !sc.begun {
		return nil
	}
	return sc.print(nil)
}

// leastText is how many columns the text of a line has at least.
const leastText = 12

// Line prints a text behind cells, which are cut if they leave it no room. Of a long text the part with the first match
// is shown. Matches are in bold.
func (sc *Screen) Line(left []Cell, text Cell, match ...Span) error {
	return sc.PrintRow(sc.Row(left, text, match...))
}

// A Row is a line that is laid out: the cells on the left, and the text behind them.
type Row struct{ left, text []Cell }

// Text returns what a row shows of its text.
func (r Row) Text() string { return join(r.text) }

// PrintRow prints a row.
func (sc *Screen) PrintRow(r Row) error { return sc.print(slices.Concat(r.left, r.text)) }

// Row lays out a line as [Screen.Line] prints it.
func (sc *Screen) Row(left []Cell, text Cell, match ...Span) Row {
	begin := make([]Cell, len(left))
	for i, c := range left {
		begin[i] = Cell{Text: cleaned(c.Text), Style: c.Style}
	}
	begin = fit(begin, sc.Width-leastText, sc.Marks.More)
	end := Cell{Text: cleaned(text.Tail), Style: tty.Dim}
	room := sc.Width - Columns(join(begin))
	if Columns(end.Text) > room/2 {
		end.Text = ""
	}
	shown := view(text.Text, match, room-Columns(end.Text), sc.Marks.More)
	for i := range shown {
		if shown[i].Style == tty.Plain {
			shown[i].Style = text.Style
		}
	}
	return Row{begin, append(shown, end)}
}

// Ends prints cells, and one at the end of the line, for which they are cut.
func (sc *Screen) Ends(left []Cell, right Cell) error {
	out := make([]Cell, len(left), len(left)+2)
	for i, c := range left {
		out[i] = Cell{Text: cleaned(c.Text), Style: c.Style}
	}
	right.Text = Truncate(cleaned(right.Text), sc.Width/2, sc.Marks.More)
	room := sc.Width - Columns(right.Text)
	if right.Text != "" {
		out = fit(out, room-len(gap), sc.Marks.More)
	}
	return sc.print(append(out, Cell{Text: strings.Repeat(" ", max(room-Columns(join(out)), 0))}, right))
}

// Write prints a line of cells, one behind the other.
func (sc *Screen) Write(cells ...Cell) error {
	out := slices.Clone(cells)
	for i := range out {
		out[i].Text, out[i].Tail = cleaned(out[i].Text), cleaned(out[i].Tail)
	}
	return sc.print(out)
}

// Foot prints a sentence about the rows above, broken at words.
func (sc *Screen) Foot(format string, args ...any) error {
	for _, line := range Wrap(fmt.Sprintf(format, args...), sc.Width) {
		if err := sc.print([]Cell{{Text: line, Style: tty.Dim}}); err != nil {
			return err
		}
	}
	return nil
}

// Bar returns a bar of at most width columns for a whole. A part of it that is above zero has one column at least.
func (sc *Screen) Bar(part, whole float64, width int) string {
	if part <= 0 || whole <= 0 || width <= 0 {
		return ""
	}
	return strings.Repeat(sc.Marks.Bar, max(1, min(width, int(float64(width)*part/whole+0.5))))
}

// print prints a line of clean cells, as much of it as has room, without spaces at its end.
func (sc *Screen) print(cells []Cell) error {
	sc.begun = true
	cells = fit(cells, sc.Width, sc.Marks.More)
	var pieces []Cell
	for _, c := range cells {
		pieces = append(pieces, Cell{Text: c.Text, Style: c.Style}, Cell{Text: c.Tail, Style: tty.Dim})
	}
	for len(pieces) > 0 {
		last := &pieces[len(pieces)-1]
		if last.Text = strings.TrimRight(last.Text, " "); last.Text != "" {
			break
		}
		pieces = pieces[:len(pieces)-1]
	}
	var t tty.Text
	for _, c := range pieces {
		if !sc.Color {
			c.Style = tty.Plain
		}
		t.Add(c.Style, c.Text)
	}
	t.Add(tty.Plain, "\n")
	if sc.held != nil {
		*sc.held = append(*sc.held, t)
		return nil
	}
	_, err := t.WriteTo(sc.Out)
	return err
}
