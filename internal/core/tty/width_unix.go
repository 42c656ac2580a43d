//go:build unix

package tty

import "golang.org/x/sys/unix"

// columns asks the terminal driver; 0 means that fd is no terminal or that
// the driver knows no size.
func columns(fd uintptr) int {
	ws, err := unix.IoctlGetWinsize(int(fd), unix.TIOCGWINSZ)
	if err != nil {
		return 0
	}
	return int(ws.Col)
}
