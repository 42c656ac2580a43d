package sqldb

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sess-tools/sess/internal/core/disk"
)

// A condition has the facts about a database that are visible from outside at one moment.
type condition struct {
	path   string
	header [headerSize]byte

	db, log, index, journal fs.FileInfo // nil for those that are not there

	locked bool // a process writes without a log, or keeps others from reading
	hot    bool // the rollback journal is one that has to be played back if no program is writing
}

// headerSize is the size of the header of a database in bytes.
const headerSize = 100

// magic begins every database.
const magic = "SQLite format 3\x00"

var errMoved = errors.New("it was opened or closed by another program just now; try again")

// look looks at the database at path, a path without symbolic links, and the files beside it.
func look(path string) (*condition, error) {
	c := &condition{path: path}
	var err error
	for _, f := range []struct {
		to     *fs.FileInfo
		suffix string
	}{{&c.db, ""}, {&c.log, "-wal"}, {&c.index, "-shm"}, {&c.journal, "-journal"}} {
		fi, serr := os.Lstat(path + f.suffix)
		switch {
		case errors.Is(serr, fs.ErrNotExist) && f.suffix != "":
		case serr != nil:
			return nil, disk.Cause(serr)
		case fi.IsDir() && f.suffix == "":
			return nil, errors.New("is a directory")
		case !fi.Mode().IsRegular():
			return nil, fmt.Errorf("%s is not a regular file", filepath.Base(path+f.suffix))
		default:
			*f.to = fi
		}
	}
	if c.journal != nil {
		if c.hot, err = isHot(path + "-journal"); err != nil {
			return nil, err
		}
	}
	c.locked, err = c.readHeader()
	return c, err
}

// journalMagic begins a rollback journal that is in force.
const journalMagic = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"

func isHot(path string) (bool, error) {
	f, err := openForReading(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil // its writer is done
	}
	if err != nil {
		return false, fmt.Errorf("its journal: %w", disk.Cause(err))
	}
	defer f.Close()
	head := make([]byte, len(journalMagic))
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false, fmt.Errorf("its journal: %w", disk.Cause(err))
	}
	return string(head[:n]) == journalMagic, nil
}

// readHeader reads the header, and asks whether the database is locked.
func (c *condition) readHeader() (locked bool, err error) {
	f, err := openForReading(c.path)
	if err != nil {
		return false, disk.Cause(err)
	}
	defer f.Close()
	if _, err := io.ReadFull(f, c.header[:]); err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false, disk.Cause(err)
	}
	return isLocked(f), nil
}

// check returns an error for a file that is no database at a glance.
func (c *condition) check() error {
	size := c.db.Size()
	switch {
	case size == 0:
		return errors.New("is empty, no SQLite database")
	case !bytes.HasPrefix(c.header[:], []byte(magic)[:min(size, int64(len(magic)))]):
		return errors.New("is no SQLite database, or is encrypted")
	case size < headerSize:
		return errTruncated(size, headerSize)
	}
	pageSize := int64(binary.BigEndian.Uint16(c.header[16:]))
	if pageSize == 1 {
		pageSize = 65536
	}
	if pageSize < 512 || pageSize&(pageSize-1) != 0 {
		return errors.New("is no SQLite database, or is encrypted: its page size is impossible")
	}
	// The size in the header counts if the change counter says that who wrote it
	// knew of it. What a log holds may be longer than the database is yet.
	pages := int64(binary.BigEndian.Uint32(c.header[28:]))
	if bytes.Equal(c.header[24:28], c.header[92:96]) && size < pages*pageSize && c.still() && !c.hot {
		return errTruncated(size, pages*pageSize)
	}
	return nil
}

func errTruncated(have, want int64) error {
	return fmt.Errorf("is truncated: %d bytes of %d are there", have, want)
}

// logs reports whether the database uses a write-ahead log.
func (c *condition) logs() bool { return c.header[18] == 2 || c.header[19] == 2 }

// still reports whether the log holds nothing that is not in the database.
func (c *condition) still() bool { return c.log == nil || c.log.Size() == 0 }

// A way is a way of reading a database.
type way struct {
	immutable bool // as if it could not change
	alone     bool // with the index of its log in memory
	copied    bool // in a copy
	verified  bool // nothing keeps others from changing it
}

// way chooses how to read a database.
func (c *condition) way() way {
	switch {
	case c.hot && !c.logs() && !c.locked:
		return way{copied: true, verified: true}
	case c.locked, !c.logs():
		return way{}
	case c.log == nil:
		return way{immutable: true, verified: true}
	case c.index != nil:
		return way{}
	case hasAlone:
		return way{alone: true, verified: true}
	}
	return way{copied: true, verified: true}
}

// free reports whether a reader keeps no program from writing: it takes no lock, or one in the index of a log.
func (c *condition) free() bool {
	w := c.way()
	return w.immutable || w == way{} && c.logs() && c.index != nil && !c.locked
}

// moved reports whether another way would be right now, or the database has changed.
func (c *condition) moved() bool {
	now, err := look(c.path)
	return err != nil || c.isOther(now)
}

// isOther reports whether another way is right later, or the database has changed.
func (c *condition) isOther(now *condition) bool { return now.way() != c.way() || c.differs(now) }

// changed reports whether what was read may have changed since.
func (c *condition) changed() bool {
	now, err := look(c.path)
	return err != nil || c.differs(now)
}

// differs reports whether the database has changed since before, or a log that was read without its index. A
// log that was not there before has later changes only, and does not count.
func (c *condition) differs(now *condition) bool {
	return now.header != c.header || !same(now.db, c.db) || c.log != nil && c.index == nil && !same(now.log, c.log)
}

func same(a, b fs.FileInfo) bool {
	return a != nil && b != nil && os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// copy copies the database, and what belongs to it, into a new directory. It is not
// consistent if the database changes meanwhile, which is asked afterwards.
func (c *condition) copy(ctx context.Context) (dir string, err error) {
	if dir, err = os.MkdirTemp("", "sess-sqlite-*"); err != nil {
		return "", disk.Cause(err)
	}
	for suffix, fi := range map[string]fs.FileInfo{"": c.db, "-wal": c.log, "-journal": c.journal} {
		if fi == nil {
			continue
		}
		if err := copyFile(ctx, filepath.Join(dir, filepath.Base(c.path)+suffix), c.path+suffix); err != nil {
			return "", errors.Join(err, os.RemoveAll(dir))
		}
	}
	return dir, nil
}

func copyFile(ctx context.Context, to, from string) error {
	src, err := openForReading(from)
	if err != nil {
		return disk.Cause(err)
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return disk.Cause(err)
	}
	_, err = io.Copy(dst, disk.Reader{Ctx: ctx, R: src})
	return disk.Cause(disk.Closing(dst, err))
}
