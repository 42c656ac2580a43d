package page

import (
	"bytes"
	"context"
	"io"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/sess-tools/sess/internal/core/parallel"
)

// together is how many entries are written in one go, beside others.
const together = 64

// A colouring is how much more code of a page is coloured.
type colouring struct {
	left  int // bytes
	unmet int // the length of the shortest code that stayed plain for want of room
}

// A part of a page was written without the text in front of it: as if the day before were the one
// that its neighbour has, and no more code were coloured.
type part struct {
	list  []int
	out   *bytes.Buffer
	day   string // that it was taken to begin with
	timed bool   // a time is shown
	zone  string // the last day
	stats Stats
	unmet int
}

// entries writes entries one after the other. Many are written side by side, and those anew whose
// text depends on the entries in front of them: the bytes are the same.
func (p *page) entries(list []int) {
	if len(list) <= together || p.workers == 1 {
		p.run(list)
		return
	}
	like := *p // which changes meanwhile
	room := sync.Pool{New: func() any {
		q := like
		q.markup = newMarkup(io.Discard)
		return &q
	}}
	write := func(_ context.Context, list []int) part {
		q := room.Get().(*page)
		defer room.Put(q)
		made := part{list: list, out: new(bytes.Buffer), day: p.dayBefore(list[0])}
		q.w.Reset(made.out)
		q.stats, q.zone, q.timed, *q.colour = Stats{}, made.day, false, colouring{unmet: math.MaxInt}
		q.run(list)
		_ = q.w.Flush() // to memory
		made.timed, made.zone, made.stats, made.unmet = q.timed, q.zone, q.stats, q.colour.unmet
		return made
	}
	parts := p.split(list)
	p.run(parts[0]) // where code is coloured mostly
	for made := range parallel.Map(context.Background(), p.workers, slices.Values(parts[1:]), write) {
		if made.timed && made.day != p.zone || made.unmet <= p.colour.left {
			p.run(made.list)
			continue
		}
		p.w.Write(made.out.Bytes())
		p.stats.Entries += made.stats.Entries
		p.stats.Cut += made.stats.Cut
		if made.timed {
			p.zone = made.zone
		}
	}
}

// split divides entries, but not between those of an agent that stand below one note.
func (p *page) split(list []int) (parts [][]int) {
	for len(list) > 0 {
		n := min(together, len(list))
		for n < len(list) && p.s.Entries[list[n]].IsHarness() {
			n++
		}
		parts, list = append(parts, list[:n]), list[n:]
	}
	return parts
}

// dayBefore returns the day that is shown last in front of an entry, most likely.
func (p *page) dayBefore(entry int) string {
	at, _ := slices.BinarySearch(p.path, entry)
	for _, i := range slices.Backward(p.path[:min(at, len(p.path))]) {
		if ms, ok := p.s.Entries[i].Timestamp(); ok {
			return dayOf(time.UnixMilli(ms).UTC())
		}
	}
	return ""
}

func dayOf(t time.Time) string { return t.Format(dayLayout) }

const dayLayout = "2 Jan"
