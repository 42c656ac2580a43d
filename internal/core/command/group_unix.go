//go:build unix

package command

import (
	"os"
	"syscall"
)

// ownGroup makes the command the leader of a new process group, whose number
// is then the command's process id, and has it die with us.
func ownGroup() *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true}
	withParent(attr)
	return attr
}

// terminateGroup asks every process of the group to end. SIGCONT follows because
// a suspended process would keep the request for later.
func terminateGroup(leader *os.Process) {
	_ = syscall.Kill(-leader.Pid, syscall.SIGTERM)
	_ = syscall.Kill(-leader.Pid, syscall.SIGCONT)
}

// signalGroup sends a signal to every process of the group.
func signalGroup(leader *os.Process, sig os.Signal) {
	if sig, ok := sig.(syscall.Signal); ok {
		_ = syscall.Kill(-leader.Pid, sig)
	}
}

// killGroup ends every process of the group.
func killGroup(leader *os.Process) {
	_ = syscall.Kill(-leader.Pid, syscall.SIGKILL)
}

// groupAlive reports whether the group has a process that we may signal. The
// number stays taken while the group has members, also after the leader was
// reaped, so it cannot name another group meanwhile.
func groupAlive(leader *os.Process) bool {
	return syscall.Kill(-leader.Pid, 0) == nil
}

// signalOf returns the signal that ended the process, if one did.
func signalOf(state *os.ProcessState) (syscall.Signal, bool) {
	ws, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !ws.Signaled() {
		return 0, false
	}
	return ws.Signal(), true
}
