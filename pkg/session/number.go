package session

import (
	"math"
	"strconv"
)

// number reads a JSON number as JavaScript does, cut to an integer; 0 if raw
// is none.
func number(raw string) int64 {
	f, err := strconv.ParseFloat(raw, 64)
	if err != nil || math.IsNaN(f) {
		return 0
	}
	return int64(max(min(f, 1<<53), -(1 << 53)))
}
