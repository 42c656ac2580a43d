package session

import (
	"errors"
	"math"
	"strconv"
)

// number reads a JSON number as JavaScript does, cut to an integer and to
// the range of those JavaScript holds exactly; 0 if raw is none.
func number(raw string) int64 {
	f, err := strconv.ParseFloat(raw, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || math.IsNaN(f) {
		return 0
	}
	return int64(max(min(f, 1<<53), -(1 << 53)))
}
