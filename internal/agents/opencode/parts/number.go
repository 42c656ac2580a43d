package parts

import (
	"math"
	"strconv"

	"github.com/sess-tools/sess/pkg/js"
)

// Int returns the number that the names lead to as a whole one, 0 if there is none.
func Int(v js.Value, names ...string) int64 {
	n, _ := Integer(v.Get(names...))
	return n
}

// Integer returns a number without its fraction; ok is false for any other value.
func Integer(v js.Value) (n int64, ok bool) {
	f, err := strconv.ParseFloat(string(v), 64)
	if err != nil || math.Abs(f) > 1<<53 {
		return 0, false
	}
	return int64(f), true
}
