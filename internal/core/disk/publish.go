package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Publish gives the finished file from the name to. It never replaces a file: if
// the name is taken the error matches [fs.ErrExist] and both files stay as they
// are. At every moment one of the two names leads to the file. The name from may
// remain, as a second one; the caller removes it.
//
// On a file system that has neither an exclusive rename nor hard links, a file that
// is made at the very moment of the rename could be lost.
func Publish(from, to string) error {
	return publish(from, to, renameExclusive, os.Link, renameVacant)
}

func publish(from, to string, ways ...func(from, to string) error) (err error) {
	for _, way := range ways {
		if err = way(from, to); err == nil || errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return err
}

// renameVacant is for file systems without hard links.
func renameVacant(from, to string) error {
	if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			err = fs.ErrExist
		}
		return err
	}
	return os.Rename(from, to)
}

// WriteFile makes or empties the file name, with mode 0600, and fills it with one
// write(2). With sync its bytes are durable then. It follows no symbolic link.
func WriteFile(d FS, name string, data []byte, sync bool) error {
	f, err := d.Open(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|NoFollow|Nonblock, 0o600)
	if err != nil {
		return err
	}
	if err = Write(f, data); err == nil && sync {
		err = f.Sync()
	}
	return Closing(f, err)
}

// Write sends b with one call and reports a short write as an error.
func Write(w io.Writer, b []byte) error {
	n, err := w.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	return err
}

// Replace gives the file name the content data, in one step: it goes to the file
// temp on the same file system, which is then renamed. Readers see the old content
// or the new, and with sync that is what a crash leaves. The new name is durable
// once the directory is synced. After an error there is no file temp.
func Replace(d FS, temp, name string, data []byte, sync bool) error {
	err := WriteFile(d, temp, data, sync)
	if err == nil {
		err = d.Rename(temp, name)
	}
	if err == nil {
		return nil
	}
	if rerr := d.Remove(temp); rerr != nil && !errors.Is(rerr, fs.ErrNotExist) {
		err = errors.Join(err, rerr)
	}
	return err
}

// Claim gives the finished file from the name to, both in the directory dir. Of several
// that claim one name exactly one gets it, on all machines that share the directory; the error
// of the others matches [fs.ErrExist]. The name from may remain, and the caller
// removes it. The error is [errors.ErrUnsupported] on a file system that has neither
// hard links nor an exclusive rename: there is no third way.
func Claim(dir *os.Root, from, to string) error {
	return claim(dir, from, to, dir.Link)
}

func claim(dir *os.Root, from, to string, link func(from, to string) error) error {
	err := link(from, to)
	if err == nil || errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		return err
	}
	d, operr := dir.Open(".")
	if operr != nil {
		return operr
	}
	defer d.Close()
	rerr := renameExclusiveIn(d, from, to)
	switch {
	case rerr == nil, errors.Is(rerr, fs.ErrExist):
		return rerr
	case unsupported(rerr):
		return fmt.Errorf("%w: %w", errors.ErrUnsupported, err)
	}
	return rerr
}
