package seg

// A Status describes a store from its head, without reading the rest.
type Status struct {
	State     State
	Reason    string // of the last transition; empty for a store of another program
	SessionID string
	Entries   int64
	HeadID    string // of the last entry; empty if there is none
	Chain     string // the hash chain after the last entry, as the manifest has it
	Bytes     int64  // of all frames
	Segments  int64
	Extended  bool // holds what the contract has no place for
	Committed bool // was migrated by this package, rather than cached by pi
}

// Status returns what manifest and state say.
func (s *Store) Status() (Status, error) {
	st, err := s.currentState()
	if err != nil {
		return Status{}, s.named(err)
	}
	out := Status{State: st.to, Reason: st.reason}
	m, err := readManifest(s.d, s.dir)
	if err != nil {
		return out, s.named(err)
	}
	out.SessionID, out.Entries, out.HeadID = m.SessionID, m.Counters.Entries, m.Head.ID
	out.Chain, out.Bytes, out.Segments = m.Integrity.Chain, m.Counters.Bytes, m.Files.SegmentCount
	out.Extended = m.Schema == manifestExtended
	out.Committed, err = s.committed()
	return out, s.named(err)
}
