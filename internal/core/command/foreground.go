package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"sync/atomic"
	"time"
)

// A Foreground is a command that runs as if it stood in the place of this program: it has
// its standard error and, unless it is given something to read, its standard input, and the
// terminal's signals reach both. Only its standard output is ours.
type Foreground struct {
	// Out is what the command prints. It ends when its last holder has closed it, or when the
	// command has exited and what it has started says nothing for some seconds.
	Out io.Reader

	command Command
	cmd     *exec.Cmd
	pipe    *os.File
	began   time.Time
	exited  chan struct{} // closed when the command has exited
	ended   chan struct{} // closed at the end of Out
	ending  sync.Once
	moved   chan struct{} // a token for each read that begins or ends
	reading atomic.Bool   // somebody waits for Out
	cut     chan struct{} // closed when Out is not waited for any longer
	cutting sync.Once

	waited   error         // of exec.Cmd.Wait, once exited is closed
	took     time.Duration // likewise
	timedOut atomic.Bool
	limited  chan struct{} // closed when the time-out has done what it does
	late     chan os.Signal
	stop     func()
}

// An Ending says how a command ended.
type Ending struct {
	Status   int           // as shells have it: 128 plus the number of the signal that ended it
	Signal   os.Signal     // that ended it, nil for none
	Took     time.Duration // from its start to its end
	TimedOut bool          // it was stopped because it took too long
}

// A Stage is what a command in the foreground gets.
type Stage struct {
	Stdin   io.Reader
	Stderr  io.Writer
	Given   []byte        // is read in the place of Stdin, unless it is nil
	Timeout time.Duration // after which it is stopped; 0 is never
}

// Find reports why a command cannot be started, as far as that can be told before.
func Find(argv []string) error {
	if _, err := exec.LookPath(argv[0]); err != nil {
		return Command{Argv: argv}.notStarted(err)
	}
	return nil
}

// StartForeground starts a command. An interrupt from the terminal, which the command gets
// too, does not end this program any more, nor does a reader of its output that goes away;
// the other signals that end a program are handed on to the command. Once it has exited, any
// of them ends Out.
//
// With a time-out the command has a process group of its own, which is asked to end then, and
// is killed some seconds later: a terminal's interrupt is handed on to it.
func StartForeground(argv []string, s Stage) (*Foreground, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stderr = s.Stdin, s.Stderr
	if s.Given != nil {
		cmd.Stdin = bytes.NewReader(s.Given)
	}
	if s.Timeout > 0 {
		cmd.SysProcAttr = ownGroup()
	}
	cmd.WaitDelay = linger // for who takes what is given, and is not the command
	out, theirs, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("making a pipe: %w", err)
	}
	cmd.Stdout = theirs
	f := &Foreground{
		command: Command{Argv: argv, Timeout: s.Timeout}, cmd: cmd, pipe: out, exited: make(chan struct{}),
		ended: make(chan struct{}), moved: make(chan struct{}, 1), cut: make(chan struct{}), limited: make(chan struct{}),
		late: make(chan os.Signal, 1),
	}
	f.Out = &lastWords{f}
	caught := catch()
	f.began = time.Now()
	err = f.launch()
	closeAll([]*os.File{theirs})
	if err != nil {
		signal.Stop(caught)
		closeAll([]*os.File{out})
		return nil, f.command.notStarted(err)
	}
	f.handOn(caught, s.Timeout > 0)
	go f.limit(s.Timeout)
	go f.drain()
	return f, nil
}

// launch starts the command and waits for its end on the same thread: see withParent.
func (f *Foreground) launch() error {
	started := make(chan error)
	go onOneThread(func() {
		err := f.cmd.Start()
		started <- err
		if err == nil {
			f.waited = f.cmd.Wait()
			f.took = time.Since(f.began)
			close(f.exited)
		}
	})
	return <-started
}

// catch catches the signals that end programs.
func catch() chan os.Signal {
	caught := make(chan os.Signal, 4)
	signal.Notify(caught, interrupts...)
	return caught
}

