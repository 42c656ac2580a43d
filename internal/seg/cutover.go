package seg

import (
	"errors"
	"fmt"
	"path/filepath"
)

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
