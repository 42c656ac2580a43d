package scripttest

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

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

// A Person types at a terminal and reads what it shows.
type Person struct {
	t    *testing.T
	ptmx *os.File
	text chan string
	seen string
}

// StartAtTerminal starts a program as the leader of a terminal of its own, of so many lines and columns.
func StartAtTerminal(t *testing.T, c *exec.Cmd, lines, columns uint16) *Person {
	t.Helper()
	ptmx, terminal := OpenTerminal(t, lines, columns)
	c.Stdin, c.Stdout, c.Stderr = terminal, terminal, terminal
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	must.Do(t, c.Start())
	terminal.Close()
	p := &Person{t: t, ptmx: ptmx, text: make(chan string)}
	go func() {
		defer close(p.text)
		buf := make([]byte, 64<<10)
		for {
			n, err := ptmx.Read(buf) // ends in EIO when the shell has ended
			if n > 0 {
				p.text <- string(buf[:n])
			}
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
		go func() {
			for range p.text { // so that the reader ends
			}
		}()
		ptmx.Close()
	})
	return p
}

// Type sends keys.
func (p *Person) Type(keys string) {
	p.t.Helper()
	p.seen = ""
	if _, err := p.ptmx.WriteString(keys); err != nil {
		p.t.Fatal(err)
	}
}

// Until reads what the terminal shows behind the keys typed last until one of the texts is in it, and returns all of it.
func (p *Person) Until(texts ...string) string {
	p.t.Helper()
	limit := time.After(2 * time.Minute) // of a machine with other things to do
	for !slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(p.seen, text) }) {
		select {
		case more, ok := <-p.text:
			if !ok {
				p.t.Fatalf("the program ended before %q: %q", texts, p.seen)
			}
			p.seen += more
		case <-limit:
			p.t.Fatalf("no %q: %q", texts, p.seen)
		}
	}
	return p.seen
}
