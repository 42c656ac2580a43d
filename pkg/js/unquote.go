package js

import (
	"strings"
	"unicode/utf8"
)

// Unquote returns the text, as WTF-8, that the valid JSON string literal lit
// stands for. Raw bytes that are not UTF-8 become U+FFFD, one for each maximal
// ill-formed subpart. It allocates only if lit has escapes or such bytes;
// otherwise the result shares lit's memory.
func Unquote(lit string) string {
	s := body(lit)
	i := strings.IndexByte(s, '\\')
	if i < 0 && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder // and not a slice, which would be copied once more
	b.Grow(len(s))
	for i >= 0 {
		writeValid(&b, s[:i])
		r, size := decodeEscape(s[i:])
		if isHighSurrogate(r) || isLowSurrogate(r) {
			b.Write(appendRune(nil, r))
		} else {
			b.WriteRune(r)
		}
		s = s[i+size:]
		i = strings.IndexByte(s, '\\')
	}
	writeValid(&b, s)
	return b.String()
}

// writeValid is appendValid for a Builder.
func writeValid(b *strings.Builder, raw string) {
	if utf8.ValidString(raw) {
		b.WriteString(raw)
		return
	}
	for len(raw) > 0 {
		r, size := decodeUTF8(raw)
		b.WriteRune(r)
		raw = raw[size:]
	}
}

// appendLiteral appends the literal lit as JSON.stringify would write it anew:
// AppendQuote(dst, Unquote(lit)) without the text in between.
func appendLiteral(dst []byte, lit string) []byte {
	dst = append(dst, '"')
	s := body(lit)
	for i := strings.IndexByte(s, '\\'); i >= 0; i = strings.IndexByte(s, '\\') {
		dst = appendValid(dst, s[:i])
		r, size := decodeEscape(s[i:])
		dst = appendQuoted(dst, r)
		s = s[i+size:]
	}
	return append(appendValid(dst, s), '"')
}

// WriteBody writes what stands between the quotes of a literal that JSON.stringify
// would write for the text of the valid literal lit: one after another, literals
// become one of their texts together. Only where a first half of a pair ends one
// and a second half begins the next, these do not meet.
func WriteBody(b *strings.Builder, lit string) {
	var few [8]byte
	s := body(lit)
	for i := strings.IndexByte(s, '\\'); i >= 0; i = strings.IndexByte(s, '\\') {
		writeValid(b, s[:i])
		r, size := decodeEscape(s[i:])
		b.Write(appendQuoted(few[:0], r))
		s = s[i+size:]
	}
	writeValid(b, s)
}

// literalUnits returns the length in UTF-16 code units of what appendLiteral
// appends.
func literalUnits(lit string) int {
	s := body(lit)
	if !utf8.ValidString(s) {
		return Len(string(appendLiteral(nil, lit)))
	}
	n := len(s) - extraBytes(s) + len(`""`)
	for i := firstEscape(s); i < len(s); {
		if i, _ = easyEscapes(s, i); i < len(s) { // those that are easy stay as they are
			r, size := decodeEscape(s[i:])
			i += size
			n -= size - quotedUnits(r)
		}
	}
	return n
}

// appendValid appends raw, bytes of a file, with U+FFFD in place of what is not
// UTF-8.
func appendValid(dst []byte, raw string) []byte {
	if utf8.ValidString(raw) {
		return append(dst, raw...)
	}
	for len(raw) > 0 {
		r, size := decodeUTF8(raw)
		dst = utf8.AppendRune(dst, r)
		raw = raw[size:]
	}
	return dst
}

// body returns lit without its quotes.
func body(lit string) string {
	if len(lit) < 2 {
		return ""
	}
	return lit[1 : len(lit)-1]
}

// firstEscape returns the index of the first escape of the literal body s;
// len(s) if there is none.
func firstEscape(s string) int {
	if i := strings.IndexByte(s, '\\'); i >= 0 {
		return i
	}
	return len(s)
}

// escapeLen returns the length in bytes of the escape that s starts with.
func escapeLen(s string) int {
	if len(s) > 1 && s[1] == 'u' {
		return min(6, len(s))
	}
	return min(2, len(s))
}

// decodeEscape reads the escape that s starts with; the two escapes of a
// surrogate pair are read as one character of twelve bytes.
func decodeEscape(s string) (r rune, size int) {
	size = escapeLen(s)
	if size < 2 {
		return utf8.RuneError, size
	}
	switch c := s[1]; c {
	case 'u':
		r = hex4(s[2:size])
	case 'b':
		return '\b', size
	case 'f':
		return '\f', size
	case 'n':
		return '\n', size
	case 'r':
		return '\r', size
	case 't':
		return '\t', size
	default:
		return rune(c), size
	}
	if isHighSurrogate(r) && len(s) >= 12 && s[6] == '\\' && s[7] == 'u' {
		if low := hex4(s[8:12]); isLowSurrogate(low) {
			return join(r, low), 12
		}
	}
	return r, size
}

// hex4 reads hexadecimal digits of either case.
func hex4(s string) (r rune) {
	for _, c := range []byte(s) {
		r <<= 4
		switch {
		case c <= '9':
			r |= rune(c - '0')
		default:
			r |= rune(c&^0x20-'A') + 10
		}
	}
	return r & 0xFFFF
}