// handOn hands signals on to the command, or to its group, until it has exited. Then the
// first one ends Out, and the next is late.
func (f *Foreground) handOn(caught chan os.Signal, group bool) {
	done := make(chan struct{})
	go func() {
		for {
			select {
			case sig := <-caught:
				f.pass(sig, group)
			case <-done:
				return
			}
		}
	}()
	f.stop = func() {
		signal.Stop(caught)
		close(done)
	}
}

// pass hands a signal on. An interrupt reaches a command of our own group without us.
func (f *Foreground) pass(sig os.Signal, group bool) {
	select {
	case <-f.exited:
	default:
		if group {
			signalGroup(f.cmd.Process, sig)
		} else if sig != os.Interrupt {
			_ = f.cmd.Process.Signal(sig)
		}
		return
	}
	first := false
	f.cutting.Do(func() { first = true; close(f.cut) })
	if first {
		return
	}
	select {
	case f.late <- sig:
	default:
	}
}

// limit stops the command after a time.
func (f *Foreground) limit(timeout time.Duration) {
	defer close(f.limited)
	if timeout <= 0 {
		return
	}
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case <-f.exited:
	case <-timer.C:
		f.overrun(DefaultKill)
	}
}

// overrun stops the command, and what it has started, because its time is over.
// Between SIGTERM and SIGKILL lies kill.
func (f *Foreground) overrun(kill time.Duration) {
	f.timedOut.Store(true)
	terminateGroup(f.cmd.Process)
	timer := time.NewTimer(kill)
	defer timer.Stop()
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for groupAlive(f.cmd.Process) {
		select {
		case <-tick.C:
		case <-timer.C:
			killGroup(f.cmd.Process)
			return
		}
	}
}

// drain ends Out once the command has exited and nothing more comes.
func (f *Foreground) drain() {
	<-f.exited
	for drained(f.ended, nil, f.moved, f.cut, linger) && f.busy() {
		continue
	}
	if err := f.pipe.SetReadDeadline(time.Now()); err != nil {
		_ = f.pipe.Close()
	}
}

// busy reports whether Out has not ended and is not waited for: what was read before is
// still being passed on.
func (f *Foreground) busy() bool {
	select {
	case <-f.ended:
		return false
	default:
		return !f.reading.Load()
	}
}

// Exited is closed when the command has exited.
func (f *Foreground) Exited() <-chan struct{} { return f.exited }

// Late has the second signal that came after the command had exited.
func (f *Foreground) Late() <-chan os.Signal { return f.late }

// Release lets signals do what they do without a command.
func (f *Foreground) Release() { f.stop() }

// Wait waits for the command and says how it ended. The error is one of waiting, or says
// that the command took too long.
func (f *Foreground) Wait() (Ending, error) {
	<-f.exited
	<-f.limited
	how, err := Ending{Took: f.took, TimedOut: f.timedOut.Load()}, f.waited
	switch exit, ok := errors.AsType[*exec.ExitError](err); {
	case ok:
		how.Status, err = exit.ExitCode(), nil
		if sig, signaled := signalOf(exit.ProcessState); signaled {
			how.Status, how.Signal = 128+int(sig), sig
		}
	case errors.Is(err, exec.ErrWaitDelay): // it ended with 0, and somebody else holds its input
		err = nil
	}
	if how.TimedOut {
		err = errors.Join(err, &Error{
			Name: f.command.String(), Reason: TimedOut, Status: how.Status, cause: context.DeadlineExceeded,
			what: "it took longer than " + f.command.Timeout.String() + " and was stopped",
		})
	}
	return how, err
}

// A lastWords is the output of a command, whose end is not that of its other holders.
type lastWords struct{ f *Foreground }

// Read reads. While there is no reader, because what was read before cannot be passed on, no
// silence is counted.
func (l *lastWords) Read(p []byte) (int, error) {
	l.f.reading.Store(true)
	l.f.stir()
	n, err := l.f.pipe.Read(p)
	l.f.reading.Store(false)
	l.f.stir()
	if errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, os.ErrClosed) {
		err = io.EOF
	}
	if err != nil {
		l.f.ending.Do(func() { close(l.f.ended) })
	}
	return n, err
}

// Close tells the command that its output has no reader.
func (l *lastWords) Close() error { return l.f.pipe.Close() }

func (f *Foreground) stir() {
	select {
	case f.moved <- struct{}{}:
	default:
	}
}
