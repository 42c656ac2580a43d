package storev2

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// A Migration tells what [Migrate] did.
type Migration struct {
	ID          string // a UUID
	Correlation string
	Dir         string // of the store
	Entries     int64  // of the store now
	Taken       int64  // how many of them were added to a store that was there
	Blank       int    // lines of nothing but white space, which a store cannot keep
	// Unfit is what the contract has no place for, which [Options.Extended] stored.
	Unfit Unfit
	// What was verified before the store was put in place.
	EntryCountMatch, HashChainMatch, IndexConsistent bool
}

// Migrate makes the store of the JSONL file at path, a session of version 3. The
// file is not changed, and stays what [Rollback] returns to.
//
// The store is built in a temporary directory and verified there: its ids are those of the file in
// number and order, its hash chain is that of the file's lines, its index is consistent. Then it
// gets a commit marker and takes its place by one rename; a store that was there before is
// exchanged for it and removed. Before that moment the file is the session, after it the store is.
// A crash in between is sorted out by [Recover].
//
// A store that is the session already and has entries which the file has not is
// neither replaced nor built anew: the entries of the file that it has not are
// appended to it, in the order of the file. What has the same id is the same entry.
//
// Both locks of the file, as [jsonl.OpenAppender] takes them, pi's lock on it and
// the lock of a store that is replaced are held meanwhile.
//
// Errors: [ErrContract] with the line; [jsonl.ErrTorn], [jsonl.ErrLocked];
// [session.ErrNotSession], [session.ErrVersion], [session.ErrMalformed]; those of
// [Store.Append] for a store that is appended to; whatever the file system says.
// The session is as it was then.
func Migrate(ctx context.Context, path string, o Options) (Migration, error) {
	return migrate(ctx, disk.OS{}, path, o)
}

func migrate(ctx context.Context, d disk.FS, path string, o Options) (out Migration, err error) {
	err = withSource(ctx, d, path, jsonl.Options{Tail: jsonl.Refuse, Wait: o.Wait}, func(a *jsonl.Appender, target string) error {
		id := session.NewSessionID()
		b := &build{ctx: ctx, d: d, a: a, path: target, o: o}
		b.out = Migration{ID: id, Correlation: "mig-" + id, Dir: Dir(target)}
		if b.out.Dir == target {
			return fmt.Errorf("migrating %s: %w: its store would have the same name", target, ErrContract)
		}
		b.s = newStore(d, b.out.Dir+".staging."+unique(), o)
		err := b.run()
		out = b.out
		return err
	})
	return out, err
}

// withSource runs do with the JSONL file at path locked against everybody. target
// is its name with a symbolic link resolved: the store stands beside the file.
func withSource(ctx context.Context, d disk.FS, path string, o jsonl.Options, do func(a *jsonl.Appender, target string) error) (err error) {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return about("opening "+path, err)
	}
	a, err := jsonl.OpenAppender(ctx, target, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	unlock, err := takeLock(ctx, d, target+".lock", o.Wait)
	if err != nil {
		return err
	}
	defer unlockInto(&err, unlock)
	return do(a, target)
}

// A build is a store that is being made.
type build struct {
	ctx    context.Context
	d      disk.FS
	a      *jsonl.Appender
	path   string // of the JSONL file
	o      Options
	s      *Store // in its staging directory
	w      *writer
	out    Migration
	pre    preface
	print  fingerprint
	ids    []byte // hash over all ids, to compare
	opened bool
}

// unique returns 32 hex digits.
func unique() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

func (b *build) run() error {
	if old, err := b.storeWithOwn(); err != nil || old != nil {
		if err == nil {
			err = b.extend(old)
		}
		return err
	}
	err := b.stage()
	if err == nil && b.o.DryRun {
		return removeTree(b.d, b.s.dir)
	}
	if err == nil {
		err = b.commit()
	}
	if err != nil && !b.opened {
		err = errors.Join(err, removeTree(b.d, b.s.dir))
	}
	return err
}

// storeWithOwn opens the store that stands already where the new one will, if it has entries that the JSONL file lacks. It
// returns nil if there is none, or one without such entries, which may be replaced.
func (b *build) storeWithOwn() (*Store, error) {
	old, err := openStore(b.d, b.out.Dir, b.o)
	if missing(err) || errors.Is(err, ErrNotStore) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if ours, err := old.committed(); err != nil || !ours {
		return nil, old.named(err) // a cache of pi's, which the file always outranks
	}
	v, err := old.reading()
	if err != nil {
		return nil, old.named(err)
	}
	defer v.close()
	rows, err := v.own(b.ctx, io.NewSectionReader(b.a, 0, b.a.Size()))
	if err != nil || len(rows) == 0 {
		return nil, old.named(err)
	}
	return old, nil
}

// stage builds and verifies the store.
func (b *build) stage() error {
	if err := b.make(); err != nil {
		return err
	}
	if err := b.copy(); err != nil {
		return fmt.Errorf("migrating %s: %w", b.path, disk.Cause(err))
	}
	if err := b.event("staging_copy", verification{}, "ok", ""); err != nil {
		return err
	}
	v, err := b.verify()
	if err != nil {
		return fmt.Errorf("migrating %s: %w", b.path, disk.Cause(err))
	}
	if v != allTrue {
		_ = b.event("failed", v, "fatal_error", "integrity_mismatch")
		return fmt.Errorf("migrating %s: %w: the copy does not match", b.path, ErrCorrupt)
	}
	return b.event("integrity_check", v, "ok", "")
}

