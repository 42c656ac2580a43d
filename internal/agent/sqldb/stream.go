package sqldb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sess-tools/sess/internal/disk"
)

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

// Save puts something into the database path, which is made if it is not there. With sync
// it is durable when Save returns.
func Save(ctx context.Context, path string, sync bool, fill Fill) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return Create(ctx, path, sync, fill)
	}
	return Update(ctx, path, fill)
}
