package storev2

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sess-tools/sess/pkg/session"
)

// entryTypes are the types that the contract knows.
var entryTypes = []string{
	session.TypeMessage, session.TypeModelChange, session.TypeThinkingLevel, session.TypeCompaction,
	session.TypeBranchSummary, session.TypeLabel, session.TypeSessionInfo, session.TypeCustom,
}

// newFrame makes a frame of an entry's line. It has no numbers yet.
func newFrame(line []byte, extended bool) (frame, error) {
	if bytes.IndexByte(line, '\n') >= 0 {
		return frame{}, fmt.Errorf("%w: more than one line", ErrContract)
	}
	if !utf8.Valid(line) {
		return frame{}, fmt.Errorf("%w: not UTF-8", ErrContract)
	}
	e, err := session.ParseEntry(string(line))
	if err != nil {
		return frame{}, err
	}
	f := frame{id: e.ID(), parent: e.ParentID(), typ: e.Type(), line: e.Raw()}
	f.payload = strings.Trim(f.line, " \t\r")
	f.size, f.sha = int64(len(f.payload)), hexSum(f.payload)
	switch {
	case f.id == "":
		return f, fmt.Errorf("%w: an entry has no id", ErrContract)
	case f.typ == "":
		return f, fmt.Errorf("%w: entry %q has no type", ErrContract, f.id)
	case f.parent == f.id:
		return f, fmt.Errorf("%w: entry %q is its own parent", ErrContract, f.id)
	}
	if err := f.fits(e.Get("parentId")); err != nil {
		if !extended {
			return f, fmt.Errorf("%w: %w", ErrContract, narrowError{err})
		}
		f.extended = true
	}
	return f, nil
}

// fits says what about an entry the contract has no place for.
func (f *frame) fits(parentID string) error {
	switch {
	case !slices.Contains(entryTypes, f.typ):
		return fmt.Errorf("entry %q has the type %q", f.id, f.typ)
	case !isEntryID(f.id):
		return fmt.Errorf("the id %q has other characters than A-Z, a-z, 0-9, _ and -, or more than 128", f.id)
	case f.parent != "" && !isEntryID(f.parent):
		return fmt.Errorf("entry %q has the parent %q", f.id, f.parent)
	case f.parent == "" && parentID != "" && parentID != "null":
		return fmt.Errorf("entry %q has the parentId %.40s", f.id, parentID)
	}
	return nil
}

// agrees says how the payload, which is known to be JSON, contradicts its frame.
func (f *frame) agrees() error {
	e, err := session.ParseEntry(f.payload)
	switch {
	case err != nil:
		return err
	case e.ID() != f.id:
		return fmt.Errorf("its payload has the id %q", e.ID())
	case e.ParentID() != f.parent:
		return fmt.Errorf("its payload has the parent %q", e.ParentID())
	case e.Type() != f.typ:
		return fmt.Errorf("its payload has the type %q", e.Type())
	case f.extended:
		return nil
	}
	return f.fits(e.Get("parentId"))
}

// sessionFits says whether the contract takes the session's id.
func sessionFits(id string) error {
	if !isUUID(id) {
		return fmt.Errorf("%w: %w", ErrContract, narrowError{fmt.Errorf("the session id %q is no UUID", id)})
	}
	return nil
}

// The forms that the contract demands of ids. They are checked for every entry,
// and compile to nothing that a program has to do when it starts.

// isEntryID reports whether s matches ^[A-Za-z0-9_-]{1,128}$.
func isEntryID(s string) bool {
	if len(s) < 1 || len(s) > 128 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !isAlphanumeric(c) && c != '_' && c != '-' {
			return false
		}
	}
	return true
}

// isCorrelation reports whether s matches ^[A-Za-z0-9._:-]{8,128}$.
func isCorrelation(s string) bool {
	for i := range len(s) {
		if !isAlphanumeric(s[i]) && strings.IndexByte("._:-", s[i]) < 0 {
			return false
		}
	}
	return 8 <= len(s) && len(s) <= 128
}

// isUUID reports whether s has the form of a UUID, in either case.
func isUUID(s string) bool {
	parts := strings.Split(s, "-")
	return len(s) == 36 && slices.EqualFunc(parts, []int{8, 4, 4, 4, 12}, func(p string, n int) bool {
		return len(p) == n && strings.Trim(p, "0123456789abcdefABCDEF") == ""
	})
}

// hex64 reports whether s is a SHA-256 in lower-case hex.
func hex64(s string) bool { return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == "" }

func isAlphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// An Unfit says what of a session the contract of the store has no place for.
type Unfit struct {
	Session bool             // its id is no UUID
	Types   map[string]int64 // how many entries there are of each type outside the eight
	IDs     int64            // how many entries have an id or a parent outside the pattern,
	FirstID string           // and the id of the first of them
}

// Any reports whether there is anything.
func (u *Unfit) Any() bool { return u.Session || len(u.Types) > 0 || u.IDs > 0 }

// note takes note of a frame.
func (u *Unfit) note(f *frame) {
	if !f.extended {
		return
	}
	if !slices.Contains(entryTypes, f.typ) {
		if u.Types == nil {
			u.Types = map[string]int64{}
		}
		u.Types[f.typ]++
		if isEntryID(f.id) && (f.parent == "" || isEntryID(f.parent)) {
			return
		}
	}
	if u.IDs++; u.IDs == 1 {
		u.FirstID = f.id
	}
}
