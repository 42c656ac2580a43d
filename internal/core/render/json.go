package render

import (
	"bufio"
	"io"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sess-tools/sess/pkg/js"
)

// JSON is a JSON text that has not been put together: most of its texts still
// are where the session has them, and are quoted as they are written. A message
// may be huge.
type JSON []piece

// A piece is a part of a JSON text, or valid text that stands between quotes.
type piece struct {
	text  string
	quote bool
}

// raw adds JSON text.
func (j JSON) raw(json string) JSON { return append(j, piece{text: json}) }

// quote adds texts as one string literal.
func (j JSON) quote(texts ...string) JSON {
	if slices.ContainsFunc(texts, func(s string) bool { return !utf8.ValidString(s) }) {
		texts = []string{js.ValidText(strings.Join(texts, ""))} // halves of a pair may meet
	}
	j = j.raw(`"`)
	for _, text := range texts {
		j = append(j, piece{text, true})
	}
	return j.raw(`"`)
}

// array adds an array.
func (j JSON) array(elements []JSON) JSON {
	j = j.raw("[")
	for i, e := range elements {
		if i > 0 {
			j = j.raw(",")
		}
		j = append(j, e...)
	}
	return j.raw("]")
}

// WriteTo writes the text. The error is that of w.
func (j JSON) WriteTo(w io.Writer) (n int64, err error) {
	var buf []byte
	write := func(m int, failed error) bool {
		n, err = n+int64(m), failed
		return err == nil
	}
	for _, p := range j {
		if !p.quote {
			if !write(io.WriteString(w, p.text)) {
				return n, err
			}
			continue
		}
		for text := range chunks(p.text) {
			buf = js.AppendQuote(buf[:0], text)
			if !write(w.Write(buf[1 : len(buf)-1])) {
				return n, err
			}
		}
	}
	return n, nil
}

// String returns the text in one piece.
func (j JSON) String() string {
	var b strings.Builder
	_, _ = j.WriteTo(&b) // a Builder takes everything
	return b.String()
}

// chunkSize is how much of a text is quoted at a time, in bytes.
const chunkSize = 64 << 10

// chunks divides valid text between characters.
func chunks(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for text != "" {
			n := min(len(text), chunkSize)
			for n < len(text) && !utf8.RuneStart(text[n]) {
				n--
			}
			if !yield(text[:n]) {
				return
			}
			text = text[n:]
		}
	}
}

// indent writes a JSON text as [compact] returns it over several lines, as
// json.Indent does, unless it nests so deep that indentation, which grows with
// the square of the depth, would be most of it.
func indent(out *bufio.Writer, text string) {
	if depth(text) > 100 {
		show(out, text)
		return
	}
	level := 0
	newLine := func() { out.WriteString("\n" + strings.Repeat("  ", level)) }
	for text != "" {
		n := tokenLen(text)
		token := text[:n]
		text = text[n:]
		switch token {
		case "{", "[":
			out.WriteString(token)
			if text[0] == '}' || text[0] == ']' {
				out.WriteByte(text[0])
				text = text[1:]
				continue
			}
			level++
			newLine()
		case "}", "]":
			level--
			newLine()
			out.WriteString(token)
		case ",":
			out.WriteString(token)
			newLine()
		case ":":
			out.WriteString(": ")
		default:
			show(out, token)
		}
	}
}

// tokenLen returns the length in bytes of the token that a JSON text without
// white space begins with.
func tokenLen(text string) int {
	switch text[0] {
	case '{', '[', '}', ']', ',', ':':
		return 1
	case '"':
		for i := 1; i < len(text); i++ {
			j := strings.IndexAny(text[i:], "\"\\")
			if j < 0 {
				break
			}
			if i += j; text[i] == '"' {
				return i + 1
			}
			i++ // the escaped byte
		}
		return len(text)
	}
	if n := strings.IndexAny(text, "}],:"); n > 0 {
		return n
	}
	return len(text)
}
