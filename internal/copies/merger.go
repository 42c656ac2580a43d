package copies

import (
	"context"
	"errors"
	"fmt"

	"github.com/sess-tools/sess/pkg/merge"
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
	OwnLast    bool   // as in [merge.Options]
	Header     Policy // Ours or Theirs: whose header counts, without a word
	Force      bool   // copies with other ids are copies all the same
	Strict     bool   // a torn tail is an error
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
	set   *merge.Set
	refs  []ref // by number of a line
	sides []*side
	made  []string // lines that are in no source
	base  func(n int) bool
	found []Clash
}

// madeLine is the number of the source that made lines are in.
const madeLine = 1<<15 - 1

// Merge merges copies of one session. The error matches [ErrConflict], or it is one of
// reading a session, with its name.
func Merge(ctx context.Context, sources []Source, o Options) (*Result, error) {
	if len(sources) >= madeLine {
		return nil, fmt.Errorf("merging: %d copies are too many", len(sources))
	}
	m := &merger{Options: o, set: merge.NewSet()}
	if err := m.readAll(ctx, sources); err != nil {
		return nil, err
	}
	if o.Base != nil && o.Base.Size > 0 {
		base := len(m.sides)
		if err := m.read(ctx, *o.Base); err != nil {
			return nil, err
		}
		m.base = m.sides[base].copy.Has()
	}
	r := &Result{m: m, first: m.sides[0], copies: len(sources)}
	sides := m.sides[:len(sources)]
	if err := m.sameSession(sides); err != nil {
		return nil, err
	}
	if err := m.tails(sides); err != nil {
		return nil, err
	}
	if old := m.positional(sides); old {
		return r, m.longest(r, sides)
	}
	if err := m.fold(r, sides); err != nil {
		return r, err
	}
	return r, m.roles(r, sides)
}

// readAll reads the copies, of all but the first only what the first has not at its
// beginning.
func (m *merger) readAll(ctx context.Context, sources []Source) error {
	for _, s := range sources {
		if err := m.read(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// read reads a copy.
func (m *merger) read(ctx context.Context, source Source) error {
	s := &side{Source: source, copy: m.set.Copy()}
	number := len(m.sides)
	m.sides = append(m.sides, s)
	err := s.readLead(ctx)
	at := s.lead.End
	if err == nil && number > 0 {
		at, err = m.begin(ctx, s)
	}
	if err == nil {
		err = m.body(ctx, number, at)
	}
	if err != nil {
		return &SourceError{source.Name, err}
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

// begin adds the lines that a copy has in common with the first one at the beginning,
// and returns where the others begin.
func (m *merger) begin(ctx context.Context, s *side) (int64, error) {
	first := m.sides[0]
	same, err := begins(ctx, first.Source, s.Source)
	if err != nil || same <= s.lead.End || first.lead != s.lead {
		return s.lead.End, err
	}
	lines := 0
	for n := range first.copy.Lines() {
		if m.refs[n].end() >= same { // behind it there is a line feed
			break
		}
		lines++
	}
	s.copy.Begin(first.copy, lines)
	return same, nil
}
