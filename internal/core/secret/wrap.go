package secret

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// A terminal breaks a line where it has no more columns, and prints a key that is longer in two lines or more; a
// panel draws its borders around each of them. What follows finds such breaks, so that a layer can do without them.

// minWrapped is how many characters of a key stand around a break at least.
const minWrapped = 20

// wraps calls found for what breaks a run of characters of a key, in their order: the end of a line that is as wide as a
// terminal, the borders of a panel, and the quotes between two literals of a program.
func wraps(text string, found func(s Span)) {
	width := 0 // of the line before, if it was broken
	for from := 0; ; {
		n := strings.IndexByte(text[from:], '\n')
		if n < 0 {
			literals(text[from:], from, found)
			return
		}
		line, next := strings.TrimSuffix(text[from:from+n], "\r"), text[from+n+1:]
		s := Span{from + len(line), from + n + 1}
		if columns := utf8.RuneCountInString(line); n > 0 && n <= maxWide {
			if left, ok := boxed(line); ok {
				if at, ok := boxed(firstLine(next)); ok && breaksKey(text[:from+left.To], next[at.From:]) {
					s = Span{from + left.To, s.To + at.From}
				} else {
					s.To = s.From
				}
			} else if blanks := indent(line); indent(next) != blanks || !full(line[blanks:], columns, width) || !breaksKey(line, next[blanks:]) {
				s.To = s.From
			} else {
				s.To += blanks
				width = columns
			}
		} else {
			s.To = s.From
		}
		literals(line, from, found)
		if s.To > s.From {
			found(s)
		} else {
			width = 0
		}
		from += n + 1
	}
}

// maxWide is how many bytes a line of a terminal has at most.
const maxWide = 1000

// isWide reports whether lines are often broken at a column.
func isWide(columns int) bool {
	return slices.Contains([]int{72, 76, 78, 79, 80, 100, 120, 132, 160}, columns)
}

// isKey reports whether a byte may be part of a key.
func isKey(c byte) bool { return class[c]&isWord != 0 || strings.IndexByte(".=~:$", c) >= 0 }

// keyRuns returns how many bytes of a key one text ends with, and another begins with, as far as it matters.
func keyRuns(before, after string) (a, b int) {
	for a < minWrapped && a < len(before) && isKey(before[len(before)-1-a]) {
		a++
	}
	for b < minWrapped && b < len(after) && isKey(after[b]) {
		b++
	}
	return a, b
}

// breaksKey reports whether a key may begin at the end of one text and go on at the beginning of another: words have no
// digits, and few capitals.
func breaksKey(before, after string) bool {
	a, b := keyRuns(before, after)
	if a == 0 || b == 0 || a+b < minWrapped {
		return false
	}
	capitals := 0
	for _, part := range []string{before[len(before)-a:], after[:b]} {
		for i := range len(part) {
			switch c := part[i]; {
			case c >= '0' && c <= '9':
				return true
			case c >= 'A' && c <= 'Z':
				capitals++
			}
		}
	}
	return capitals >= 4
}

// full reports whether a line of some columns may go on in the next one, because it is as wide as the one before that did, or
// as lines often are, or is nothing but a part of a key.
func full(line string, columns, width int) bool {
	if width > 0 {
		return columns == width
	}
	return isWide(columns) || len(line) >= 40 && strings.IndexFunc(line, func(r rune) bool { return r >= utf8.RuneSelf || !isKey(byte(r)) }) < 0
}

// indent returns how many blanks a text begins with.
func indent(text string) (n int) {
	for n < len(text) && text[n] == ' ' {
		n++
	}
	return n
}

// firstLine returns the first line of a text, as far as a terminal is wide.
func firstLine(text string) string {
	text = text[:min(len(text), maxWide)]
	if n := strings.IndexByte(text, '\n'); n >= 0 {
		text = text[:n]
	}
	return strings.TrimSuffix(text, "\r")
}

// borders are the characters that panels are drawn with at their sides.
const borders = "|│┃║▌▐"

// boxed returns the text between two borders, which are the only ones of the line, without the blanks beside them.
func boxed(line string) (s Span, ok bool) {
	first := indent(line)
	if first == len(line) || line[first] != '|' && line[first] != borders[len("|")] || strings.IndexAny(line[first:], borders) != 0 {
		return Span{}, false // most lines, by their first byte
	}
	last := strings.LastIndexAny(line, borders)
	if last <= first {
		return Span{}, false
	}
	_, n := utf8.DecodeRuneInString(line[first:])
	_, m := utf8.DecodeRuneInString(line[last:])
	in := line[first+n : last]
	if strings.TrimRight(line[last+m:], " \t") != "" || strings.ContainsAny(in, borders) {
		return Span{}, false
	}
	from := first + n + indent(in)
	to := last
	for to > from && line[to-1] == ' ' {
		to--
	}
	return Span{from, to}, from < to
}

// literals calls found for the quotes between two literals of a line that make one text of it, as "a" + "b" or 'a' 'b'.
func literals(line string, at int, found func(s Span)) {
	if strings.IndexByte(line, '"') < 0 && strings.IndexByte(line, '\'') < 0 {
		return
	}
	for i := 0; i < len(line); {
		n := strings.IndexAny(line[i:], `"'`)
		if n < 0 {
			return
		}
		i += n
		quote, end := line[i], i+1
		for end < len(line) && strings.IndexByte(" \t+.&", line[end]) >= 0 {
			end++
		}
		if end > i+1 && end < len(line) && line[end] == quote && breaksKey(line[:i], line[end+1:]) {
			found(Span{at + i, at + end + 1})
		}
		i = end
	}
}

// gutters calls found for the numbers in front of lines of base64, and for the signs of a diff or of a quotation there.
func gutters(text string, found func(s Span)) {
	if !strings.Contains(text, "\n") {
		return
	}
	var held Span // of the first line
	same := ""    // the signs of the line before
	full := false
	for from := 0; from < len(text); {
		line := text[from:]
		if n := strings.IndexByte(line, '\n'); n >= 0 {
			line = line[:n]
		}
		n, signs := gutter(line)
		rest := strings.TrimRight(line[n:], "\r=")
		coded := n > 0 && len(rest) > 0 && classEnd(rest, 0, isWord) == len(rest)
		switch {
		case coded && full && signs == same:
			if held.To > held.From {
				found(held)
				held = Span{}
			}
			found(Span{from, from + n})
			full = len(rest) >= minFull
		case coded && len(rest) >= minFull:
			held, same, full = Span{from, from + n}, signs, true
		default:
			full = false
		}
		from += len(line) + 1
	}
}

// minFull is how many characters of base64 a line has that the next one continues.
const minFull = 40

// gutter returns the length of what a line has in front of its text, 0 for nothing, and its characters that are no digits
// and no blanks.
func gutter(line string) (n int, signs string) {
	n = indent(line)
	digits := n
	for n < len(line) && n-digits < 7 && line[n] >= '0' && line[n] <= '9' {
		n++
	}
	hasNumber := n > digits
	for _, sign := range []string{"\t", "→", "│ ", "| ", ": ", ":", "  "} {
		if rest, ok := strings.CutPrefix(line[n:], sign); ok && hasNumber {
			return len(line) - len(rest) + indent(rest), sign
		}
	}
	for _, sign := range []string{"+ ", "+", "- ", "-", "> ", ">", "# ", "| "} {
		if strings.HasPrefix(line, sign) {
			return len(sign), sign
		}
	}
	return 0, ""
}
