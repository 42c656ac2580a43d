//go:build !linux && !darwin

package disk

import "errors"

func renameExclusive(_, _ string) error { return errors.ErrUnsupported }

func exchange(_, _ string) error { return errors.ErrUnsupported }

// Datasync makes the bytes of f durable.
func Datasync(f File) error { return f.Sync() }
