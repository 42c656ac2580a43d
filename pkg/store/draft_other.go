//go:build !linux && !darwin

package store

import "errors"

// renameExclusive does not exist here.
func renameExclusive(_, _ string) error { return errors.ErrUnsupported }
