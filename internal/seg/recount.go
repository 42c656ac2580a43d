package seg

import (
	"fmt"
)

// caughtUp returns the manifest of all rows of the index and of e.
func (w *writer) caughtUp(v *view, e *end) (manifest, bool, error) {
	k, err := w.kin()
	if err != nil {
		return manifest{}, false, err
	}
	defer k.close()
	m := w.m
	if m.Head.Entry < w.last.seq {
		if m, err = w.recount(v); err != nil {
			return m, false, err
		}
	}
	for i := range e.frames {
		opens, err := k.born(&e.frames[i])
		if err != nil {
			return m, false, err
		}
		if e.rows[i].seq > w.m.Head.Entry { // the index may have lost what the manifest knew
			m.add(&e.frames[i], &e.rows[i], opens)
		}
	}
	return m, k.ordered, nil
}

// recount brings the manifest to the end of the index. As long as every entry is
// the child of the one before it, only the rows it lacks are read.
func (w *writer) recount(v *view) (manifest, error) {
	m := w.m
	var lacking []row
	for _, r := range v.backward() {
		if r.err != nil {
			return m, r.err
		}
		if r.seq <= m.Head.Entry {
			if r.seq == m.Head.Entry && !m.endsAt(&r.row) {
				return m, w.fail(fmt.Errorf("%w: the manifest has another entry %d", ErrCorrupt, r.seq))
			}
			break
		}
		lacking = append(lacking, r.row)
	}
	for i := len(lacking) - 1; i >= 0; i-- {
		f, err := v.frameOf(&lacking[i])
		if err != nil {
			return m, err
		}
		if f.parent != m.Head.ID || !w.st.ordered {
			return w.recountAll(v)
		}
		m.add(&f, &lacking[i], false)
	}
	return m, nil
}

// recountAll makes the manifest anew. The part of the store that the old one
// knew must have its hash chain.
func (w *writer) recountAll(v *view) (manifest, error) {
	c := newScan(v, &Report{})
	c.marks[w.m.Head.Entry] = ""
	if w.m.Head.Entry == 0 {
		c.marks[0] = genesis
	}
	c.run(0)
	if err := c.verdict(); err != nil {
		return w.m, w.fail(err)
	}
	if c.marks[w.m.Head.Entry] != w.m.Integrity.Chain {
		return w.m, w.fail(fmt.Errorf("%w: hash chain mismatch at entry %d", ErrCorrupt, w.m.Head.Entry))
	}
	return c.merged(w.m), nil
}

// merged returns what was read with the identity of m.
func (c *scan) merged(m manifest) manifest {
	n := c.m
	n.SessionID, n.SourceFormat, n.CreatedAt = m.SessionID, m.SourceFormat, m.CreatedAt
	if m.Schema == manifestExtended {
		n.Schema = m.Schema
	}
	return n
}
