//go:build unix

package e2e

import (
	"os/exec"
	"syscall"
)

// signalOf returns the signal that ended a process.
func signalOf(e *exec.ExitError) int {
	if ws, ok := e.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return int(ws.Signal())
	}
	return 127
}
