package secret

import (
	"strings"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/core/ansi"
)

// unseen calls found for the parts of a text that a reader does not see, in their order: escape sequences of terminals,
// control characters, characters without a width, and where a line of quoted-printable goes on in the next; and what
// cat -v and cat -A print for the first ones, and for the end of a line. The text
// behind one follows the text in front of it, and begins a word as well.
func unseen(text string, found func(s Span)) {
	seen := 0 // where the last one ended
	for i := 0; i < len(text); {
		c := text[i]
		if c == '^' || c == '$' || c == '\\' {
			n := caret(text[i:])
			if n > 0 {
				found(Span{i, i + n})
				seen = i + n
			}
			i += max(n, 1)
			continue
		}
		if c == '\b' { // which takes back the character in front of it
			n := 1
			for i+n < len(text) && text[i+n] == '\b' {
				n++
			}
			from := i
			for k := 0; k < n && from > seen && text[from-1] > ' ' && text[from-1] < 0x7f; k++ {
				from--
			}
			found(Span{from, i + n})
			seen = i + n
			i += n
			continue
		}
		if c == '=' {
			n := softBreak(text, i)
			if n > 0 {
				found(Span{i, i + n})
			}
			i += max(n, 1)
			continue
		}
		if c >= ' ' && c < 0x7f || c == '\t' || c == '\n' || c == '\r' {
			i++
			continue
		}
		n, size := unseenLen(text[i:])
		if n > 0 {
			found(Span{i, i + n})
			seen = i + n
		}
		i += max(n, size)
	}
}

// escapes are the spellings of ESC in front of a control sequence: of cat -v, and of programs.
var escapes = []string{"^[", `\e`, `\E`, `\x1b`, `\x1B`, `\033`, `\u001b`, `\u001B`}

// caret returns the length of an escape sequence that is spelled out, or of what cat -A prints for the end of a line, at the
// beginning of a text, 0 if it begins with neither.
func caret(text string) int {
	if text[0] == '$' {
		if len(text) == 1 || text[1] == '\n' {
			return 1
		}
		return 0
	}
	for _, esc := range escapes {
		rest, ok := strings.CutPrefix(text, esc)
		if !ok || rest == "" || strings.IndexByte("[(", rest[0]) < 0 {
			continue
		}
		if q := ansi.At("\x1b" + rest[:min(len(rest), maxCaret)]); q.Whole {
			return q.Size - 1 + len(esc)
		}
	}
	if rest, ok := strings.CutPrefix(text, "^[]"); ok {
		if n := strings.Index(rest[:min(len(rest), maxCommand)], "^G"); n > 0 {
			return len("^[]^G") + n
		}
	}
	return 0
}

// maxCaret is how long a control sequence is at most, in bytes.
const maxCaret = 40

// maxCommand is how long a command to a terminal may be, in bytes: a longer one has no end.
const maxCommand = 2 << 10

// unseenLen returns the length of the unseen part at the beginning of a text, 0 if there is none,
// and that of its first character.
func unseenLen(text string) (n, size int) {
	q := ansi.At(text[:min(len(text), maxCommand)])
	r, size := utf8.DecodeRuneInString(text)
	switch {
	case q.Size > 0:
		return q.Sure(), size
	case r < ' ' || r >= 0x7f && r < 0xa0 || hasNoWidth(r):
		return size, size
	}
	return 0, size
}

// hasNoWidth reports whether a character takes no place: joiners, marks of direction,
// selectors of variants, the soft hyphen.
func hasNoWidth(r rune) bool {
	switch {
	case r == 0xad, r == 0x34f, r == 0x61c, r == 0x180e, r == 0xfeff,
		r >= 0x200b && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x206f,
		r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0000 && r <= 0xe01ef:
		return true
	}
	return false
}

// minSoft is how long a line of quoted-printable is that is broken, in bytes.
const minSoft = 60

// softBreak returns the length of what breaks a line of quoted-printable at a place, 0 if
// nothing does.
func softBreak(text string, at int) int {
	if at < minSoft || text[at-1] == '=' || strings.ContainsAny(text[at-minSoft:at], "\r\n") {
		return 0
	}
	for _, end := range []string{"=\n", "=\r\n"} {
		rest, ok := strings.CutPrefix(text[at:], end)
		if ok && (text[at-1] != ' ' || strings.TrimLeft(rest[:min(1, len(rest))], " \t") != "") { // and no assignment
			return len(end)
		}
	}
	return 0
}

// emphasis calls found for what makes words bold or struck in Markdown, in their order.
func emphasis(text string, found func(s Span)) {
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c != '*' && c != '~' || i+1 == len(text) || text[i+1] != c {
			continue
		}
		end := i + 2
		for end < len(text) && text[end] == c {
			end++
		}
		if end-i <= 3 {
			found(Span{i, end})
		}
		i = end - 1
	}
}
