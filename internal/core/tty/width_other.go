//go:build !unix

package tty

// windowSize has no portable answer; the caller falls back to variables.
func windowSize(uintptr) (columns, lines int) { return 0, 0 }
