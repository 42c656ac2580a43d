package opencode

import (
	"sort"

	"github.com/sess-tools/sess/pkg/session"
)

// places are what of a path, and of what was written, is asked for again and again.
type places struct {
	firsts   map[string]int // the first place of each id
	speaks   []int          // from each place on, where the next user or model speaks; the length of the path for nowhere
	furthest []int          // of each message written, the furthest first place so far
}

// survey fills in the places of the path.
func (x *exporter) survey() {
	x.firsts = make(map[string]int, len(x.path))
	for i, e := range x.path {
		if _, ok := x.firsts[e.ID()]; !ok {
			x.firsts[e.ID()] = i
		}
	}
	x.speaks = make([]int, len(x.path)+1)
	next := len(x.path)
	x.speaks[next] = next
	for i := len(x.path) - 1; i >= 0; i-- {
		e := x.path[i]
		switch e.Role() {
		case session.RoleUser:
			next = i
		case session.RoleAssistant:
			if m, _ := e.Message(); m.Str("model") != "" {
				next = i
			}
		}
		x.speaks[i] = next
	}
}

// noted notes the first place of the message that was written last.
func (x *exporter) noted(first int) {
	if n := len(x.furthest); n > 0 {
		first = max(first, x.furthest[n-1])
	}
	x.furthest = append(x.furthest, first)
}

// writtenFrom returns the first message written that was made of what stands at a place or
// behind it; their number for none.
func (x *exporter) writtenFrom(place int) int {
	return sort.Search(len(x.furthest), func(n int) bool { return x.furthest[n] >= place })
}
