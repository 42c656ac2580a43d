//go:build !unix

package command

import (
	"os"
	"syscall"
)

// Without process groups the command alone is ended, and at once.

func ownGroup() *syscall.SysProcAttr { return nil }

func terminateGroup(leader *os.Process) { _ = leader.Kill() }

func signalGroup(leader *os.Process, sig os.Signal) { _ = leader.Signal(sig) }

func killGroup(leader *os.Process) { _ = leader.Kill() }

func groupAlive(*os.Process) bool { return false }

func signalOf(*os.ProcessState) (syscall.Signal, bool) { return 0, false }
