package js

import (
	"strconv"
	"strings"
	"time"
)

// maxTime is how far, in milliseconds, a JavaScript date may be from 1970.
const maxTime = 8_640_000_000_000_000

// ParseTime returns the time s names in milliseconds since 1970 UTC, as
// new Date(s).getTime() does. It reads the forms that ECMAScript specifies:
// YYYY, YYYY-MM or YYYY-MM-DD, the year also as ±YYYYYY, followed or not by
// THH:mm, THH:mm:ss or THH:mm:ss.s… and by Z or ±HH:mm. A date alone is UTC; a
// date with a time and no zone is local time, for which the offset
// before it counts in a gap or an overlap of the clock. 24:00 is the end of the day.
// Digits beyond the millisecond are dropped. A day that the month does not have
// is taken on into the next month up to 31, as V8 does.
//
// Other strings, and times beyond ±8.64e15 ms, are refused. Engines accept
// more, each in its own way: V8 also takes "2026-01-02 10:00Z" and "Jan 2 2026".
func ParseTime(s string) (ms int64, ok bool) { return parseTime(s, time.Local) }

func parseTime(s string, local *time.Location) (ms int64, ok bool) {
	if ms, ok = usualTime(s); ok {
		return ms, true
	}
	p := timeParser{rest: s}
	t, withTime := p.dateTime()
	var offset time.Duration
	zone := false
	if withTime {
		offset, zone = p.zone()
	}
	if p.bad || p.rest != "" {
		return 0, false
	}
	if withTime && !zone {
		offset = localOffset(t, local)
	}
	if ms = t.Add(-offset).UnixMilli(); ms < -maxTime || ms > maxTime {
		return 0, false
	}
	return ms, true
}

// usualTime is parseTime for what toISOString writes, in all but the last days of a
// month: the form of nearly every time in a session. ok is false for other forms.
func usualTime(s string) (ms int64, ok bool) {
	const like = "0000-00-00T00:00:00.000Z"
	if len(s) != len(like) {
		return 0, false
	}
	for i := range len(like) {
		if c := s[i]; c != like[i] && (like[i] != '0' || c < '0' || c > '9') {
			return 0, false
		}
	}
	two := func(i int) int64 { return 10*int64(s[i]-'0') + int64(s[i+1]-'0') }
	year, month, day := 100*two(0)+two(2), two(5), two(8)
	hour, minute, second := two(11), two(14), two(17)
	if month < 1 || month > 12 || day < 1 || day > 28 || hour > 23 || minute > 59 || second > 59 {
		return 0, false
	}
	if month < 3 { // a year that begins in March has its leap day at its end
		year, month = year-1, month+12
	}
	const before1970 = 719_469 // days from the first of March of the year 0, and one for that the first is 1
	days := 365*year + floor(year, 4) - floor(year, 100) + floor(year, 400) + (153*(month-3)+2)/5 + day - before1970
	return 1000*(60*(60*(24*days+hour)+minute)+second) + 100*int64(s[20]-'0') + two(21), true
}

// floor returns a/b rounded down, for b > 0.
func floor(a, b int64) int64 {
	if a < 0 {
		return -((b - 1 - a) / b)
	}
	return a / b
}

// FormatTime returns ms, milliseconds since 1970 UTC, as Date's toISOString
// does: 2026-01-02T03:04:05.678Z, with the year as ±YYYYYY outside 0 to 9999.
// It returns "" beyond ±8.64e15 ms, where toISOString throws.
func FormatTime(ms int64) string {
	if ms < -maxTime || ms > maxTime {
		return ""
	}
	const afterYear = "-01-02T15:04:05.000Z"
	t := time.UnixMilli(ms).UTC()
	dst := make([]byte, 0, len("+002006")+len(afterYear))
	year, digits := t.Year(), 4
	if year < 0 || year > 9999 {
		sign := byte('+')
		if year < 0 {
			sign, year = '-', -year
		}
		dst, digits = append(dst, sign), 6
	}
	y := strconv.Itoa(year)
	for range digits - len(y) {
		dst = append(dst, '0')
	}
	dst = append(dst, y...)
	return string(t.AppendFormat(dst, afterYear))
}

