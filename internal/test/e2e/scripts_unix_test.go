//go:build unix

package e2e

import (
	"path/filepath"
	"testing"

	"github.com/sess-tools/sess/internal/test/scripttest"
)

// TestScripts runs the scripts in which several tools work on one session.
func TestScripts(t *testing.T) {
	t.Parallel()
	scripttest.Run(t, filepath.Join("testdata", "scripts"), bin)
}
