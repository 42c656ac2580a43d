package tree

import (
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/core/screen"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// A piece is clean text in one style.
type piece struct {
	style tty.Style
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
func (l *line) add(st tty.Style, text string) { l.pieces = append(l.pieces, piece{st, text}) }

// end writes the line with its line feed, and begins a new one. The line has no
// space at its end. The error is that of w.
func (l *line) end(w io.Writer) error {
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
	var t tty.Text
	for _, p := range l.pieces[:last+1] {
		if !l.color {
			p.style = tty.Plain
		}
		t.Add(p.style, p.text)
	}
	t.Add(tty.Plain, "\n")
	l.pieces = l.pieces[:0]
	_, err := t.WriteTo(w)
	return err
}

// cut shortens a line that is too long, so that the mark fits behind it.
func (l *line) cut() {
	total := 0
	for _, p := range l.pieces {
		total += screen.Columns(p.text)
	}
	if total <= l.width {
		return
	}
	room := l.width - screen.Columns(l.more)
	for i := range l.pieces {
		p := &l.pieces[i]
		if n := screen.Columns(p.text); n <= room {
			room -= n
			continue
		}
		if p.text = screen.Truncate(p.text, room, ""); screen.Columns(l.more) <= l.width {
			p.text += l.more
		}
		l.pieces = l.pieces[:i+1]
		return
	}
}

// WriteLabels prints labels as a list: the label, the id of the entry, its role
// or type, and its first words. For an entry that is missing the third cell is
// a dash. The error is that of w.
func WriteLabels(w io.Writer, t *Tree, labels []session.Label, o Options) error {
	more := o.pen().more
	cols := []screen.Col{{Head: "LABEL"}, {Head: "ID"}, {Head: "ENTRY"}, {Head: "TEXT", Flex: true}}
	return writeList(w, o, cols, func(yield func([]string) bool) {
		for _, label := range labels {
			kind, text := "-", ""
			if i, ok := t.Session.Index(label.Target); ok {
				e := t.Session.Entries[i]
				kind, text = words(convo.Kind(e), more), words(convo.Say(e), more)
			}
			if !yield([]string{tty.Clean(label.Name), tty.Clean(label.Target), kind, text}) {
				return
			}
		}
	})
}

// maxWords is the length in characters to which a text is cut.
const maxWords = 60

// words returns the beginning of a text on one line, fit for a terminal: at most maxWords characters, and then the mark more
// if there is a rest. White space becomes a single space, and whatever could act on a terminal is made visible. A text that a
// CI runner would take for a command is broken up, which takes up to three characters more.
func words(text, more string) string {
	text = js.ValidText(text)
	var b strings.Builder
	shown, space := 0, false
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if unicode.IsSpace(r) {
			space = shown > 0
			i += size
			continue
		}
		piece := tty.Clean(text[i : i+size])
		if space {
			piece = " " + piece
		}
		if shown += utf8.RuneCountInString(piece); shown > maxWords {
			return tty.Clean(b.String()) + more
		}
		b.WriteString(piece)
		space = false
		i += size
	}
	return tty.Clean(b.String())
}
