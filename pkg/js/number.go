package js

import (
	"math"
	"strconv"
	"strings"
)

// appendNumber appends the valid JSON number lit as JSON.stringify writes what
// JSON.parse made of it: the shortest decimal that names the same double, by
// Number.prototype.toString; null for what is beyond the doubles.
func appendNumber(dst []byte, lit string) []byte {
	if isPlain(lit) {
		return append(dst, lit...)
	}
	// The only error left is the range; f is then an infinity.
	f, _ := strconv.ParseFloat(lit, 64)
	abs := math.Abs(f)
	switch {
	case math.IsInf(f, 0):
		return append(dst, "null"...)
	case f == 0:
		return append(dst, '0')
	case 1e-6 <= abs && abs < 1e21:
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	// Go writes at least two digits of exponent, JavaScript as many as needed.
	if n := len(dst); dst[n-2] == '0' && !isDigit(dst[n-3]) {
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst
}

// isPlain reports whether lit is seen at once to be written the same anew: an
// integer or a decimal fraction, not so small that it gets an exponent, without
// a superfluous zero and of at most 15 digits, which every double holds apart.
func isPlain(lit string) bool {
	s := strings.TrimPrefix(lit, "-")
	if s == "0" {
		return s == lit // not -0
	}
	if len(s) > 16 {
		return false
	}
	point := strings.IndexByte(s, '.')
	for i, c := range []byte(s) {
		if !isDigit(c) && i != point {
			return false
		}
	}
	switch {
	case point < 0:
		return len(s) <= 15
	case s[len(s)-1] == '0':
		return false
	}
	return s[0] != '0' || strings.Trim(s[:min(len(s), len("0.000000"))], "0.") != ""
}

// numberUnits returns the length of what appendNumber appends.
func numberUnits(lit string) int {
	if isPlain(lit) {
		return len(lit)
	}
	var buf [32]byte
	return len(appendNumber(buf[:0], lit))
}
