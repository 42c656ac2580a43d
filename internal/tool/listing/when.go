package listing

import (
	"fmt"
	"strconv"
	"time"

	"github.com/sess-tools/sess/pkg/js"
)

// units are the units of an age, beside those of Go's durations.
var units = map[byte]time.Duration{'d': 24 * time.Hour, 'w': 7 * 24 * time.Hour}

// When reads a time given as an age or as a date. The zero time stands for "".
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
	if day, err := time.ParseInLocation(time.DateOnly, text, now.Location()); err == nil {
		return day, nil
	}
	if ms, ok := js.ParseTime(text); ok {
		return time.UnixMilli(ms), nil
	}
	return time.Time{}, fmt.Errorf("%q is neither an age like 7d nor a date like 2026-01-31", text)
}

// Ago returns a time as an age or, from two weeks on, as a date.
func Ago(t, now time.Time) string {
	switch d := now.Sub(t); {
	case d < 0 || d >= 14*24*time.Hour:
		return t.In(now.Location()).Format(time.DateOnly)
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%dm ago", d/time.Minute)
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh ago", d/time.Hour)
	default:
		return fmt.Sprintf("%dd ago", d/(24*time.Hour))
	}
}
