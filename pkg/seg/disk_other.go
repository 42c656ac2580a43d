//go:build !unix || solaris || aix

package seg

import "errors"

const (
	openSafely = 0
	canSyncDir = false
)

// flock is not to be had here, and without it a store cannot be written.
func flock(file) (bool, error) { return false, errors.ErrUnsupported }
