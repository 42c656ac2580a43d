package seg

import "slices"

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
