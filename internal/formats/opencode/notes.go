package opencode

import (
	"fmt"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/session"
)

// A foreign type is one that opencode has nothing for.
type foreign struct {
	first string
	count int
}

func (x *exporter) note(e session.Entry) {
	f := x.foreign[e.Type()]
	if f == nil {
		f = &foreign{first: formats.At(e)}
		x.foreign[e.Type()] = f
		x.order = append(x.order, e.Type())
	}
	f.count++
}

// tell tells of what was counted.
func (x *exporter) tell() {
	for _, typ := range x.order {
		f := x.foreign[typ]
		more := ""
		if f.count > 1 {
			more = fmt.Sprintf(", and %d more", f.count-1)
		}
		x.t.Lose(f.first, formats.KindEntry, "%s means nothing to opencode%s, left out", typ, more)
	}
	if x.late > 0 {
		x.t.Lose("", formats.KindTime, "%s made later, since opencode puts them in the order of their times", count(x.late, "message"))
	}
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
