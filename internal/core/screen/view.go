package screen

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/core/tty"
)

// A Span is a part of a text, in bytes.
type Span struct{ From, To int }

// view returns a text on one line of at most width columns, with the spans in bold. They follow each other; the first is in view: the text
// in front of it gets a third of the room, or as much as the rest leaves.
func view(text string, spans []Span, width int, more string) []Cell {
	at := Span{}
	if len(spans) > 0 {
		at = spans[0]
	}
	far, near := window(text, at, perColumn*max(width+1, 1)), window(text, at, usualPerColumn*max(width+1, 1))
	if near != far && !mayBeDoubtful(text[far.From:far.To]) && isSimple(text[near.From:near.To]) {
		before, rest := around(text, spans, near.From, near.To)
		if (near.From == far.From || Columns(before) > width) && (near.To == far.To || Columns(join(rest)) > width) {
			return lay(before, rest, near.From > 0, near.To < len(text), width, more)
		}
	}
	before, rest := around(text, spans, far.From, far.To)
	return lay(before, rest, far.From > 0, far.To < len(text), width, more)
}

// usualPerColumn is how many bytes of a text are looked at for each column at first. Where they fill the room, and their characters are
// simple, the others change nothing.
const usualPerColumn = 2

// window returns the part of a text with so many bytes in front of the beginning of a span and behind it, of whole characters.
func window(text string, m Span, n int) Span {
	w := Span{max(m.From-n, 0), min(m.From+n, len(text))}
	for w.From < m.From && !utf8.RuneStart(text[w.From]) {
		w.From++
	}
	for w.To > m.From && w.To < len(text) && !utf8.RuneStart(text[w.To]) {
		w.To--
	}
	return w
}

// isSimple reports whether a text is of spaces and characters that take one column each.
func isSimple(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return !takesOneColumn(r) && !unicode.IsSpace(r) })
}

// lay returns the part of a text that has room, of the text in front of the first span and the rest. Begun and goes say that there is more
// in front of it, and behind.
func lay(before string, rest []Cell, begun, goes bool, width int, more string) []Cell {
	behind, match := Columns(join(rest)), 0
	for _, c := range rest {
		if match += Columns(c.Text); c.Style == tty.Bold {
			break
		}
	}
	if goes {
		rest = append(rest, Cell{Text: " " + more})
		behind = width
	}
	room := max(min(max(width/3, width-behind), width-match-Columns(more)), width/12)
	if begun {
		before = more + before
	}
	if begun || Columns(before) > room {
		before = atWord(cutLeft(before, room, more), more)
	}
	return fit(append([]Cell{{Text: before}}, rest...), width, more)
}

// around returns the part of a text from one byte to another on one line: the text in front of the first span, and
// the rest, with the spans in bold.
func around(text string, spans []Span, from, to int) (before string, rest []Cell) {
	begun, space := false, false // there is text; a space is to come
	matched := false
	put := func(body string, style tty.Style) {
		if matched {
			rest = append(rest, Cell{Text: body, Style: style})
		} else {
			before += body
		}
	}
	add := func(part string, style tty.Style) {
		if r, _ := utf8.DecodeRuneInString(part); part != "" && unicode.IsSpace(r) {
			space = true
		}
		body := OneLine(part)
		if body == "" {
			return
		}
		if space && begun {
			put(" ", tty.Plain)
		}
		put(body, style)
		last, _ := utf8.DecodeLastRuneInString(part)
		begun, space = true, unicode.IsSpace(last)
	}
	for _, m := range spans {
		if m.From < from || m.From >= to {
			continue
		}
		add(text[from:m.From], tty.Plain)
		matched = true
		from = min(max(m.To, m.From), to)
		add(text[m.From:from], tty.Bold)
	}
	matched = true
	add(text[from:to], tty.Plain)
	return before, rest
}

// near is how many columns are given away so that a text begins with a word.
const near = 12

// atWord takes the rest of a word from the beginning of a text that was cut there.
func atWord(text, more string) string {
	rest, is := strings.CutPrefix(text, more)
	if !is {
		return text
	}
	word, words, ok := strings.Cut(rest, " ")
	if !ok || words == "" || Columns(word) > near {
		return text
	}
	return more + words
}

// join returns the text of cells.
func join(cells []Cell) string {
	var b strings.Builder
	for _, c := range cells {
		b.WriteString(c.Text + c.Tail)
	}
	return b.String()
}

// fit returns as much of cells, one behind the other, as has room in width columns. A mark stands for what was cut off;
// the tail of the last cell stays.
func fit(cells []Cell, width int, more string) []Cell {
	whole := join(cells)
	if doubtful(whole) {
		width--
	}
	if len(cells) == 0 || Columns(whole) <= width {
		return cells
	}
	end := Cell{Style: tty.Dim, Text: cells[len(cells)-1].Tail}
	if Columns(end.Text) > width/2 {
		end.Text = ""
	}
	for room := width - Columns(end.Text); room > 0; room-- { // characters at the seams may join
		out := append(fill(cells, room, more), end)
		if Columns(join(out)) <= width {
			return out
		}
	}
	return nil
}

// fill fills a width with cells that take more, and the mark.
func fill(cells []Cell, width int, more string) (out []Cell) {
	if Columns(more) > width {
		more = ""
	}
	room := width - Columns(more)
	for _, c := range cells {
		c.Tail = ""
		n := Columns(c.Text)
		if n > room {
			c.Text = Truncate(c.Text, room, "") + more
			return append(out, c)
		}
		room -= n
		out = append(out, c)
	}
	return out
}
