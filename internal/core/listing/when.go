package listing

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/core/lazy"
	"github.com/sess-tools/sess/pkg/js"
)

// units are the units of an age, beside those of Go's durations.
var units = map[byte]time.Duration{'d': 24 * time.Hour, 'w': 7 * 24 * time.Hour}

// weekdays are the days of a week by their names.
var weekdays = func() map[string]time.Weekday {
	days := map[string]time.Weekday{}
	for d := time.Sunday; d <= time.Saturday; d++ {
		days[strings.ToLower(d.String())] = d
	}
	return days
}()

// When reads a time given as an age, a day or a time. A day means its beginning in the zone of now, and so does a week, which
// begins on Monday. The zero time stands for "".
//
//	90m 12h 7d 2w           so long ago; a day is 24 hours, and a week seven of them
//	today yesterday         the day
//	monday … sunday         the last day of that name, which may be today
//	last week               the Monday of the week before this one
//	2026-01-31 20260131     the day
//	2026-01-31T09:30:00Z    the time, as RFC 3339 has it
func When(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if unit, ok := units[text[len(text)-1]]; ok {
		if n, err := strconv.Atoi(text[:len(text)-1]); err == nil && n >= 0 {
			return now.Add(-time.Duration(n) * unit), nil
		}
	}
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	if ago, ok := daysAgo(strings.ToLower(text), now.Weekday()); ok {
		return midnight(now.AddDate(0, 0, -ago), now.Location()), nil
	}
	for _, form := range []string{time.DateOnly, "20060102"} {
		if day, err := time.Parse(form, text); err == nil {
			return midnight(day, now.Location()), nil
		}
	}
	if ms, ok := js.ParseTime(text); ok && len(text) != len(time.DateOnly) { // 2026-02-30 would be one in March
		return time.UnixMilli(ms), nil
	}
	return time.Time{}, fmt.Errorf("%q is neither an age like 7d, nor a day like yesterday, monday or last week, nor a date like 2026-01-31", text)
}

// daysAgo returns how many days ago the day was that words mean on a day of the week.
func daysAgo(words string, today time.Weekday) (int, bool) {
	since := func(day time.Weekday) int { return int(today-day+7) % 7 }
	switch words {
	case "today":
		return 0, true
	case "yesterday":
		return 1, true
	case "last week":
		return since(time.Monday) + 7, true
	}
	day, ok := weekdays[words]
	return since(day), ok
}

// midnight returns the first moment of the day of a time in a zone. Where clocks are put forward at midnight that is an hour later.
func midnight(t time.Time, zone *time.Location) time.Time {
	y, m, d := t.Date()
	begin := time.Date(y, m, d, 0, 0, 0, 0, zone)
	if begin.Day() != d {
		begin = begin.Add(time.Hour)
	}
	return begin
}

// offset is a zone by its difference from UTC.
var offset = lazy.Regexp(`^([+-])(\d\d):?(\d\d)?$`)

// Zone returns the time zone of a name: one of the system's, local, or its difference from UTC such as +02:00.
func Zone(name string) (*time.Location, error) {
	name = strings.TrimPrefix(name, ":") // as of TZ
	if strings.EqualFold(name, "local") || name == "" || strings.HasPrefix(name, "/") {
		return time.Local, nil
	}
	if m := offset().FindStringSubmatch(name); m != nil {
		hours, _ := strconv.Atoi(m[2])
		minutes, _ := strconv.Atoi("0" + m[3])
		seconds := (hours*60 + minutes) * 60
		if hours > 14 || minutes > 59 {
			return nil, fmt.Errorf("%s is more than any zone is away from UTC", name)
		}
		if m[1] == "-" {
			seconds = -seconds
		}
		return time.FixedZone(name, seconds), nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("there is no time zone %q here", name)
	}
	return zone, nil
}
