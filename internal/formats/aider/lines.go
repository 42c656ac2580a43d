package aider

import (
	"io"
	"iter"
	"strings"
	"unicode"

	"github.com/sess-tools/sess/pkg/jsonl"
)

// A line is a line as aider's reader has it.
type line struct {
	raw    string // with what ends it
	text   string // the same with line feeds for carriage returns
	offset int64  // in bytes
	number int    // of the line of the file that it is of, from 1
}

// ends are the characters behind which Python's splitlines begins a new line,
// beside the line feed and the carriage return.
const ends = "\v\f\x1c\x1d\x1e\u0085\u2028\u2029"

// lines yields the lines of r from the given line and offset on.
func lines(r io.Reader, number int, offset int64) iter.Seq2[line, error] {
	return func(yield func(line, error) bool) {
		for l, err := range jsonl.Lines(r) {
			at := line{offset: offset + l.Offset, number: number + l.Number - 1}
			if err != nil {
				yield(at, err)
				return
			}
			rest := l.Text()
			if !l.Torn {
				rest += "\n"
			}
			for rest != "" {
				n := lineEnd(rest)
				at.raw, rest = rest[:n], rest[n:]
				at.text = at.raw
				if strings.Contains(at.raw, "\r") {
					at.text = strings.ReplaceAll(strings.ReplaceAll(at.raw, "\r\n", "\n"), "\r", "\n")
				}
				if !yield(at, nil) {
					return
				}
				at.offset += int64(n)
			}
		}
	}
}

// lineEnd returns the length of the first line of text.
func lineEnd(text string) int {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c >= ' ' && c < 0x80:
		case c == '\r' && strings.HasPrefix(text[i+1:], "\n"):
			return i + 2
		case c >= '\n' && c <= '\r', c >= 0x1c && c <= 0x1e:
			return i + 1
		case c == 0xc2 && strings.HasPrefix(text[i:], "\u0085"):
			return i + 2
		case c == 0xe2 && (strings.HasPrefix(text[i:], "\u2028") || strings.HasPrefix(text[i:], "\u2029")):
			return i + 3
		}
	}
	return len(text)
}

// split returns the lines of a text without what ends them, as Python's
// splitlines does.
func split(text string) []string {
	var out []string
	for text != "" {
		n := lineEnd(text)
		out = append(out, strings.TrimRight(text[:n], "\n\r"+ends))
		text = text[n:]
	}
	return out
}

// isSpace is what Python's strip takes away.
func isSpace(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }

func strip(text string) string { return strings.TrimFunc(text, isSpace) }
