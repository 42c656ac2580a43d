package js

import (
	"strconv"
	"testing"
	"time"
	_ "time/tzdata" // the zones of the table, wherever the test runs
)

func TestParseTime(t *testing.T) {
	t.Parallel()
	for _, row := range table(t, "dates.txt") {
		zone, err := time.LoadLocation(row[0])
		if err != nil {
			t.Fatal(err)
		}
		ms, ok := parseTime(row[1], zone)
		got := "NaN"
		if ok {
			got = strconv.FormatInt(ms, 10)
		}
		want := row[2]
		if row[3] == "refused" {
			want = "NaN"
		}
		if got != want {
			t.Errorf("%s: parseTime(%q) = %s, want %s", row[0], row[1], got, want)
		}
	}
	if ms, ok := ParseTime("2026-01-02T03:04:05.678Z"); ms != 1767323045678 || !ok {
		t.Errorf("ParseTime = %d, %v", ms, ok)
	}
	want := time.Date(2026, 6, 15, 12, 0, 0, 0, time.Local).UnixMilli()
	if ms, ok := ParseTime("2026-06-15T12:00"); ms != want || !ok {
		t.Errorf("ParseTime of local noon = %d, %v, want %d", ms, ok, want)
	}
}

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

func TestFormatTime(t *testing.T) {
	t.Parallel()
	for _, row := range table(t, "times.txt") {
		ms, err := strconv.ParseInt(row[0], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		if got := FormatTime(ms); got != row[1] {
			t.Errorf("FormatTime(%d) = %s, want %s", ms, got, row[1])
		}
		if back, ok := ParseTime(row[1]); back != ms || !ok {
			t.Errorf("ParseTime(%s) = %d, %v, want %d", row[1], back, ok, ms)
		}
	}
	for _, ms := range []int64{maxTime + 1, -maxTime - 1, 1<<63 - 1, -1 << 63} {
		if got := FormatTime(ms); got != "" {
			t.Errorf("FormatTime(%d) = %s, want nothing", ms, got)
		}
	}
}

func FuzzParseTime(f *testing.F) {
	for _, s := range []string{"", "2026", "2026-01-02T03:04:05.678Z", "+275760-09-13T00:00:00.000Z", "-000001-01", "2026-01-02T24:00+01:00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		ms, ok := ParseTime(s)
		if !ok {
			return
		}
		if back, ok := ParseTime(FormatTime(ms)); back != ms || !ok {
			t.Errorf("ParseTime(%q) = %d, but ParseTime(%q) = %d, %v", s, ms, FormatTime(ms), back, ok)
		}
	})
}
