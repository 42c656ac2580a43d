package compact

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/sess-tools/sess/pkg/js"
)

// items is the bounded list of one section. An item is a line of text, mostly
// with the id of the entry it quotes at its end: "text [a1b2c3d4]".
type items []string

func (l items) write(b *strings.Builder, bullet string) {
	for i, item := range l {
		if bullet == "1. " {
			b.WriteString(strconv.Itoa(i+1) + ". " + item + "\n")
		} else {
			b.WriteString(bullet + item + "\n")
		}
	}
}

// add adds an item once, whatever entry it comes from. Of too many the oldest
// goes.
func (l *items) add(item string) { l.put(item, 0, nil) }

// put is add, but the first pinned items stay, and those that are light go
// before others.
func (l *items) put(item string, pinned int, light func(text string) bool) {
	text, ref := reference(item)
	text = shorten(text, extractUnits)
	if text == "" || text == none || l.index(text) >= 0 {
		return
	}
	*l = append(*l, text+ref)
	if len(*l) <= extractItems {
		return
	}
	at := pinned
	if light != nil {
		if i := l.light(pinned, light); i >= 0 {
			at = i
		}
	}
	*l = slices.Delete(*l, at, at+1)
}

// light returns where the oldest light item behind the pinned ones is, -1 if
// there is none.
func (l items) light(pinned int, light func(text string) bool) int {
	for i, item := range l[pinned:] {
		if text, _ := reference(item); light(text) {
			return pinned + i
		}
	}
	return -1
}

// atMost leaves of the items that are light the newest n.
func (l *items) atMost(n int, light func(text string) bool) {
	for i := len(*l) - 1; i >= 0; i-- {
		if text, _ := reference((*l)[i]); !light(text) {
			continue
		}
		if n--; n < 0 {
			*l = slices.Delete(*l, i, i+1)
		}
	}
}

// index returns where the item with a text is, -1 if there is none.
func (l items) index(text string) int {
	return slices.IndexFunc(l, func(item string) bool {
		have, _ := reference(item)
		return have == text
	})
}

// find returns the text of the newest item that begins with prefix, "" if there
// is none.
func (l items) find(prefix string) string {
	for _, item := range slices.Backward(l) {
		if strings.HasPrefix(item, prefix) {
			text, _ := reference(item)
			return text
		}
	}
	return ""
}

// drop removes what begins with a prefix.
func (l *items) drop(prefix string) {
	*l = slices.DeleteFunc(*l, func(item string) bool { return strings.HasPrefix(item, prefix) })
}

// dropCited removes the items that name an entry: those an extract made, not
// those of a model.
func (l *items) dropCited() {
	*l = slices.DeleteFunc(*l, func(item string) bool {
		_, ref := reference(item)
		return ref != ""
	})
}

// entryID are the ids an item can name.
var entryID = regexp.MustCompile(`^[0-9A-Za-z_.:-]+$`)

// cite makes an item of a text and the id of the entry it comes from. An id that
// is too long or would not look like one is left out.
func cite(text, id string) string {
	text = shorten(text, extractUnits)
	if text == "" || text == none || len(id) > refLength || !entryID.MatchString(id) {
		return text
	}
	return text + " [" + id + "]"
}

// reference divides an item into its text and the id at its end, with the
// brackets and the blank before them, "" if there is none.
func reference(item string) (text, ref string) {
	at := strings.LastIndex(item, " [")
	if at <= 0 || !strings.HasSuffix(item, "]") {
		return item, ""
	}
	id := item[at+2 : len(item)-1]
	if len(id) > refLength || !entryID.MatchString(id) || strings.TrimSpace(item[:at]) == "" {
		return item, ""
	}
	return item[:at], item[at:]
}

// firstLine returns the first line of a text that is not blank.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

// shorten makes a text one clean line of at most limit UTF-16 units.
func shorten(s string, limit int) string {
	const slack = 8 // what cleaning leaves out may stand at the beginning
	if len(s) > slack*4*limit {
		s = js.Head(s, slack*limit)
	}
	s = clean(s)
	if js.Len(s) <= limit {
		return s
	}
	return strings.TrimSpace(js.Head(s, limit-1)) + "…"
}

var (
	// escapes are the sequences that colour a terminal's output.
	escapes = regexp.MustCompile(`\x1b\[[0-9;:?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)`)
	// tags are those around a summary and within it, in the entry and in what a
	// model gets to see.
	tags = regexp.MustCompile(`(?i)<(/?\s*(?:summary|previous-summary|conversation|read-files|modified-files)\b)`)
)

// clean makes a text harmless where it is quoted: one line of valid text
// without control characters, and without tags that end what it stands in.
func clean(s string) string {
	s = js.ValidText(s)
	if strings.ContainsRune(s, '\x1b') {
		s = escapes.ReplaceAllString(s, "")
	}
	if strings.ContainsFunc(s, breaks) {
		s = strings.Map(func(r rune) rune {
			if breaks(r) {
				return ' '
			}
			return r
		}, s)
	}
	if strings.ContainsRune(s, '<') {
		s = tags.ReplaceAllString(s, "‹$1")
	}
	return strings.TrimSpace(s)
}

// breaks reports whether a character ends a line, steers a terminal or turns
// the direction of writing.
func breaks(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r == '\ufeff' ||
		r == '\u200e' || r == '\u200f' || r == '\u061c' || '\u202a' <= r && r <= '\u202e' || '\u2066' <= r && r <= '\u2069'
}
