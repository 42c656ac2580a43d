package tree

import (
	"strings"
	"unicode"
)

// A style is the escape sequence that switches it on.
type style string

const (
	plainStyle style = ""
	boldStyle  style = "\x1b[1m"
	dimStyle   style = "\x1b[2m"
	labelStyle style = "\x1b[33m"
	markStyle  style = "\x1b[35m"
	noteStyle  style = "\x1b[31m"
)

const styleOff = "\x1b[0m"

// A piece is clean text in one style.
type piece struct {
	style style
	text  string
}

// A line is collected piece by piece, cut at a width, and printed.
type line struct {
	pieces []piece
	color  bool
	more   string // the mark that stands for what was cut
	width  int    // of the terminal in columns; 0 for none: nothing is cut
}

// add appends clean text.
func (l *line) add(st style, text string) { l.pieces = append(l.pieces, piece{st, text}) }

// end returns the line with its line feed, and begins a new one. The line has no
// space at its end.
func (l *line) end() string {
	if l.width > 0 {
		l.cut()
	}
	last := len(l.pieces) - 1
	for ; last >= 0; last-- {
		p := &l.pieces[last]
		if p.text = strings.TrimRight(p.text, " "); p.text != "" {
			break
		}
	}
	var b strings.Builder
	for _, p := range l.pieces[:last+1] {
		switch {
		case p.text == "":
		case l.color && p.style != plainStyle:
			b.WriteString(string(p.style) + p.text + styleOff)
		default:
			b.WriteString(p.text)
		}
	}
	b.WriteByte('\n')
	l.pieces = l.pieces[:0]
	return b.String()
}

// cut shortens a line that is too long, so that the mark fits behind it.
func (l *line) cut() {
	total := 0
	for _, p := range l.pieces {
		total += columns(p.text)
	}
	if total <= l.width {
		return
	}
	room := l.width - columns(l.more)
	for i := range l.pieces {
		p := &l.pieces[i]
		fits := prefix(p.text, room)
		room -= columns(p.text[:fits])
		if fits == len(p.text) {
			continue
		}
		if p.text = p.text[:fits]; columns(l.more) <= l.width {
			p.text += l.more
		}
		l.pieces = l.pieces[:i+1]
		return
	}
}

// prefix returns the length in bytes of the longest prefix of text that takes
// no more than width columns.
func prefix(text string, width int) int {
	for i, r := range text {
		if width -= runeColumns(r); width < 0 {
			return i
		}
	}
	return len(text)
}

// columns returns the number of columns a clean text takes.
func columns(text string) int {
	n := 0
	for _, r := range text {
		n += runeColumns(r)
	}
	return n
}

// wide are the ranges of characters that terminals show in two columns: East
// Asian scripts, full width forms and pictures, from Unicode's EastAsianWidth
// in broad strokes. A terminal that differs shows a line that is a little too
// long or too short.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x1100, Hi: 0x115f, Stride: 1},
		{Lo: 0x2e80, Hi: 0x303e, Stride: 1},
		{Lo: 0x3041, Hi: 0xa4cf, Stride: 1},
		{Lo: 0xa960, Hi: 0xa97f, Stride: 1},
		{Lo: 0xac00, Hi: 0xd7a3, Stride: 1},
		{Lo: 0xf900, Hi: 0xfaff, Stride: 1},
		{Lo: 0xfe30, Hi: 0xfe6f, Stride: 1},
		{Lo: 0xff00, Hi: 0xff60, Stride: 1},
		{Lo: 0xffe0, Hi: 0xffe6, Stride: 1},
	},
	R32: []unicode.Range32{
		{Lo: 0x1f300, Hi: 0x1f64f, Stride: 1},
		{Lo: 0x1f680, Hi: 0x1f6ff, Stride: 1},
		{Lo: 0x1f900, Hi: 0x1faff, Stride: 1},
		{Lo: 0x20000, Hi: 0x3fffd, Stride: 1},
	},
}

func runeColumns(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case unicode.Is(wide, r):
		return 2
	}
	return 1
}
