//go:build unix

package e2e

import "testing"

// The longest tests stand in the file that sorts first. Parallel tests begin in the order of their
// files, and a long one that begins last runs alone in the end.

func TestInstall(t *testing.T) {
	t.Parallel()
	testInstall(t)
}

func TestGrepPatterns(t *testing.T) {
	t.Parallel()
	testGrepPatterns(t)
}

func TestRows(t *testing.T) {
	t.Parallel()
	testRows(t)
}
