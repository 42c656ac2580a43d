package session

import (
	"math"
	"strconv"
	"testing"

	"github.com/sess-tools/sess/pkg/js"
)

// Numbers are what strconv makes of them, whatever way they are read.
func FuzzNumber(f *testing.F) {
	for _, raw := range []string{
		"0", "7", "-0", "1.5", "0.1", "0.30000000000000004", "0.0012345", "123456789012345", "1234567890123456", "9007199254740993",
		"99999999999999.9", "999999999999999.9", "0.00000000000001", "0.000000000000001", "1e3", "1E-400", "1e400", "-12.25", "1.", "", ".5", "12a", "1.2.3",
	} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		if !js.Valid([]byte(raw)) || !isNumber(raw) {
			return
		}
		want, _ := strconv.ParseFloat(raw, 64)
		if got := float(raw); math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("float(%q) = %v, want %v", raw, got, want)
		}
		if got, want := number(raw), int64(max(min(want, 1<<53), -(1<<53))); got != want {
			t.Errorf("number(%q) = %d, want %d", raw, got, want)
		}
	})
}
