package command

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
)

// A Pager is a program that shows a text on the terminal.
type Pager struct {
	Argv []string
	Env  []string // besides this program's own
}

// Show starts the pager, and writes to it. It waits until the user is done with it: an
// interrupt of the terminal is the pager's alone meanwhile. That it ends before it has read all
// is no error. The error is that of write, or that of a pager that could not be started or
// failed.
func (p Pager) Show(out, errs *os.File, write func(io.Writer) error) error {
	cmd := exec.Command(p.Argv[0], p.Argv[1:]...)
	cmd.Stdout, cmd.Stderr = out, errs
	cmd.Env = append(os.Environ(), p.Env...)
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, os.Interrupt)
	defer signal.Stop(caught)
	if err := cmd.Start(); err != nil {
		return Command{Argv: p.Argv}.notStarted(err)
	}
	w := &until{w: in}
	err = write(w)
	if w.gone {
		err = nil // it is what failed
	}
	return errors.Join(err, in.Close(), failed(p.Argv, cmd.Wait()))
}

// until writes until the reader is gone.
type until struct {
	w    io.Writer
	gone bool
}

func (u *until) Write(b []byte) (int, error) {
	n, err := u.w.Write(b)
	u.gone = u.gone || err != nil
	return n, err
}

// failed is the error of a program that ended with a status.
func failed(argv []string, err error) error {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		if _, signaled := signalOf(exit.ProcessState); signaled {
			return nil // the user's doing
		}
	}
	if err != nil {
		return Command{Argv: argv}.notStarted(err)
	}
	return nil
}

// Open starts a program, such as one that opens a file for the user, and does not wait for
// what it opens.
func Open(argv []string, errs io.Writer) error {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stderr = errs
	if err := cmd.Run(); err != nil {
		return Command{Argv: argv}.notStarted(err)
	}
	return nil
}

// Has reports whether there is a program of a name.
func Has(name string) bool {
	_, err := Path(name)
	return err == nil
}

// Path returns where PATH has a program.
func Path(name string) (string, error) { return exec.LookPath(name) }
