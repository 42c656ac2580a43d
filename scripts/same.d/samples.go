package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// samples is a copy of testdata with everything decompressed and every archive
// a directory.
type samples struct {
	dir   string
	files []string // relative to dir, sorted
}

func unpack(from, to string) (*samples, error) {
	if err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil || strings.Contains(rel, "/golden/") {
			return err
		}
		return unpackFile(path, filepath.Join(to, rel))
	}); err != nil {
		return nil, err
	}
	s := &samples{dir: to}
	err := filepath.WalkDir(to, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			s.files = append(s.files, strings.TrimPrefix(path, to+"/"))
		}
		return err
	})
	slices.Sort(s.files)
	return s, err
}

func unpackFile(from, to string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	r := io.Reader(f)
	if to, err = decompressed(&r, to); err != nil {
		return err
	}
	if dir, ok := strings.CutSuffix(to, ".tar"); ok {
		return unpackArchive(tar.NewReader(r), dir)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	return put(to, data)
}

// decompressed returns name without the suffix of a compression, and has r
// decompress it.
func decompressed(r *io.Reader, name string) (string, error) {
	short, ok := strings.CutSuffix(name, ".zst")
	if ok && !strings.Contains(name, "/codex/home/") { // codex itself compresses those
		d, err := zstd.NewReader(*r)
		*r = d
		return short, err
	}
	if short, ok = strings.CutSuffix(name, ".gz"); ok {
		d, err := gzip.NewReader(*r)
		*r = d
		return short, err
	}
	return name, nil
}

func unpackArchive(r *tar.Reader, dir string) error {
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		name := filepath.Join(dir, filepath.Clean("/"+h.Name))
		if h.Typeflag == tar.TypeDir { // some are empty
			if err := os.MkdirAll(name, 0o755); err != nil { //nolint:gosec // as a user's are
				return err
			}
			continue
		}
		var data bytes.Buffer
		if _, err := io.Copy(&data, r); err != nil { //nolint:gosec // our own samples
			return err
		}
		if err := put(name, data.Bytes()); err != nil {
			return err
		}
	}
}

// put makes a file and the directories it is in.
func put(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil { //nolint:gosec // as a user's are
		return err
	}
	return os.WriteFile(name, data, 0o644) //nolint:gosec // as a user's are
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

// remove removes a temporary directory. What cannot be removed is left.
func remove(dir string) { _ = os.RemoveAll(dir) }
