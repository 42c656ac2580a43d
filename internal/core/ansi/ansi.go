// Package ansi knows what in a text acts on a terminal: the escape sequences of ECMA-48, and
// single characters.
package ansi

import "strings"

// A Sequence is an escape sequence, or the beginning of one.
type Sequence struct {
	Kind  byte   // behind ESC: '[' of a control sequence, ']' of a command to the terminal
	Body  string // of a whole one: what follows Kind, without the terminator of a command
	Size  int    // in bytes; of one that is not whole, up to where it breaks off
	Whole bool
}

// Sure returns how many bytes are no text: those of a whole sequence, else its introducer alone.
func (q Sequence) Sure() int {
	if q.Whole {
		return q.Size
	}
	return min(q.Size, 2)
}

// texts are the kinds whose body is a text, which ends with BEL or ST.
const texts = "]PX^_"

// At returns the sequence that a text begins with; one of size 0 if it begins with none. One
// character of U+0080 to U+009F stands for ESC and a byte: those are sequences only if more
// belongs to them.
func At(s string) (q Sequence) {
	if s != "" && (s[0] == 0x1b || s[0] == 0xc2) { // inlined, as most texts have neither
		q.read(s)
	}
	return q
}

func (q *Sequence) read(s string) {
	switch {
	case s == "\x1b":
		q.Size = 1
		return
	case s[0] == 0x1b:
		q.Kind = s[1]
	case isC1(s) && (s[1] == 0x9b || strings.IndexByte(texts, s[1]-0x40) >= 0):
		q.Kind = s[1] - 0x40
	default:
		return
	}
	switch {
	case q.Kind == '[':
		q.end(s, '@')
	case strings.IndexByte(texts, q.Kind) >= 0:
		q.text(s)
	case q.Kind >= 0x20 && q.Kind < 0x30: // as in ESC ( B
		q.end(s, '0')
	case q.Kind >= '0' && q.Kind < 0x7f:
		q.Size, q.Whole = 2, true
	default:
		q.Size = 1
	}
}

// end looks for the end of a sequence: a byte from final on.
func (q *Sequence) end(s string, final byte) {
	for q.Size = 2; q.Size < len(s) && s[q.Size] >= ' ' && s[q.Size] < final; {
		q.Size++
	}
	if q.Size < len(s) && s[q.Size] >= final && s[q.Size] < 0x7f {
		q.Size++
		q.Whole, q.Body = true, s[2:q.Size]
	}
}

// text looks for the end of a text. It looks no further than the next sequence, so that all of
// a text is looked at once.
func (q *Sequence) text(s string) {
	for q.Size = 2; q.Size < len(s); q.Size++ {
		rest := s[q.Size:]
		switch {
		case rest[0] == '\a':
			q.Body, q.Size, q.Whole = s[2:q.Size], q.Size+1, true
			return
		case strings.HasPrefix(rest, "\x1b\\"), strings.HasPrefix(rest, "\u009c"):
			q.Body, q.Size, q.Whole = s[2:q.Size], q.Size+2, true
			return
		case rest[0] == 0x1b, rest[0] == 0x18, rest[0] == 0x1a, isC1(rest):
			return
		}
	}
}

// isC1 reports whether a text begins with one of the controls U+0080 to U+009F.
func isC1(s string) bool { return len(s) > 1 && s[0] == 0xc2 && s[1] >= 0x80 && s[1] < 0xa0 }

// Strip returns a text without its whole sequences.
func Strip(s string) string {
	var b strings.Builder
	from := 0
	for i := 0; i < len(s); i++ {
		if s[i] != 0x1b && s[i] != 0xc2 {
			continue
		}
		if q := At(s[i:]); q.Whole {
			b.WriteString(s[from:i])
			i += q.Size - 1
			from = i + 1
		}
	}
	if from == 0 {
		return s
	}
	return b.String() + s[from:]
}

// Acts reports whether a character steers a terminal, ends a line or turns the order of a
// text.
func Acts(r rune) bool {
	return r < 0x20 || 0x7f <= r && r < 0xa0 || r == 0x061c || r == 0x200e || r == 0x200f ||
		0x2028 <= r && r <= 0x202e || 0x2066 <= r && r <= 0x2069
}
