package js

import (
	"testing"
	"time"
)

// What is read quickly is what Go's own parser makes of it.
func TestUsualTime(t *testing.T) {
	t.Parallel()
	read := 0
	check := func(at time.Time) {
		s := at.Format("2006-01-02T15:04:05.000Z")
		if ms, ok := usualTime(s); ok != (at.Day() <= 28) || ok && ms != at.UnixMilli() {
			t.Fatalf("%s: %d, %v, want %d", s, ms, ok, at.UnixMilli())
		} else if ok {
			read++
		}
	}
	for at := time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC); at.Year() < 10000; at = at.Add(24*time.Hour + 7*time.Minute + 11*time.Second + 13*time.Millisecond) {
		check(at)
	}
	if read < 3_000_000 {
		t.Errorf("%d read quickly", read)
	}
	for _, s := range []string{
		"", "2026-01-02T03:04:05.000", "2026-01-02T03:04:05.000z", "2026-01-02 03:04:05.000Z", "2026-13-02T03:04:05.000Z", "2026-00-02T03:04:05.000Z",
		"2026-01-00T03:04:05.000Z", "2026-01-29T03:04:05.000Z", "2026-01-02T24:00:00.000Z", "2026-01-02T03:60:05.000Z", "2026-01-02T03:04:60.000Z",
		"2026-01-02T03:04:0a.000Z", "+026-01-02T03:04:05.000Z", "2026-01-02T03:04:05.00/Z",
	} {
		if ms, ok := usualTime(s); ok {
			t.Errorf("%q: %d", s, ms)
		}
	}
}
