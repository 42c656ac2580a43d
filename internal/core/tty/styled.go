package tty

import (
	"fmt"
	"io"
	"slices"
)

// A Style is how text looks on a terminal that shows colours. Only the styles of this
// package exist: no text of a session can become one. The zero Style is plain.
type Style struct{ on string }

// The styles that the tools use.
var (
	Plain     = Style{}
	Bold      = Style{"\x1b[1m"}
	Dim       = Style{"\x1b[2m"}
	Red       = Style{"\x1b[31m"}
	Green     = Style{"\x1b[32m"}
	Yellow    = Style{"\x1b[33m"}
	Magenta   = Style{"\x1b[35m"}
	Cyan      = Style{"\x1b[36m"}
	BoldRed   = Style{"\x1b[1;31m"}
	BoldGreen = Style{"\x1b[1;32m"}
	BoldBlue  = Style{"\x1b[1;34m"}
)

// off ends every style.
const off = "\x1b[0m"

// A Text is text in styles. Until it is written its styles stand beside its characters
// and not among them, so that a writer which makes control characters visible can tell the
// ones from the others. The zero Text is empty.
type Text struct {
	buf   []byte
	marks []mark
}

// A mark is a sequence in front of the byte at a place.
type mark struct {
	at       int
	sequence string
}

// Add appends text in a style.
func (t *Text) Add(style Style, text string) {
	if style == Plain || text == "" {
		t.buf = append(t.buf, text...)
		return
	}
	t.marks = append(t.marks, mark{len(t.buf), style.on})
	t.buf = append(t.buf, text...)
	t.marks = append(t.marks, mark{len(t.buf), off})
}

// Erase appends that the cursor goes to the beginning of the line that is so many lines above it, and that all from there on
// is taken away.
func (t *Text) Erase(lines int) {
	t.marks = append(t.marks, mark{len(t.buf), fmt.Sprintf("\r\x1b[%dA\x1b[J", lines)})
}

// Append appends another text.
func (t *Text) Append(other Text) {
	for _, m := range other.marks {
		t.marks = append(t.marks, mark{len(t.buf) + m.at, m.sequence})
	}
	t.buf = append(t.buf, other.buf...)
}

// Equal reports whether two texts look the same.
func (t *Text) Equal(other Text) bool {
	return slices.Equal(t.buf, other.buf) && slices.Equal(t.marks, other.marks)
}

// String returns the text without its styles.
func (t *Text) String() string { return string(t.buf) }

// Len returns the number of bytes of the text without its styles.
func (t *Text) Len() int { return len(t.buf) }

// WriteTo writes the text with its styles. To a [Writer] they go as styles; to any other writer as
// the sequences that a terminal takes.
func (t *Text) WriteTo(w io.Writer) (int64, error) {
	style := func(sequence string) error {
		_, err := io.WriteString(w, sequence)
		return err
	}
	if v, ok := w.(*Writer); ok {
		style = v.style
	}
	at := 0
	for _, m := range append(t.marks, mark{at: len(t.buf)}) {
		if m.at > at {
			if _, err := w.Write(t.buf[at:m.at]); err != nil {
				return int64(at), err
			}
			at = m.at
		}
		if m.sequence == "" {
			continue
		}
		if err := style(m.sequence); err != nil {
			return int64(at), err
		}
	}
	return int64(at), nil
}

// WriteLine writes text in a style, and a line feed.
func WriteLine(w io.Writer, style Style, text string) error {
	var t Text
	t.Add(style, text)
	t.Add(Plain, "\n")
	_, err := t.WriteTo(w)
	return err
}
