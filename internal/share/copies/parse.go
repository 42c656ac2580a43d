package copies

import (
	"bytes"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/merge"
	"github.com/sess-tools/sess/pkg/session"
)

// A parser reads of lines what a merge has to know.
type parser struct {
	pick                  *js.Pick
	id, parent, time, typ js.Value
}

func newParser() *parser {
	p := &parser{}
	p.pick = js.NewPick([]js.Want{
		{Name: "id", Into: &p.id}, {Name: "parentId", Into: &p.parent}, {Name: "timestamp", Into: &p.time}, {Name: "type", Into: &p.typ},
	}, "", nil)
	return p
}

// parse reads a line. It is an entry if [session.Read] takes it for one and it has an id;
// valid says whether it is JSON at all. The id and the parent may be parts of data.
func (p *parser) parse(data []byte) (l merge.Line, valid bool) {
	l = merge.Line{Time: merge.NoTime, Sum: merge.SumOf(data)}
	if !p.pick.Valid(data) {
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
