package page

import (
	"bufio"
	"html"
	"io"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"

	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/pkg/js"
)

// A constant is markup that stands in the source of this package. No text is made one.
type constant string

// markup is a page as it is written. It keeps its first error for flush.
type markup struct {
	w      *bufio.Writer
	colour *colouring
	md     goldmark.Markdown
}

func newMarkup(w io.Writer) *markup {
	colour := &colouring{left: maxCode}
	return &markup{w: bufio.NewWriterSize(w, 64<<10), colour: colour, md: converter(colour)}
}

func (m *markup) raw(parts ...constant) {
	for _, p := range parts {
		m.w.WriteString(string(p))
	}
}

// text writes a text of any origin.
func (m *markup) text(parts ...string) {
	for _, p := range parts {
		m.w.WriteString(html.EscapeString(visible(p)))
	}
}

// element writes an element that is a text of any origin, with what of it stands around the text.
func (m *markup) element(before constant, text string, behind constant) {
	m.raw(before)
	m.text(text)
	m.raw(behind)
}

// attr writes an attribute with a value of any origin. Its name is not one whose value is run
// or loaded.
func (m *markup) attr(name constant, value string) {
	m.raw(" ", name, `="`)
	m.w.WriteString(html.EscapeString(tty.Clean(js.ValidText(value))))
	m.raw(`"`)
}

// number writes a number.
func (m *markup) number(n int64) { m.w.WriteString(strconv.FormatInt(n, 10)) }

// visible returns a text with its control characters made visible, and those that turn around
// the order of a text.
func visible(s string) string { return tty.CleanLines(js.ValidText(s)) }

// anchor returns the name that the entry with an id has on the page: the id, or its bytes as
// digits if there is something in it that a name must not have.
func anchor(prefix constant, id string) string {
	if id == "" || strings.Trim(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") != "" {
		var b strings.Builder
		for _, c := range []byte(id) {
			b.WriteString(strconv.FormatInt(int64(c)+0x100, 16)[1:])
		}
		id = b.String()
	}
	return string(prefix) + id
}
