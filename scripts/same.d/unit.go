package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/test/corpus"
)

// A unit is what runs in a directory of its own: a command line, or a script of
// several.
type unit struct {
	name string
	run  func(ctx context.Context, p place) ([]record, error)
}

// A place is where a unit runs. Both sets of tools run at the same paths, one
// after the other, so that no path differs.
type place struct {
	dir string // empty, and compared afterwards
	bin string // the tools
	log string // empty, for the notes of shims
}

// A record is what one command line did.
type record struct {
	line           string
	status         string
	stdout, stderr []byte
}

// A file is one that was left.
type file struct {
	name string
	mode fs.FileMode
	data []byte // that of a symbolic link is where it leads to
}

// A result is all that a unit did.
type result struct {
	records []record
	files   []file
}

// inputs are files and directories to be put into the directory of a unit: the
// name there, and the path below the samples.
type inputs map[string]string

// commands are units of one command line each, all with the same inputs.
func commands(samples string, in inputs, lines ...string) []unit {
	var suffix strings.Builder
	for _, to := range slices.Sorted(maps.Keys(in)) {
		fmt.Fprintf(&suffix, "  [%s: %s]", to, in[to])
	}
	var out []unit
	for _, line := range lines {
		name := line + suffix.String()
		out = append(out, unit{name, func(ctx context.Context, p place) ([]record, error) {
			if err := in.provide(samples, p.dir); err != nil {
				return nil, err
			}
			r, err := shell(ctx, p.dir, p.bin, line, limit)
			r.line = name
			return []record{r}, err
		}})
	}
	return out
}

// sampleTime is the modification time of every input.
var sampleTime = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func (in inputs) provide(samples, dir string) error {
	for to, from := range in {
		root := filepath.Join(samples, from)
		if _, err := os.Stat(root); err != nil {
			return err
		}
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			name := filepath.Join(dir, to, strings.TrimPrefix(path, root))
			if d.IsDir() {
				return os.MkdirAll(name, 0o755)
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			return errors.Join(put(name, data, 0o644), os.Chtimes(name, sampleTime, sampleTime))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// snapshot returns all files below dir. It makes those readable that are not.
func snapshot(dir string) ([]file, error) {
	var out []file
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		f := file{name: strings.TrimPrefix(path, dir+"/"), mode: info.Mode()}
		switch {
		case f.mode&fs.ModeSymlink != 0:
			var to string
			to, err = os.Readlink(path)
			f.data = []byte(to)
		case f.mode.IsRegular() || f.mode.IsDir():
			if f.mode&0o700 != 0o700 {
				err = os.Chmod(path, f.mode.Perm()|0o700)
			}
			if err == nil && !f.mode.IsDir() {
				f.data, err = content(path, info.Size())
			}
		}
		out = append(out, f)
		return err
	})
	return out, err
}

// most is how large a file may be to be compared byte for byte: a script of sess-sync leaves one of
// 2 GiB, without blocks, and up to four copies of what was left are held at a time.
const most = 64 << 20

// content returns what is in a file, of a larger one the first MiB and how much there is.
func content(path string, size int64) ([]byte, error) {
	if size <= most {
		return os.ReadFile(path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, 1<<20)
	n, err := io.ReadFull(f, head)
	return fmt.Appendf(head[:n], "\n%d bytes\n", size), err
}

// samples is a copy of testdata with everything decompressed and every archive
// a directory.
type samples struct {
	dir   string
	files []string // relative to dir
}

func unpack(from, to string) (*samples, error) {
	if err := corpus.Unpack(from, to); err != nil {
		return nil, err
	}
	s := &samples{dir: to}
	return s, filepath.WalkDir(to, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			s.files = append(s.files, strings.TrimPrefix(path, to+"/"))
		}
		return err
	})
}

// find returns the files whose path begins with one of the prefixes and ends in suffix.
func (s *samples) find(suffix string, prefixes ...string) []string {
	var out []string
	for _, f := range s.files {
		in := func(p string) bool { return strings.HasPrefix(f, p) }
		if strings.HasSuffix(f, suffix) && slices.ContainsFunc(prefixes, in) {
			out = append(out, f)
		}
	}
	return out
}

// small returns the sessions that have at most 200 kB.
func (s *samples) small(prefixes ...string) []string {
	return slices.DeleteFunc(s.find(".jsonl", prefixes...), func(f string) bool {
		info, err := os.Stat(filepath.Join(s.dir, f))
		return err != nil || info.Size() > 200_000
	})
}

// put makes a file and the directories it is in.
func put(name string, data []byte, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, data, mode)
}

// remove removes a temporary directory. What cannot be removed is left.
func remove(dir string) { _ = os.RemoveAll(dir) }
