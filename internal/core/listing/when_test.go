package listing_test

import (
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/core/listing"
)

// What words mean depends on the day and on the zone, where a day may have 23 or 25 hours, or no midnight.
func TestWhen(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ now, zone, text, want string }{
		{"2026-11-28T10:00:00Z", "UTC", "", "0001-01-01T00:00:00Z"}, // a Saturday
		{"2026-11-28T10:00:00Z", "UTC", "90m", "2026-11-28T08:30:00Z"},
		{"2026-11-28T10:00:00Z", "UTC", "2d", "2026-11-26T10:00:00Z"},
		{"2026-11-28T10:00:00Z", "UTC", "1w", "2026-11-21T10:00:00Z"},
		{"2026-11-28T10:00:00Z", "UTC", "today", "2026-11-28T00:00:00Z"},
		{"2026-11-28T10:00:00Z", "UTC", "Yesterday", "2026-11-27T00:00:00Z"},
		{"2026-11-28T10:00:00Z", "UTC", "saturday", "2026-11-28T00:00:00Z"}, // today is the last one
		{"2026-11-28T10:00:00Z", "UTC", "sunday", "2026-11-22T00:00:00Z"},
		{"2026-11-28T10:00:00Z", "UTC", "monday", "2026-11-23T00:00:00Z"},
		{"2026-11-28T10:00:00Z", "UTC", "last week", "2026-11-16T00:00:00Z"},
		{"2026-11-29T10:00:00Z", "UTC", "last week", "2026-11-16T00:00:00Z"}, // Sunday ends a week
		{"2026-11-30T10:00:00Z", "UTC", "last week", "2026-11-23T00:00:00Z"},
		{"2026-11-30T10:00:00Z", "UTC", "Monday", "2026-11-30T00:00:00Z"},
		{"2026-11-28T10:00:00Z", "UTC", "2026-09-01", "2026-09-01T00:00:00Z"},
		{"2026-11-28T10:00:00Z", "UTC", "20260901", "2026-09-01T00:00:00Z"},
		{"2026-11-28T10:00:00Z", "+02:00", "20260901", "2026-08-31T22:00:00Z"},
		{"2026-11-28T23:30:00Z", "+02:00", "today", "2026-11-28T22:00:00Z"}, // it is Sunday there
		{"2026-11-28T23:30:00Z", "+02:00", "saturday", "2026-11-27T22:00:00Z"},
		{"2026-11-28T03:00:00Z", "-0430", "yesterday", "2026-11-26T04:30:00Z"},
		{"2026-03-30T10:00:00Z", "Europe/Rome", "yesterday", "2026-03-28T23:00:00Z"}, // the day of 23 hours
		{"2026-03-30T10:00:00Z", "Europe/Rome", "today", "2026-03-29T22:00:00Z"},
		{"2026-10-26T10:00:00Z", "Europe/Rome", "sunday", "2026-10-24T22:00:00Z"}, // and of 25
		{"2026-10-26T10:00:00Z", "Europe/Rome", "monday", "2026-10-25T23:00:00Z"},
		{"2018-11-05T10:00:00Z", "America/Sao_Paulo", "yesterday", "2018-11-04T03:00:00Z"}, // which began at one o'clock
		{"2026-11-28T10:00:00Z", "Europe/Rome", "2026-01-31T09:30:00Z", "2026-01-31T09:30:00Z"},
	} {
		now, err := time.Parse(time.RFC3339, tt.now)
		if err != nil {
			t.Fatal(err)
		}
		zone, err := listing.Zone(tt.zone)
		if err != nil {
			t.Fatal(err)
		}
		got, err := listing.When(tt.text, now.In(zone))
		if text := got.UTC().Format(time.RFC3339); err != nil || text != tt.want {
			t.Errorf("%s in %s, %q: %s, want %s; %v", tt.now, tt.zone, tt.text, text, tt.want, err)
		}
	}
	for _, text := range []string{"mon", "next week", "last  week", "20261301", "2026-02-30", "202609", "tomorrow", "-2d", "yesterday ", "week"} {
		if got, err := listing.When(text, time.Now()); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}

func TestZone(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	for name, want := range map[string]int{"UTC": 0, "+02:00": 7200, "+0200": 7200, "+02": 7200, "-03:30": -12600, "Europe/Rome": 7200, "+14:00": 50400} {
		zone, err := listing.Zone(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if _, seconds := at.In(zone).Zone(); seconds != want {
			t.Errorf("%s is %d seconds from UTC, want %d", name, seconds, want)
		}
	}
	for _, name := range []string{"", "local", "Local"} {
		if zone, err := listing.Zone(name); err != nil || zone != time.Local {
			t.Errorf("%q: %v, %v", name, zone, err)
		}
	}
	for _, name := range []string{"+2:00", "+02:60", "+15:00", "02:00", "Nowhere/City", "+02:00:00", "UTC+2"} {
		if zone, err := listing.Zone(name); err == nil {
			t.Errorf("%q is %v", name, zone)
		}
	}
}
