package merge

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// A Policy says what becomes of entries with one id and other bytes.
type Policy string

// The policies.
const (
	Refuse Policy = "refuse"
	Ours   Policy = "ours" // those of the first copy count
	Theirs Policy = "theirs"
	Both   Policy = "both" // one of them gets another id
)

// A Deletion says what becomes of a line of the base that one copy has not any more.
type Deletion string

// What may become of it.
const (
	RefuseDeleted Deletion = "refuse"
	KeepDeleted   Deletion = "keep"
	DropDeleted   Deletion = "drop"
)

// Options say how to merge. The zero value, with Warn, is ready for use.
type Options struct {
	Base       *Source // what the copies were made from; an empty one knows nothing
	OnConflict Policy
	Deleted    Deletion
	OwnLast    bool   // see merged
	Header     Policy // Ours or Theirs: whose header counts, without a word
	Force      bool   // copies with other ids count as copies, too
	Warn       func(kind, format string, args ...any)
}

// ErrConflict is matched by the error of copies that contradict each other. Then there
// is no result.
var ErrConflict = errors.New("nothing was written")

// What kind of conflict it is that is not one of two entries.
var (
	ErrOther    = fmt.Errorf("%w", ErrConflict) // other sessions
	ErrVersions = fmt.Errorf("%w", ErrConflict) // versions of the format that do not mix
	ErrDeleted  = fmt.Errorf("%w", ErrConflict) // a line of the base is gone
)

// A merger merges copies of one session.
type merger struct {
	Options
	set   *set
	refs  []ref // by number of a line
	sides []*side
	made  []string // lines that are in no source
	base  func(n int) bool
	found []Clash

	unread int64 // bytes whose lines are still to be added
}

// madeLine stands for the number of a source in the ref of a line that was made.
const madeLine = -1

// Merge merges copies of one session. The error matches [ErrConflict], or it is one of
// reading a session, with its name.
func Merge(ctx context.Context, sources []Source, o Options) (*Result, error) {
	m := &merger{Options: o, set: newSet()}
	all := sources
	if o.Base != nil && o.Base.Size > 0 {
		all = append(slices.Clone(sources), *o.Base)
	}
	if err := m.read(ctx, all); err != nil {
		return nil, err
	}
	if len(all) > len(sources) {
		m.base = m.sides[len(sources)].copy.has()
	}
	r := &Result{m: m, first: m.sides[0], copies: len(sources)}
	sides := m.sides[:len(sources)]
	for _, s := range sides[1:] {
		if s.header.ID != r.first.header.ID && !m.Force {
			return nil, fmt.Errorf("%s and %s: not copies of one session, but of %q and %q: %w",
				r.first.Name, s.Name, r.first.header.ID, s.header.ID, ErrOther)
		}
	}
	m.tails(sides)
	if slices.ContainsFunc(sides, func(s *side) bool { return s.header.Version < 2 }) { // only their position tells entries apart
		return r, m.longest(r, sides)
	}
	if err := m.fold(r, sides); err != nil {
		return r, err
	}
	return r, m.roles(sides)
}

// read reads the copies, of all but the first only what the first has not at its
// beginning.
func (m *merger) read(ctx context.Context, sources []Source) error {
	for _, source := range sources {
		s := &side{Source: source, copy: m.set.newSequence()}
		m.sides = append(m.sides, s)
		if err := s.readLead(ctx, m.sides[0]); err != nil {
			return &SourceError{source.Name, err}
		}
		m.unread += s.Size - s.same
	}
	for i, s := range m.sides {
		for n := range m.sides[0].copy.lines() {
			if i == 0 || m.refs[n].end() >= s.same { // behind it there is a line feed
				break
			}
			s.copy.keep(n)
		}
		if err := m.body(ctx, i, s.same); err != nil {
			return &SourceError{s.Name, err}
		}
	}
	return nil
}

// A SourceError is one of reading a copy.
type SourceError struct {
	Name string
	Err  error
}

func (e *SourceError) Error() string { return e.Name + ": " + e.Err.Error() }

// Unwrap returns the error of reading.
func (e *SourceError) Unwrap() error { return e.Err }
