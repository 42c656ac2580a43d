//go:build !unix

package subprocess

import "errors"

// Exec fails: the tools refuse to run where a process cannot become another.
func Exec(string, string, []string) error { return errors.ErrUnsupported }
