package formats

import (
	"fmt"

	"github.com/sess-tools/sess/pkg/session"
)

// Unheld counts the entries of types that a format has nothing for, so that each type
// is one loss. The zero value is ready for use.
type Unheld struct {
	types map[string]*unheld
	order []string
}

type unheld struct {
	first string // where the first one is
	count int
}

// Add counts an entry.
func (u *Unheld) Add(e session.Entry) {
	if u.types == nil {
		u.types = map[string]*unheld{}
	}
	n := u.types[e.Type()]
	if n == nil {
		n = &unheld{first: At(e)}
		u.types[e.Type()] = n
		u.order = append(u.order, e.Type())
	}
	n.count++
}

// Tell tells t of what was counted: that it means nothing to agent, and, unless that is "",
// what was done with it.
func (u *Unheld) Tell(t *Target, agent, done string) {
	for _, typ := range u.order {
		n := u.types[typ]
		more := ""
		if n.count > 1 {
			more = fmt.Sprintf(", and %d more of that type", n.count-1)
		}
		if done != "" {
			more += ", " + done
		}
		t.Lose(n.first, KindEntry, "%s means nothing to %s%s", typ, agent, more)
	}
}
