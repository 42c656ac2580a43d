package js

import (
	"math/bits"
	"strings"
	"unicode/utf8"
	"unsafe"
)

const hexDigits = "0123456789abcdef"

// Quote returns s, a WTF-8 text, as the JSON string literal that JSON.stringify
// makes of it: \b \f \n \r \t \" \\, other characters below U+0020 as \u00xx,
// lone surrogates as \udxxx, digits in lower case, and everything else as it is
// (U+2028, U+007F and <>& included). Ill-formed bytes become U+FFFD.
func Quote(s string) string { return textOf(AppendQuote(make([]byte, 0, len(s)+2), s)) }

// textOf returns b, which its caller made and forgets, as a string. A text may be
// huge: it is not copied, just as strings.Builder does not.
func textOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// AppendQuote appends [Quote](s) to dst.
func AppendQuote(dst []byte, s string) []byte {
	return append(AppendBody(append(dst, '"'), s), '"')
}

// AppendBody appends the part between the quotes of [Quote](s) to dst.
func AppendBody(dst []byte, s string) []byte {
	from := 0
	for i := 0; i < len(s); {
		if i+8 <= len(s) {
			w := word(s, i)
			special := delimiters(w) | w&high1
			if special == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(special) >> 3
		}
		if c := s[i]; c >= ' ' && c != '"' && c != '\\' && c < 0x80 {
			i++
			continue
		}
		r, size := decodeText(s[i:])
		if r >= 0x80 && utf8.RuneLen(r) == size && (r != utf8.RuneError || s[i] == 0xEF) {
			i += size // well-formed: goes with the bytes around it
			continue
		}
		dst = append(dst, s[from:i]...)
		dst = appendQuoted(dst, r)
		i += size
		from = i
	}
	return append(dst, s[from:]...)
}

// appendQuoted appends r as JSON.stringify writes it inside a literal.
func appendQuoted(dst []byte, r rune) []byte {
	switch {
	case r == '"' || r == '\\':
		return append(dst, '\\', byte(r))
	case r < ' ':
		if c := shortEscape[r]; c != 0 {
			return append(dst, '\\', c)
		}
		return append(dst, '\\', 'u', '0', '0', hexDigits[r>>4], hexDigits[r&0xF])
	case isHighSurrogate(r) || isLowSurrogate(r):
		return append(dst, '\\', 'u', 'd', hexDigits[r>>8&0xF], hexDigits[r>>4&0xF], hexDigits[r&0xF])
	}
	return utf8.AppendRune(dst, r)
}

// quotedUnits returns the length in UTF-16 code units of what appendQuoted
// appends for r.
func quotedUnits(r rune) int {
	switch {
	case r == '"' || r == '\\':
		return 2
	case r < ' ':
		if shortEscape[r] != 0 {
			return 2
		}
		return 6
	case isHighSurrogate(r) || isLowSurrogate(r):
		return 6
	}
	return units(r)
}

// quotedLen returns Len(Quote(s)).
func quotedLen(s string) int {
	n := len(`""`)
	for i := 0; i < len(s); {
		if c := s[i]; c < 0x80 {
			n += quotedUnits(rune(c))
			i++
			continue
		}
		r, size := decodeText(s[i:])
		n += quotedUnits(r)
		i += size
	}
	return n
}

// shortEscape holds the letter of the control characters that have a
// two-character escape.
var shortEscape = [' ']byte{'\b': 'b', '\t': 't', '\n': 'n', '\f': 'f', '\r': 'r'}

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

// UnquoteLine returns the first line of [Unquote](lit), without its line feed. It does not
// decode the rest.
func UnquoteLine(lit string) string {
	s := body(lit)
	for at := 0; ; {
		i := strings.IndexByte(s[at:], '\\')
		if i < 0 {
			return Unquote(lit)
		}
		at += i
		r, size := decodeEscape(s[at:])
		if r == '\n' {
			return Unquote(`"` + s[:at] + `"`)
		}
		at += size
	}
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

// WriteBody writes the part between the quotes of a literal that JSON.stringify would write for the
// text of the valid literal lit: one after another, literals become one of their texts together.
// Only where a first half of a pair ends one and a second half begins the next, these do not meet.
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

// appendValid appends raw, bytes of a file, with U+FFFD in place of bytes that are not UTF-8.
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

// Origins returns where in the valid literal lit the parts of [Unquote](lit) are written,
// which come in their order and do not overlap. An escape, or a raw byte that is not UTF-8,
// belongs to a part as a whole.
func Origins(lit string, parts []Span) []Span {
	out := make([]Span, 0, len(parts))
	s, raw, text := body(lit), 0, 0
	for _, p := range parts {
		o := Span{From: -1}
		for raw < len(s) && text < p.To || o.From < 0 {
			size, length := unit(s[raw:])
			if o.From < 0 && (text+length > p.From || size == 0) {
				o.From = raw + 1
			}
			raw, text = raw+size, text+length
		}
		o.To = max(raw, o.From-1) + 1
		out = append(out, o)
	}
	return out
}

// unit returns the length of the first character of the body of a literal, as it is written
// and in the text.
func unit(s string) (size, length int) {
	switch {
	case s == "":
		return 0, 0
	case s[0] == '\\':
		r, size := decodeEscape(s)
		if isHighSurrogate(r) || isLowSurrogate(r) {
			return size, 3
		}
		return size, utf8.RuneLen(r)
	case s[0] < 0x80:
		return 1, 1
	}
	r, size := decodeUTF8(s)
	return size, utf8.RuneLen(r)
}
