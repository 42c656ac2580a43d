package formats

import (
	"strings"
	"testing"
)

// A line that is made to be read again and again is given up: no more bytes of it are read than there is effort, and those of one value.
func TestTornInTime(t *testing.T) {
	t.Parallel()
	for _, text := range []string{strings.Repeat(`{"a":`, 300_000), strings.Repeat(`{"a":{}`, 300_000), strings.Repeat(`{"a":"{`, 300_000), strings.Repeat(`{"a":[{"b":1},`, 200_000) + "x"} {
		const effort = 1 << 20
		left := effort
		apartWithin(text, nil, &left)
		if left < -len(text) || left == effort {
			t.Errorf("%.20s: %d of %d bytes are left", text, left, effort)
		}
	}
}
