package seg

import (
	"fmt"
	"slices"
)

// documents checks the ledger, the state, the marker and the modes.
func (c *scan) documents() error {
	s := c.v.s
	events, err := ledger(s.d, s.dir)
	if err != nil {
		c.rep.in(ledgerFile, 0).add("ledger", "INV-007", err)
	}
	if slices.ContainsFunc(events, func(e event) bool { return e.Phase == "forward" }) {
		c.rep.Notes = append(c.rep.Notes, `the ledger has an event of the phase "forward"`)
	}
	t, err := s.currentState()
	if err != nil {
		return err
	}
	switch c.rep.State = t.to; t.to {
	case Failed:
		c.rep.in(stateFile, 0).addf("state", "INV-007", "the store is %s: %s", Failed, t.reason)
	case Dirty, SegmentSealed:
		if t.seq > 0 {
			c.rep.in(stateFile, 0).addf("state", "INV-006", "the store is %s: the next writer has to mend it", t.to)
		}
	case MigrationStaging:
		c.rep.in(stateFile, 0).addf("state", "INV-007", "the migration was not finished")
	}
	if err := c.intent(); err != nil {
		c.rep.in(intentFile, 0).add("state", "INV-007", err)
	}
	m, err := readMarker(s.d, s.dir)
	if err != nil && !missing(err) {
		c.rep.in(markerFile, 0).add("marker", "INV-007", err)
	}
	if err == nil && t.to != MigrationStaging && !completed(events, m.Migration) {
		c.rep.in(markerFile, 0).addf("marker", "INV-007", "the commit marker is there, but the ledger has no completed migration %s", m.Migration)
	}
	return c.modes(len(c.rep.Notes) > 0)
}

func completed(events []event, migration string) bool {
	return slices.ContainsFunc(events, func(e event) bool { return e.Phase == "completed" && e.Migration == migration })
}

// modes finds what others than the owner may read. Releases of pi that did not
// care get a note.
func (c *scan) modes(old bool) error {
	s := c.v.s
	names := append([]string{"", manifestFile, indexFile, ledgerFile, sourceFile, stateFile, markerFile, idsFile}, directories...)
	for _, dir := range []string{"segments", "checkpoints"} {
		entries, err := s.d.list(joined(s.dir, dir))
		if err != nil && !missing(err) {
			return about("reading "+dir, err)
		}
		for _, e := range entries {
			names = append(names, dir+"/"+e.Name())
		}
	}
	for _, name := range names {
		fi, err := s.d.lstat(joined(s.dir, name))
		if missing(err) {
			continue
		}
		if err != nil {
			return about(name, err)
		}
		if !hasModes || fi.Mode()&0o077 == 0 && (fi.IsDir() || fi.Mode().IsRegular()) {
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
