package prices_test

import (
	"math"
	"testing"

	"github.com/sess-tools/sess/internal/find/prices"
)

// FuzzParse: a table is refused, or nothing that is found in it costs less than 0.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"source":"x","date":"2026-01-02","providers":{"p":{"m":{"aliases":["n"],"prices":[{"input":3,"output":[1,200,2]},{"since":"2026-02-01","cacheRead":1,"request":0.1}]}}}}`), int64(1), int64(1))
	f.Add([]byte(`{"source":"x","date":"2026-01-02","providers":{"p":{"m":{"prices":[{"input":9007199254}]}}}}`), int64(math.MaxInt64), int64(math.MinInt64))
	f.Add([]byte(`{"source":"x","date":"2026-01-02","providers":{"P":{"M":{"prices":[{"from":"10:00:00Z","to":"02:00:00+01:00"}]}}}}`), int64(-5), int64(0))
	f.Fuzz(func(t *testing.T, data []byte, tokens, at int64) {
		table, err := prices.Parse(data)
		if err != nil {
			return
		}
		for _, name := range []string{"m", "M", "n", "p/m"} {
			m, ok := table.Find("p", name)
			if !ok {
				continue
			}
			for _, use := range []prices.Tokens{{Input: tokens}, {Output: tokens, Reasoning: tokens / 2}, {CacheRead: tokens, CacheWrite: tokens, CacheWrite1h: tokens}} {
				if cost := m.Cost(use, at); cost < 0 {
					t.Errorf("%+v costs %d", use, cost)
				}
			}
		}
	})
}
