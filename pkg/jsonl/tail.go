package jsonl

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/pkg/js"
)

// A form is the state in which a log ends.
type form int

const (
	whole   form = iota // in a line feed, or the log is empty
	unended             // in one JSON value that lacks its line feed
	blanked             // in white space without a line feed
	torn                // in anything else
)

// A tail is the bytes behind the last line feed of a log, or the part of them that is torn.
type tail struct {
	form   form
	offset int64
	size   int    // in bytes
	data   []byte // if torn
}

// tailOf looks at the end of the first size bytes of f.
func tailOf(f disk.File, size int64) (tail, error) {
	if size == 0 {
		return tail{}, nil
	}
	var last [1]byte
	if n, err := f.ReadAt(last[:], size-1); n == 0 {
		return tail{}, err
	}
	if last[0] == '\n' {
		return tail{}, nil
	}
	for l, err := range Backward(f, size) {
		if err != nil {
			return tail{}, err
		}
		t := classify(l.Data, l.Offset == 0) // which nothing overwrites: there is no next line
		t.offset += l.Offset
		return t, nil
	}
	return tail{}, nil
}

// ByteOrderMark is the one that some editors put in front of a file. Readers
// of sessions skip it, so the value behind it is as good as one without.
const ByteOrderMark = "\xef\xbb\xbf"

// classify looks at a last line without line feed; first says that it is the
// first line of the log too. After a power failure a complete value may be
// followed by NULs, where the file had grown but the bytes had not arrived; then
// only those are torn.
func classify(line []byte, first bool) tail {
	kept := bytes.TrimRight(line, "\x00")
	value := kept
	if first {
		value = bytes.TrimPrefix(value, []byte(ByteOrderMark))
	}
	switch {
	case len(bytes.Trim(line, " \t\r")) == 0:
		return tail{form: blanked, size: len(line)}
	case !js.Valid(value):
		return tail{form: torn, size: len(line), data: line}
	case len(kept) < len(line):
		nuls := line[len(kept):]
		return tail{form: torn, offset: int64(len(kept)), size: len(nuls), data: nuls}
	default:
		return tail{form: unended, size: len(line)}
	}
}

// secondLook is the least time between two looks at an incomplete last line:
// however old the file is, its writer may have come back.
const secondLook = 50 * time.Millisecond

// settle looks at the end of the log until it is complete, or until no process has
// written to the log for the grace: the time for which a program that does not
// lock, and writes a line in several pieces, may pause between two of them.
func (a *Appender) settle(p *patience) error {
	var t tail
	var since time.Time // the size has not changed since it is watched
	for size, looks := int64(-1), 0; ; looks++ {
		fi, err := a.h.f.Stat()
		if err != nil {
			return fmt.Errorf("reading %s: %w", a.path, disk.Cause(err))
		}
		grown := fi.Size() != size
		if grown {
			size = fi.Size()
			if t, err = tailOf(a.h.f, size); err != nil {
				return fmt.Errorf("reading %s: %w", a.path, disk.Cause(err))
			}
			since = time.Now()
		}
		if t.form == whole || t.form == unended || a.o.grace() < 0 {
			return a.settled(size, t)
		}
		watched := time.Since(since)
		again := min(secondLook, a.o.grace())
		left := max(again-watched, a.o.grace()-max(watched, time.Since(fi.ModTime())))
		if grown { // whatever the clock says, one look is not enough
			left = max(left, again)
		}
		if left <= 0 {
			return a.settled(size, t)
		}
		if looks > 0 && p.spent() {
			return fmt.Errorf("waiting for the last line of %s: %w", a.path, ErrUnfinished)
		}
		if err := p.sleep(min(left, secondLook)); err != nil {
			return fmt.Errorf("waiting for the last line of %s: %w", a.path, err)
		}
	}
}

func (o Options) grace() time.Duration {
	grace := o.Grace
	if grace == 0 {
		grace = DefaultGrace
	}
	if o.Tail == Refuse {
		grace = min(grace, secondLook)
	}
	return grace
}

