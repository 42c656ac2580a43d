package copies

import (
	"bytes"
	"strings"
	"unsafe"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/merge"
	"github.com/sess-tools/sess/pkg/session"
)

// A parser reads of lines what a merge has to know.
type parser struct {
	line                  string
	id, parent, time, typ js.Value
	show                  func(level int, key, value js.Span)
}

func newParser() *parser {
	p := &parser{}
	p.show = p.member // once, as it costs memory
	return p
}

// parse reads a line. It is an entry if [session.Read] takes it for one and it has an id;
// valid says whether it is JSON at all. The id and the parent may be parts of data.
func (p *parser) parse(data []byte) (l merge.Line, valid bool) {
	l = merge.Line{Time: merge.NoTime, Sum: merge.SumOf(data)}
	p.id, p.parent, p.time, p.typ = "", "", "", ""
	p.line = unsafe.String(unsafe.SliceData(data), len(data))
	if !js.ValidMembers(data, 1, p.show) {
		return l, false
	}
	if typ, _ := p.typ.Text(); typ == session.TypeSession || bytes.TrimLeft(data, " \t\r")[0] != '{' {
		return l, true
	}
	l.ID, _ = p.id.Text()
	l.Parent, _ = p.parent.Text()
	if text, ok := p.time.Text(); ok {
		l.Time = instant(text)
	}
	return l, true
}

// member takes a member. Of several with one key the last counts.
func (p *parser) member(_ int, key, value js.Span) {
	v := js.Value(p.line[value.From:value.To])
	switch js.PlainKey(p.line[key.From:key.To]) {
	case `"id"`:
		p.id = v
	case `"parentId"`:
		p.parent = v
	case `"timestamp"`:
		p.time = v
	case `"type"`:
		p.typ = v
	}
}

// instant returns the time that a timestamp names. One without a zone is UTC here,
// since the order must not depend on the machine.
func instant(text string) int64 {
	if !strings.HasSuffix(text, "Z") {
		if ms, ok := js.ParseTime(text + "Z"); ok {
			return ms
		}
	}
	if ms, ok := js.ParseTime(text); ok {
		return ms
	}
	return merge.NoTime
}