// make makes an empty store and plans the migration.
func (b *build) make() error {
	if err := b.d.Mkdir(b.s.dir, dirMode); err != nil {
		return about("making "+b.s.dir, err)
	}
	b.w = &writer{s: b.s, st: transition{from: Dirty, to: Clean}}
	if err := b.w.makeDirs(); err != nil {
		return err
	}
	if err := b.w.become(MigrationStaging, "migration "+b.out.ID); err != nil {
		return err
	}
	return b.event("planned", verification{}, "ok", "")
}

func (b *build) event(phase string, v verification, outcome, class string) error {
	e := newEvent(b.out.ID, b.out.Correlation, phase, b.o.now(), absolute(b.path), absolute(b.out.Dir))
	e.Verification, e.Outcome, e.ErrorClass = v, outcome, class
	return addEvent(b.d, b.s.dir, &e)
}

// commit puts the store in place and confirms it.
func (b *build) commit() error {
	m := marker{
		Schema: markerSchema, Migration: b.out.ID, Correlation: b.out.Correlation, At: b.o.now(), SourcePath: absolute(b.path),
		Source: b.print, Entries: b.out.Entries, Chain: b.w.m.Integrity.Chain, Preface: b.pre.lines,
	}
	if err := writeMarker(b.d, b.s.dir, &m); err != nil {
		return err
	}
	if err := writeSource(b.d, b.s.dir, b.print); err != nil {
		return err
	}
	if err := b.event("cutover_commit", allTrue, "ok", ""); err != nil {
		return err
	}
	for _, name := range append([]string{""}, directories...) {
		if err := b.d.SyncDir(joined(b.s.dir, name)); err != nil {
			return about("syncing "+name, err)
		}
	}
	if size := b.a.Size(); size != b.print.Bytes {
		return fmt.Errorf("migrating %s: %w", b.path, jsonl.ErrChanged)
	}
	old, err := b.cutover()
	if err != nil {
		return err
	}
	return b.complete(old)
}

// cutover gives the staged store its name, and returns where the one that had it
// before is now.
func (b *build) cutover() (old string, err error) {
	if _, err := b.d.Lstat(b.out.Dir); err == nil {
		unlock, err := newStore(b.d, b.out.Dir, b.o).lock(b.ctx)
		if err != nil {
			return "", err
		}
		defer unlockInto(&err, unlock)
		if old, err = b.exchange(); err != nil {
			return "", err
		}
	} else if !missing(err) {
		return "", about("looking for "+b.out.Dir, err)
	} else if err := b.d.Rename(b.s.dir, b.out.Dir); err != nil {
		return "", about("renaming to "+b.out.Dir, err)
	}
	b.opened = true
	b.s.dir = b.out.Dir
	if err := b.d.SyncDir(filepath.Dir(b.out.Dir)); err != nil {
		return "", about("syncing the directory of "+b.out.Dir, err)
	}
	return old, nil
}

// exchange swaps the staged store for the one in place. Where the system cannot
// do that in one step there is a moment without a store, in which the JSONL file
// is the session; see [Recover].
func (b *build) exchange() (string, error) {
	err := b.d.Exchange(b.s.dir, b.out.Dir)
	if err == nil {
		return b.s.dir, nil
	}
	if !errors.Is(err, errors.ErrUnsupported) {
		return "", about("exchanging "+b.out.Dir, err)
	}
	backup := b.out.Dir + ".backup." + unique()
	if err := b.d.Rename(b.out.Dir, backup); err != nil {
		return "", about("renaming "+b.out.Dir, err)
	}
	if err := b.d.Rename(b.s.dir, b.out.Dir); err != nil {
		return "", errors.Join(about("renaming to "+b.out.Dir, err), b.d.Rename(backup, b.out.Dir))
	}
	return backup, nil
}

// complete confirms a store that is in place and removes the one before it.
func (b *build) complete(old string) error {
	unlock, err := b.s.lock(b.ctx)
	if err != nil {
		return err
	}
	err = b.confirm()
	unlockInto(&err, unlock)
	if err == nil && old != "" {
		err = removeTree(b.d, old)
	}
	if err != nil {
		return fmt.Errorf("migrated %s, but finishing: %w", b.path, err)
	}
	return nil
}

// confirm reads the installed manifest and marker once more, and ends the
// migration.
func (b *build) confirm() error {
	m, err := readManifest(b.d, b.s.dir)
	if err != nil {
		return err
	}
	c, err := readMarker(b.d, b.s.dir)
	if err != nil {
		return err
	}
	if m.Integrity.Chain != c.Chain || m.Counters.Entries != c.Entries || c.Migration != b.out.ID {
		return b.w.fail(fmt.Errorf("%w: manifest and commit marker disagree", ErrCorrupt))
	}
	if err := b.event("completed", allTrue, "ok", ""); err != nil {
		return err
	}
	return b.w.become(Migrated, "migration "+b.out.ID)
}
