//go:build unix && !solaris && !aix

package seg

import "syscall"

const (
	// Nothing in a store is a link or a pipe; what is there does not follow or block.
	openSafely = syscall.O_NOFOLLOW | syscall.O_NONBLOCK | syscall.O_NOCTTY
	hasModes   = true // the permissions of files mean something
)
