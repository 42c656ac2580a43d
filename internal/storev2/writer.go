package storev2

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/pkg/session"
)

// A writer is a store under its lock, with its head in memory.
type writer struct {
	s    *Store
	st   transition
	m    manifest
	last row   // of the index; zero if there is none
	size int64 // of the index, in bytes
}

// change runs do on the store under its lock, with the end of the store mended.
func (s *Store) change(ctx context.Context, do func(w *writer) error) (err error) {
	h, err := s.Hold(ctx)
	if err != nil {
		return err
	}
	defer unlockInto(&err, h.Close)
	return s.named(do(h.w))
}

// A Hold is a store that no other writer changes until Close.
type Hold struct {
	w      *writer
	unlock func() error
}

// Hold takes the lock of the store and mends its end, for a caller that has to read it
// before appending. It blocks the methods of s that change the store, and reading
// is as it was.
func (s *Store) Hold(ctx context.Context) (*Hold, error) {
	s.mu.Lock()
	h := &Hold{w: &writer{s: s}}
	var err error
	if h.unlock, err = s.lock(ctx); err != nil {
		s.mu.Unlock()
		return nil, err
	}
	if err := h.w.load(); err != nil {
		unlockInto(&err, h.Close)
		return nil, s.named(err)
	}
	return h, nil
}

// Append is [Store.Append] for the holder.
func (h *Hold) Append(lines ...[]byte) error {
	if len(lines) == 0 {
		return nil
	}
	return h.w.s.named(h.w.append(lines))
}

// Known reports whether the store has an entry.
func (h *Hold) Known(id string) (bool, error) {
	_, err := h.w.s.Get(id)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// Close lets go of the lock. It must be called once.
func (h *Hold) Close() error {
	defer h.w.s.mu.Unlock()
	return h.unlock()
}

// load reads the head of the store and mends its end.
func (w *writer) load() error {
	var err error
	if w.st, err = w.s.currentState(); err != nil {
		return err
	}
	switch w.st.to {
	case Failed:
		return fmt.Errorf("%w: it is %s (%s) and must be recovered first", ErrState, Failed, w.st.reason)
	case MigrationStaging:
		return fmt.Errorf("%w: its migration was not finished and must be recovered first", ErrState)
	}
	if err := w.makeDirs(); err != nil {
		return err
	}
	if err := w.replay(); err != nil {
		return err
	}
	if w.m, err = readManifest(w.s.d, w.s.dir); err != nil {
		return err
	}
	return w.mend()
}

// makeDirs makes what a store consists of, as far as another program left it out.
func (w *writer) makeDirs() error {
	for _, name := range directories {
		err := w.s.d.Mkdir(joined(w.s.dir, name), dirMode)
		if err != nil && !errors.Is(err, os.ErrExist) {
			return about("making "+name, err)
		}
	}
	return nil
}

var directories = []string{"segments", "index", "checkpoints", "migrations", "tmp"}

// become takes the store to the next state.
func (w *writer) become(to State, reason string) error {
	t, err := w.st.nextTransition(to, reason, w.s.o.now())
	if err != nil {
		return err
	}
	// An append orders its steps by syncing the data; the states in between are
	// only worth what the data says.
	lasting := to == Failed || to == RolledBack || to == Migrated || to == MigrationStaging || to == Checkpointed
	if err := writeState(w.s.d, w.s.dir, &t, lasting); err != nil {
		return about("storing the state", err)
	}
	w.st = t
	return nil
}

// fail takes the store to FAILED and returns why. An empty store cannot fail, and
// what only could not be read now is no damage: it may be there the next time.
func (w *writer) fail(why error) error {
	damage := errors.Is(why, ErrCorrupt) || errors.Is(why, ErrNoTarget)
	if !damage || !w.st.to.May(Failed) {
		return why
	}
	return errors.Join(why, w.become(Failed, why.Error()))
}

// toDirty takes the store to a state in which its end may be changed.
func (w *writer) toDirty(reason string) error {
	if w.st.to == Dirty || w.st.to == SegmentSealed {
		return nil
	}
	return w.become(Dirty, reason)
}

// toSealed follows the syncing of the segments.
func (w *writer) toSealed(reason string) error {
	if w.st.to == SegmentSealed {
		return nil
	}
	return w.become(SegmentSealed, reason)
}

// lastRow returns the last row of the index, zero if there is none.
func (s *Store) lastRow() (row, error) {
	v, err := s.snapshot()
	if err != nil {
		return row{}, err
	}
	defer v.close()
	return v.last()
}

// appendFile appends b to the file name with one write(2) and makes it durable.
// fresh says that there is no such file yet; then its name is made durable as well.
func (s *Store) appendFile(name string, b []byte, fresh bool) error {
	flag := os.O_WRONLY | os.O_APPEND
	if fresh {
		flag |= os.O_CREATE | os.O_EXCL
	}
	f, err := openFile(s.d, name, flag)
	if err != nil {
		return err
	}
	if err = disk.Write(f, b); err == nil && !s.o.NoSync {
		err = f.Sync()
	}
	if err = disk.Closing(f, err); err == nil && fresh {
		err = s.d.SyncDir(filepath.Dir(name))
	}
	return err
}

// cut truncates the file name to size. With nothing left it is removed, if it
// may be, since pi does not want to see empty segments.
func (s *Store) cut(name string, size int64, removable bool) error {
	if size == 0 && removable {
		if err := s.d.Remove(name); !missing(err) {
			return err
		}
		return nil
	}
	f, err := openFile(s.d, name, os.O_RDWR)
	if err != nil {
		return err
	}
	fi, err := f.Stat()
	if err == nil && fi.Size() < size {
		err = io.ErrUnexpectedEOF
	}
	if err == nil && fi.Size() > size {
		if err = f.Truncate(size); err == nil {
			err = f.Sync()
		}
	}
	return disk.Closing(f, err)
}

// syncFile makes an existing file durable.
func (s *Store) syncFile(name string) error {
	f, err := openFile(s.d, name, os.O_RDWR)
	if missing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return disk.Closing(f, f.Sync())
}

// newEvent returns a ledger event of an operation within the store.
func (w *writer) newEvent(phase, source, target string) event {
	id := session.NewSessionID()
	e := newEvent(id, "seg-"+id, phase, w.s.o.now(), source, target)
	e.SourceFormat = formatNative
	return e
}
