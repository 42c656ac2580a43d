package seg

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/sess-tools/sess/internal/disk"
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

// Recover brings the session at path, a JSONL file or a store, to a state in
// which it can be used, after a crash or after damage. What it does follows from
// what is there:
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
//     it would lose entries, and leaves the store FAILED for a person to look at.
func Recover(ctx context.Context, path string, o Options) (Recovery, error) {
	return recoverStore(ctx, disk.OS{}, path, o)
}

func recoverStore(ctx context.Context, d disk.FS, path string, o Options) (out Recovery, err error) {
	if strings.EqualFold(filepath.Ext(path), ".v2") {
		path = Source(path)
	}
	return out, withTarget(ctx, d, path, &o, func(a *jsonl.Appender, target string) error {
		r := &recovery{ctx: ctx, d: d, o: o, a: a, target: target, dir: Dir(target)}
		r.out = Recovery{Action: "none", Dir: r.dir}
		err := r.run()
		out = r.out
		return err
	})
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
	v, err := r.s.view()
	if err != nil {
		return err
	}
	defer v.close()
	c := newScan(v, &Report{})
	if err := c.full(); err != nil {
		return err
	}
	c.manifest()
	if err := c.verdict(); err != nil {
		return err
	}
	if c.m.Integrity.Chain != m.Chain || c.m.Counters.Entries != m.Entries {
		return fmt.Errorf("%w: the store is not what its commit marker says", ErrCorrupt)
	}
	_, err = ledger(r.d, r.dir)
	return err
}

// rollBack gives up a store that cannot be mended, unless it has entries that can
// neither be appended to the file nor are lost for certain.
func (r *recovery) rollBack(why error) error {
	if err := r.failed(nil); err != nil {
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

// failed takes the store to FAILED and returns why.
func (r *recovery) failed(why error) error {
	return r.locked(func(w *writer) error {
		var err error
		if w.st, err = r.s.currentState(); err != nil || w.st.to == Failed {
			return errors.Join(why, err)
		}
		reason := "recovery"
		if why != nil {
			reason = why.Error()
		}
		return errors.Join(why, w.become(Failed, reason))
	})
}
