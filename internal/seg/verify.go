package seg

import (
	"context"
	"errors"
	"fmt"

	"github.com/sess-tools/sess/pkg/jsonl"
)

// maxProblems bounds a report: a store with more is beyond description.
const maxProblems = 100

// A Problem is one thing that is wrong with a store.
type Problem struct {
	// Kind is a word for scripts: malformed, unended, order, duplicate, missing,
	// bounds, checksum, mismatch, payload, contract, coverage, parent, cycle,
	// ids, manifest, checkpoint, ledger, state, marker, source, mode.
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

// in says where the problem is that is added to what it returns.
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
	rep := &Report{}
	v, err := s.view()
	if err != nil {
		return nil, s.named(err)
	}
	c := newScan(v, rep)
	points, perr := checkpoints(s.d, s.dir)
	for _, p := range points {
		c.marks[p.HeadSeq] = ""
	}
	if m, err := readManifest(s.d, s.dir); err == nil {
		c.marks[m.Head.Entry] = ""
	}
	if m, err := readMarker(s.d, s.dir); err == nil {
		c.marks[m.Entries] = ""
	}
	c.table = v.table()
	defer func() { c.table.close() }()
	sound := c.run(0)
	err = s.settled(ctx, func() error { return s.finish(c, sound, perr) })
	c.v.close()
	if err != nil {
		return nil, s.named(err)
	}
	rep.Entries, rep.Bytes, rep.Chain = c.m.Counters.Entries, c.m.Counters.Bytes, c.m.Integrity.Chain
	return rep, nil
}

// settled runs do while nobody writes. A store that cannot be locked has no
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
func (s *Store) finish(c *scan, sound bool, perr error) error {
	v, err := s.view()
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
	points, perr2 := checkpoints(s.d, s.dir)
	if perr2 != nil {
		perr = perr2
	}
	for _, p := range points {
		if _, ok := c.marks[p.HeadSeq]; !ok {
			c.marks[p.HeadSeq] = ""
		}
	}
	if sound && c.run(from) {
		c.coverage()
		c.lineage()
	}
	if perr != nil && c.damage(perr) {
		c.rep.in("checkpoints", 0).add("checkpoint", "INV-004", perr)
	}
	if c.err != nil {
		return c.err
	}
	c.checkpoints(points)
	c.manifest()
	return c.documents()
}

// checkpoints compares the checkpoints with the chain.
func (c *scan) checkpoints(points []Checkpoint) {
	head := int64(0)
	for _, p := range points {
		switch {
		case p.HeadSeq > c.m.Counters.Entries:
			c.rep.in(p.Snapshot, 0).addf("checkpoint", "INV-004", "checkpoint %d is at entry %d of %d", p.Seq, p.HeadSeq, c.m.Counters.Entries)
		case p.HeadSeq < head:
			c.rep.in(p.Snapshot, 0).addf("checkpoint", "INV-004", "checkpoint %d is at entry %d, before the one before it", p.Seq, p.HeadSeq)
		case c.marks[p.HeadSeq] != "" && (c.marks[p.HeadSeq] != p.Chain || c.heads[p.HeadSeq] != p.HeadID):
			c.rep.in(p.Snapshot, 0).addf("checkpoint", "INV-004", "checkpoint %d has another hash chain than the store at entry %d", p.Seq, p.HeadSeq)
		}
		head = max(head, p.HeadSeq)
	}
}

// manifest compares the manifest with what was read.
func (c *scan) manifest() {
	m, err := readManifest(c.v.s.d, c.v.s.dir)
	if err != nil {
		if c.damage(err) {
			c.rep.in(manifestFile, 0).add("manifest", "INV-005", err)
		}
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
