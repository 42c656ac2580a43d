package storev2

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/pkg/jsonl"
)

// A Retirement tells what [Rollback] did.
type Retirement struct {
	Dir     string // where the store is now, out of service
	Carried int    // how many entries were appended to the file
}

// Rollback makes the JSONL file at path the session again. The entries that it has
// not are appended to it. The store is not deleted: it gets another name. The reason
// goes into its state.
//
// Before that, the file is compared with what was migrated: it must begin with
// it. The error of one that does not is [ErrNoTarget], and the store is FAILED
// then. Entries that cannot be read to be appended are [ErrUnsaved], and nothing has
// changed. Other errors are those of [Migrate].
func Rollback(ctx context.Context, path, reason string, o Options) (Retirement, error) {
	return rollback(ctx, disk.OS{}, path, reason, o)
}

func rollback(ctx context.Context, d disk.FS, path, reason string, o Options) (out Retirement, err error) {
	err = withTarget(ctx, d, path, &o, func(a *jsonl.Appender, target string) error {
		s, err := openStore(d, Dir(target), o)
		if err != nil {
			return err
		}
		out, err = s.retire(ctx, a, target, reason)
		return err
	})
	return out, err
}

// withTarget is withSource for a file that may be torn, or missing: then there is no
// Appender.
func withTarget(ctx context.Context, d disk.FS, path string, o *Options, do func(a *jsonl.Appender, target string) error) error {
	if _, err := filepath.EvalSymlinks(path); missing(err) {
		return do(nil, path)
	}
	return withSource(ctx, d, path, jsonl.Options{Tail: jsonl.EndLine, Wait: o.Wait}, do)
}

// retire takes the store out of service in favour of the file target.
func (s *Store) retire(ctx context.Context, a *jsonl.Appender, target, reason string) (out Retirement, err error) {
	err = s.locked(ctx, func() error {
		w := &writer{s: s}
		err := w.loadAny()
		if err == nil {
			err = w.checkTarget(target)
		}
		if err == nil && !s.o.Force && w.st.to != MigrationStaging {
			out.Carried, err = w.carry(ctx, a)
		}
		if err == nil && w.st.to != Failed && w.st.to != MigrationStaging {
			err = w.beforeRollback()
		}
		if err != nil {
			return err
		}
		to := s.dir + ".rolledback." + unique()
		if err := s.d.Rename(s.dir, to); err != nil {
			return about("renaming", err)
		}
		s.dir, out.Dir = to, to
		if err := s.d.SyncDir(filepath.Dir(to)); err != nil {
			return err
		}
		return w.retired(target, reason)
	})
	return out, err
}

// loadAny is load for a store in any state. Damage does not stop a rollback.
func (w *writer) loadAny() error {
	var err error
	if w.st, err = w.s.currentState(); err != nil {
		return err
	}
	if w.st.to == MigrationStaging || w.st.to == Failed {
		return w.makeDirs()
	}
	err = w.load()
	if errors.Is(err, ErrCorrupt) && w.st.to == Failed {
		return nil
	}
	return err
}

// checkTarget compares the file with what the store was made from.
func (w *writer) checkTarget(target string) error {
	var p *fingerprint
	m, err := readMarker(w.s.d, w.s.dir)
	if err == nil {
		p = &m.Source
	} else if !missing(err) {
		return err
	}
	if p == nil { // a cache of pi's
		st, err := readSource(w.s.d, w.s.dir)
		if unread(err) {
			return err
		}
		p = st.Fingerprint
	}
	begins := false
	if p != nil {
		begins, _, err = p.matches(target)
	} else {
		begins, err = w.hasHeaderOf(target)
	}
	if err != nil {
		return about("reading "+base(target), err)
	}
	if !begins {
		why := fmt.Errorf("%w: %s is gone or was changed", ErrNoTarget, base(target))
		if w.st.to == Failed {
			return why
		}
		return w.fail(why)
	}
	return nil
}

