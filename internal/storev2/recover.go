package storev2

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/pkg/jsonl"
)

// A Recovery tells what [Recover] did.
type Recovery struct {
	// Action is a word: none, the store was in order; source, the JSONL file is
	// the session; completed, a migration was; mended, the end of the store was;
	// rebuilt, the index was; rolledback, to the JSONL file.
	Action string
	// Lost is how many entries that were counted by the manifest are gone. Their
	// bytes, as far as there are any, are in tmp.
	Lost int64
	// Carried is how many entries of a store that was rolled back were appended to the
	// file.
	Carried int
	// Removed are directories of unfinished migrations.
	Removed []string
	// Remade tells, in words, which files of the store were made anew or put aside.
	Remade []string
	// Dir is where the store is now, out of service if it was rolled back; empty if
	// there is none.
	Dir string
}

// Recover brings the session at path, a JSONL file or a store, to a state in which it can be used,
// after a crash or after damage. The files that it finds decide:
//
//   - An unfinished migration without a commit marker is discarded: the JSONL
//     file is the session.
//   - One with a commit marker is verified. If all is well it is completed, else
//     rolled back.
//   - A store that is not in order is mended, or its index is rebuilt. What no
//     segment holds any more is reported as lost. If the rest is not what the hash
//     chain says, the store is rolled back to the JSONL file, provided that this
//     loses nothing that was appended since.
//   - A rollback whose target is missing fails, [ErrNoTarget], or [ErrCorrupt] if
//     it would lose entries, and leaves the store FAILED for its user to look at.
func Recover(ctx context.Context, path string, o Options) (Recovery, error) {
	return recoverStore(ctx, disk.OS{}, path, o)
}

func recoverStore(ctx context.Context, d disk.FS, path string, o Options) (out Recovery, err error) {
	if strings.EqualFold(filepath.Ext(path), ".v2") {
		path = Source(path)
	}
	err = withTarget(ctx, d, path, &o, func(a *jsonl.Appender, target string) error {
		r := &recovery{ctx: ctx, d: d, o: o, a: a, target: target, dir: Dir(target)}
		r.out = Recovery{Action: "none", Dir: r.dir}
		err := r.run()
		out = r.out
		return err
	})
	return out, err
}

type recovery struct {
	ctx    context.Context
	d      disk.FS
	o      Options
	a      *jsonl.Appender // of the target, nil if that is missing
	target string
	dir    string
	s      *Store
	out    Recovery
}

func (r *recovery) run() error {
	if err := r.leftovers(); err != nil {
		return err
	}
	s, err := openStore(r.d, r.dir, r.o)
	if missing(err) {
		r.out.Dir = ""
		if r.out.Action == "none" && len(r.out.Removed) > 0 {
			r.out.Action = "source"
		}
		if _, serr := r.d.Lstat(r.target); missing(serr) {
			return about("opening "+r.target, serr)
		}
		return nil
	}
	if err != nil {
		return err
	}
	r.s = s
	st, err := s.currentState()
	if err != nil {
		return s.named(err)
	}
	if st.to == MigrationStaging {
		return r.finish()
	}
	return r.restore(st)
}

// leftovers deals with the directories that a migration which died left beside
// the store.
func (r *recovery) leftovers() error {
	parent := filepath.Dir(r.dir)
	entries, err := r.d.ReadDir(parent)
	if err != nil {
		return about("reading "+parent, err)
	}
	_, serr := r.d.Lstat(r.dir)
	for _, e := range entries {
		rest, ours := strings.CutPrefix(e.Name(), base(r.dir)+".")
		if !ours || !e.IsDir() {
			continue
		}
		name := joined(parent, e.Name())
		switch kind, _, _ := strings.Cut(rest, "."); {
		case kind == "backup" && missing(serr):
			if err := r.d.Rename(name, r.dir); err != nil { // the pointer that was active before
				return about("restoring "+name, err)
			}
			serr, r.out.Action = nil, "mended"
		case kind == "staging" || kind == "backup":
			if err := removeTree(r.d, name); err != nil {
				return about("removing "+name, err)
			}
			r.out.Removed = append(r.out.Removed, name)
		case kind == "rolledback":
			if err := r.finishRollback(name); err != nil {
				return err
			}
		}
	}
	return r.d.SyncDir(parent)
}

// finishRollback tells a store that is out of service so, if its rollback was
// interrupted.
func (r *recovery) finishRollback(name string) error {
	s := newStore(r.d, name, r.o)
	w := &writer{s: s}
	var err error
	if w.st, err = s.currentState(); err != nil || w.st.to == RolledBack || !w.st.to.May(RolledBack) {
		return s.named(err)
	}
	r.out.Action = "source"
	return s.named(w.retired(r.target, "recovered"))
}

