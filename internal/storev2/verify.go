package storev2

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/pkg/jsonl"
)

// maxProblems bounds a report: a store with more is beyond description.
const maxProblems = 100

// A Problem is one thing that is wrong with a store.
type Problem struct {
	// Kind is a word for scripts: malformed, unended, order, duplicate, missing,
	// bounds, checksum, mismatch, payload, contract, coverage, parent, cycle,
	// manifest, checkpoint, ledger, state, marker, source, mode.
	Kind string
	// Invariant is the one that is broken, INV-001 to INV-007.
	Invariant string
	// File is where it shows, a slash-separated path below the store, and Line the
	// line of it, from 1; empty and 0 where there is no one place.
	File string
	Line int64
	Text string
}

// A Report is what [Store.Verify] found.
type Report struct {
	Entries  int64
	Bytes    int64 // of all frames
	Chain    string
	State    State
	Problems []Problem
	// Notes tell what pi's first releases wrote and later ones refuse. They do
	// not count as problems.
	Notes []string

	file string // of the next problem
	line int64
}

// OK reports whether nothing is wrong.
func (r *Report) OK() bool { return len(r.Problems) == 0 }

// in sets the place of the problem that is added to the report it returns.
func (r *Report) in(file string, line int64) *Report {
	r.file, r.line = file, line
	return r
}

func (r *Report) add(kind, invariant string, err error) {
	r.Problems = append(r.Problems, Problem{kind, invariant, r.file, r.line, err.Error()})
	r.file, r.line = "", 0
}

func (r *Report) addf(kind, invariant, format string, args ...any) {
	r.add(kind, invariant, fmt.Errorf(format, args...))
}

// Verify reads all of the store and recomputes checksums, hashes, the chain and
// all counters. It changes nothing. Entries that are appended meanwhile are
// verified at the end, under the lock; for the rest of the time writers can work.
//
// A store that is not in order is no error; see [Report.OK].
func (s *Store) Verify(ctx context.Context) (*Report, error) {
	v, err := s.snapshot()
	if err != nil {
		return nil, s.named(err)
	}
	c := s.newScan()
	c.v = v
	if err = c.learn(); err == nil {
		sound := c.run(0)
		err = s.settled(ctx, func() error { return c.finish(sound) })
	}
	c.v.close()
	if err != nil {
		return nil, s.named(err)
	}
	c.rep.Entries, c.rep.Bytes, c.rep.Chain = c.m.Counters.Entries, c.m.Counters.Bytes, c.m.Integrity.Chain
	return c.rep, nil
}

// learn reads the documents, and has the chain noted at the entries for which they have its hash.
func (c *scan) learn() (err error) {
	if c.d, err = c.s.documents(); err != nil {
		return err
	}
	for _, p := range append(c.d.points, Checkpoint{HeadSeq: c.d.mark.Entries}) {
		if _, ok := c.marks[p.HeadSeq]; !ok {
			c.marks[p.HeadSeq] = ""
		}
	}
	return nil
}