// settled takes t for the end of the log.
func (a *Appender) settled(size int64, t tail) error {
	if (t.form == torn || t.form == blanked) && a.o.Tail == Refuse {
		return fmt.Errorf("%s: %w at byte %d", a.path, ErrTorn, t.offset)
	}
	a.size, a.tail = size, t
	return nil
}

// mendTail makes the log ready for a batch: afterwards it ends in a line feed or
// wants no more than one in front of the batch.
func (a *Appender) mendTail() error {
	for range appendTries {
		moved, err := a.moved()
		if err != nil {
			return err
		}
		if moved {
			if err := a.settle(newPatience(context.Background(), a.o.wait())); err != nil {
				return err
			}
		}
		if a.tail.form == whole || a.tail.form == unended {
			return nil
		}
		if a.tail.form == blanked || a.o.Tail == EndLine {
			return nil // the batch ends the line
		}
		done, err := a.blankTail()
		if done || err != nil {
			return err
		}
	}
	return fmt.Errorf("mending %s: %w", a.path, ErrChanged)
}

// moved reports whether the log is no longer as long as it was.
func (a *Appender) moved() (bool, error) {
	fi, err := a.h.f.Stat()
	if err != nil {
		return false, fmt.Errorf("reading %s: %w", a.path, disk.Cause(err))
	}
	return fi.Size() != a.size, nil
}

// TornFile returns the name of the file in which an [Appender] saves the torn bytes
// of a log: that of the log with ".torn" added.
func TornFile(log string) string { return log + ".torn" }

// blankTail saves the torn tail and blanks it. It reports false if the log grew
// while it was at it.
func (a *Appender) blankTail() (bool, error) {
	name, err := saveFragment(a.d, TornFile(a.h.real), a.tail.data)
	if err != nil {
		return false, fmt.Errorf("saving the torn tail in %s: %w", name, disk.Cause(err))
	}
	// The writer may have come back to life while the fragment was saved.
	if moved, err := a.moved(); moved || err != nil {
		return false, err
	}
	if err := a.blank(a.tail.offset, len(a.tail.data)); err != nil {
		return false, fmt.Errorf("blanking the torn tail of %s at byte %d, saved in %s: %w",
			a.path, a.tail.offset, name, disk.Cause(err))
	}
	a.noteMend(MendBlank, name)
	a.tail.form = blanked
	return true, nil
}

// noteMend keeps the gravest thing that was done.
func (a *Appender) noteMend(k MendKind, savedAs string) {
	if k > a.mend.Kind {
		a.mend = Mend{Kind: k, Offset: a.tail.offset, Bytes: a.tail.size, SavedAs: savedAs}
	}
}

// saveFragment adds a fragment as one line to a file of fragments, durably, and returns the file's
// name. A file that others can read or write, or that has another name as well, gets nothing: an
// attacker may have put it there. The fragment goes to a new one beside it then.
func saveFragment(d disk.FS, name string, fragment []byte) (string, error) {
	const flag = os.O_WRONLY | os.O_APPEND
	f, err := d.Open(name, flag|disk.Exclusive, 0o600)
	if errors.Is(err, fs.ErrExist) {
		f, err = openPrivate(d, name, flag)
	}
	if errors.Is(err, errShared) || errors.Is(err, fs.ErrPermission) {
		name += "-" + rand.Text()
		f, err = d.Open(name, flag|disk.Exclusive, 0o600)
	}
	if err != nil {
		return name, err
	}
	w := bufio.NewWriterSize(f, blockSize) // a fragment may be huge
	_, _ = w.Write(fragment)
	_ = w.WriteByte('\n')
	if err = w.Flush(); err == nil { // which has the first error
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return name, err
	}
	return name, d.SyncDir(filepath.Dir(name))
}

// errShared is the error of a file that is not this user's alone.
var errShared = errors.New("others can reach it")

// openPrivate opens a regular file that is there, if it is this user's alone.
func openPrivate(d disk.FS, name string, flag int) (disk.File, error) {
	f, err := d.Open(name, flag|disk.NoFollow|disk.Nonblock, 0)
	if err != nil {
		return nil, err
	}
	fi, err := f.Stat()
	if err == nil {
		err = disk.Regular(fi)
	}
	if err == nil && !disk.Private(fi) {
		err = errShared
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
