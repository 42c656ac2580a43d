package compact_test

import (
	"strings"
	"testing"

	"github.com/sess-tools/sess/pkg/compact"
)

func TestMinGain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in            string
		want          compact.MinGain
		before, after int64 // just enough; one token more after is not
	}{
		{"0", compact.MinGain{}, 10, 9},
		{"1", compact.MinGain{Tokens: 1}, 10, 9},
		{"500", compact.MinGain{Tokens: 500}, 1000, 500},
		{"0%", compact.MinGain{}, 1000, 999},
		{"10%", compact.MinGain{Percent: 10}, 1000, 900},
		{"10%", compact.MinGain{Percent: 10}, 1001, 900},
		{"2.5%", compact.MinGain{Percent: 2.5}, 1000, 975},
		{"0.01%", compact.MinGain{Percent: 0.01}, 100, 99},
		{"100%", compact.MinGain{Percent: 100}, 1000, 0},
	} {
		m, err := compact.ParseMinGain(c.in)
		if err != nil || m != c.want {
			t.Errorf("%q: %+v, %v", c.in, m, err)
		}
		if !m.Enough(c.before, c.after) || m.Enough(c.before, c.after+1) {
			t.Errorf("%q: from %d to %d or more", c.in, c.before, c.after)
		}
	}
	both := compact.MinGain{Tokens: 50, Percent: 10}
	if both.Enough(100, 60) || both.Enough(1000, 910) || !both.Enough(1000, 900) || !both.Enough(100, 50) {
		t.Error("both members count")
	}
	if (compact.MinGain{}).Enough(9, 10) || (compact.MinGain{}).Enough(0, 0) {
		t.Error("no gain is enough")
	}
	for _, in := range []string{
		"", "%", " 5", "5 ", "5 %", "-5", "+5", "-5%", "+5%", "1e3", "1e3%", "0x10", "0x1p-2%", "1_000", "101%", "100.01%", "NaN%", "Inf%",
		"..%", "1.2.3%", "10%%", "%10", "ten", "9223372036854775808", "1.5",
	} {
		if m, err := compact.ParseMinGain(in); err == nil || m != (compact.MinGain{}) || strings.Contains(err.Error(), "strconv") {
			t.Errorf("%q: %+v, %v", in, m, err)
		}
	}
}
