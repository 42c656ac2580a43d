package js

import (
	"math/bits"
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
	dst = append(dst, '"')
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
	dst = append(dst, s[from:]...)
	return append(dst, '"')
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