// finish verifies a store that has its place but not its confirmation.
func (r *recovery) finish() error {
	m, err := readMarker(r.d, r.dir)
	if missing(err) { // it never was committed
		if _, err := r.d.Lstat(r.target); err != nil {
			return fmt.Errorf("%s: %w: neither %s nor %s is there: %w", r.dir, ErrNoTarget, markerFile, base(r.target), disk.Cause(err))
		}
		if err := removeTree(r.d, r.dir); err != nil {
			return about("removing "+r.dir, err)
		}
		r.out = Recovery{Action: "source", Removed: append(r.out.Removed, r.dir)}
		return nil
	}
	if err == nil {
		err = r.confirmable(&m)
	}
	if errors.Is(err, ErrCorrupt) {
		return r.rollBack(err)
	}
	if err != nil {
		return r.s.named(err)
	}
	a := &build{ctx: r.ctx, d: r.d, path: r.target, o: r.o, s: r.s, w: &writer{s: r.s}}
	a.out = Migration{ID: m.Migration, Correlation: m.Correlation, Dir: r.dir}
	if a.w.st, err = r.s.currentState(); err != nil {
		return r.s.named(err)
	}
	if err := a.complete(""); err != nil {
		return err
	}
	r.out.Action = "completed"
	return nil
}

// confirmable verifies a whole store against its commit marker.
func (r *recovery) confirmable(m *marker) error {
	c, err := r.s.scanned()
	if err != nil {
		return err
	}
	if c.d, err = r.s.documents(); err != nil {
		return err
	}
	c.manifest()
	if err := c.verdict(); err != nil {
		return err
	}
	if c.m.Integrity.Chain != m.Chain || c.m.Counters.Entries != m.Entries {
		return fmt.Errorf("%w: the store is not what its commit marker says", ErrCorrupt)
	}
	return c.d.lerr
}

// rollBack gives up a store that cannot be mended, unless it has entries that can
// neither be appended to the file nor are lost for certain.
func (r *recovery) rollBack(why error) error {
	err := r.locked(func(w *writer) (err error) {
		if w.st, err = r.s.currentState(); err == nil && w.st.to != Failed {
			err = w.become(Failed, "recovery")
		}
		return err
	})
	if err != nil {
		return err
	}
	to, err := r.s.retire(r.ctx, r.a, r.target, "recovery: "+why.Error())
	switch {
	case errors.Is(err, ErrCorrupt), errors.Is(err, ErrNoTarget), errors.Is(err, ErrUnsaved):
		return fmt.Errorf("%w; not rolled back: %w", why, err)
	case err != nil: // it may go the next time
		return fmt.Errorf("%v; not rolled back: %w", why, err) //nolint:errorlint // this is no damage
	}
	r.out.Action, r.out.Dir, r.out.Carried = "rolledback", to.Dir, to.Carried
	return nil
}

// restore puts a store in order that was in service.
func (r *recovery) restore(st transition) error {
	if st.to != Failed {
		sound, err := r.mended(st)
		if sound || err != nil {
			return err
		}
	}
	err := r.locked(r.repair)
	var kept unrepairable
	switch {
	case errors.As(err, &kept):
		return r.s.named(kept.error)
	case errors.Is(err, ErrCorrupt):
		return r.rollBack(err)
	case err != nil:
		return err
	}
	rep, err := r.s.Verify(r.ctx)
	if err == nil && !rep.OK() {
		err = r.s.named(fmt.Errorf("%w: not all could be put in order: %s", ErrCorrupt, rep.Problems[0].Text))
	}
	return err
}

// An unrepairable error is damage that cannot be repaired, to something else than entries:
// the store is left alone.
type unrepairable struct{ error }

func (e unrepairable) Unwrap() error { return e.error }

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

// Findings are what there is of a store: its documents, and its frames, read without the
// help of the index.
type findings struct {
	*documents
	c       *scan
	entries int64
	file    totals // of the JSONL file, if that is needed and is the one that was migrated
}

