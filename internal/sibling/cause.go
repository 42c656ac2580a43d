package sibling

import (
	"errors"
	"io/fs"
)

// cause strips the operation and the path from an error.
func cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}
