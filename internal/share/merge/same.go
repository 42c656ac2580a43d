package merge

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/sess-tools/sess/internal/core/index"
	"github.com/sess-tools/sess/pkg/session"
)

// leading returns the side whose header counts.
func (m *merger) leading(sides []*side) *side {
	chosen := sides[0]
	if m.Header == Theirs {
		chosen = sides[min(1, len(sides)-1)]
	}
	for _, s := range sides {
		if s.header.Version > chosen.header.Version {
			chosen = s // entries of version 3 behind a header of version 2 would be migrated
		}
	}
	if m.Header != "" {
		return chosen
	}
	for _, s := range sides {
		if s.header.Raw() != chosen.header.Raw() && s.header.Origin().On(chosen.header.Raw()) == s.header.Raw() {
			chosen = s // it says the same, and where the session is from
		}
	}
	for _, s := range sides {
		if s.header.Raw() != chosen.header.Raw() && chosen.header.Origin().On(s.header.Raw()) != chosen.header.Raw() {
			m.Warn("header", "%s: its header is not that of %s, which counts; --header theirs takes the other", s.Name, chosen.Name)
		}
	}
	return chosen
}

// newestSlot returns the title slot that was written last, "" if no side has one.
func newestSlot(sides []*side) (newest string) {
	updated := func(slot string) string {
		e, err := session.ParseEntry(slot)
		if err != nil {
			return ""
		}
		return e.Str("updatedAt")
	}
	for _, s := range sides {
		if s.slot == "" {
			continue
		}
		a, b := instant(updated(s.slot)), instant(updated(newest))
		if newest == "" || a > b || a == b && s.slot > newest {
			newest = s.slot
		}
	}
	return newest
}

// leads decides about the lines in front of the entries: they stay if all sides agree.
func (m *merger) leads(r *Result, sides []*side) {
	s, title := m.leading(sides), newestSlot(sides)
	r.leadFrom, r.lead = s, s.lead
	if title == s.slot {
		return
	}
	r.leadFrom, r.lead = nil, index.Range{}
	r.leadText = title + "\n" + s.header.Raw() + "\n"
}

// tails tells of the last lines that are left out. One that another copy has whole
// is not worth a word.
func (m *merger) tails(sides []*side) {
	for _, s := range sides {
		if len(s.torn) == 0 || m.completed(s, sides) {
			continue
		}
		m.Warn("torn", "%s: torn last line of %d bytes left out", s.Name, len(s.torn))
	}
}

// completed reports whether another copy has, behind the last line of one, a line that
// begins as its torn tail.
func (m *merger) completed(torn *side, sides []*side) bool {
	last := -1
	for n := range torn.copy.lines() {
		last = n
	}
	for _, s := range sides {
		behind := last < 0
		for n := range s.copy.lines() {
			if behind {
				line, err := m.line(n)
				if err == nil && bytes.HasPrefix(line, torn.torn) {
					return true
				}
				break
			}
			behind = n == last
		}
	}
	return false
}

// longest takes the longest of copies of which each begins with the shorter ones.
func (m *merger) longest(r *Result, sides []*side) error {
	long := slices.MaxFunc(sides, func(a, b *side) int { return a.copy.length() - b.copy.length() })
	for _, s := range sides {
		if s.header.Version != long.header.Version || !long.copy.beginsWith(s.copy) {
			return fmt.Errorf("%s and %s: entries of version 1 have no ids to merge them by: %w", long.Name, s.Name, ErrVersions)
		}
	}
	m.leads(r, sides)
	r.copy = long.copy
	m.count(r, sides)
	return nil
}

// roles refuses a line of version 2 that would mean nothing behind a header of version 3.
func (m *merger) roles(sides []*side) error {
	newest := slices.MaxFunc(sides, func(a, b *side) int { return a.header.Version - b.header.Version }).header.Version
	for i, s := range sides {
		if s.header.Version >= newest {
			continue
		}
		for n := range s.copy.lines() {
			line, err := m.line(n)
			if err != nil {
				return err
			}
			e, err := session.ParseEntry(string(line))
			if err == nil && e.Role() == session.RoleHookMessage {
				return fmt.Errorf("%s: entry %q is written as version %d has it, and copy %d is of version %d: %w",
					s.Name, e.ID(), s.header.Version, i+1, newest, ErrVersions)
			}
		}
	}
	return nil
}

// line returns the bytes of a line.
func (m *merger) line(n int) ([]byte, error) {
	r := m.refs[n]
	if r.source == madeLine {
		return []byte(m.made[r.at]), nil
	}
	buf := make([]byte, r.size)
	s := m.sides[r.source]
	if got, err := s.R.ReadAt(buf, r.at); got < len(buf) {
		return nil, &SourceError{s.Name, shortened(err)}
	}
	return buf, nil
}

// place is where a line is, for people.
func (m *merger) place(n int, s *side) string {
	number := 0
	for k := range s.copy.lines() {
		if number++; k == n {
			break
		}
	}
	// Behind as many lines as the lead has.
	lead := make([]byte, s.lead.End)
	if got, _ := s.R.ReadAt(lead, 0); got == len(lead) {
		number += bytes.Count(lead, []byte("\n"))
	}
	return fmt.Sprintf("%s:%d", s.Name, number)
}
