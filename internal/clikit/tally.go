package clikit

// mostWarnings is how many warnings of one kind are printed; the rest are counted.
const mostWarnings = 10

// A Tally warns of many things of a few kinds: of each kind it prints the first ten
// and counts the rest, so that a damaged file does not bury everything else. The zero
// Tally is not fit for use; see [NewTally].
type Tally struct {
	warn  func(format string, args ...any)
	count map[string]int
	kinds []string // of which there are more, in the order in which they were met
}

// NewTally returns a tally that warns by a function such as [Streams.Warnf].
func NewTally(warn func(format string, args ...any)) *Tally {
	return &Tally{warn: warn, count: map[string]int{}}
}

// Warnf prints or counts a warning of a kind.
func (t *Tally) Warnf(kind, format string, args ...any) {
	t.count[kind]++
	switch n := t.count[kind]; {
	case n <= mostWarnings:
		t.warn(format, args...)
	case n == mostWarnings+1:
		t.kinds = append(t.kinds, kind)
	}
}

// More prints how many more there were of each kind, behind the text before, and with
// the text after, which says where they are listed.
func (t *Tally) More(before, after string) {
	for _, kind := range t.kinds {
		t.warn("%s… and %d more of %s%s", before, t.count[kind]-mostWarnings, kind, after)
	}
}
