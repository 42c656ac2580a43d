package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
)

// A Foreground is a command that runs as if it stood in the place of this program: it has
// its standard input and standard error, and the terminal's signals reach both. Only its
// standard output is ours.
type Foreground struct {
	Out io.Reader // what the command prints, until nobody holds it any more

	cmd    *exec.Cmd
	exited chan error
	stop   func()
}

// StartForeground starts a command. An interrupt from the terminal, which the command gets
// too, does not end this program any more, nor does a reader of its output that goes away;
// the other signals that end a program are handed on to the command, until Wait returns.
func StartForeground(argv []string, stdin io.Reader, stderr io.Writer) (*Foreground, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stderr = stdin, stderr
	out, theirs, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("making a pipe: %w", err)
	}
	cmd.Stdout = theirs
	f := &Foreground{Out: out, cmd: cmd, exited: make(chan error, 1)}
	f.stop = f.handOn()
	err = cmd.Start()
	closeAll([]*os.File{theirs})
	if err != nil {
		f.stop()
		closeAll([]*os.File{out})
		return nil, Command{Argv: argv}.notStarted(err)
	}
	return f, nil
}

// handOn hands signals on to the command.
func (f *Foreground) handOn() (stop func()) {
	caught := make(chan os.Signal, 4)
	signal.Notify(caught, interrupts...)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case sig := <-caught:
				if sig != os.Interrupt && f.cmd.Process != nil {
					_ = f.cmd.Process.Signal(sig)
				}
			case <-done:
				return
			}
		}
	}()
	return func() {
		signal.Stop(caught)
		close(done)
	}
}

// Wait waits for the command and returns its exit status as shells have it: 128 plus the
// number of the signal that ended it. An error is one of waiting.
func (f *Foreground) Wait() (status int, err error) {
	err = f.cmd.Wait()
	f.stop()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		if sig, signaled := signalOf(exit.ProcessState); signaled {
			return 128 + int(sig), nil
		}
		return exit.ExitCode(), nil
	}
	return 0, err
}
