package seg

import (
	"errors"
	"fmt"
	"os"
	"slices"
)

// restore mends a store that was in service.
func (r *recovery) restore(st transition) error {
	if st.to != Failed {
		sound, err := r.mended(st)
		if sound || err != nil {
			return err
		}
	}
	built, err := r.s.Rebuild(r.ctx)
	if err == nil && !built.Matches {
		err = r.acceptLoss(built)
	}
	if errors.Is(err, ErrCorrupt) {
		return r.rollBack(err)
	}
	if err == nil {
		r.out.Action = "rebuilt"
	}
	return err
}

// mended lets a writer mend the end of the store, and reports whether all of it
// is sound then.
func (r *recovery) mended(st transition) (bool, error) {
	err := r.s.change(r.ctx, func(*writer) error { return nil })
	if errors.Is(err, ErrCorrupt) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	rep, err := r.s.Verify(r.ctx)
	if err != nil || !rep.OK() {
		return false, err
	}
	if after, err := r.s.currentState(); err != nil || after.seq != st.seq {
		r.out.Action = "mended"
		return true, err
	}
	return true, nil
}

// acceptLoss makes a new manifest for a store that ends before the old one does,
// if what is left is what the checkpoints say. Anything else was tampered with.
func (r *recovery) acceptLoss(b Rebuilt) error {
	return r.locked(func(w *writer) error {
		old, err := readManifest(r.d, r.dir)
		if err == nil && b.Entries >= old.Counters.Entries {
			return fmt.Errorf("%w: hash chain mismatch between manifest and segments", ErrCorrupt)
		}
		if err != nil {
			if old, err = r.newIdentity(); err != nil {
				return err
			}
		}
		points, err := checkpoints(r.d, r.dir)
		if err != nil {
			return err
		}
		v, err := r.s.view()
		if err != nil {
			return err
		}
		defer v.close()
		c := newScan(v, &Report{})
		for _, p := range points {
			c.marks[p.HeadSeq] = ""
		}
		if err := c.full(); err != nil {
			return err
		}
		points = slices.DeleteFunc(points, func(p Checkpoint) bool { return p.HeadSeq > b.Entries })
		if c.checkpoints(points); !c.rep.OK() {
			return fmt.Errorf("%w: %s", ErrCorrupt, c.rep.Problems[0].Text)
		}
		if w.st, err = r.s.currentState(); err != nil {
			return err
		}
		w.last, w.st.ordered = c.last, c.ordered()
		r.out.Lost = max(0, old.Counters.Entries-b.Entries)
		return r.install(w, c.merged(old))
	})
}

// install puts a manifest in place and the store in service.
func (r *recovery) install(w *writer, m manifest) error {
	points, err := checkpoints(r.d, r.dir)
	if err != nil {
		return err
	}
	for _, p := range points {
		if p.HeadSeq > m.Counters.Entries {
			if err := r.s.aside(joined(r.dir, p.Snapshot)); err != nil {
				return about("putting aside "+p.Snapshot, err)
			}
		}
	}
	if err := w.toIndexed("recovery"); err != nil { // by way of DIRTY
		return err
	}
	if err := writeManifest(r.d, r.dir, &m, r.o.now()); err != nil {
		return err
	}
	e := w.newEvent("integrity_check", indexFile, indexFile)
	e.Verification.Count, e.Outcome, e.ErrorClass = r.out.Lost == 0, "recoverable_error", "integrity_mismatch"
	return addEvent(r.d, r.dir, &e)
}

// newIdentity makes a manifest for a store that has lost its own.
func (r *recovery) newIdentity() (manifest, error) {
	f, err := os.Open(r.target)
	if err != nil {
		return manifest{}, fmt.Errorf("%w: no manifest, and no session file to tell whose store it is: %w", ErrCorrupt, cause(err))
	}
	defer f.Close()
	p, err := readPreface(f)
	if err != nil {
		return manifest{}, fmt.Errorf("%w: no manifest, and %s: %w", ErrCorrupt, base(r.target), err)
	}
	return newManifest(p.header.ID, r.o.now(), sessionFits(p.header.ID) != nil), nil
}

func (r *recovery) locked(do func(w *writer) error) (err error) {
	unlock, err := r.s.lock(r.ctx)
	if err != nil {
		return err
	}
	defer unlockInto(&err, unlock)
	return r.s.named(do(&writer{s: r.s}))
}
