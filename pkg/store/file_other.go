//go:build !unix

package store

import "os"

// A file is an open file.
type file struct{ *os.File }

func openFile(path string) (*file, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return &file{f}, nil
}

func (f *file) stat() (facts, error) {
	info, err := f.Stat()
	if err != nil {
		return facts{}, err
	}
	return facts{regular: info.Mode().IsRegular(), size: info.Size(), modTime: info.ModTime()}, nil
}

// close ends it; there is nothing that could fail to be written.
func (f *file) close() { _ = f.Close() }
