package check

import (
	"fmt"
	"io"
	"strings"

	"github.com/sess-tools/sess/pkg/session"
)

// A Repaired session is what could be kept of a damaged one.
type Repaired struct {
	Lines    []string // of the new session, without line feeds
	Rejected []byte   // what could not be kept, one piece a line
	Changes  []string // what was done, for people; ids are quoted, nothing else comes from the session
}

// RepairOptions say how far a repair goes.
type RepairOptions struct {
	// Relink hangs an entry whose parent is missing, or on a cycle, from the
	// entry before it in the file, and gives an id to one that has none. Where
	// an entry belongs is a guess then, so that is only done when asked for;
	// otherwise orphans stay as they are, and an entry that can neither be
	// named nor has a parent is set aside.
	Relink bool

	// Migrate allows a session of version 1 or 2, and writes it as version 3.
	Migrate bool

	// Fragments are torn lines that were taken out of the session and blanked, as
	// an append saves them, in their order. Where the rest of one came later, and
	// makes an entry with it, that is kept.
	Fragments []string

	// Header makes the header line for a session that has lost its own; ms is
	// the time of its first entry that has one, in milliseconds since the epoch.
	Header func(ms int64) (string, error)
}

// Repair reads a damaged session and keeps every byte of it that is good: whole
// lines as they are, and the entries that can be told apart on fused or torn
// ones, or that are spread over several. Of lines with the same bytes and id
// the first stays.
//
// The error is the reader's; or it matches session.ErrNotSession if there is no
// entry to keep, or session.ErrVersion for a session of a later version, or of
// an earlier one without Migrate.
func Repair(r io.Reader, o RepairOptions) (*Repaired, error) {
	rp := &repair{Repaired: &Repaired{}, options: o, blanks: map[int]bool{}}
	if err := rp.gather(r); err != nil {
		return nil, err
	}
	if err := rp.head(); err != nil {
		return nil, err
	}
	if rp.version < session.Version {
		if err := rp.migrate(); err != nil {
			return nil, err
		}
	}
	rp.addressable()
	rp.uniqueIDs()
	rp.firstKept()
	if o.Relink {
		rp.relink()
	}
	rp.Lines = append(rp.Lines, rp.lead...)
	for _, e := range rp.entries {
		rp.Lines = append(rp.Lines, e.Raw())
	}
	return rp.Repaired, nil
}

// A repair is the state of one repair.
type repair struct {
	*Repaired
	options RepairOptions
	lead    []string // title slot and header, as far as found
	opened  bool     // the header has been found
	version int      // that it tells
	entries []session.Entry
	origins []origin // of the entries

	blanks map[int]bool // the lengths of lines of spaces so far
	tried  int          // bytes that were parsed in search of a fragment's rest

	number    int   // of the line at hand
	salvaging bool  // the object at hand is not a line of its own
	err       error // that ends the repair
}

// An origin tells where an entry was found.
type origin struct {
	line     int
	salvaged bool // not as a line of its own, so that readers did not see it
}

// head checks the header, or makes one.
func (rp *repair) head() error {
	if rp.opened {
		if rp.version < session.Version && !rp.options.Migrate {
			return fmt.Errorf("%w: version %d, which is repaired only with its migration", session.ErrVersion, rp.version)
		}
		return nil
	}
	if len(rp.entries) == 0 {
		return fmt.Errorf("%w: no entry in it can be read", session.ErrNotSession)
	}
	line, err := rp.options.Header(rp.firstTime())
	if err != nil {
		return err
	}
	rp.Changes = append(rp.Changes, "made a new header")
	rp.lead = append(rp.lead, line)
	rp.version = session.Version
	return nil
}

func (rp *repair) firstTime() int64 {
	for _, e := range rp.entries {
		if ms, ok := e.Timestamp(); ok {
			return ms
		}
	}
	return 0
}

// migrate makes a session of version 3 of what was kept of an older one.
func (rp *repair) migrate() error {
	var text strings.Builder
	for _, line := range rp.lead {
		text.WriteString(line + "\n")
	}
	for _, e := range rp.entries {
		text.WriteString(e.Raw() + "\n")
	}
	s, err := session.Read(strings.NewReader(text.String()))
	if err != nil {
		return err
	}
	rp.lead, rp.entries = s.Lead(), s.Entries
	rp.Changes = append(rp.Changes, fmt.Sprintf("version 3 instead of %d", rp.version))
	return nil
}
