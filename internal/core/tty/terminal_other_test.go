//go:build !linux

package tty_test

import (
	"os"
	"testing"
)

// terminal has no portable implementation; tests that need one do without.
func terminal(*testing.T) *os.File { return nil }
