package operand

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sess-tools/sess/internal/disk"
)

// Remake makes the File of what content writes, in the place of one that is there: readers
// see the old one or the new one, and after an error the old one stays. It prints nothing. A
// symbolic link is replaced itself.
func (d Destination) Remake(content io.WriterTo) error {
	if err := d.remake(content); err != nil {
		return fmt.Errorf("creating %s: %w", d.File, disk.Cause(err))
	}
	return nil
}

func (d Destination) remake(content io.WriterTo) error {
	if fi, err := os.Lstat(d.File); err == nil && fi.IsDir() {
		return disk.Regular(fi)
	}
	dir, base := filepath.Split(d.File)
	temp, err := os.CreateTemp(filepath.Clean(dir+"."), "."+base+".*.tmp") // mode 0600
	if err != nil {
		return err
	}
	_, err = content.WriteTo(temp)
	if err == nil && d.Durable() {
		err = temp.Sync()
	}
	if err = disk.Closing(temp, err); err == nil {
		err = os.Rename(temp.Name(), d.File)
	}
	if err == nil && d.Durable() {
		return disk.SyncDir(filepath.Dir(d.File))
	}
	if err != nil {
		if rerr := os.Remove(temp.Name()); rerr != nil && !errors.Is(rerr, fs.ErrNotExist) {
			err = errors.Join(err, rerr)
		}
	}
	return err
}
