// Package dir keeps a remote in a directory: on this machine, or on a file system that
// machines share. A name is given by link(2), which fails if it is taken.
package dir

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/sess-tools/sess/internal/core/bucket"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/share/remote"
)

// maxPart is the largest part in bytes.
const maxPart = 1 << 30

// temps begins the names of files that are not complete. Readers pass them over.
const temps = ".tmp-"

// Open opens the remote in a directory. Only [remote.Log.Init] makes one.
func Open(name string, warn func(string, ...any)) (remote.Log, error) {
	b, err := opened(name)
	if err != nil {
		return nil, err
	}
	return remote.Over(b, warn), nil
}

// Make makes the directory for a remote, with mode 0700, if it is not there.
func Make(name string) error { return os.MkdirAll(name, 0o700) }

func opened(name string) (*dir, error) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(abs)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s: no such directory", remote.ErrNoRemote, name)
	}
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", name, disk.Cause(classed(err)))
	}
	return &dir{root: root, name: "dir:" + abs, claim: disk.Claim}, nil
}

// A dir is a directory as a bucket. Files are opened inside of it only, whatever symbolic links
// there are.
type dir struct {
	root  *os.Root
	name  string
	claim func(dir *os.Root, from, to string) error
}

func (d *dir) Limits() remote.Limits { return remote.Limits{MaxPart: maxPart} }
func (d *dir) Name() string          { return d.name }
func (d *dir) Close() error          { return d.root.Close() }

// Create writes a file of another name, and then gives it its own. The sum of a part stands
// beside it before it does: see sum.go.
func (d *dir) Create(_ context.Context, name string, data []byte) (etag string, err error) {
	err = d.write(name, data, func(sub *os.Root, temp, base string) error {
		if !remote.IsPart(name) {
			return d.claim(sub, temp, base)
		}
		sum, err := putSum(sub, base, data)
		if err != nil {
			return err
		}
		if err = d.claim(sub, temp, base); errors.Is(err, fs.ErrExist) {
			dropSum(sub, base, sum, data)
		}
		etag = sum[len(sum)-sumLen:]
		return err
	})
	return etag, err
}

// Put replaces a file in one step.
func (d *dir) Put(_ context.Context, name string, data []byte) error {
	return d.write(name, data, (*os.Root).Rename)
}

// write makes a file of data in the directory of name, has it named, and makes both
// durable.
func (d *dir) write(name string, data []byte, give func(sub *os.Root, temp, base string) error) (err error) {
	sub, err := d.makeDir(path.Dir(name))
	if err != nil {
		return classed(err)
	}
	defer sub.Close()
	temp := temps + rand.Text()
	f, err := sub.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL|disk.NoFollow, 0o600)
	if err != nil {
		return classed(err)
	}
	defer func() {
		if rerr := sub.Remove(temp); rerr != nil && !errors.Is(rerr, fs.ErrNotExist) && err == nil {
			err = rerr // the file has its name: the next reader passes over this one
		}
	}()
	if err = (&disk.WriteBehind{W: f}).WriteAll(data); err == nil {
		err = f.Sync()
	}
	if err = disk.Closing(f, err); err == nil {
		err = give(sub, temp, path.Base(name))
	}
	if err == nil {
		err = syncDir(sub)
	}
	return classed(err)
}

// makeDir makes a directory and those that lead to it, each of them durable.
func (d *dir) makeDir(name string) (*os.Root, error) {
	if sub, err := d.root.OpenRoot(name); !errors.Is(err, fs.ErrNotExist) {
		return sub, err
	}
	parent := d.root
	if up := path.Dir(name); up != "." {
		p, err := d.makeDir(up)
		if err != nil {
			return nil, err
		}
		defer p.Close()
		parent = p
	}
	if err := parent.Mkdir(path.Base(name), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	if err := syncDir(parent); err != nil {
		return nil, err
	}
	return parent.OpenRoot(path.Base(name))
}

func syncDir(d *os.Root) error {
	if !disk.HasModes {
		return nil // such a system has no handles of directories to sync
	}
	f, err := d.Open(".")
	if err != nil {
		return err
	}
	defer f.Close()
	if err = f.Sync(); errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}

// Get reads a regular file, and waits for nothing.
func (d *dir) Get(_ context.Context, name string, most int64, room []byte) ([]byte, error) {
	return get(d.root, name, most, room)
}

func get(root *os.Root, name string, most int64, room []byte) ([]byte, error) {
	f, err := root.OpenFile(name, os.O_RDONLY|disk.NoFollow|disk.Nonblock, 0)
	if err != nil {
		if fi, serr := root.Lstat(name); serr == nil && disk.Regular(fi) != nil { // a link, which none of us made
			err = fmt.Errorf("%w: %w", err, remote.ErrDamaged)
		}
		return nil, classed(err)
	}
	defer f.Close()
	fi, err := f.Stat()
	if err == nil {
		err = disk.Regular(fi)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", name, disk.Cause(err), remote.ErrDamaged)
	}
	if fi.Size() > most {
		return nil, remote.ErrTooLarge
	}
	if err := disk.Dense(f, fi.Size()); err != nil {
		return nil, fmt.Errorf("%s: %w: %w", name, err, remote.ErrDamaged)
	}
	data := bucket.Room(room, fi.Size())
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, fmt.Errorf("%s: %w", name, disk.Cause(err))
	}
	return data, nil
}

