//go:build unix

package subprocess

import (
	"fmt"
	"os"
	"syscall"

	"github.com/sess-tools/sess/internal/core/disk"
)

// Exec becomes the program at path, called name, with the arguments that follow. It
// returns only if that fails.
func Exec(path, name string, args []string) error {
	err := syscall.Exec(path, append([]string{name}, args...), os.Environ())
	return fmt.Errorf("running %s: %w", path, disk.Cause(err))
}
