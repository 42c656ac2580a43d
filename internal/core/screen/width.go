package screen

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"

	"github.com/sess-tools/sess/internal/core/tty"
)

// terminal says how many columns characters take. The functions of the library would ask the environment.
var terminal = runewidth.Condition{StrictEmojiNeutral: true}

// Columns returns how many columns of a terminal a text takes that is clean, see [tty.Clean]. The library fills a table of
// more than a millisecond at the first character behind U+02FF, so it is asked only for texts that need it.
func Columns(text string) int {
	if n, ok := singles(text); ok {
		return n
	}
	return terminal.StringWidth(text)
}

// singles returns the number of characters of a text in which each takes one column.
func singles(text string) (n int, ok bool) {
	for _, r := range text {
		if (r < ' ' || r > '~') && !takesOneColumn(r) {
			return 0, false
		}
		n++
	}
	return n, true
}

// takesOneColumn reports whether a character takes one column of every terminal, whatever is in front of it: Latin letters,
// Greek, Cyrillic, and the dashes, dots, arrows, lines, blocks and marks that screens are drawn with. False may be wrong.
func takesOneColumn(r rune) bool {
	switch {
	case r < 0x300:
		return r >= ' ' && r < 0x7f || r >= 0xa0 && r != softHyphen
	case r >= 0x370 && r <= 0x52f:
		return unicode.Is(unicode.Greek, r) || unicode.Is(unicode.Cyrillic, r) && !unicode.Is(unicode.M, r)
	case r >= 0x2010 && r <= 0x2027, r >= 0x2190 && r <= 0x21ff, r >= 0x2500 && r <= 0x259f:
		return true
	}
	return r == '✓' || r == '✗' || r == '⊘'
}

const softHyphen = 0xad

// doubtful reports whether terminals differ on how wide a clean text is: by a column for the character that makes a
// picture of the one in front of it, and for colours of skin.
func doubtful(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r == 0xfe0f || r >= 0x1f3fb && r <= 0x1f3ff })
}

// mayBeDoubtful reports whether a text has bytes of a character by which it is doubtful.
func mayBeDoubtful(text string) bool {
	return strings.Contains(text, "\ufe0f") || strings.Contains(text, "\xf0\x9f\x8f")
}

// perColumn is how many bytes of a text are looked at for each column that it may take: a text may be huge, and
// a character may have marks without end.
const perColumn = 64

// head returns the beginning of a text, which is long enough to fill a width, and tail its end.
func head(text string, width int) string {
	n := perColumn * max(width+1, 1)
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

func tail(text string, width int) string {
	from := len(text) - perColumn*max(width+1, 1)
	if from <= 0 {
		return text
	}
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	return text[from:]
}

// Truncate returns a clean text of at most width columns, at the end of which more stands for what was cut off. It may be "", and is
// left out where it has no room.
func Truncate(text string, width int, more string) string {
	if width <= 0 {
		return ""
	}
	begin := head(text, width)
	if len(begin) == len(text) && Columns(text) <= width {
		return text
	}
	if Columns(more) > width {
		more = ""
	}
	if n, ok := singles(begin); ok {
		cut := len(begin)
		for room := max(width-Columns(more), 0); n > room; n-- {
			_, size := utf8.DecodeLastRuneInString(begin[:cut])
			cut -= size
		}
		return begin[:cut] + more
	}
	for room := width - Columns(more); ; room-- { // the mark may join the last character
		if out := terminal.Truncate(begin, max(room, 0), "") + more; room <= 0 || Columns(out) <= width {
			return out
		}
	}
}

// cutLeft is Truncate at the beginning of a text.
func cutLeft(text string, width int, more string) string {
	end := tail(text, width)
	if len(end) == len(text) && Columns(text) <= width {
		return text
	}
	if n, ok := singles(end); ok && width > Columns(more) {
		cut := 0
		for room := width - Columns(more); n > room; n-- {
			_, size := utf8.DecodeRuneInString(end[cut:])
			cut += size
		}
		return more + end[cut:]
	}
	for room := width - Columns(more); room > 0; room-- {
		if out := more + terminal.TruncatePrefix(end, room, ""); Columns(out) <= width {
			return out
		}
	}
	return Truncate(more, width, "")
}

// pad returns a text with spaces up to a width, in front of it or behind.
func pad(text string, width int, right bool) string {
	space := strings.Repeat(" ", max(width-Columns(text), 0))
	if right {
		return space + text
	}
	return text + space
}

// Pad returns a text, clean, in just width columns.
func (sc *Screen) Pad(text string, width int) string {
	return pad(Truncate(cleaned(text), width, sc.Marks.More), width, false)
}

// OneLine returns a text on one line, clean: white space is a single space, and there is none at its ends.
func OneLine(text string) string { return tty.Clean(strings.Join(strings.Fields(text), " ")) }

// mostJoined is how many bytes of a text of several lines are looked at.
const mostJoined = 4 << 10

// Joined returns the lines of a text on one line, clean, with a mark between them. Of a long text it is the beginning.
func (sc *Screen) Joined(text string) string {
	var lines []string
	for line := range strings.Lines(text[:min(len(text), mostJoined)]) {
		if line = OneLine(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, " "+sc.Marks.Dot+" ")
}

// Untab returns a line with four spaces for each tab: how wide a tab is depends on where it stands.
func Untab(line string) string { return strings.ReplaceAll(line, "\t", "    ") }

// cleaned returns a text of a tool on one line, clean. Spaces stay.
func cleaned(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return r != ' ' && unicode.IsSpace(r) }) {
		return OneLine(text)
	}
	return tty.Clean(text)
}

// Wrap returns the lines of a text that is broken at words, and in a word that is longer than width columns.
func Wrap(text string, width int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		word = tty.Clean(word)
		if longer := line + " " + word; line != "" && Columns(longer) <= width {
			line = longer
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		for line = word; Columns(line) > width; {
			begin := Truncate(line, width, "")
			if begin == "" { // a character that is wider
				break
			}
			lines, line = append(lines, begin), line[len(begin):]
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
