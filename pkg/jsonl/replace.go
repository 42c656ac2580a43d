package jsonl

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/sess-tools/sess/internal/core/disk"
)

// Replace gives the log other content, in one step: a reader that opens it gets the old bytes
// or the new ones, and so does a crash. The content may be made of the log's own, by
// [Appender.ReadAt]. A torn last line is saved first, as [Options.Tail] says. With sync
// the new name is durable too. The mode of the log stays.
//
// A program that keeps the log open would go on writing to the old file, which has no name
// any more. Where the system tells who has a file open, as Linux does, Replace refuses
// then. Elsewhere, and of programs that are hidden from this process, it cannot know.
//
// Afterwards nothing can be done but Close. Who waits for the lock opens the new log.
//
// Errors: [ErrOpen] if another program has the log open for writing; [ErrChanged] if the log
// is not as it was on opening; those of Append for a torn last line, of content and of the
// file system. The log is as it was then, unless the message says that it was replaced.
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
	err := a.replace(disk.Temp(a.h.real), content)
	if err == nil && sync {
		if err = a.d.SyncDir(filepath.Dir(a.h.real)); err != nil {
			err = fmt.Errorf("syncing %s: %w", a.path, disk.Cause(err))
		}
	}
	return err
}

// unchanged returns an error if another program wrote to the log, replaced it, or has it open.
func (a *Appender) unchanged() error {
	moved, err := a.moved()
	if err == nil && !moved {
		var current bool
		if current, err = a.h.current(a.path); current {
			return a.unheld("replacing")
		}
	}
	if err == nil {
		err = ErrChanged
	}
	return fmt.Errorf("replacing %s: %w", a.path, err)
}

// unheld returns an error if another program has the file open for writing that is, or was,
// the log.
func (a *Appender) unheld(doing string) error {
	fi, err := a.h.f.Stat()
	if err != nil {
		return fmt.Errorf("reading %s: %w", a.path, disk.Cause(err))
	}
	if list := a.holders(a.h.real, fi); len(list) > 0 {
		return fmt.Errorf("%s %s: %w: %s", doing, a.path, ErrOpen, list[0])
	}
	return nil
}

// replace writes the new log and puts it in place.
func (a *Appender) replace(temp string, content io.WriterTo) error {
	f, err := a.d.Open(temp, os.O_WRONLY|disk.Exclusive|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("replacing %s: %w", a.path, disk.Cause(err))
	}
	mine, err := a.h.f.Stat()
	if err == nil {
		_, err = content.WriteTo(f)
	}
	if err == nil {
		err = f.Chmod(mine.Mode().Perm())
	}
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = a.give(f, temp)
	}
	if err == nil {
		a.err = fmt.Errorf("using %s: it was replaced", a.path)
		err = a.late(f)
	} else {
		err = errors.Join(err, disk.Discard(a.d, temp))
	}
	if err = disk.Closing(f, err); err != nil && !errors.Is(err, ErrChanged) && !errors.Is(err, ErrOpen) {
		err = fmt.Errorf("replacing %s: %w", a.path, disk.Cause(err))
	}
	return err
}

// give gives the new log its name, if that and the file are unchanged.
func (a *Appender) give(f disk.File, temp string) error {
	mine, err := f.Stat()
	if err != nil {
		return err
	}
	if there, err := a.d.Lstat(temp); err != nil || !os.SameFile(mine, there) {
		return errors.Join(ErrChanged, err)
	}
	if err := a.unchanged(); err != nil {
		return err
	}
	return a.d.Rename(temp, a.h.real)
}

// How often, and after which pauses, the old log is looked at again while another program may still
// be writing to it.
const (
	lateLooks = 50
	latePause = 2 * time.Millisecond
)

// late takes along what a program that does not lock has added to the old log at the very
// moment of the rename. A line may be seen before all of it is there, even if it is written
// with one call: only whole lines are taken, and as long as there is a piece of one, or the
// file is open elsewhere, it is looked at again.
func (a *Appender) late(f disk.File) error {
	end, held := a.size, error(nil)
	for look := 0; ; look++ {
		held = a.unheld("replaced")
		rest, err := a.takeLines(f, &end)
		if err != nil {
			return err
		}
		if len(rest) == 0 && held == nil || look == lateLooks {
			if len(rest) > 0 { // its writer is gone, or slow: later lines would have no beginning
				_, err = saveFragment(a.d, TornFile(a.h.real), rest)
			}
			return errors.Join(err, held)
		}
		time.Sleep(latePause)
	}
}

// takeLines adds to the new log the whole lines that the old one has behind an offset, which it
// moves, and returns the bytes behind them.
func (a *Appender) takeLines(f disk.File, from *int64) (rest []byte, err error) {
	fi, err := a.h.f.Stat()
	if err != nil || fi.Size() <= *from {
		return nil, err
	}
	added, err := io.ReadAll(io.NewSectionReader(a.h.f, *from, fi.Size()-*from))
	if err != nil {
		return nil, err
	}
	whole := bytes.LastIndexByte(added, '\n') + 1
	if whole == 0 {
		return added, nil
	}
	if err = disk.Write(f, added[:whole]); err == nil {
		*from += int64(whole)
		err = f.Sync()
	}
	return added[whole:], err
}