// repair puts a store in order whose damage a writer cannot mend. Nothing is
// replaced before it is known that all can be.
func (r *recovery) repair(w *writer) error {
	if err := w.forRepair(); err != nil {
		return err
	}
	x, err := r.examine(w)
	if err != nil {
		return err
	}
	m, lost, err := r.manifest(w, x)
	if err != nil {
		return err
	}
	if x.kerr != nil && x.ours {
		if x.mark, err = r.newMarker(x); err != nil {
			return err
		}
	}
	if x.kerr == nil && x.entries < x.mark.Entries {
		if err := r.fewer(x); err != nil {
			return err
		}
	}
	if r.out.Lost = lost; lost > 0 {
		r.out.Action = "rebuilt"
	} else {
		r.out.Action = "mended"
	}
	if err := r.install(w, x, m); err != nil {
		return err
	}
	// The old documents are kept, in files that end in ".bak".
	steps := []func(*writer, *findings) error{r.checkpoints, r.marker, r.ledger, r.source, r.modes}
	for _, step := range steps {
		if err := step(w, x); err != nil {
			return err
		}
	}
	e := w.newEvent("integrity_check", indexFile, indexFile)
	e.Verification.Count, e.Outcome, e.ErrorClass = r.out.Lost == 0, "recoverable_error", "integrity_mismatch"
	return addEvent(r.d, r.dir, &e)
}

// fewer deals with a store that has fewer entries than were migrated. The JSONL file has more, if
// it is unchanged: the store, which has no entry that the file lacks, is given up for it. Otherwise
// the marker follows the store.
func (r *recovery) fewer(x *findings) error {
	begins, _, err := x.mark.Source.matches(r.target)
	if err != nil {
		return about("reading "+base(r.target), err)
	}
	if begins {
		r.out.Lost = max(0, x.man.Counters.Entries-x.mark.Entries)
		r.s.o.Force = true
		return fmt.Errorf("%w: %d entries were migrated, and %d are there", ErrCorrupt, x.mark.Entries, x.entries)
	}
	x.mark.Entries, x.mark.Chain = x.entries, x.c.m.Integrity.Chain
	x.kerr = fmt.Errorf("%w: it counts what is lost", ErrCorrupt)
	return nil
}

// forRepair brings an unfinished rollback to its end.
func (w *writer) forRepair() error {
	var err error
	if w.st, err = w.s.currentState(); err != nil {
		return err
	}
	if err := w.makeDirs(); err != nil {
		return err
	}
	err = w.replay()
	if errors.Is(err, ErrCorrupt) { // whatever was to be done, the entries are what the segments hold
		err = w.s.aside(joined(w.s.dir, intentFile))
	}
	return err
}

// examine reads documents and segments, and puts torn ends aside.
func (r *recovery) examine(w *writer) (*findings, error) {
	d, err := r.s.documents()
	if err != nil {
		return nil, err
	}
	x := &findings{documents: d}
	if x.kerr != nil && x.ours {
		if err := r.readFile(x); err != nil {
			return nil, err
		}
	}
	marks := []int64{x.man.Head.Entry, x.mark.Entries, x.file.entries}
	for _, p := range x.points {
		marks = append(marks, p.HeadSeq)
	}
	x.c = r.s.newScan(marks...)
	e, err := w.index(x.c)
	if err == nil && !e.clean() {
		err = w.mendSegments(e, false)
	}
	if err != nil {
		return nil, err
	}
	x.c.lineage()
	x.entries = x.c.m.Counters.Entries
	return x, x.c.verdict()
}

// install puts index and manifest in place, and the store in service.
func (r *recovery) install(w *writer, x *findings, m manifest) error {
	w.last, w.st.ordered = x.c.last, x.c.ordered()
	if err := w.toDirty("recovery"); err != nil {
		return err
	}
	rebuilt := joined(r.dir, rebuiltFile)
	same, err := r.sameContent(rebuilt, joined(r.dir, indexFile))
	if err != nil {
		return err
	}
	if same {
		err = r.d.Remove(rebuilt)
	} else {
		r.out.Action = "rebuilt"
		err = w.replaceIndex(rebuilt)
	}
	if err != nil {
		return err
	}
	if err := w.toIndexed("recovery"); err != nil {
		return err
	}
	if old := x.man; x.merr == nil && old.Head == m.Head && old.Counters == m.Counters &&
		old.Integrity.Chain == m.Integrity.Chain && old.Integrity.LastCRC == m.Integrity.LastCRC && old.Files == m.Files && old.Invariants == allHold {
		return nil
	}
	return writeManifest(r.d, r.dir, &m, r.o.now())
}

// sameContent compares two files; one that is missing differs.
func (r *recovery) sameContent(a, b string) (bool, error) {
	one, err := readFile(r.d, a, 1<<40)
	if err != nil {
		return false, about("reading "+base(a), err)
	}
	other, err := readFile(r.d, b, 1<<40)
	if missing(err) || errors.Is(err, ErrCorrupt) {
		return false, nil
	}
	return err == nil && string(one) == string(other), err
}

func (r *recovery) locked(do func(w *writer) error) error {
	return r.s.locked(r.ctx, func() error { return do(&writer{s: r.s}) })
}
