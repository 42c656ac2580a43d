package stream

import (
	"bytes"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// A plain is an answer that is but a text, as far as it came. It may be huge: so it becomes a
// JSON string while it comes, and is copied once at its end.
type plain struct {
	size   int      // of what came, in bytes
	bodies [][]byte // the string, without its quotes
	length int      // of the bodies
	held   []byte   // what came last, which more may change: its end in a character, or blank
	broken bool     // not all of it is UTF-8
}

// bodySize is how many bytes a body has at least, but for the first ones and the last one, and
// how many more than its text at most.
const bodySize = 4 << 20

// blanks are left out at the end of a text.
const blanks = " \t\r\n"

// write adds to the text.
func (t *plain) write(p []byte) {
	t.size += len(p)
	if len(t.held) > 0 {
		begin := bytes.IndexFunc(p, settled) + 1
		t.held = append(t.held, p[:begin]...)
		p = p[begin:]
		if begin > 0 {
			t.quote(t.held)
			t.held = t.held[:0]
		}
	}
	end := bytes.LastIndexFunc(p, settled) + 1
	if end > 0 {
		t.quote(p[:end])
	}
	t.held = append(t.held, p[end:]...)
}

// settled reports whether nothing that follows a character changes what becomes of it and of
// those before it.
func settled(r rune) bool { return r < utf8.RuneSelf && !strings.ContainsRune(blanks, r) }

// quote adds to the string. What p ends with is not a part of a character.
func (t *plain) quote(p []byte) {
	text := t.valid(p)
	last := len(t.bodies) - 1
	if last < 0 || cap(t.bodies[last])-len(t.bodies[last]) < len(text) {
		t.bodies = append(t.bodies, make([]byte, 0, len(text)+min(max(t.length, len(text)), bodySize)))
		last++
	}
	t.length -= len(t.bodies[last])
	t.bodies[last] = js.AppendBody(t.bodies[last], text)
	t.length += len(t.bodies[last])
}

// valid returns p as valid UTF-8, for as long as p does not change.
func (t *plain) valid(p []byte) string {
	text := unsafe.String(unsafe.SliceData(p), len(p))
	clean := js.ValidText(text)
	t.broken = t.broken || clean != text
	return clean
}

// end takes the text that was held. Blanks at its end are left out.
func (t *plain) end() {
	t.quote([]byte(strings.TrimRight(t.valid(t.held), blanks)))
	t.held = nil
}

// message returns the message of an assistant that says the text.
func (t *plain) message() session.Message {
	before, behind, _ := strings.Cut(api.Assistant([]string{api.Text("")}).Raw(), `""`)
	var b strings.Builder
	b.Grow(len(before) + t.length + len(`""`) + len(behind))
	b.WriteString(before + `"`)
	for _, body := range t.bodies {
		b.Write(body)
	}
	b.WriteString(`"` + behind)
	t.bodies = nil
	return session.NewMessage(b.String())
}
