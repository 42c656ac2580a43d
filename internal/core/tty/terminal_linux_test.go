package tty_test

import (
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sess-tools/sess/internal/core/tty"
)

// terminal opens a pseudo terminal, or returns nil where there are none.
func terminal(t *testing.T) *os.File {
	t.Helper()
	ptmx, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Logf("without a pseudo terminal: %v", err)
		return nil
	}
	t.Cleanup(func() { ptmx.Close() })
	fd := int(ptmx.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Logf("without a pseudo terminal: %v", err)
		return nil
	}
	n, err := unix.IoctlGetUint32(fd, unix.TIOCGPTN)
	if err != nil {
		t.Logf("without a pseudo terminal: %v", err)
		return nil
	}
	tt, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Logf("without a pseudo terminal: %v", err)
		return nil
	}
	t.Cleanup(func() { tt.Close() })
	return tt
}

func TestTerminal(t *testing.T) {
	t.Parallel()
	tt := terminal(t)
	if tt == nil {
		t.Skip("no pseudo terminal here")
	}
	if !tty.IsTerminal(tt) {
		t.Error("a terminal is none")
	}
	if got := tty.Width(tt, env("COLUMNS=50")); got != 50 {
		t.Errorf("Width of a terminal without a size = %d, want 50 from COLUMNS", got)
	}
	size := &unix.Winsize{Row: 24, Col: 97}
	if err := unix.IoctlSetWinsize(int(tt.Fd()), unix.TIOCSWINSZ, size); err != nil {
		t.Fatal(err)
	}
	if got := tty.Width(tt, env("COLUMNS=50")); got != 97 {
		t.Errorf("Width = %d, want 97", got)
	}
}
