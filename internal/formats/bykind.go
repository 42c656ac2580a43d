package formats

import "github.com/sess-tools/sess/pkg/session"

// ByKind counts losses, so that each kind is told as one. The zero value is ready for
// use.
type ByKind struct {
	counts map[string]int
	first  map[string]string // where the first one of a kind is
	order  []string
}

// Add counts a loss at an entry.
func (l *ByKind) Add(e session.Entry, kind string) {
	if l.counts == nil {
		l.counts, l.first = map[string]int{}, map[string]string{}
	}
	if l.counts[kind]++; l.counts[kind] == 1 {
		l.first[kind] = At(e)
		l.order = append(l.order, kind)
	}
}

// Tell tells t of what was counted. What says what is lost of a kind: of one, and of
// several, with a %d for their number.
func (l *ByKind) Tell(t *Target, what map[string][2]string) {
	for _, kind := range l.order {
		t.Lose(l.first[kind], kind, "%s", Counted(l.counts[kind], what[kind][0], what[kind][1]))
	}
}
