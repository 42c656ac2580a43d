//go:build unix

package tty

import "golang.org/x/sys/unix"

// windowSize asks the terminal driver; 0 means that fd is no terminal or that
// the driver knows no size.
func windowSize(fd uintptr) (columns, lines int) {
	ws, err := unix.IoctlGetWinsize(int(fd), unix.TIOCGWINSZ)
	if err != nil {
		return 0, 0
	}
	return int(ws.Col), int(ws.Row)
}
