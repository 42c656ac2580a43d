package session

import (
	"errors"
	"math"
	"strconv"
)

// number reads a JSON number as JavaScript does, cut to an integer and to
// the range of those JavaScript holds exactly; 0 if raw is none.
func number(raw string) int64 {
	if n, digits := decimal(raw); digits == len(raw) {
		return n
	}
	f, err := strconv.ParseFloat(raw, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || math.IsNaN(f) {
		return 0
	}
	return int64(max(min(f, 1<<53), -(1 << 53)))
}

// float reads a JSON number; one that is out of range is infinite. What it returns
// is what ParseFloat does, which takes three times as long over a usual price.
func float(raw string) float64 {
	whole, digits := decimal(raw)
	if digits > 0 && digits < len(raw) && raw[digits] == '.' && len(raw) <= maxDigits+1 {
		fraction := raw[digits+1:]
		if part, n := decimal(fraction); n == len(fraction) {
			// Both are exact, so that the quotient is rounded once.
			return float64(whole*int64(tens[n])+part) / tens[n]
		}
	}
	f, _ := strconv.ParseFloat(raw, 64)
	return f
}

// maxDigits is how many digits a float64 holds, whatever they are.
const maxDigits = 15

// tens are the powers of ten that maxDigits digits may be divided by, all exact.
var tens = [maxDigits + 1]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// decimal reads the digits that raw begins with, maxDigits at most, and returns
// how many there are, 0 if there are more.
func decimal(raw string) (n int64, digits int) {
	for digits < len(raw) && raw[digits]-'0' <= 9 {
		if digits == maxDigits {
			return 0, 0
		}
		n = n*10 + int64(raw[digits]-'0')
		digits++
	}
	return n, digits
}
