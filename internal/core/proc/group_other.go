//go:build !unix

package proc

import (
	"os"
	"syscall"
)

// Without process groups the program alone is ended, and at once.

func ownGroup() *syscall.SysProcAttr { return nil }

func groupAlive(*os.Process) bool { return false }

func (p *Process) terminate() { _ = p.cmd.Process.Kill() }

// Signal sends a signal to the program.
func (p *Process) Signal(sig os.Signal) { _ = p.cmd.Process.Signal(sig) }

// SignalOf returns the signal that ended a program, if one did.
func SignalOf(*os.ProcessState) (syscall.Signal, bool) { return 0, false }
