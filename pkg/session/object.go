package session

import (
	"strings"

	"github.com/sess-tools/sess/pkg/js"
)

// object builds the JSON text of an object. Members whose value is "" are left
// out, as JavaScript leaves out undefined.
type object struct{ members []Field }

func (o *object) raw(name, value string) *object {
	if value != "" {
		o.members = append(o.members, Field{js.Quote(name), value})
	}
	return o
}

func (o *object) str(name, value string) *object { return o.raw(name, js.Quote(value)) }

func (o *object) num(name string, value int64) *object { return o.raw(name, numLiteral(value)) }

// String puts the object together, in memory of the right size: a value may be
// huge.
func (o *object) String() string {
	size := len("{}")
	for _, m := range o.members {
		size += len(m.Name) + len(m.Raw) + len(":,")
	}
	var b strings.Builder
	b.Grow(size)
	b.WriteByte('{')
	for i, m := range o.members {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(m.Name)
		b.WriteByte(':')
		b.WriteString(m.Raw)
	}
	b.WriteByte('}')
	return b.String()
}
