package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"github.com/sess-tools/sess/internal/core/disk"
)

// Wait is how long a lock is waited for.
const Wait = 5 * time.Second

// MaxValue is how many bytes a value of a database may have. A longer one is an
// error of the query that reads it.
const MaxValue = 256 << 20

// A DB is a database that is read: its one connection, in a transaction that began
// when it was opened and sees nothing later. Queries may run inside the rows of others, and
// in several goroutines.
type DB struct {
	*sql.Conn

	path string     // as it was given
	from *condition // when it was opened; nil for a stream
	pool *sql.DB
	temp string     // directory of the copy that is read, "" if it is the database itself
	seen *condition // what must not change; nil if locks see to that
}

// Open opens the database at path, or that a symbolic link there leads to, for reading.
// Its errors name path. One that is being written is waited for, up to [Wait].
func Open(ctx context.Context, path string) (*DB, error) {
	if err := setUp(); err != nil {
		return nil, err
	}
	var err error
	for range 3 { // an agent that starts or ends changes the way in
		var db *DB
		db, err = open(ctx, path)
		if err == nil {
			return db, nil
		}
		if !errors.Is(err, errMoved) {
			break
		}
	}
	return nil, fmt.Errorf("opening %s: %w", path, err)
}

// open tries to open the database the way in that is right at this moment.
func open(ctx context.Context, path string) (*DB, error) {
	target, err := filepath.EvalSymlinks(path)
	if err == nil {
		target, err = filepath.Abs(target)
	}
	if err != nil {
		return nil, disk.Cause(err)
	}
	before, err := look(target)
	if err != nil {
		return nil, err
	}
	if err := before.check(); err != nil {
		return nil, err
	}
	db := &DB{path: path, from: before}
	w := before.way()
	if w.verified {
		db.seen = before
	}
	if w.copied {
		if db.temp, err = before.copy(ctx); err != nil {
			return nil, err
		}
		target = filepath.Join(db.temp, filepath.Base(target))
	}
	if err := db.connect(ctx, dsn(target, w)); err != nil {
		_ = db.Close() // err counts
		if db.temp == "" && before.moved() {
			err = fmt.Errorf("%w: %w", errMoved, err)
		}
		return nil, err
	}
	if db.seen != nil && before.moved() {
		_ = db.Close() // errMoved counts
		return nil, errMoved
	}
	return db, nil
}

// dsn names the database for the driver. StrictPragmas apart, it is all that SQLite
// is told before it sees the file.
func dsn(path string, w way) string {
	q := url.Values{
		"_defensive": {"1"},
		"_error_rc":  {"1"},
		"_dqs":       {"0"},
		"_pragma": {
			fmt.Sprintf("busy_timeout(%d)", Wait.Milliseconds()),
			"trusted_schema(0)",
			"cell_size_check(1)",
			"mmap_size(0)", // a file cut off under a mapping would kill us
			"temp_store(2)",
			"query_only(1)",
		},
	}
	switch {
	case w.copied:
	case w.alone:
		q.Set("vfs", vfsAlone)
		q.Set("mode", "ro")
		q.Add("_pragma", "locking_mode(exclusive)")
	default:
		q.Set("vfs", vfsLocking)
		q.Set("mode", "ro")
		q.Set("readonly_shm", "1")
		if w.immutable {
			q.Set("immutable", "1")
		}
	}
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(path), RawQuery: q.Encode(), OmitHost: true}
	return u.String()
}

// connect makes the connection, sets limits, and begins the transaction.
func (db *DB) connect(ctx context.Context, dsn string) error {
	var err error
	if db.pool, err = sql.Open("sqlite", dsn); err != nil {
		return err
	}
	db.pool.SetMaxOpenConns(1)
	if db.Conn, err = db.pool.Conn(ctx); err != nil {
		return plain(err)
	}
	for id, most := range map[int]int{
		lib.SQLITE_LIMIT_LENGTH:        MaxValue,
		lib.SQLITE_LIMIT_ATTACHED:      0,
		lib.SQLITE_LIMIT_TRIGGER_DEPTH: 1,
	} {
		if _, err := sqlite.Limit(db.Conn, id, most); err != nil {
			return err
		}
	}
	for _, text := range []string{"BEGIN", "SELECT count(*) FROM sqlite_schema"} {
		if _, err := db.ExecContext(ctx, text); err != nil {
			return plain(err)
		}
	}
	return nil
}

// Path returns the path that the database was opened by.
func (db *DB) Path() string { return db.path }

// Verify returns an error if what has been read may be of two moments, because the
// database changed in a way that no lock could keep from happening. It is to be
// asked when something was read whole.
func (db *DB) Verify() error {
	if db.seen != nil && db.seen.changed() {
		return fmt.Errorf("reading %s: it was changed meanwhile; try again", db.path)
	}
	return nil
}

// Lasts reports whether the transaction shows what one that begins now would, and no program that writes waits for its end.
func (db *DB) Lasts() bool {
	if db.from == nil || db.temp != "" || !db.from.free() {
		return false
	}
	now, err := look(db.from.path)
	return err == nil && !db.from.isOther(now) && (now.log == nil && db.from.log == nil || same(now.log, db.from.log))
}

// Err puts the database's name in front of an error of reading it. Nil stays nil.
func (db *DB) Err(err error) error {
	if err == nil {
		return nil
	}
	if verr := db.Verify(); verr != nil {
		return verr
	}
	return fmt.Errorf("reading %s: %w", db.path, plain(err))
}

// Close ends the transaction and closes the database.
func (db *DB) Close() error {
	var errs []error
	if db.Conn != nil {
		errs = append(errs, db.Conn.Close())
	}
	if db.pool != nil {
		errs = append(errs, db.pool.Close())
	}
	if db.temp != "" {
		errs = append(errs, os.RemoveAll(db.temp))
	}
	return errors.Join(errs...)
}

// ErrLocked is the error of a database that another program kept locked for [Wait].
var ErrLocked = errors.New("another program has locked it; end that, or try again")

// plain returns an error that says what SQLite's status means for the file.
func plain(err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code() & 0xff { // without what tells cases of one status apart
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED:
		return ErrLocked
	case lib.SQLITE_NOTADB:
		return errors.New("is no SQLite database, or is encrypted")
	case lib.SQLITE_CORRUPT:
		return fmt.Errorf("the database is damaged: %w", err)
	case lib.SQLITE_TOOBIG:
		return fmt.Errorf("a value has more than %d bytes: %w", MaxValue, err)
	}
	return err
}

// OpenStream opens the database that r holds, from a copy. Messages call it name.
func OpenStream(ctx context.Context, name string, r io.Reader) (*DB, error) {
	dir, err := os.MkdirTemp("", "sess-sqlite-*")
	if err != nil {
		return nil, fmt.Errorf("copying %s: %w", name, disk.Cause(err))
	}
	path := filepath.Join(dir, "stream.db")
	db, err := openStream(ctx, path, r)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("reading %s: %w", name, err), os.RemoveAll(dir))
	}
	db.path, db.temp = name, dir
	return db, nil
}

func openStream(ctx context.Context, path string, r io.Reader) (*DB, error) {
	if err := setUp(); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, disk.Cause(err)
	}
	_, err = io.Copy(f, disk.Reader{Ctx: ctx, R: r})
	if err := disk.Closing(f, err); err != nil {
		return nil, disk.Cause(err)
	}
	return open(ctx, path)
}
