package jsonl

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Replace gives the log at path new content: rewrite reads the old and writes
// the new. The new bytes go to a temporary file beside the log, are made durable
// and take the log's name by rename, all under the log's locks. Until then the
// old bytes stay where they are; on any error before the rename they remain and
// the temporary file is removed.
//
// The mode is kept, and the owner where the system allows. If path is a symbolic
// link, the file it leads to is replaced. Other hard links keep the old bytes.
//
// Of o only Wait counts; a torn last line is rewrite's business. Errors are
// those of rewrite, wrapped; [ErrLocked] as by [OpenAppender]; [ErrChanged] when
// a program that does not lock wrote to the log meanwhile; and whatever the file
// system says. If only making the rename durable failed, the log has been
// replaced, and the error says so.
func Replace(ctx context.Context, path string, o Options, rewrite func(old io.Reader, w io.Writer) error) error {
	return replace(ctx, osDisk{}, path, o, rewrite)
}

func replace(ctx context.Context, d disk, path string, o Options, rewrite func(io.Reader, io.Writer) error) (err error) {
	h, err := acquire(newPatience(ctx, o.wait()), d, path)
	if err != nil {
		return err
	}
	defer func() {
		if rerr := h.release(); rerr != nil {
			err = errors.Join(err, fmt.Errorf("unlocking %s: %w", path, rerr))
		}
	}()
	before, err := h.f.Stat()
	if err != nil {
		return fmt.Errorf("replacing %s: %w", path, cause(err))
	}
	temp, err := writeTemp(d, h.real, before, func(w io.Writer) error {
		return rewrite(io.NewSectionReader(h.f, 0, before.Size()), w)
	})
	if err != nil {
		return fmt.Errorf("replacing %s: %w", path, cause(err))
	}
	if err = ctx.Err(); err == nil {
		err = h.unchanged(before, path)
	}
	if err == nil {
		err = d.rename(temp, h.real)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("replacing %s: %w", path, cause(err)), os.Remove(temp))
	}
	if err := d.syncDir(filepath.Dir(h.real)); err != nil {
		return fmt.Errorf("replaced %s, but syncing its directory: %w", path, cause(err))
	}
	return nil
}

// unchanged returns an error if the log is no longer what before describes, or
// the path leads elsewhere by now.
func (h *held) unchanged(before fs.FileInfo, path string) error {
	after, err := h.f.Stat()
	if err != nil {
		return err
	}
	current, err := h.current(path)
	if err != nil {
		return err
	}
	if !current || after.Size() != before.Size() || !after.ModTime().Equal(before.ModTime()) {
		return ErrChanged
	}
	return nil
}

// writeTemp writes the file that is to replace log, durably and looking like the
// old one, and returns its name. It leaves nothing behind if it fails.
func writeTemp(d disk, log string, old fs.FileInfo, write func(io.Writer) error) (_ string, err error) {
	f, name, err := openTemp(d, log)
	if err != nil {
		return "", err
	}
	done := false
	defer func() { // also when write panics
		if !done {
			f.Close()
			err = errors.Join(err, os.Remove(name))
		}
	}()
	w := bufio.NewWriterSize(f, blockSize)
	if err := write(w); err != nil {
		return "", err
	}
	if err := w.Flush(); err != nil {
		return "", err
	}
	chownLike(f, old) // before the mode, which it may clear
	if err := f.Chmod(old.Mode().Perm()); err != nil {
		return "", err
	}
	if err := f.Sync(); err != nil {
		return "", err
	}
	if err := f.Close(); err != nil {
		return "", err
	}
	done = true
	return name, nil
}

// openTemp makes a temporary file beside log. The leading dot and the lack of a
// ".jsonl" at the end keep it out of listings.
func openTemp(d disk, log string) (file, string, error) {
	dir, base := filepath.Split(log)
	name := fmt.Sprintf("%s.%s.%s.tmp", dir, base, rand.Text()[:12])
	f, err := d.open(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	return f, name, err
}
