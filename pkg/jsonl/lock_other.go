//go:build !unix || solaris || aix

package jsonl

import (
	"errors"
	"os"
)

// alive cannot tell, so a lock file with a process in it is never stale.
func alive(int) bool { return true }

func unwritable(err error) bool { return errors.Is(err, os.ErrPermission) }
