package seg

import (
	"fmt"
	"os"
	"slices"

	"github.com/sess-tools/sess/internal/disk"
)

// documents checks the ledger, the state, the marker, the source state and the modes.
func (c *scan) documents() error {
	old := len(c.rep.Notes) > 0
	events, err := ledger(c.v.s.d, c.v.s.dir)
	if err != nil && c.damage(err) {
		c.rep.in(ledgerFile, 0).add("ledger", "INV-007", err)
	}
	if slices.ContainsFunc(events, func(e event) bool { return e.Phase == "forward" }) {
		c.rep.Notes = append(c.rep.Notes, `the ledger has an event of the phase "forward"`)
		old = true
	}
	t, err := c.state()
	if err != nil {
		return err
	}
	if err := c.intent(); err != nil && c.damage(err) {
		c.rep.in(intentFile, 0).add("state", "INV-007", err)
	}
	m := c.marker(events, t.to == MigrationStaging)
	c.source(m, m != nil || cutOver(events))
	if err := c.modes(old); err != nil {
		return err
	}
	return c.err
}

// state checks the state of the store.
func (c *scan) state() (transition, error) {
	t, err := c.v.s.currentState()
	if err != nil {
		return t, err
	}
	c.rep.State = t.to
	switch t.to {
	case Failed:
		c.rep.in(stateFile, 0).addf("state", "INV-007", "the store is %s: %s", Failed, t.reason)
	case Dirty, SegmentSealed:
		if t.seq > 0 {
			c.rep.in(stateFile, 0).addf("state", "INV-006", "the store is %s: the next writer has to mend it", t.to)
		}
	case MigrationStaging:
		c.rep.in(stateFile, 0).addf("state", "INV-007", "the migration was not finished")
	}
	if t.broken != "" {
		c.rep.in(stateFile, 0).addf("state", "INV-007", "%s: %s", stateFile, t.broken)
	}
	return t, nil
}

// marker checks the commit marker, and what the ledger says of the migration
// against it. It returns nil without a marker that can be read.
func (c *scan) marker(events []event, staging bool) *marker {
	s := c.v.s
	bad := func(file, kind, format string, args ...any) {
		c.rep.in(file, 0).addf(kind, "INV-007", format, args...)
	}
	m, err := readMarker(s.d, s.dir)
	switch {
	case missing(err):
		if cutOver(events) {
			bad(markerFile, "marker", "the ledger tells of a migration, and %s is missing", markerFile)
		}
		return nil
	case err != nil:
		if c.damage(err) {
			c.rep.in(markerFile, 0).add("marker", "INV-007", err)
		}
		return nil
	}
	if phase := m.untold(events); phase != "" && !staging {
		bad(markerFile, "marker", "the commit marker is there, but the ledger has no event %s of the migration %s", phase, m.Migration)
	}
	if err := m.agreesWith(events); err != nil {
		bad(ledgerFile, "ledger", "%v", err)
	}
	switch chain := c.marks[m.Entries]; {
	case m.Entries > c.m.Counters.Entries:
		bad(markerFile, "marker", "%d entries were migrated, and %d are there", m.Entries, c.m.Counters.Entries)
	case m.Entries > 0 && chain != "" && chain != m.Chain:
		bad(markerFile, "marker", "%s has another hash chain than the store at entry %d", markerFile, m.Entries)
	}
	if man, err := readManifest(s.d, s.dir); err == nil {
		if err := man.owns(m.Preface); err != nil {
			c.rep.in(markerFile, 0).add("marker", "INV-007", err)
		}
	}
	if !m.hashed() {
		c.unhashed(&m)
	}
	return &m
}

