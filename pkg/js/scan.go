package js

import (
	"encoding/binary"
	"math/bits"
	"strings"
)

// The steps of reading JSON follow: those that check return -1 for invalid text, those that look
// for an end take it that the text is valid.

// skipSpace returns the index of the first byte of b, from i on, that is not
// JSON white space.
func skipSpace[T string | []byte](b T, i int) int {
	for i < len(b) && b[i] <= ' ' && isBlank(b[i]) {
		i++
	}
	return i
}

func isBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// A literals checks the string literals of one text, which it does not keep: a compiler that
// sees so copies no string for it. What has to be looked at in a literal is marked for 64 bytes
// at a time, without a branch: keys and words share a block, and program text has something in
// most blocks.
type literals struct {
	block int    // where the block of marks begins
	marks uint64 // a bit for each byte of it that may not stand in a literal as it is
}

// noLiterals has no block marked.
var noLiterals = literals{block: -64}

// check checks the rest of a literal of b from i, after its opening quote. It returns the index
// after the closing quote, or -1.
func (l *literals) check(b []byte, i int) int {
	for {
		if uint(i-l.block) >= 64 {
			if i >= len(b) {
				return -1
			}
			l.mark(b, i)
		}
		rest := l.marks >> (i - l.block)
		if rest == 0 {
			if i = l.block + 64; l.marks == 0 {
				i = plainEnd(b, i)
			}
			continue
		}
		if i += bits.TrailingZeros64(rest); i >= len(b) {
			return -1
		}
		switch c := b[i]; {
		case c == '"':
			return i + 1
		case c != '\\':
			return -1
		case i+1 < len(b) && twoByteEscape[b[i+1]]:
			i += 2
		default:
			if i = checkUnicodeEscape(b, i); i < 0 {
				return -1
			}
		}
	}
}

// plainEnd skips plain characters from b[i] on: what follows 64 of them, as in encoded data,
// is mostly more.
func plainEnd(b []byte, i int) int {
	for ; i+32 <= len(b); i += 32 {
		s := b[i : i+32]
		if delimiters(binary.LittleEndian.Uint64(s))|delimiters(binary.LittleEndian.Uint64(s[8:]))|
			delimiters(binary.LittleEndian.Uint64(s[16:]))|delimiters(binary.LittleEndian.Uint64(s[24:])) != 0 {
			break
		}
	}
	return i
}

// mark marks the block of b that begins at i. Bytes behind the end of b are marked too.
func (l *literals) mark(b []byte, i int) {
	p := b[i:]
	if len(p) < 64 {
		var last [64]byte
		copy(last[:], p)
		p = last[:]
	}
	p = p[:64]
	l.block = i
	l.marks = marked(p[0:]) | marked(p[8:])<<8 | marked(p[16:])<<16 | marked(p[24:])<<24 |
		marked(p[32:])<<32 | marked(p[40:])<<40 | marked(p[48:])<<48 | marked(p[56:])<<56
}

// marked returns a bit for each delimiter of the first eight bytes of b.
func marked(b []byte) uint64 {
	const gather = 0x0002040810204081 // the highest bit of each byte to the highest byte
	return delimiters(binary.LittleEndian.Uint64(b)) * gather >> 56
}

// delimiters marks the bytes of w that end a run of plain characters in a literal: quotes,
// backslashes and control characters. The quote is the blank but for one bit, so a byte below it
// with that bit turned is a control character or a quote. With the highest bit of every byte set
// nothing is borrowed from the next.
func delimiters(w uint64) uint64 {
	return ^(((w ^ low7*('"'^' ') | high1) - low7*(' '+1)) & ((w ^ low7*'\\' | high1) - low7)) &^ w & high1
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
