package storev2

import (
	"errors"
	"fmt"
	"hash"
)

// A scan walks over a store from its first entry on and gathers the facts that can be computed:
// numbers, offsets, hashes, chain, counters, parents. It follows the index, or the segments without
// its help ([writer.index]). Problems go to the report.
type scan struct {
	s   *Store
	v   *snapshot // of the index; nil for a scan of the segments
	d   *documents
	rep *Report
	m   manifest // with head, counters and integrity of what was read

	ids     map[string]int32 // positions in parents, from 0
	parents []string
	kids    map[string]int
	marks   map[int64]string // wanted: the chain after these entries
	heads   map[int64]string // the ids of these entries
	last    row
	sizes   map[int64]int64 // of segments
	ends    map[int64]int64 // of the indexed part of each segment
	until   int64           // the last entry that is wanted; 0 for all
	names   hash.Hash       // over all ids; nil if it is not wanted
	err     error           // for which the rest could not be read; no damage
}

// newScan returns a scan that notes the chain after the entries of these numbers.
func (s *Store) newScan(marks ...int64) *scan {
	c := &scan{
		s: s, rep: &Report{}, m: newManifest("", "", false), ids: map[string]int32{}, kids: map[string]int{},
		marks: map[int64]string{}, heads: map[int64]string{}, sizes: map[int64]int64{}, ends: map[int64]int64{},
	}
	for _, n := range marks {
		c.marks[n] = ""
	}
	c.marks[0] = genesis
	return c
}

// scanned reads the whole store as it stands, without its documents.
func (s *Store) scanned(marks ...int64) (*scan, error) {
	v, err := s.snapshot()
	if err != nil {
		return nil, err
	}
	defer v.close()
	c := s.newScan(marks...)
	return c, c.full(v)
}

// run reads the rows from the byte offset from. It reports false if the rest of
// the index cannot be made sense of, or could not be read: then c.err says why.
func (c *scan) run(from int64) bool {
	for at, r := range c.v.rows(from) {
		if r.err != nil {
			if c.damage(r.err) {
				c.rep.in(indexFile, c.line()).add("malformed", "INV-003", r.err)
			}
			return false
		}
		if c.until > 0 && r.seq > c.until {
			c.v.size = at
			break
		}
		c.row(&r.row)
		if c.err != nil || len(c.rep.Problems) >= maxProblems {
			return false
		}
	}
	return c.err == nil
}

// damage reports whether an error says something about the store. Any other one
// says that it could not be read this time, and ends the scan.
func (c *scan) damage(err error) bool {
	if errors.Is(err, ErrCorrupt) {
		return true
	}
	if c.err == nil {
		c.err = err
	}
	return false
}

// broken adds what an error says about the store to the report.
func (c *scan) broken(file, kind, invariant string, err error) {
	if err != nil && c.damage(err) {
		c.rep.in(file, 0).add(kind, invariant, err)
	}
}

// verdict is the first problem, or the error that kept the scan from looking.
func (c *scan) verdict() error {
	switch {
	case c.err != nil:
		return c.err
	case c.rep.OK():
		return nil
	}
	return fmt.Errorf("%w: %s", ErrCorrupt, c.rep.Problems[0].Text)
}

// line is the line of the index that is being looked at.
func (c *scan) line() int64 { return int64(len(c.parents)) + 1 }

// row takes the next row and the frame it leads to.
func (c *scan) row(r *row) {
	c.order(r)
	f, kind, err := c.frame(r)
	if err != nil && kind == "" {
		c.err = err
		return
	}
	if err != nil {
		c.rep.in(segmentName(r.segment), r.number).add(kind, invariantOf[kind], err)
		f = frame{id: r.id, seq: r.seq}
	}
	c.add(r, &f)
}

// add takes the next entry. All that is gathered is gathered here.
func (c *scan) add(r *row, f *frame) {
	if _, twice := c.ids[r.id]; twice {
		c.rep.in(indexFile, c.line()).addf("duplicate", "INV-006", "the id %q of entry %d is taken", r.id, r.seq)
	} else {
		c.ids[r.id] = int32(len(c.parents))
	}
	c.parents = append(c.parents, f.parent)
	opens := false
	if f.parent != "" {
		c.kids[f.parent]++
		opens = c.kids[f.parent] == 2
	}
	c.m.add(f, r, opens)
	if _, ok := c.marks[r.seq]; ok {
		c.marks[r.seq], c.heads[r.seq] = c.m.Integrity.Chain, r.id
	}
	c.last, c.ends[r.segment] = *r, r.end()
	if c.names != nil {
		addID(c.names, r.id)
	}
}

