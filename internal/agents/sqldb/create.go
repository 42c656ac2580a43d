package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	lib "modernc.org/sqlite/lib"

	"github.com/sess-tools/sess/internal/core/disk"
)

// A Fill is what puts something into a database: within one transaction, with foreign keys
// in force.
type Fill func(ctx context.Context, tx *sql.Tx) error

// Create makes the database path, which must not exist, with mode 0600. It is there
// when all of it is, and not if making it fails; with sync it is durable then. An
// error that begins "published" is of a step behind that: the database is there. The
// error of a file that exists wraps [fs.ErrExist].
func Create(ctx context.Context, path string, sync bool, fill Fill) error {
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("creating %s: %w", path, fs.ErrExist)
	}
	dir, err := os.MkdirTemp(filepath.Dir(path), ".sess-sqlite-*")
	if err != nil {
		return fmt.Errorf("creating %s: %w", path, disk.Cause(err))
	}
	made := filepath.Join(dir, filepath.Base(path))
	if err = build(ctx, made, sync, fill); err == nil {
		err = disk.Publish(made, path)
	}
	if err != nil {
		return fmt.Errorf("creating %s: %w", path, errors.Join(plain(disk.Cause(err)), os.RemoveAll(dir)))
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("published %s, but removing %s: %w", path, dir, disk.Cause(err))
	}
	if !sync {
		return nil
	}
	if err := disk.SyncDir(filepath.Dir(path)); err != nil {
		return fmt.Errorf("published %s, but syncing its directory: %w", path, disk.Cause(err))
	}
	return nil
}

// WriteTo writes to w what Create would make.
func (f Fill) WriteTo(ctx context.Context, w io.Writer) error {
	dir, err := os.MkdirTemp("", "sess-sqlite-*")
	if err != nil {
		return fmt.Errorf("making a database: %w", disk.Cause(err))
	}
	defer func() { _ = os.RemoveAll(dir) }() // it is temporary
	made := filepath.Join(dir, "new.db")
	if err := build(ctx, made, false, f); err != nil {
		return fmt.Errorf("making a database: %w", plain(disk.Cause(err)))
	}
	r, err := os.Open(made)
	if err != nil {
		return fmt.Errorf("making a database: %w", disk.Cause(err))
	}
	defer r.Close()
	_, err = io.Copy(w, disk.Reader{Ctx: ctx, R: r})
	return err
}

// build makes the database path, which has no public name yet.
func build(ctx context.Context, path string, sync bool, fill Fill) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := transact(ctx, path, fill, "journal_mode(memory)", "synchronous(0)"); err != nil {
		return err
	}
	if sync {
		return f.Sync()
	}
	return nil
}

// Update changes the database path, which must exist, all or nothing. One that another program
// is writing to is waited for, up to [Wait].
func Update(ctx context.Context, path string, fill Fill) error {
	target, err := filepath.EvalSymlinks(path)
	if err == nil {
		var c *condition
		if c, err = look(target); err == nil {
			err = c.check()
		}
	}
	if err == nil {
		err = transact(ctx, target, fill, "synchronous(3)") // the removal of the journal is durable as well
	}
	if err != nil {
		return fmt.Errorf("writing to %s: %w", path, plain(disk.Cause(err)))
	}
	return nil
}

// transact runs fill on the database path.
func transact(ctx context.Context, path string, fill Fill, pragmas ...string) (err error) {
	if err := setUp(); err != nil {
		return err
	}
	path, err = filepath.Abs(path)
	if err != nil {
		return err
	}
	q := url.Values{
		"_defensive": {"1"}, "_error_rc": {"1"}, "_dqs": {"0"}, "_txlock": {"immediate"}, "mode": {"rw"},
		"_pragma": append([]string{
			fmt.Sprintf("busy_timeout(%d)", Wait.Milliseconds()),
			"trusted_schema(0)", "cell_size_check(1)", "mmap_size(0)", "temp_store(2)", "foreign_keys(1)",
		}, pragmas...),
	}
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(path), RawQuery: q.Encode(), OmitHost: true}
	pool, err := sql.Open("sqlite", u.String())
	if err != nil {
		return err
	}
	defer func() {
		if cerr := pool.Close(); err == nil {
			err = cerr
		}
	}()
	pool.SetMaxOpenConns(1)
	conn, err := pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }() // the pool's Close tells
	if err := limit(conn, lib.SQLITE_LIMIT_LENGTH, MaxValue); err != nil {
		return err
	}
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := fill(ctx, tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}
