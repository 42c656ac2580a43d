package dir

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/core/bucket"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/share/remote"
)

// The SHA-256 of part NNNNNNNNNNNN is the name of an empty file beside it,
// .NNNNNNNNNNNN.SUM. It is there before the part is, so no part is ever without one; and as
// it is a name, it need not be written: the same part makes the same file. The
// sum of a writer that came too late may stay when that is killed. It does not match the part
// and does no harm.

// sumLen is the length of a sum.
const sumLen = 64

// putSum makes the file of the sum of a part.
func putSum(sub *os.Root, base string, data []byte) (name string, err error) {
	name = "." + base + "." + bucket.SumOf(data)
	f, err := sub.OpenFile(name, os.O_WRONLY|disk.Exclusive, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return name, nil
	}
	if err == nil {
		err = disk.Closing(f, nil)
	}
	return name, err
}

// dropSum removes the sum of a part of which another one has the number. If that has the same
// bytes it needs the sum: an answer was lost, or two pushed one file.
func dropSum(sub *os.Root, base, name string, data []byte) {
	there, err := get(sub, base, int64(len(data)), nil)
	if errors.Is(err, remote.ErrTooLarge) || err == nil && !bytes.Equal(there, data) {
		_ = sub.Remove(name) // if it stays, it matches nothing
	}
}

// sums are the sums of the parts of one directory, by their numbers.
type sums struct {
	dir   string
	of    map[string][]string
	again bool // the directory was read once more
}

// add takes in the name of a file that may be a sum. The sums of another directory are forgotten.
func (s *sums) add(name string) {
	dir, base := path.Split(name)
	s.enter(dir)
	number, sum, ok := strings.Cut(base[1:], ".")
	if ok && len(sum) == sumLen && remote.IsPart(dir+number) && !slices.Contains(s.of[number], sum) {
		s.of[number] = append(s.of[number], sum)
	}
}

func (s *sums) enter(dir string) {
	if s.of == nil || s.dir != dir {
		*s = sums{dir: dir, of: map[string][]string{}}
	}
}

// get returns the sums of a part, never nil. A directory is read in some order while
// others make files in it, so if there is none it is looked for once more.
func (s *sums) get(d *dir, name string) ([]string, error) {
	dir, number := path.Split(name)
	s.enter(dir)
	if len(s.of[number]) == 0 && !s.again {
		list, err := fs.ReadDir(d.root.FS(), path.Clean(dir))
		if err != nil {
			return nil, err
		}
		for _, e := range list {
			if e.Name()[0] == '.' {
				s.add(dir + e.Name())
			}
		}
		s.again = true
	}
	return append([]string{}, s.of[number]...), nil
}
