//go:build unix && !linux

package proc

import "syscall"

// withParent does nothing: the system does not tell a program that its parent died.
func withParent(*syscall.SysProcAttr) {}
