package summarize

import "syscall"

// withParent has the command die with us, even if that is by SIGKILL. The kernel
// tells the command alone: what it has started notices when it reads or writes a
// pipe that nobody holds any more. A program that changes its user or is setuid is
// not told.
//
// The kernel goes by the thread that started the command, so that one has to live
// as long as the command; see process.launch.
func withParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