// hasHeaderOf reports whether the file is the session that the manifest names.
func (w *writer) hasHeaderOf(target string) (bool, error) {
	man, err := readManifest(w.s.d, w.s.dir)
	if errors.Is(err, ErrCorrupt) {
		return false, nil // there is nothing to compare with
	}
	if err != nil {
		return false, err
	}
	p, err := prefaceOf(target)
	if missing(err) || noHeader(err) {
		return false, nil
	}
	return err == nil && p.header.ID == man.SessionID, err
}

// beforeRollback marks where the store stands, as the snapshot that is given up.
func (w *writer) beforeRollback() error {
	if w.last.seq > 0 {
		_, err := w.checkpoint("pre_migration")
		return err
	}
	if err := w.toIndexed("rollback"); err != nil {
		return err
	}
	return w.become(Checkpointed, "nothing to mark")
}

// retired ends the rollback in the store that is out of service now.
func (w *writer) retired(target, reason string) error {
	e := w.newEvent("rollback", absolute(w.s.dir), absolute(target))
	e.TargetFormat = formatJSONL
	if m, err := readMarker(w.s.d, w.s.dir); err == nil {
		e.Migration = m.Migration
	}
	if w.st.to == Failed {
		e.Verification, e.Outcome, e.ErrorClass = verification{}, "recoverable_error", "integrity_mismatch"
	}
	if err := addEvent(w.s.d, w.s.dir, &e); err != nil && !errors.Is(err, ErrCorrupt) {
		return err // a broken ledger is left as it is, and does not hold up a rollback
	}
	return w.become(RolledBack, reason)
}

// carryBatch is how many bytes of entries are appended to the file at once.
const carryBatch = 8 << 20

// carry appends the entries to the file that it has not, and returns their number.
// Who dies in between leaves a beginning of them there, and a store that still is
// the session: the next one goes on behind it.
func (w *writer) carry(ctx context.Context, a *jsonl.Appender) (int, error) {
	if w.allMigrated() {
		return 0, nil
	}
	if a == nil {
		return 0, ErrNoTarget
	}
	v, err := w.s.reading()
	if err != nil {
		return 0, err
	}
	defer v.close()
	rows, err := v.own(ctx, io.NewSectionReader(a, 0, a.Size()))
	if err == nil {
		err = v.readable(rows) // all or none of them
	}
	if err != nil {
		return 0, err
	}
	var batch [][]byte
	n, size := 0, 0
	for i := range rows {
		f, err := v.frameOf(&rows[i])
		if err != nil {
			return n, err
		}
		batch, size = append(batch, []byte(f.line)), size+len(f.line)
		if size < carryBatch && i < len(rows)-1 {
			continue
		}
		if err := a.Append(batch...); err != nil {
			return n, err
		}
		n, batch, size = n+len(batch), nil, 0
	}
	if n == 0 {
		return 0, nil
	}
	return n, a.Sync()
}

// allMigrated reports whether the store has nothing but what was migrated, so that
// it need not be read.
func (w *writer) allMigrated() bool {
	man, err := readManifest(w.s.d, w.s.dir)
	m, merr := readMarker(w.s.d, w.s.dir)
	return err == nil && merr == nil && man.Counters.Entries == m.Entries
}

// readable says whether the entries of these rows can be read, to be appended to the
// file.
func (v *snapshot) readable(rows []row) error {
	var lost []string
	var first error
	for i := range rows {
		_, err := v.frameOf(&rows[i])
		if err == nil {
			continue
		}
		if lost = append(lost, rows[i].id); first == nil {
			first = err
		}
		if !errors.Is(err, ErrCorrupt) {
			return err
		}
	}
	if first == nil {
		return nil
	}
	return fmt.Errorf("%w: %s cannot be appended to the file: %w", ErrUnsaved, someOf(lost), first)
}

// someOf names a few ids.
func someOf(ids []string) string {
	const most = 5
	if len(ids) <= most {
		return strings.Join(ids, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(ids[:most], ", "), len(ids)-most)
}
