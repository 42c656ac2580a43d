package screen

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/core/calls"
	"github.com/sess-tools/sess/internal/core/tty"
)

// Marks stand beside text, or for some.
type Marks struct {
	Failed, Refused, More    string // More stands for text that was cut off, and marks open calls
	Prompt, Compaction, Leaf string
	Line, Fork, Branch, Bar  string
	None, Dot, Minus, To     string // None stands for an unknown value; Dot joins, and To is an arrow
	Times                    string // in front of a number of times
}

var (
	unicodeMarks = Marks{"✗", "⊘", "…", "●", "◆", "○", "│", "├", "╮", "█", "–", "·", "−", "→", "×"}
	asciiMarks   = Marks{"x", "!", "...", "*", "#", "o", "|", "+", `\`, "#", "-", ";", "-", "->", "x"}
)

// halfYear is the age from which on the year of a time says more than the hour.
const halfYear = 180 * 24 * time.Hour

// When returns a time as ls -l prints it, in 12 columns, in the zone of now: "Nov 25 14:02", and "Mar  3  2026" if it
// is 180 days away or more. The zero time is "".
func When(t, now time.Time) string {
	switch d := now.Sub(t); {
	case t.IsZero():
		return ""
	case d.Abs() >= halfYear:
		return t.In(now.Location()).Format("Jan _2  2006")
	}
	return t.In(now.Location()).Format("Jan _2 15:04")
}

// Date returns the day of a time, in the zone of now: "Nov 25", and "Mar  3  2026" where [When] has the year. The zero time is "".
func Date(t, now time.Time) string {
	when := When(t, now)
	if strings.Contains(when, ":") {
		return when[:len("Nov 25")]
	}
	return when
}

// Clock returns the time of day, in the zone of now: "14:02:07". The zero time is "".
func Clock(t, now time.Time) string { return ofDay(t, now, time.TimeOnly) }

// Minute returns the time of day without seconds: "14:02".
func Minute(t, now time.Time) string { return ofDay(t, now, "15:04") }

func ofDay(t, now time.Time, layout string) string {
	if t.IsZero() {
		return ""
	}
	return t.In(now.Location()).Format(layout)
}

// Duration returns a duration in its largest unit, rounded down: "8s", "9m", "3h", "2d". One below a second is "".
func Duration(d time.Duration) string {
	switch {
	case d < time.Second:
		return ""
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%dm", d/time.Minute)
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh", d/time.Hour)
	}
	return fmt.Sprintf("%dd", d/(24*time.Hour))
}

// Size returns a number of bytes in units of 1000, with three digits at most: "834 B", "1.2 MB", "319 kB".
func Size(n int64) string { return scaled(float64(n), 100, " B", " kB", " MB", " GB", " TB") }

// Tokens returns a number of tokens: "834", "5.2k", "89k", "107.1M".
func Tokens(n int64) string {
	if n < 1e6-500 {
		return scaled(float64(n), 10, "", "k")
	}
	return scaled(float64(n)/1e6, math.Inf(1), "M", "G", "T")
}

// scaled returns a number in the largest unit of which it is at least one. Below whole it has a decimal, but not in the
// first unit of those of which there are parts only.
func scaled(v, whole float64, units ...string) string {
	unit := 0
	for ; unit < len(units)-1 && v >= 999.5; unit++ {
		v /= 1000
	}
	digits := 0
	if (unit > 0 || units[0] == "M") && math.Round(v*10) < whole*10 {
		digits = 1
	}
	return strconv.FormatFloat(v, 'f', digits, 64) + units[unit]
}

// USD returns an amount of money: "$82.60", and "<$0.01" for less than a cent. NaN and infinity are "".
func USD(v float64) string {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return ""
	case v > 0 && v < 0.01:
		return "<$0.01"
	}
	return tty.Thousands("$" + strconv.FormatFloat(v, 'f', 2, 64))
}

// Count returns a number with commas: "1,280".
func Count[N int | int64](n N) string { return tty.Thousands(strconv.FormatInt(int64(n), 10)) }

// Ending returns the mark of a call that did not end well or is open, and its style; "" for one that ended well.
func (sc *Screen) Ending(outcome string) (mark string, style tty.Style) {
	switch outcome {
	case calls.Fail:
		return sc.Marks.Failed, tty.Red
	case calls.Denied:
		return sc.Marks.Refused, tty.Red
	case calls.Open:
		return sc.Marks.More, tty.Yellow
	}
	return "", tty.Plain
}

// Times returns how often a row was found, to stand behind it: "  ×3", and "" for once.
func (sc *Screen) Times(n int) string {
	if n < 2 {
		return ""
	}
	return "  " + sc.Marks.Times + Count(n)
}

// Directory returns a working directory, with ~ for the home directory; of one that is wider the end, behind a mark,
// from the name of a directory on if that fits.
func (sc *Screen) Directory(dir string, width int) string {
	if rest, ok := strings.CutPrefix(dir, sc.Home); ok && len(sc.Home) > 1 && (rest == "" || rest[0] == filepath.Separator) {
		dir = "~" + rest
	}
	dir = tty.Clean(dir)
	out := cutLeft(dir, width, sc.Marks.More)
	if end, is := strings.CutPrefix(out, sc.Marks.More); is && out != dir {
		if at := strings.IndexRune(end, filepath.Separator); at >= 0 && at < len(end)-1 {
			out = sc.Marks.More + end[at:]
		}
	}
	return out
}

// Base returns the name of a working directory without the directories above it.
func Base(dir string) string {
	if dir == "" {
		return ""
	}
	return tty.Clean(filepath.Base(dir))
}

// Several reports whether rows have several directories.
func Several[T any](rows []T, dir func(T) string) bool {
	return slices.ContainsFunc(rows, func(row T) bool { return dir(row) != dir(rows[0]) })
}

// The lengths of short ids: of one by default, and of one that has the time of a UUID of version 7 to the millisecond.
const (
	shortID  = 8
	longerID = 13
)

// Short returns a function that shortens ids for people to what tells them apart: to 8 characters, else to 13, else to
// as many as it takes. An id may have the name of an agent and a colon in front, and is told apart from those of that
// agent; other texts with a colon, a slash or a dot are names of files and stay. What the function gets need
// not be one of the ids.
func Short(ids []string) func(string) string {
	ids = slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return prefix(id) < 0 })
	slices.Sort(ids)
	ids = slices.Compact(ids)
	most := map[string]int{}
	for i, id := range ids {
		n := shortID
		own := prefix(id)
		for _, j := range []int{i - 1, i + 1} {
			if j < 0 || j == len(ids) || !strings.HasPrefix(ids[j], id[:own]) {
				continue
			}
			if same := common(id[own:], ids[j][own:]); same >= longerID {
				n = max(n, same+1)
			} else if same >= shortID {
				n = max(n, longerID)
			}
		}
		most[id] = n
	}
	return func(id string) string {
		own := prefix(id)
		if own < 0 {
			return tty.Clean(id)
		}
		end := own + max(most[id], shortID)
		if end >= len(id) {
			return tty.Clean(id)
		}
		for end < len(id) && !utf8.RuneStart(id[end]) {
			end++
		}
		return tty.Clean(id[:end])
	}
}

// prefix returns how many bytes in front of an id are the name of its agent and a colon; -1 if it is no id.
func prefix(id string) int {
	at := strings.IndexByte(id, ':') + 1
	if strings.ContainsAny(id[at:], "/\\.:") {
		return -1
	}
	return at
}

// common returns how many bytes two texts begin with in common.
func common(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
