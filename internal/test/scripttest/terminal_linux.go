package scripttest

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sess-tools/sess/internal/test/must"
)

// OpenTerminal opens a pseudo terminal of so many lines and columns, 0 for one that does not say how large it is: the end
// of the person before it, and that of programs. Where there is none the test is skipped.
func OpenTerminal(t *testing.T, lines, columns uint16) (person, terminal *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo terminal here: %v", err)
	}
	t.Cleanup(func() { person.Close() })
	must.Do(t, unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetUint32(int(person.Fd()), unix.TIOCGPTN)
	must.Do(t, err)
	if terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { terminal.Close() })
	must.Do(t, unix.IoctlSetWinsize(int(terminal.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: lines, Col: columns}))
	return person, terminal
}

// AtTerminal runs a command whose streams are a terminal of 24 lines and so many columns, as give says, and returns all that the
// terminal gets, and how the command ended. The command is not the leader of the terminal's session: when a leader ends, Linux
// drops what it wrote last and is not read yet.
func AtTerminal(t *testing.T, columns uint16, c *exec.Cmd, give func(c *exec.Cmd, terminal *os.File)) (string, error) {
	t.Helper()
	person, terminal := OpenTerminal(t, 24, columns)
	got := make(chan string)
	go func() {
		text, _ := io.ReadAll(person) // ends in EIO when the terminal is closed
		got <- string(text)
	}()
	give(c, terminal)
	err := c.Run()
	if cerr := terminal.Close(); cerr != nil {
		t.Fatal(cerr)
	}
	return <-got, err
}
