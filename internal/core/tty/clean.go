package tty

import (
	"bufio"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/core/ansi"
	"github.com/sess-tools/sess/internal/core/runner"
)

// Clean returns s with everything that could act on a terminal, lie about
// the order of the text, or be a command of a runner of CI that reads it, made visible in the
// notation of a Go string literal:
//
//   - tab, line feed and carriage return become \t, \n and \r
//   - the other C0 controls and DEL become \x1b and the like
//   - C1 controls, U+2028 and U+2029, and the bidirectional marks, embeddings,
//     overrides and isolates become \u009b and the like
//   - a byte that is not UTF-8 becomes \xff and the like
//   - the second colon of a text that begins with :: becomes \x3a, and the bracket of ##[ and
//     ##vso[ becomes \x5b
//
// Everything else, the backslash included, stays as it is: Clean makes a text
// safe to look at, it is not an encoding that can be undone. The result is
// valid UTF-8 on one line, and cleaning it again changes nothing.
func Clean(s string) string { return clean(s, form{log: true}) }

// CleanLines is [Clean] for a text of several lines: line feeds and tabs stay, and commands of a runner
// do, since such a text need not be a log.
func CleanLines(s string) string { return clean(s, form{lines: true}) }

// CleanLog is [Clean] for lines of a log: line feeds and tabs stay, but no line is a command of a runner.
func CleanLog(s string) string { return clean(s, form{lines: true, log: true}) }

// Write writes [Clean](s) without making it first: s may be huge. The error is
// for b to keep, as a [bufio.Writer] does.
func Write(b *bufio.Writer, s string) { writeClean(b, s, form{log: true}) }

// WriteLines writes [CleanLines](s) without making it first: s may be huge. The
// error is for b to keep, as a [bufio.Writer] does.
func WriteLines(b *bufio.Writer, s string) { writeClean(b, s, form{lines: true}) }

// A form is what stays as it is.
type form struct {
	lines bool // line feeds and tabs
	log   bool // a runner may read it, so not its commands
}

func clean(s string, as form) string {
	var c runner.Commands
	if dirty(s, as, &c) < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	writeClean(&b, s, as)
	return b.String()
}

// A sink takes text and keeps its errors to itself.
type sink interface {
	io.StringWriter
	io.ByteWriter
}

func writeClean(b sink, s string, as form) {
	var c runner.Commands
	for i := dirty(s, as, &c); i >= 0; i = dirty(s, as, &c) {
		_, _ = b.WriteString(s[:i])
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError {
			hex(b, 'x', uint32(s[i]), 2)
		} else {
			switch {
			case r == '\t':
				_, _ = b.WriteString(`\t`)
			case r == '\n':
				_, _ = b.WriteString(`\n`)
			case r == '\r':
				_, _ = b.WriteString(`\r`)
			case r < 0x80:
				hex(b, 'x', uint32(r), 2)
			default:
				hex(b, 'u', uint32(r), 4)
			}
		}
		s = s[i+n:]
		c.Break()
	}
	_, _ = b.WriteString(s)
}

// dirty returns the index of the first character to be made visible, or -1. c goes on to it.
func dirty(s string, as form, c *runner.Commands) int {
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if acts(r, n, as.lines) || as.log && c.Ends(r) {
			return i
		}
		i += n
	}
	return -1
}

// acts reports whether r, decoded from n bytes, must not reach a terminal.
func acts(r rune, n int, lines bool) bool {
	switch {
	case r == '\n' || r == '\t':
		return !lines
	case r == utf8.RuneError:
		return n == 1 // a real U+FFFD takes three bytes
	}
	return ansi.Acts(r)
}

// hex writes a backslash, the letter kind, and v in the given number of digits.
func hex(b sink, kind byte, v uint32, digits int) {
	_ = b.WriteByte('\\')
	_ = b.WriteByte(kind)
	for d := digits - 1; d >= 0; d-- {
		_ = b.WriteByte("0123456789abcdef"[v>>(4*d)&15])
	}
}

// Fit returns a text of at most width characters, the last of which stands for
// what was cut off.
func Fit(text string, width int) string {
	n, last := 0, 0 // characters, and where the last but one ends
	for i := range text {
		if n++; n == width {
			last = i
		}
		if n > width {
			return text[:last] + "…"
		}
	}
	return text
}
