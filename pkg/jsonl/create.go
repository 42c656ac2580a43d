package jsonl

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Create makes the log path, which must not exist, with mode 0600 and the given
// bytes, in one write(2). With sync, the bytes and the name are durable when it
// returns. If anything fails after the file was made, it is removed again. The
// error of a file that exists wraps [io/fs.ErrExist].
func Create(path string, data []byte, sync bool) error {
	return create(osDisk{}, path, data, sync)
}

func create(d disk, path string, data []byte, sync bool) error {
	f, err := d.open(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("creating %s: %w", path, cause(err))
	}
	n, err := f.Write(data)
	if err == nil && n < len(data) {
		err = io.ErrShortWrite
	}
	if err == nil && sync {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil && sync {
		err = d.syncDir(filepath.Dir(path))
	}
	if err == nil {
		return nil
	}
	err = fmt.Errorf("creating %s: %w", path, cause(err))
	if rerr := os.Remove(path); rerr != nil {
		err = errors.Join(err, fmt.Errorf("removing what was written: %w", cause(rerr)))
	}
	return err
}
