package proc

import "syscall"

// withParent has the program die with us, even if that is by SIGKILL. The kernel
// signals the program alone: its children notice when they read or write a pipe
// without another end. A program that changes its user or is setuid gets no signal.
//
// The kernel goes by the thread that started the program, so that one has to live
// as long as the program; see Process.launch.
func withParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