// List walks the directory, and follows no symbolic link.
func (d *dir) List(ctx context.Context, prefix, after string) iter.Seq2[remote.Object, error] {
	return func(yield func(remote.Object, error) bool) {
		var seen sums
		err := d.walk(ctx, prefix, after, func(name string, e fs.DirEntry) error {
			switch {
			case e.Name()[0] == '.': // comes before the numbers
				seen.add(name)
				return nil
			case name <= after:
				return nil
			}
			o := remote.Object{Name: name}
			fi, err := e.Info()
			switch {
			case errors.Is(err, fs.ErrNotExist):
				return nil
			case err != nil:
				return err
			case fi.Mode().IsRegular():
				o.Size = fi.Size()
			}
			if !remote.IsPart(name) {
				o.ETag = stampOf(fi)
			} else {
				if o.Sums, err = seen.get(d, name); err != nil {
					return err
				}
				if len(o.Sums) == 1 { // of several one is the part's
					o.ETag = o.Sums[0]
				}
			}
			if !yield(o, nil) {
				return fs.SkipAll
			}
			return nil
		})
		if err != nil {
			yield(remote.Object{}, classed(err))
		}
	}
}

// settled is the age of a file from which on another one in its place has another stamp, whatever clock a file system has.
const settled = 3 * time.Second

// stampOf is the ETag of a file that Put makes anew each time, "" if it was made just now.
func stampOf(fi fs.FileInfo) string {
	if time.Since(fi.ModTime()) < settled {
		return ""
	}
	number, changed := disk.Identity(fi)
	return fmt.Sprintf("%x-%x-%x", number, changed, fi.ModTime().UnixNano())
}

// walk calls do for everything below a directory that is no directory. Directories of which all names come before a name are
// left out.
func (d *dir) walk(ctx context.Context, prefix, after string, do func(name string, e fs.DirEntry) error) error {
	return fs.WalkDir(d.root.FS(), strings.TrimSuffix(prefix, "/"), func(name string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case e.IsDir() && name+"/" < after && !strings.HasPrefix(after, name+"/"):
			return fs.SkipDir
		case e.IsDir():
			return nil
		}
		return do(name, e)
	})
}

// Litter yields the files of writers that were killed before they gave them a name.
func (d *dir) Litter(ctx context.Context, prefix string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		err := d.walk(ctx, prefix, "", func(name string, e fs.DirEntry) error {
			if strings.HasPrefix(e.Name(), temps) && !yield(name, nil) {
				return fs.SkipAll
			}
			return nil
		})
		if err != nil {
			yield("", classed(err))
		}
	}
}

// classed returns an error as one of those of a remote, if it is one.
func classed(err error) error {
	for _, c := range []struct{ is, as error }{
		{fs.ErrExist, remote.ErrExists},
		{fs.ErrNotExist, remote.ErrAbsent},
		{fs.ErrPermission, remote.ErrDenied},
		{syscall.EROFS, remote.ErrDenied},
		{syscall.ENOSPC, remote.ErrFull},
		{syscall.EDQUOT, remote.ErrFull},
		{errors.ErrUnsupported, remote.ErrUnsafe},
	} {
		if err != nil && errors.Is(err, c.is) {
			return fmt.Errorf("%w: %w", c.as, disk.Cause(err))
		}
	}
	return err
}
