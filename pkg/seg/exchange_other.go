//go:build !linux && !darwin

package seg

import "errors"

// exchange does not exist here.
func exchange(_, _ string) error { return errors.ErrUnsupported }
