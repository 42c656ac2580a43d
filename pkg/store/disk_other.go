//go:build !unix

package store

import "os"

func openFile(path string) (*os.File, error) { return os.Open(path) }
