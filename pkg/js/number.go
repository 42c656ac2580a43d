package js

import (
	"math"
	"strconv"
)

// appendNumber appends the valid JSON number lit as JSON.stringify writes what
// JSON.parse made of it: the shortest decimal that names the same double, by
// Number.prototype.toString; null for what is beyond the doubles.
func appendNumber(dst []byte, lit string) []byte {
	if isShortInteger(lit) {
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

// isShortInteger reports whether lit is an integer that is written the same
// anew: at most 15 digits, which every double holds, and not -0.
func isShortInteger(lit string) bool {
	if len(lit) > 15 || lit == "-0" {
		return false
	}
	for i, c := range []byte(lit) {
		if !isDigit(c) && (c != '-' || i > 0) {
			return false
		}
	}
	return true
}

// numberUnits returns the length of what appendNumber appends.
func numberUnits(lit string) int {
	if isShortInteger(lit) {
		return len(lit)
	}
	var buf [32]byte
	return len(appendNumber(buf[:0], lit))
}
