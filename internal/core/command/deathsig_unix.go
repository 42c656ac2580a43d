//go:build unix && !linux

package command

import "syscall"

// withParent does nothing: the system does not tell a command that its parent died.
func withParent(*syscall.SysProcAttr) {}
