package sqldb

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/sess-tools/sess/internal/disk"
)

// ErrOpen is the error of a database that another program has open.
var ErrOpen = errors.New("another program has it open; end that first")

// UpdateAlone is [Update] for a database that no other program may have open, even if it is
// doing nothing with it: as long as a program has a database with a log open, it has a shared lock on it.
// The error matches [ErrOpen].
func UpdateAlone(ctx context.Context, path string, fill Fill) error {
	target, err := filepath.EvalSymlinks(path)
	if err == nil {
		var c *condition
		if c, err = look(target); err == nil {
			err = c.check()
		}
	}
	if err == nil {
		err = transact(ctx, target, fill, "locking_mode(exclusive)", "synchronous(2)")
	}
	if err == nil {
		return nil
	}
	if err = plain(disk.Cause(err)); errors.Is(err, ErrLocked) {
		err = ErrOpen
	}
	return fmt.Errorf("writing to %s: %w", path, err)
}