// localOffset returns the offset from UTC of the clock reading t in zone. Where
// the clock is put forward or back, and the reading exists never or twice, it
// is the offset before the change, as ECMAScript's LocalTime rules say.
func localOffset(t time.Time, zone *time.Location) time.Duration {
	offsetAt := func(t time.Time) time.Duration {
		_, seconds := t.In(zone).Zone()
		return time.Duration(seconds) * time.Second
	}
	// No offset is as long as a day: these two lie on either side.
	before, after := offsetAt(t.Add(-24*time.Hour)), offsetAt(t.Add(24*time.Hour))
	if offsetAt(t.Add(-before)) != before && offsetAt(t.Add(-after)) == after {
		return after
	}
	return before
}

// timeParser reads ECMAScript's date time string format. A part that does not fit sets bad; parts
// that are read after that have no meaning.
type timeParser struct {
	rest string
	bad  bool
}

// dateTime reads the date and the time, if there is one, as if in UTC.
func (p *timeParser) dateTime() (t time.Time, withTime bool) {
	year, month, day := p.year(), 1, 1
	if p.take('-') {
		month = p.number(2, 1, 12)
		if p.take('-') {
			day = p.number(2, 1, 31)
		}
	}
	t = time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if !p.take('T') {
		return t, false
	}
	return t.Add(p.clock()), true
}

// year reads YYYY or ±YYYYYY; minus zero is no year.
func (p *timeParser) year() int {
	if p.take('+') {
		return p.number(6, 0, 999_999)
	}
	if p.take('-') {
		return -p.number(6, 1, 999_999)
	}
	return p.number(4, 0, 9999)
}

// clock reads HH:mm, HH:mm:ss or HH:mm:ss.s….
func (p *timeParser) clock() time.Duration {
	d := time.Duration(p.number(2, 0, 24)) * time.Hour
	p.expect(':')
	d += time.Duration(p.number(2, 0, 59)) * time.Minute
	if p.take(':') {
		d += time.Duration(p.number(2, 0, 59)) * time.Second
		if p.take('.') {
			d += p.fraction()
		}
	}
	p.bad = p.bad || d > 24*time.Hour
	return d
}

// fraction reads one digit or more as a part of a second; those after the third
// do not count.
func (p *timeParser) fraction() (d time.Duration) {
	n := 0
	for unit := 100 * time.Millisecond; n < len(p.rest) && isDigit(p.rest[n]); n++ {
		d += time.Duration(p.rest[n]-'0') * unit.Truncate(time.Millisecond)
		unit /= 10
	}
	p.bad = p.bad || n == 0
	p.rest = p.rest[n:]
	return d
}

// zone reads Z or ±HH:mm, if there is one.
func (p *timeParser) zone() (offset time.Duration, ok bool) {
	sign := time.Duration(1)
	switch {
	case p.take('Z'):
		return 0, true
	case p.take('-'):
		sign = -1
	case !p.take('+'):
		return 0, false
	}
	hours := p.number(2, 0, 23)
	p.expect(':')
	minutes := p.number(2, 0, 59)
	return sign * (time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute), true
}

// number reads digits decimal digits as a number from low to high.
func (p *timeParser) number(digits, low, high int) (n int) {
	if len(p.rest) < digits {
		p.bad = true
		return low
	}
	for _, c := range []byte(p.rest[:digits]) {
		p.bad = p.bad || !isDigit(c)
		n = n*10 + int(c-'0')
	}
	p.rest = p.rest[digits:]
	p.bad = p.bad || n < low || n > high
	return n
}

// take reads c, if it comes next.
func (p *timeParser) take(c byte) bool {
	rest, ok := strings.CutPrefix(p.rest, string(rune(c)))
	p.rest = rest
	return ok
}

// expect reads c, which must come next.
func (p *timeParser) expect(c byte) { p.bad = !p.take(c) || p.bad }
