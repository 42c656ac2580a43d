package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"path"
	"slices"
	"strings"
	"time"
)

// tarBytes returns an archive of files below a directory root, or of the files themselves if that is
// empty. Owners, times and the order are no matter of the machine.
func tarBytes(root string, files []file, at time.Time) ([]byte, error) {
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.path, b.path) })
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	made := map[string]bool{".": true, "": true}
	for _, f := range files {
		name := path.Join(root, f.path)
		if err := directories(w, path.Dir(name), made, at); err != nil {
			return nil, err
		}
		h := &tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: int64(f.mode.Perm()), Size: int64(len(f.data)), ModTime: at, Format: tar.FormatPAX}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

// directories writes the directories down to dir that are not in the archive yet.
func directories(w *tar.Writer, dir string, made map[string]bool, at time.Time) error {
	if made[dir] {
		return nil
	}
	if err := directories(w, path.Dir(dir), made, at); err != nil {
		return err
	}
	made[dir] = true
	return w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: dir + "/", Mode: 0o755, ModTime: at, Format: tar.FormatPAX})
}

func tarGz(root string, files []file, at time.Time, level int) ([]byte, error) {
	data, err := tarBytes(root, files, at)
	if err != nil {
		return nil, err
	}
	return gzAt(data, level)
}

// gz compresses as well as gzip can. There is neither a name nor a time in the result.
func gz(data []byte) ([]byte, error) { return gzAt(data, gzip.BestCompression) }

func gzAt(data []byte, level int) ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, level)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	err = w.Close()
	return out.Bytes(), err
}
