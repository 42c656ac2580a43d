//go:build !unix

package sqldb

import "os"

// isLocked leaves it to SQLite to find out.
func isLocked(*os.File) bool { return false }

func openForReading(path string) (*os.File, error) { return os.Open(path) }
