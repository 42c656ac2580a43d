package disk

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// longestBase is how much of a file's name stands in the name of a temporary one, in bytes: a long
// name with the random part would be too long for a file system.
const longestBase = 128

// Temp returns a hidden name beside path that cannot be foreseen. A file of that name has
// to be opened with [Exclusive]: in a directory where others can make files, a name that
// they know is one they can take first.
func Temp(path string) string {
	dir, base := filepath.Split(path)
	if len(base) > longestBase {
		base = strings.ToValidUTF8(base[:longestBase], "")
	}
	return dir + "." + base + ".new-" + rand.Text()
}

// Exclusive are the flags that make a file, and fail if anything has the name.
const Exclusive = os.O_CREATE | os.O_EXCL | NoFollow

// Whole makes the file path, which must not exist, with mode 0600 and what content writes.
// The file appears when all of it is written: until then it has a hidden name beside path,
// which stays if the process is killed. With sync the bytes are durable before the name
// appears, and the name is when Whole returns.
//
// The error is [fs.ErrExist] if the name is taken, at once if it is taken from the
// beginning. After an error there is no file, but where the message says so.
func Whole(d FS, path string, content io.WriterTo, sync bool) error {
	switch _, err := d.Lstat(path); {
	case err == nil:
		return syscall.EEXIST // in the words of the system, as when it is found later
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	temp, err := filled(d, path, content, sync, Publish)
	if err != nil {
		return err
	}
	if err = Discard(d, temp); err != nil { // a second name, where there is no exclusive rename
		return fmt.Errorf("it is there, but %w", err)
	}
	if !sync {
		return nil
	}
	if err = d.SyncDir(filepath.Dir(path)); err != nil {
		return errors.Join(Cause(err), Discard(d, path))
	}
	return nil
}

// Anew makes the file path as [Whole] does, in the place of one that is there: readers see
// the old file or the new one, and after an error the old one stays, unless it is one of
// making the name durable. A symbolic link is replaced itself.
func Anew(d FS, path string, content io.WriterTo, sync bool) error {
	if fi, err := d.Lstat(path); err == nil && fi.IsDir() {
		return Regular(fi)
	}
	if _, err := filled(d, path, content, sync, d.Rename); err != nil || !sync {
		return err
	}
	return Cause(d.SyncDir(filepath.Dir(path)))
}

// filled makes a file of what content writes under a hidden name, and has publish give it
// the name path. After an error there is no such file, but where the message says so.
func filled(d FS, path string, content io.WriterTo, sync bool, publish func(from, to string) error) (temp string, err error) {
	temp = Temp(path)
	f, err := d.Open(temp, os.O_WRONLY|Exclusive, 0o600)
	if err != nil {
		return temp, err
	}
	if err = Closing(f, fill(f, content, sync)); err == nil {
		err = publish(temp, path)
	}
	if err != nil {
		return temp, errors.Join(Cause(err), Discard(d, temp))
	}
	return temp, nil
}

func fill(f File, content io.WriterTo, sync bool) error {
	if !sync {
		_, err := content.WriteTo(f)
		return err
	}
	_, err := content.WriteTo(&WriteBehind{W: f})
	if err == nil {
		err = f.Sync()
	}
	return err
}

// discardTries is how often a file is removed: an error of a disk or a network may pass.
const discardTries = 2

// Discard removes a file that is not needed. It is no error if there is none. The error
// names the file that is left.
func Discard(d FS, name string) (err error) {
	for range discardTries {
		if _, err = d.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err = d.Remove(name); err == nil || errors.Is(err, fs.ErrNotExist) {
			return nil
		}
	}
	return fmt.Errorf("removing %s: %w", name, Cause(err))
}

// behindStep is how much is written before the disk is told, in bytes.
const behindStep = 1 << 20

// A WriteBehind writes to a new file that will be synced. The disk begins with what was
// written while more is on its way, so the sync at the end finds little to wait for. WriteBehind
// itself makes nothing durable.
type WriteBehind struct {
	W interface {
		io.Writer
		syscall.Conn
	}
	at, told int64
}

func (e *WriteBehind) Write(p []byte) (n int, err error) {
	n, err = e.W.Write(p)
	if e.at += int64(n); e.at-e.told >= behindStep {
		startWriteback(e.W, e.told, e.at-e.told)
		e.told = e.at
	}
	return n, err
}

// WriteAll writes p, in steps.
func (e *WriteBehind) WriteAll(p []byte) error {
	for len(p) > 0 {
		step := p[:min(len(p), behindStep)]
		if err := Write(e, step); err != nil {
			return err
		}
		p = p[len(step):]
	}
	return nil
}
