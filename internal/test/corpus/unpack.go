package corpus

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// Unpack copies the files below from, a directory of testdata, to the directory
// to. Compressed files are decompressed, except those that codex itself
// compresses, and an archive becomes a directory. Golden answers are left out.
func Unpack(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.Contains(path, "/golden/") {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		read, name := os.ReadFile, filepath.Join(to, rel)
		if ext := filepath.Ext(name); ext == ".gz" || ext == ".zst" && !strings.Contains(path, "/codex/home/") {
			read, name = readCompressed, strings.TrimSuffix(name, ext)
		}
		data, err := read(path)
		if err != nil {
			return err
		}
		dir, isArchive := strings.CutSuffix(name, ".tar")
		if !isArchive {
			return write(name, data)
		}
		return eachFile(data, func(name string, isDir bool, data []byte) error {
			name = filepath.Join(dir, filepath.Clean("/"+name))
			if isDir { // some are empty
				return os.MkdirAll(name, 0o755)
			}
			return write(name, data)
		})
	})
}

func write(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o644)
}

// readCompressed returns the content of a file whose name ends in .zst or .gz.
func readCompressed(name string) ([]byte, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(name, ".gz") {
		r, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		return io.ReadAll(r)
	}
	d, err := zstd.NewReader(nil)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.DecodeAll(data, nil)
}

// eachFile calls f for each file and directory of a tar archive.
func eachFile(archive []byte, f func(name string, isDir bool, data []byte) error) error {
	for r := tar.NewReader(bytes.NewReader(archive)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		data, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		if err := f(h.Name, h.Typeflag == tar.TypeDir, data); err != nil {
			return err
		}
	}
}
