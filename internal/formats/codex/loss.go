package codex

import (
	"fmt"
	"strconv"
)

// A loss is told once, with how often it happened.
type loss struct {
	where, kind, what string
	times             int
}

// losses are those of a conversion, in the order of their first times.
type losses []*loss

func (ls *losses) add(where, kind, format string, args ...any) {
	what := fmt.Sprintf(format, args...)
	for _, l := range *ls {
		if l.kind == kind && l.what == what {
			l.times++
			return
		}
	}
	*ls = append(*ls, &loss{where, kind, what, 1})
}

// tell tells them.
func (ls losses) tell(lose func(where, kind, format string, args ...any)) {
	for _, l := range ls {
		more := ""
		if l.times > 1 {
			more = fmt.Sprintf(", and %d more like it", l.times-1)
		}
		lose(l.where, l.kind, "%s%s", l.what, more)
	}
}

// lose notes a loss in a line.
func (c *conv) lose(l line, kind, format string, args ...any) {
	c.lost.add(c.path+":"+strconv.Itoa(l.number), kind, format, args...)
}
