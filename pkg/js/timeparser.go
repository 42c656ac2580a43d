package js

import (
	"strings"
	"time"
)

// timeParser reads ECMAScript's date time string format. A part that does not
// fit sets bad; what is read after that has no meaning.
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
