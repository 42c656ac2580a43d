//go:build !unix

package store

import "os"

func openFile(path string) (*os.File, error) { return os.Open(path) }

// syncDir does nothing: directories cannot be synced here.
func syncDir(string) error { return nil }
