package main

import (
	"context"
	"os"
	"path/filepath"

	"github.com/sess-tools/sess/internal/core/disk"
)

// A place is where the files of tables are, a directory or a bucket. A file is named by its path on this machine.
type place interface {
	// has reports whether there is a file.
	has(path string) bool
	// fetch brings the file here, if there is one.
	fetch(ctx context.Context, path string) error
	// publish puts the file that was written as temp in the place of the old one, and returns its name there.
	publish(ctx context.Context, temp, path string) (string, error)
}

// A directory has its files on this machine.
type directory struct{}

func (directory) has(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func (directory) fetch(context.Context, string) error { return nil }

func (directory) publish(_ context.Context, temp, path string) (string, error) {
	if err := os.Rename(temp, path); err != nil {
		return "", err
	}
	return path, disk.SyncDir(filepath.Dir(path))
}
