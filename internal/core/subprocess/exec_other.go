//go:build !unix

package subprocess

import (
	"errors"
	"os"
	"os/exec"

	"github.com/sess-tools/sess/internal/core/cli"
)

// Exec runs the program at path with the arguments that follow and the streams of
// this process, and ends as it does.
func Exec(path, name string, args []string) error {
	cmd := exec.Command(path, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr //nolint:forbidigo // they are the program's now
	err := cmd.Run()
	if exit, failed := errors.AsType[*exec.ExitError](err); failed {
		return cli.WithStatus(errors.New(name+" failed"), exit.ExitCode())
	}
	return err
}