// settled runs do while no writer is at work. A store that cannot be locked has no
// writers either.
func (s *Store) settled(ctx context.Context, do func() error) (err error) {
	if _, err := s.d.Lstat(joined(s.dir, mutationLock)); missing(err) {
		return do()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	unlock, err := s.lock(ctx)
	if errors.Is(err, jsonl.ErrLocked) || ctx.Err() != nil {
		return err
	}
	if err == nil {
		defer unlockInto(&err, unlock)
	}
	return do()
}

// finish reads the rows that were added meanwhile, and compares the store with
// its documents.
func (c *scan) finish(sound bool) error {
	v, err := c.s.snapshot()
	if err != nil {
		return err
	}
	from := c.v.size
	c.v.close()
	c.v, c.sizes = v, map[int64]int64{}
	if v.size < from {
		return fmt.Errorf("%w: the store was rolled back meanwhile", jsonl.ErrChanged)
	}
	if v.torn > 0 {
		c.rep.in(indexFile, 0).addf("unended", "INV-003", "unterminated last line of the index, of %d bytes", v.torn)
	}
	if err := c.learn(); err != nil {
		return err
	}
	if sound && c.run(from) {
		c.coverage()
		c.lineage()
	}
	if err := firstOf(c.d.bad); err != nil {
		c.broken("checkpoints", "checkpoint", "INV-004", err)
		c.d.points = nil
	}
	c.checkpoints(c.d.points)
	c.manifest()
	return c.documents()
}

// checkpoints compares the checkpoints with the chain.
func (c *scan) checkpoints(points []Checkpoint) {
	head := int64(0)
	for i := range points {
		if err := c.misplaced(&points[i], head); err != nil {
			c.rep.in(points[i].Snapshot, 0).add("checkpoint", "INV-004", err)
		}
		head = max(head, points[i].HeadSeq)
	}
}

// misplaced says why a checkpoint that follows one at the entry head is not on the way
// to the last entry, as far as the scan has come.
func (c *scan) misplaced(p *Checkpoint, head int64) error {
	switch {
	case p.HeadSeq > c.m.Counters.Entries:
		return fmt.Errorf("checkpoint %d is at entry %d of %d", p.Seq, p.HeadSeq, c.m.Counters.Entries)
	case p.HeadSeq < head:
		return fmt.Errorf("checkpoint %d is at entry %d, before the one before it", p.Seq, p.HeadSeq)
	case c.marks[p.HeadSeq] != "" && (c.marks[p.HeadSeq] != p.Chain || c.heads[p.HeadSeq] != p.HeadID):
		return fmt.Errorf("checkpoint %d has another hash chain than the store at entry %d", p.Seq, p.HeadSeq)
	}
	return nil
}

// manifest compares the manifest with what was read.
func (c *scan) manifest() {
	m, err := c.d.man, c.d.merr
	if err != nil {
		c.broken(manifestFile, "manifest", "INV-005", err)
		return
	}
	if m.SourceFormat == "jsonl" {
		c.rep.Notes = append(c.rep.Notes, `the manifest has the sourceFormat "jsonl"`)
	}
	for _, d := range []struct {
		what      string
		invariant string
		same      bool
	}{
		{"hash chain", "INV-005", m.Integrity.Chain == c.m.Integrity.Chain},
		{"head", "INV-004", m.Head == c.m.Head},
		{"counters", "INV-004", m.Counters == c.m.Counters},
		{"last checksum", "INV-005", m.Integrity.LastCRC == c.m.Integrity.LastCRC},
		{"number of segments", "INV-003", m.Files.SegmentCount == c.m.Files.SegmentCount},
		{"list of invariants", "INV-005", m.Invariants == allHold},
	} {
		if !d.same {
			c.rep.in(manifestFile, 0).addf("manifest", d.invariant, "the manifest has another %s than the store", d.what)
		}
	}
	if m.Schema == manifestSchema && sessionFits(m.SessionID) != nil {
		c.rep.in(manifestFile, 0).addf("manifest", "INV-006", "the manifest has the session id %q", m.SessionID)
	}
}

// documents checks the ledger, the state, the marker, the source state and the modes.
func (c *scan) documents() error {
	old := len(c.rep.Notes) > 0
	c.broken(ledgerFile, "ledger", "INV-007", c.d.lerr)
	if slices.ContainsFunc(c.d.events, func(e event) bool { return e.Phase == "forward" }) {
		c.rep.Notes = append(c.rep.Notes, `the ledger has an event of the phase "forward"`)
		old = true
	}
	c.state()
	if _, err := c.s.d.Lstat(joined(c.s.dir, intentFile)); !missing(err) {
		return errors.Join(err, errors.New("a rollback was not finished: the next writer has to"))
	}
	c.marker()
	c.source()
	if err := c.modes(old); err != nil {
		return err
	}
	return c.err
}

// state checks the state of the store.
func (c *scan) state() {
	t := c.d.st
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
}

// marker checks the commit marker, and what the ledger says of the migration
// against it.
func (c *scan) marker() {
	bad := func(file, kind, format string, args ...any) {
		c.rep.in(file, 0).addf(kind, "INV-007", format, args...)
	}
	m, err := &c.d.mark, c.d.kerr
	switch {
	case missing(err):
		if c.d.ours {
			bad(markerFile, "marker", "the ledger tells of a migration, and %s is missing", markerFile)
		}
		return
	case err != nil:
		c.broken(markerFile, "marker", "INV-007", err)
		return
	}
	if phase := m.missingPhase(c.d.events); phase != "" && c.d.st.to != MigrationStaging {
		bad(markerFile, "marker", "the commit marker is there, but the ledger has no event %s of the migration %s", phase, m.Migration)
	}
	if err := m.agreesWith(c.d.events); err != nil {
		bad(ledgerFile, "ledger", "%v", err)
	}
	switch chain := c.marks[m.Entries]; {
	case m.Entries > c.m.Counters.Entries:
		bad(markerFile, "marker", "%d entries were migrated, and %d are there", m.Entries, c.m.Counters.Entries)
	case m.Entries > 0 && chain != "" && chain != m.Chain:
		bad(markerFile, "marker", "%s has another hash chain than the store at entry %d", markerFile, m.Entries)
	}
	if c.d.merr == nil {
		if err := c.d.man.owns(m.Preface); err != nil {
			c.rep.in(markerFile, 0).add("marker", "INV-007", err)
		}
	}
	if !m.hashed() {
		c.unhashed(m)
	}
}

// unhashed compares the preface of a marker that has no hash of it with the file,
// if that is still the one that was migrated.
func (c *scan) unhashed(m *marker) {
	c.rep.Notes = append(c.rep.Notes, markerFile+" has no hash of the header, as the first release wrote it")
	name := Source(c.s.dir)
	begins, _, err := m.Source.matches(name)
	if err != nil {
		c.err = about("reading "+base(name), err)
	}
	if !begins {
		return
	}
	p, err := prefaceOf(name)
	if err != nil && !noHeader(err) {
		c.err = about("reading "+base(name), err)
	}
	if err == nil && p.lines != m.Preface {
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
func (c *scan) source() {
	switch st, err := c.d.source, c.d.serr; {
	case missing(err) && !(c.d.kerr == nil || cutOver(c.d.events)):
	case missing(err):
		c.rep.in(sourceFile, 0).addf("source", "INV-007", "%s is missing", sourceFile)
	case err != nil:
		c.broken(sourceFile, "source", "INV-007", err)
	case c.d.kerr == nil && st.Fingerprint != nil && !st.Fingerprint.same(&c.d.mark.Source):
		c.rep.in(sourceFile, 0).addf("source", "INV-007", "%s and %s name different files", sourceFile, markerFile)
	}
}

// missingPhase returns the first phase of the migration that the ledger does not have, ""
// if it has all.
func (m *marker) missingPhase(events []event) string {
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
	return c.s.exposed(func(name string, fi fs.FileInfo) error {
		if text := fmt.Sprintf("%s has the mode %v", base(joined(c.s.dir, name)), fi.Mode()); old {
			c.rep.Notes = append(c.rep.Notes, text)
		} else {
			c.rep.in(name, 0).addf("mode", "INV-007", "%s", text)
		}
		return nil
	})
}

// exposed calls visit for each file that others than the owner may read, and for anything that is
// neither a file nor a directory.
func (s *Store) exposed(visit func(name string, fi fs.FileInfo) error) error {
	names, err := s.everything()
	if err != nil || !disk.HasModes {
		return err
	}
	for _, name := range names {
		fi, err := s.d.Lstat(joined(s.dir, name))
		if missing(err) || err == nil && fi.Mode()&0o077 == 0 && (fi.IsDir() || fi.Mode().IsRegular()) {
			continue
		}
		if err == nil {
			err = visit(name, fi)
		}
		if err != nil {
			return about(name, err)
		}
	}
	return nil
}

// everything returns the names of what a store consists of, there or not.
func (s *Store) everything() ([]string, error) {
	names := append([]string{"", manifestFile, indexFile, ledgerFile, sourceFile, stateFile, markerFile}, directories...)
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
