//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// alone puts a command into a process group of its own, and has all of it killed
// when its context ends.
func alone(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
}
