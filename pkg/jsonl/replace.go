package jsonl

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sess-tools/sess/internal/disk"
)

// Replace gives the log other content, in one step: whoever opens it gets the old bytes
// or the new ones, and so does a crash. The content may be made of the log's own, by
// [Appender.ReadAt]. A torn last line is saved first, as [Options.Tail] says. With sync
// the new name is durable too. The mode of the log stays.
//
// Afterwards nothing can be done but Close. Who waits for the lock opens the new log.
//
// Errors: [ErrChanged] if the log is not as it was on opening; those of Append for a torn
// last line, of content and of the file system. The log is as it was then.
func (a *Appender) Replace(content io.WriterTo, sync bool) error {
	if a.err != nil {
		return a.err
	}
	if err := a.unchanged(); err != nil {
		return err
	}
	if err := a.mendTail(); err != nil {
		return err
	}
	dir, base := filepath.Split(a.h.real)
	temp := dir + "." + base + ".new" // one at a time: the log is locked
	err := a.replace(temp, content)
	if err == nil && sync {
		if err = a.d.SyncDir(filepath.Clean(dir)); err != nil {
			err = fmt.Errorf("syncing %s: %w", a.path, disk.Cause(err))
		}
	}
	return err
}

// unchanged returns an error if another program wrote to the log, or replaced it.
func (a *Appender) unchanged() error {
	moved, err := a.moved()
	if err == nil && !moved {
		var current bool
		if current, err = a.h.current(a.path); current {
			return nil
		}
	}
	if err == nil {
		err = ErrChanged
	}
	return fmt.Errorf("replacing %s: %w", a.path, err)
}

// replace writes the new log and puts it in place.
func (a *Appender) replace(temp string, content io.WriterTo) error {
	f, err := a.d.Open(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|os.O_APPEND|disk.NoFollow|disk.Nonblock, 0o600)
	if err != nil {
		return fmt.Errorf("replacing %s: %w", a.path, disk.Cause(err))
	}
	mine, err := a.h.f.Stat()
	if err == nil {
		_, err = content.WriteTo(f)
	}
	if err == nil {
		err = a.d.Chmod(temp, mine.Mode().Perm())
	}
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		if err = a.unchanged(); err == nil {
			err = a.d.Rename(temp, a.h.real)
		}
	}
	if err == nil {
		a.err = fmt.Errorf("using %s: it was replaced", a.path)
		err = a.late(f)
	} else if rerr := a.d.Remove(temp); rerr != nil && !errors.Is(rerr, fs.ErrNotExist) {
		err = errors.Join(err, rerr)
	}
	if err = disk.Closing(f, err); err != nil && !errors.Is(err, ErrChanged) {
		err = fmt.Errorf("replacing %s: %w", a.path, disk.Cause(err))
	}
	return err
}

// late takes along what a program that does not lock has added to the old log at the
// very moment of the rename.
func (a *Appender) late(f disk.File) error {
	fi, err := a.h.f.Stat()
	if err != nil || fi.Size() <= a.size {
		return err
	}
	added, err := io.ReadAll(io.NewSectionReader(a.h.f, a.size, fi.Size()-a.size))
	if err == nil {
		err = disk.Write(f, added)
	}
	if err == nil {
		err = f.Sync()
	}
	return err
}
