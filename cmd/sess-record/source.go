package main

import (
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/internal/tool/command"
	"github.com/sess-tools/sess/internal/tool/tty"
)

// A source is where the stream comes from: a command, or standard input.
type source struct {
	live  bool                  // it is printed while it is read
	argv  []string              // the command, nil for standard input
	start func() (begun, error) // begins the stream
}

// A begun is a stream that comes.
type begun struct {
	out    io.Reader
	stop   <-chan os.Signal // ends the recording
	exited <-chan struct{}  // closed when the printer has exited
	wait   func() (command.Ending, error)
	leave  func() // lets signals end this program
}

// source finds the command, or takes standard input. An interrupt from a terminal goes to
// the printer of the stream, too, and that may still say something: so it does not end the
// recording, nor does a reader of standard output that goes away before what came is
// recorded. Any other signal that ends a program ends the stream here.
func (c *config) source(s *clikit.Streams) (*source, error) {
	if len(s.Command) > 0 {
		if err := command.Find(s.Command); err != nil {
			return nil, clikit.CommandFailed(err)
		}
		return &source{live: true, argv: s.Command, start: func() (begun, error) { return c.started(s) }}, nil
	}
	if f := s.InFile(); f != nil && tty.IsTerminal(f) {
		return nil, clikit.WithHint(clikit.UsageError("no command, and standard input is a terminal"),
			"a command stands behind two dashes: sess-record s.jsonl -- claude -p …")
	}
	in, err := s.OpenInput("")
	if err != nil {
		return nil, err
	}
	live := true
	if f := s.InFile(); f != nil {
		fi, err := f.Stat()
		live = err != nil || !fi.Mode().IsRegular()
	}
	return &source{live: live, start: func() (begun, error) { return filtered(in), nil }}, nil
}

// filtered is the stream that comes from standard input.
func filtered(in io.Reader) begun {
	stop, exited := make(chan os.Signal, 1), make(chan struct{})
	close(exited)
	for _, sig := range []os.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		if !signal.Ignored(sig) { // as by nohup(1)
			signal.Notify(stop, sig)
		}
	}
	signal.Ignore(os.Interrupt)
	return begun{
		out: in, stop: stop, exited: exited, leave: func() {},
		wait: func() (command.Ending, error) { return command.Ending{}, nil },
	}
}

// started starts the command.
func (c *config) started(s *clikit.Streams) (begun, error) {
	stage := command.Stage{Stdin: s.In, Stderr: s.Err, Given: c.given, Timeout: c.timeout}
	if f := s.InFile(); f != nil {
		stage.Stdin = f
	}
	if f := s.ErrFile(); f != nil {
		stage.Stderr = f
	}
	f, err := command.StartForeground(s.Command, stage)
	if err != nil {
		return begun{}, clikit.CommandFailed(err)
	}
	return begun{out: f.Out, stop: f.Late(), exited: f.Exited(), wait: f.Wait, leave: f.Release}, nil
}
