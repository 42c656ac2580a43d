package page

import (
	"strconv"
	"strings"

	"github.com/sess-tools/sess/internal/core/ansi"
)

// A look is what escape sequences say of how a text looks.
type look struct {
	fore, back                     int // 1 to 16; 0: that of the page
	bold, dim, italic, under, turn bool
}

// fores and backs are the classes of colours.
var (
	fores = [17]constant{"", "f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "f12", "f13", "f14", "f15"}
	backs = [17]constant{"", "b0", "b1", "b2", "b3", "b4", "b5", "b6", "b7", "b8", "b9", "b10", "b11", "b12", "b13", "b14", "b15"}
)

// terminalOutput writes the output of a program as a terminal shows it at last: colours are classes, of a line
// that was overwritten the last text counts, and all other sequences are left out.
func (m *markup) terminalOutput(s string) {
	if !strings.ContainsAny(s, "\x1b\r") {
		m.text(s)
		return
	}
	var now look
	for line := range strings.Lines(s) {
		body := strings.TrimRight(line, "\r\n")
		if i := strings.LastIndexByte(body, '\r'); i >= 0 {
			body = body[i+1:]
		}
		now = m.line(body, now)
		if strings.HasSuffix(line, "\n") {
			m.raw("\n")
		}
	}
}

// line writes a line in the look that it begins with, and returns that of its end.
func (m *markup) line(s string, now look) look {
	for s != "" {
		i := strings.IndexByte(s, 0x1b)
		if i < 0 {
			i = len(s)
		}
		m.looking(s[:i], now)
		if s = s[i:]; s == "" {
			break
		}
		q := ansi.At(s)
		if params, ok := strings.CutSuffix(q.Body, "m"); ok && q.Kind == '[' {
			now = now.changed(params)
		}
		s = s[q.Size:]
	}
	return now
}

// looking writes a text in a look.
func (m *markup) looking(s string, l look) {
	if s == "" {
		return
	}
	if l == (look{}) {
		m.text(s)
		return
	}
	if l.turn {
		l.fore, l.back = l.back, l.fore
	}
	m.raw(`<span class="`, fores[l.fore], " ", backs[l.back])
	for _, c := range []struct {
		on    bool
		class constant
	}{{l.bold, " B"}, {l.dim, " D"}, {l.italic, " I"}, {l.under, " U"}, {l.turn, " R"}} {
		if c.on {
			m.raw(c.class)
		}
	}
	m.raw(`">`)
	m.text(s)
	m.raw("</span>")
}

// changed returns the look after a sequence.
func (l look) changed(params string) look {
	codes := strings.FieldsFunc(params, func(r rune) bool { return r == ';' || r == ':' })
	if len(codes) == 0 {
		return look{}
	}
	for i := 0; i < len(codes); i++ {
		n, err := strconv.Atoi(codes[i])
		if err != nil {
			return l // of another kind, as [?1m
		}
		switch {
		case n == 0:
			l = look{}
		case n == 1:
			l.bold = true
		case n == 2:
			l.dim = true
		case n == 3:
			l.italic = true
		case n == 4:
			l.under = true
		case n == 7:
			l.turn = true
		case n >= 22 && n <= 27:
			switch n {
			case 22:
				l.bold, l.dim = false, false
			case 23:
				l.italic = false
			case 24:
				l.under = false
			case 27:
				l.turn = false
			}
		case n >= 30 && n <= 37:
			l.fore = n - 29
		case n == 39:
			l.fore = 0
		case n >= 40 && n <= 47:
			l.back = n - 39
		case n == 49:
			l.back = 0
		case n >= 90 && n <= 97:
			l.fore = n - 81
		case n >= 100 && n <= 107:
			l.back = n - 91
		case n == 38 || n == 48:
			c, used := extended(codes[i+1:])
			i += used
			if n == 38 {
				l.fore = c
			} else {
				l.back = c
			}
		}
	}
	return l
}

// extended returns the nearest of the 16 colours to one of 256 or of all, and how many numbers
// it took.
func extended(codes []string) (c, used int) {
	number := func(i int) int {
		if i >= len(codes) {
			return 0
		}
		n, _ := strconv.Atoi(codes[i])
		return min(max(n, 0), 255)
	}
	switch number(0) {
	case 5:
		n := number(1)
		switch {
		case n < 16:
			return n + 1, 2
		case n >= 232:
			v := (n-232)*10 + 8
			return nearest(v, v, v), 2
		}
		n -= 16
		level := func(v int) int { return v * 51 }
		return nearest(level(n/36), level(n/6%6), level(n%6)), 2
	case 2:
		return nearest(number(1), number(2), number(3)), 4
	}
	return 0, 1
}

// nearest returns the colour of the 16 that is nearest to one, by its hue.
func nearest(r, g, b int) int {
	high, low := max(r, g, b), min(r, g, b)
	if high-low < 48 {
		switch {
		case high < 64:
			return 1
		case high < 144:
			return 9
		case high < 208:
			return 8
		}
		return 16
	}
	c, half := 1, (high+low)/2
	for i, v := range []int{r, g, b} {
		if v > half {
			c += 1 << i
		}
	}
	if high > 192 {
		c += 8
	}
	return c
}
