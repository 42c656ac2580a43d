package js

import (
	"encoding/binary"
	"math/bits"
	"strings"
)

// What follows are the steps of reading JSON: those that check return -1 for what is not
// valid, those that look for an end take it that the text is valid.

// skipSpace returns the index of the first byte of b, from i on, that is not
// JSON white space.
func skipSpace[T string | []byte](b T, i int) int {
	for i < len(b) && b[i] <= ' ' && isBlank(b[i]) {
		i++
	}
	return i
}

func isBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// checkString checks the rest of a string literal from i, after its opening
// quote. It returns the index after the closing quote, or -1.
func checkString(b []byte, i int) int {
	plain := 0 // how many words before i are
	for i+8 <= len(b) {
		w := binary.LittleEndian.Uint64(b[i:])
		// Marks above the first may be wrong: the byte has to be looked at.
		special := delimiters(w)
		next := i + 8
		if plain++; special != 0 {
			plain = 0
		} else if plain >= calm {
			next = plainEnd(b, next)
		}
		for special != 0 {
			k := bits.TrailingZeros64(special) >> 3
			switch c := b[i+k]; {
			case c == '\\' && i+k+1 < len(b) && twoByteEscape[b[i+k+1]]:
				if special &^= 1<<(8*k+16) - 1; k == 7 {
					next++
				}
			case c == '\\':
				if next = checkUnicodeEscape(b, i+k); next < 0 {
					return -1
				}
				special = 0
			case c == '"':
				return i + k + 1
			case c < ' ':
				return -1
			default:
				special &= special - 1
			}
		}
		i = next
	}
	return checkStringEnd(b, i)
}

// calm is after how many plain words it pays to look at more than one at a time: program
// text has hardly a run that is longer.
const calm = 5

// plainEnd skips plain characters from b[i] on, thirty-two at a time.
func plainEnd(b []byte, i int) int {
	for ; i+32 <= len(b); i += 32 {
		s := b[i : i+32]
		if (delimiters(binary.LittleEndian.Uint64(s)) | delimiters(binary.LittleEndian.Uint64(s[8:])) |
			delimiters(binary.LittleEndian.Uint64(s[16:])) | delimiters(binary.LittleEndian.Uint64(s[24:]))) != 0 {
			break
		}
	}
	return i
}

// delimiters marks the first byte of w that ends a run of plain characters in a
// literal: a quote, a backslash or a control character. The quote is the blank
// but for one bit, so what is below it with that bit turned is a control character or a
// quote.
func delimiters(w uint64) uint64 {
	return (((w ^ low7*('"'^' ')) - low7*(' '+1)) | ((w ^ low7*'\\') - low7)) &^ w & high1
}

// checkStringEnd is checkString for the last few bytes of b.
func checkStringEnd(b []byte, i int) int {
	for i < len(b) {
		switch c := b[i]; {
		case c == '\\' && i+1 < len(b) && twoByteEscape[b[i+1]]:
			i += 2
		case c == '\\':
			if i = checkUnicodeEscape(b, i); i < 0 {
				return -1
			}
		case c == '"':
			return i + 1
		case c < ' ':
			return -1
		default:
			i++
		}
	}
	return -1
}

// twoByteEscape says what may follow a backslash, but for u.
var twoByteEscape = [256]bool{'"': true, '\\': true, '/': true, 'b': true, 'f': true, 'n': true, 'r': true, 't': true}

// checkUnicodeEscape checks that a \u escape begins at b[i]. It returns the
// index after it, or -1.
func checkUnicodeEscape(b []byte, i int) int {
	if i+6 > len(b) || b[i+1] != 'u' {
		return -1
	}
	for _, c := range b[i+2 : i+6] {
		if !isDigit(c) && (c|0x20 < 'a' || c|0x20 > 'f') {
			return -1
		}
	}
	return i + 6
}

// checkNumber checks the number that begins at b[i]. It returns the index after
// it, or -1.
func checkNumber(b []byte, i int) int {
	if i < len(b) && b[i] == '-' {
		i++
	}
	if i < len(b) && b[i] == '0' {
		i++
	} else if i = checkDigits(b, i); i < 0 {
		return -1
	}
	if i < len(b) && b[i] == '.' {
		if i = checkDigits(b, i+1); i < 0 {
			return -1
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		if i++; i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		return checkDigits(b, i)
	}
	return i
}

// checkDigits returns the index after the digits at b[i], or -1 if there are
// none.
func checkDigits(b []byte, i int) int {
	from := i
	for i < len(b) && isDigit(b[i]) {
		i++
	}
	if i == from {
		return -1
	}
	return i
}

func isDigit(c byte) bool { return c-'0' <= 9 }

// checkWord returns the index after word if it stands at b[i], or -1.
func checkWord(b []byte, i int, word string) int {
	if len(b)-i < len(word) || string(b[i:i+len(word)]) != word {
		return -1
	}
	return i + len(word)
}

// valueEnd returns the index after the value that begins at s[i]; i itself if
// none does.
func valueEnd(s string, i int) int {
	if i >= len(s) {
		return i
	}
	switch s[i] {
	case '"':
		return stringEnd(s, i)
	case '{', '[':
		return containerEnd(s, i)
	}
	return scalarEnd(s, i)
}

// stringEnd returns the index after the literal that begins at s[i].
func stringEnd(s string, i int) int {
	from := i + 1
	for range 2 { // keys, ids and words are most strings, and a call for each is dear
		if from+8 > len(s) {
			break
		}
		w := word(s, from)
		quote, slash := zeros(w^low7*'"'), zeros(w^low7*'\\')
		if quote != 0 && quote&-quote < slash&-slash-1 { // no backslash before it; the lowest marks are right
			return from + bits.TrailingZeros64(quote)>>3 + 1
		}
		if quote|slash != 0 {
			break
		}
		from += 8
	}
	for {
		j := strings.IndexByte(s[from:], '"')
		if j < 0 {
			return len(s)
		}
		j += from
		slashes := 0
		for s[j-slashes-1] == '\\' { // ends at the quote before from, if not earlier
			slashes++
		}
		if slashes%2 == 0 {
			return j + 1
		}
		from = j + 1
	}
}

// containerEnd returns the index after the object or array that begins at s[i].
func containerEnd(s string, i int) int {
	depth := 0
	for i < len(s) {
		switch s[i] {
		case '"':
			i = stringEnd(s, i)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return len(s)
}

// scalarEnd returns the index after the number, true, false or null that begins
// at s[i].
func scalarEnd(s string, i int) int {
	for i < len(s) {
		if c := s[i]; c == ',' || c == ']' || c == '}' || c == ':' || isBlank(c) {
			return i
		}
		i++
	}
	return i
}