// unhashed compares the preface of a marker that has no hash of it with the file,
// if that is still the one that was migrated.
func (c *scan) unhashed(m *marker) {
	c.rep.Notes = append(c.rep.Notes, markerFile+" has no hash of the header, as the first release wrote it")
	name := Source(c.v.s.dir)
	begins, _, err := m.Source.matches(name)
	if err != nil || !begins {
		if err != nil && !missing(err) {
			c.err = about("reading "+base(name), err)
		}
		return
	}
	f, err := os.Open(name)
	if err != nil {
		c.err = about("opening "+base(name), err)
		return
	}
	defer f.Close()
	if p, err := readPreface(f); err == nil && p.lines != m.Preface {
		c.rep.in(markerFile, 0).addf("marker", "INV-007", "%s has another header than %s", markerFile, base(name))
	}
}

// agreesWith says where the ledger contradicts the marker of the same migration.
func (m *marker) agreesWith(events []event) error {
	rank := -1
	for i := range events {
		e := &events[i]
		if e.rank() < 0 || e.Phase == "integrity_check" && e.Migration != m.Migration { // that of a recovery
			continue
		}
		switch {
		case e.Migration != m.Migration:
			return fmt.Errorf("the event %s is of the migration %s, and the commit marker of %s", e.Phase, e.Migration, m.Migration)
		case e.rank() < rank:
			return fmt.Errorf("the event %s stands behind %s", e.Phase, migrationPhases[rank])
		case e.Source != m.SourcePath || e.Target != Dir(m.SourcePath):
			return fmt.Errorf("the event %s is of %s and %s, and the commit marker of %s", e.Phase, e.Source, e.Target, m.SourcePath)
		case e.Correlation != m.Correlation:
			return fmt.Errorf("the event %s has the correlation id %s, and the commit marker %s", e.Phase, e.Correlation, m.Correlation)
		}
		rank = e.rank()
	}
	return nil
}

// source checks source-state.json, which a store of ours has.
func (c *scan) source(m *marker, ours bool) {
	st, err := readSource(c.v.s.d, c.v.s.dir)
	switch {
	case missing(err) && !ours:
	case missing(err):
		c.rep.in(sourceFile, 0).addf("source", "INV-007", "%s is missing", sourceFile)
	case err != nil:
		if c.damage(err) {
			c.rep.in(sourceFile, 0).add("source", "INV-007", err)
		}
	case m != nil && st.Fingerprint != nil && !st.Fingerprint.same(&m.Source):
		c.rep.in(sourceFile, 0).addf("source", "INV-007", "%s and %s name different files", sourceFile, markerFile)
	}
}

// untold returns the first phase of the migration that the ledger does not have, ""
// if it has all.
func (m *marker) untold(events []event) string {
	for _, phase := range migrationPhases {
		if !slices.ContainsFunc(events, func(e event) bool { return e.Phase == phase && e.Migration == m.Migration }) {
			return phase
		}
	}
	return ""
}

// modes finds what others than the owner may read. Releases of pi that did not
// care get a note.
func (c *scan) modes(old bool) error {
	s := c.v.s
	names, err := s.everything()
	if err != nil {
		return err
	}
	for _, name := range names {
		fi, err := s.d.Lstat(joined(s.dir, name))
		if missing(err) {
			continue
		}
		if err != nil {
			return about(name, err)
		}
		if !disk.HasModes || fi.Mode()&0o077 == 0 && (fi.IsDir() || fi.Mode().IsRegular()) {
			continue
		}
		if text := fmt.Sprintf("%s has the mode %v", base(joined(s.dir, name)), fi.Mode()); old {
			c.rep.Notes = append(c.rep.Notes, text)
		} else {
			c.rep.in(name, 0).addf("mode", "INV-007", "%s", text)
		}
	}
	return nil
}

// everything returns the names of what a store consists of, there or not.
func (s *Store) everything() ([]string, error) {
	names := append([]string{"", manifestFile, indexFile, ledgerFile, sourceFile, stateFile, markerFile, idsFile}, directories...)
	for _, dir := range []string{"segments", "checkpoints"} {
		entries, err := s.d.ReadDir(joined(s.dir, dir))
		if err != nil && !missing(err) {
			return nil, about("reading "+dir, err)
		}
		for _, e := range entries {
			names = append(names, dir+"/"+e.Name())
		}
	}
	return names, nil
}
