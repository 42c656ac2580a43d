package summarize

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// clean makes a reply of what a program printed: plain text without byte order
// mark, leading blank lines and trailing white space. The indentation of the
// first line stays. clean(clean(s)) == clean(s).
func clean(s string) string {
	s = plain(s)
	for {
		rest := strings.TrimLeft(s, "\ufeff") // all at once: a line is searched for its end once
		if line, after, found := strings.Cut(rest, "\n"); found && strings.TrimSpace(line) == "" {
			rest = after
		}
		if len(rest) == len(s) {
			return strings.TrimRightFunc(s, unicode.IsSpace)
		}
		s = rest
	}
}

// plain removes terminal escape sequences and all control characters but tab
// and newline (so CR LF becomes LF), and puts U+FFFD for each byte that is not
// UTF-8.
func plain(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		if n := printable(s[i:]); n > 0 {
			b.WriteString(s[i : i+n])
			i += n
			continue
		}
		if n := escape(s[i:]); n > 0 {
			i += n
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		i += n
		if !unicode.IsControl(r) {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// printable returns the length of the ASCII text that s begins with.
func printable(s string) int {
	for i := range len(s) {
		if (s[i] < 0x20 && s[i] != '\n' && s[i] != '\t') || s[i] >= 0x7f {
			return i
		}
	}
	return len(s)
}

// blank reports whether s shows nothing: it has only white space and characters
// without a picture, such as U+200B.
func blank(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsGraphic(r) && !unicode.IsSpace(r)
	})
}

// escape returns the length of the escape sequence (ECMA-48) that s begins with,
// 0 if it does not. Of a sequence that is malformed or has no end only the
// introducer counts: rather a stray "0;title" in the text than text lost.
func escape(s string) int {
	const esc = 0x1b
	var kind byte // the byte after ESC; a C1 control is short for ESC and that byte
	switch {
	case s[0] == esc && len(s) == 1:
		return 1
	case s[0] == esc:
		kind = s[1]
	case isC1(s):
		kind = s[1] - 0x40
	default:
		return 0
	}
	switch {
	case kind == '[':
		return 2 + controlSequence(s[2:])
	case strings.IndexByte("]PX^_", kind) >= 0:
		return 2 + controlString(s[2:])
	case kind >= 0x20 && kind < 0x30: // intermediates and a final byte, as in ESC ( B
		return 1 + final(s[1:], 0x30)
	case kind >= 0x30 && kind < 0x7f:
		return 2
	}
	return 1
}

// controlSequence returns the length of the rest of a sequence after CSI.
func controlSequence(s string) int {
	i := 0
	for i < len(s) && s[i] >= 0x30 && s[i] < 0x40 {
		i++
	}
	if n := final(s[i:], 0x40); n > 0 {
		return i + n
	}
	return 0
}

// final returns the length of intermediate bytes and the final byte after them,
// which is at least lowest; 0 if there is none.
func final(s string, lowest byte) int {
	i := 0
	for i < len(s) && s[i] >= 0x20 && s[i] < 0x30 {
		i++
	}
	if i < len(s) && s[i] >= lowest && s[i] < 0x7f {
		return i + 1
	}
	return 0
}

// controlString returns the length of the rest of a title, hyperlink or device
// string with its terminator, BEL or ST. It looks no further than the next
// control character, so that the whole text is looked at only once.
func controlString(s string) int {
	for i := range len(s) {
		switch {
		case s[i] == '\a':
			return i + 1
		case strings.HasPrefix(s[i:], "\x1b\\"), strings.HasPrefix(s[i:], "\u009c"):
			return i + 2
		case s[i] < 0x20, isC1(s[i:]):
			return 0
		}
	}
	return 0
}

// isC1 reports whether s begins with one of the controls U+0080 to U+009F.
func isC1(s string) bool {
	return len(s) > 1 && s[0] == 0xc2 && s[1] >= 0x80 && s[1] < 0xa0
}
