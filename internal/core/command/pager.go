package command

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/sess-tools/sess/internal/core/proc"
)

// A Pager is a program that shows a text on the terminal.
type Pager struct {
	Argv []string
	Env  []string // besides this program's own
}

// Show starts the pager, and writes to it. It waits until the user is done with it, which closes left: an
// interrupt of the terminal is the pager's alone meanwhile. That it ends before it has read all
// is no error. The error is that of write, or that of a pager that could not be started or
// failed.
func (p Pager) Show(out, errs *os.File, write func(to io.Writer, left <-chan struct{}) error) error {
	r, in, err := os.Pipe()
	if err != nil {
		return err
	}
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, os.Interrupt)
	defer signal.Stop(caught)
	run, err := proc.Program{Argv: p.Argv, Env: append(os.Environ(), p.Env...), Stdin: r, Stdout: out, Stderr: errs}.Start()
	_ = r.Close()
	if err != nil {
		return errors.Join(Command{Argv: p.Argv}.notStarted(err), in.Close())
	}
	if err = write(in, run.Exited()); errors.Is(err, syscall.EPIPE) {
		err = nil // the user has seen enough
	}
	return errors.Join(err, in.Close(), exited(p.Argv, run))
}

// exited waits for a program, and returns the error of one that failed. One that a signal ended did as the user wanted.
func exited(argv []string, run *proc.Process) error {
	<-run.Exited()
	state, _, err := run.Ended()
	if state != nil && !state.Success() {
		if _, signaled := proc.SignalOf(state); !signaled {
			err = errors.New(state.String())
		}
	}
	if err != nil {
		return Command{Argv: argv}.notStarted(err)
	}
	return nil
}

// Open starts a program, such as one that opens a file for the user, and does not wait for the
// window it opens.
func Open(argv []string, errs io.Writer) error {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	run, err := proc.Program{Argv: argv, Stdout: null, Stderr: errs}.Start()
	_ = null.Close()
	if err != nil {
		return Command{Argv: argv}.notStarted(err)
	}
	return exited(argv, run)
}