// order checks the place of a row among the others.
func (c *scan) order(r *row) {
	if r.seq != c.last.seq+1 {
		c.rep.in(indexFile, c.line()).addf("order", "INV-002", "entry %d follows entry %d", r.seq, c.last.seq)
	}
	number, offset := c.last.number+1, c.last.end()
	switch {
	case r.segment < 1 || r.segment < c.last.segment:
		c.rep.in(indexFile, c.line()).addf("order", "INV-002", "entry %d is in segment %d, after segment %d", r.seq, r.segment, c.last.segment)
		return
	case r.segment > c.last.segment:
		number, offset = 1, 0
	}
	if r.number != number || r.offset != offset {
		c.rep.in(indexFile, c.line()).addf("order", "INV-003", "entry %d is frame %d at byte %d of segment %d, and should be frame %d at byte %d",
			r.seq, r.number, r.offset, r.segment, number, offset)
	}
	if r.id == "" || !isEntryID(r.id) && !r.extended {
		c.rep.in(indexFile, c.line()).addf("contract", "INV-006", "entry %d has the id %q", r.seq, r.id)
	}
}

// invariantOf names what each kind of damage to a frame breaks.
var invariantOf = map[string]string{
	"missing": "INV-003", "bounds": "INV-003", "checksum": "INV-005", "unended": "INV-003", "malformed": "INV-005",
	"mismatch": "INV-003", "payload": "INV-005", "contract": "INV-006",
}

// frame reads the frame of r and compares the frame with the row. Only an error with a kind is damage.
func (c *scan) frame(r *row) (f frame, kind string, err error) {
	size, err := c.size(r.segment)
	if missing(err) || errors.Is(err, ErrCorrupt) {
		return f, "missing", err
	}
	if err != nil {
		return f, "", err
	}
	if r.length < 1 || r.offset > size || r.length > size-r.offset {
		return f, "bounds", fmt.Errorf("index out of bounds: entry %d ends at byte %d of segment %d, which has %d",
			r.seq, r.end(), r.segment, size)
	}
	if f, kind, err = c.v.checkedFrame(r); err != nil {
		switch kind {
		case "":
			err = about(fmt.Sprintf("reading segment %d", r.segment), err)
		case "checksum":
			b, _ := c.v.bytesOf(r) // which has just been read
			err = fmt.Errorf("%w: %s, indexed as %s", err, checksum(b), r.crc)
		}
		return f, kind, err
	}
	if err := f.agrees(); err != nil {
		return f, "contract", fmt.Errorf("entry %d: %w", r.seq, err)
	}
	return f, "", nil
}

func (c *scan) size(segment int64) (int64, error) {
	if n, ok := c.sizes[segment]; ok {
		return n, nil
	}
	f, err := c.s.openSegment(segment, 0)
	if err != nil {
		return 0, about(fmt.Sprintf("failed to open segment %d", segment), err)
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return 0, about(fmt.Sprintf("segment %d", segment), err)
	}
	c.sizes[segment] = fi.Size()
	return fi.Size(), nil
}

// coverage checks that every byte of every segment is indexed.
func (c *scan) coverage() {
	segs, err := c.s.segments()
	c.broken("segments", "coverage", "INV-003", err)
	for _, g := range segs {
		if c.ends[g.number] < g.size || c.ends[g.number] == 0 {
			c.rep.in("segments/"+g.name, 0).addf("coverage", "INV-003", "segment byte coverage mismatch: %d of the %d bytes of segment %d are indexed",
				c.ends[g.number], g.size, g.number)
		}
	}
}

// lineage checks that parents exist and that no entry is its own ancestor.
func (c *scan) lineage() {
	parent := make([]int32, len(c.parents))
	for i, p := range c.parents {
		at, ok := c.ids[p]
		switch {
		case p == "":
			at = -1
		case !ok:
			c.rep.in(indexFile, int64(i)+1).addf("parent", "INV-001", "entry %d has the parent %q, which is not in the store", i+1, p)
			at = -1
		}
		parent[i] = at
	}
	done := make([]int32, len(parent)) // 0, or 1 + the walk that came by
	for i := range parent {
		at := int32(i)
		for at >= 0 && done[at] == 0 {
			done[at] = int32(i) + 1
			at = parent[at]
		}
		if at >= 0 && done[at] == int32(i)+1 {
			c.rep.in(indexFile, int64(at)+1).addf("cycle", "INV-001", "entry %d is its own ancestor", at+1)
		}
	}
}

// ordered reports whether every parent stands before its children.
func (c *scan) ordered() bool {
	for i, p := range c.parents {
		if at, ok := c.ids[p]; p != "" && (!ok || int(at) >= i) {
			return false
		}
	}
	return true
}

// full reads the whole store as it stands, without its documents.
func (c *scan) full(v *snapshot) error {
	if c.v = v; v.torn > 0 {
		c.rep.in(indexFile, 0).addf("unended", "INV-003", "unterminated last line of the index, of %d bytes", v.torn)
	}
	if c.run(0) {
		c.coverage()
		c.lineage()
	}
	return c.verdict()
}
