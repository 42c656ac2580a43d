//go:build unix

package proc

import (
	"os"
	"syscall"
)

// ownGroup makes the program the leader of a new process group, whose number is then the program's process id, and has
// it die with us.
func ownGroup() *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true}
	withParent(attr)
	return attr
}

// groupAlive reports whether the group has a process that we may signal. The number stays taken while the group has
// members, also after the leader was reaped, so it cannot name another group meanwhile.
func groupAlive(leader *os.Process) bool { return syscall.Kill(-leader.Pid, 0) == nil }

// terminate asks the program, or every process of its group, to end. SIGCONT follows because a suspended process would
// keep the request for later.
func (p *Process) terminate() {
	p.Signal(syscall.SIGTERM)
	p.Signal(syscall.SIGCONT)
}

// Signal sends a signal to the program, or to every process of its group.
func (p *Process) Signal(sig os.Signal) {
	if number, ok := sig.(syscall.Signal); ok && p.group {
		_ = syscall.Kill(-p.cmd.Process.Pid, number)
	} else {
		_ = p.cmd.Process.Signal(sig)
	}
}

// SignalOf returns the signal that ended a program, if one did.
func SignalOf(state *os.ProcessState) (syscall.Signal, bool) {
	ws, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !ws.Signaled() {
		return 0, false
	}
	return ws.Signal(), true
}
