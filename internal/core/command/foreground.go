package command

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sess-tools/sess/internal/core/proc"
)

// A Foreground is a command that runs as if it stood in the place of this program: it has
// its standard error and, unless it is given something to read, its standard input, and the
// terminal's signals reach both. Only its standard output is ours.
type Foreground struct {
	// Out is the output of the command. It ends when its last holder has closed it, or when the
	// command has exited and the processes it has started say nothing for some seconds.
	Out io.Reader

	command  Command
	run      *proc.Process
	told     sync.Once   // a signal was handed on to the command
	ending   atomic.Bool // a signal asked for the end
	mu       sync.Mutex
	cut      bool // by a signal after the command had exited
	timedOut atomic.Bool
	limited  chan struct{} // closed when the time-out has ended the command
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
	Env     []string      // NAME=VALUE, which are added to those of this process
	Given   []byte        // is read in the place of Stdin, unless it is nil
	Timeout time.Duration // after which it is stopped; 0 is never
}

// Find reports why a command cannot be started, as far as that can be told before.
func Find(argv []string) error {
	if _, err := proc.Find(argv[0]); err != nil {
		return Command{Argv: argv}.notStarted(err)
	}
	return nil
}

// StartForeground starts a command. An interrupt from the terminal, which the command gets
// too, does not end this program any more, nor does a reader of its output that goes away;
// the other signals that end a program are handed on to the command. Once it has exited, any
// of them ends Out.
//
// With a time-out the command has a process group, which is asked to end then, and is killed some
// seconds later: a terminal's interrupt is handed on to it.
func StartForeground(argv []string, s Stage) (*Foreground, error) {
	program := proc.Program{Argv: argv, Env: append(os.Environ(), s.Env...), Stdin: s.Stdin, Stderr: s.Stderr, Group: s.Timeout > 0, Silence: proc.Linger}
	if s.Given != nil {
		program.Stdin = bytes.NewReader(s.Given)
	}
	f := &Foreground{command: Command{Argv: argv, Timeout: s.Timeout}, limited: make(chan struct{}), late: make(chan os.Signal, 1)}
	caught := make(chan os.Signal, 4)
	signal.Notify(caught, interrupts...)
	var err error
	if f.run, err = program.Start(); err != nil {
		signal.Stop(caught)
		return nil, f.command.notStarted(err)
	}
	f.Out = f.run
	done := make(chan struct{})
	f.stop = func() {
		signal.Stop(caught)
		close(done)
	}
	go func() {
		for {
			select {
			case sig := <-caught:
				f.pass(sig, program.Group)
			case <-done:
				return
			}
		}
	}()
	go f.limit(s.Timeout)
	return f, nil
}

// pass hands a signal on to the command, or to its group. An interrupt reaches a command of our own group without us.
// Once the command has exited, the first signal ends Out, and the next is late.
func (f *Foreground) pass(sig os.Signal, group bool) {
	select {
	case <-f.run.Exited():
		f.ending.Store(true)
		f.cutOff(sig)
	default:
		if !group && sig == os.Interrupt {
			return
		}
		f.ending.Store(true)
		f.run.Signal(sig)
		f.told.Do(func() { go f.rest(sig) })
	}
}

// rest ends Out of a command that was told to end, if it is not read to its end soon after.
func (f *Foreground) rest(sig os.Signal) {
	<-f.run.Exited()
	select {
	case <-f.run.Drained():
	case <-time.After(cutTime):
		f.cutOff(sig)
	}
}

// cutOff ends Out. Where it is not read to its end then, its reader is stuck, and the signal is late.
func (f *Foreground) cutOff(sig os.Signal) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.cut {
		f.tooLate(sig)
		return
	}
	f.cut = true
	f.run.Cut()
	time.AfterFunc(cutTime, func() {
		select {
		case <-f.run.Drained():
		default:
			f.tooLate(sig)
		}
	})
}

// cutTime is how long the output may take to end after a signal: its reader may have stopped reading.
const cutTime = 250 * time.Millisecond

func (f *Foreground) tooLate(sig os.Signal) {
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
	case <-f.run.Exited():
	case <-timer.C:
		f.overrun(DefaultKill)
	}
}

// overrun stops the command, and the processes it has started, because its time is over. Between
// SIGTERM and SIGKILL lies kill.
func (f *Foreground) overrun(kill time.Duration) {
	f.timedOut.Store(true)
	f.run.End(kill)
}

// Exited is closed when the command has exited.
func (f *Foreground) Exited() <-chan struct{} { return f.run.Exited() }

// Late has the second signal that came after the command had exited, or the first one if Out is not read to its end in a moment.
func (f *Foreground) Late() <-chan os.Signal { return f.late }

// Ending reports whether a signal asked for the end: of the command, or of its output.
func (f *Foreground) Ending() bool { return f.ending.Load() }

// Release gives signals the actions back that they have without a command.
func (f *Foreground) Release() { f.stop() }

// Wait waits for the command and says how it ended. The error is one of waiting, or says
// that the command took too long.
func (f *Foreground) Wait() (Ending, error) {
	<-f.run.Exited()
	f.run.Release(proc.Linger)
	<-f.limited
	state, took, err := f.run.Ended()
	how := Ending{Took: took, TimedOut: f.timedOut.Load()}
	if state != nil {
		how.Status = state.ExitCode()
		if sig, signaled := proc.SignalOf(state); signaled {
			how.Status, how.Signal = 128+int(sig), sig
		}
	}
	if how.TimedOut {
		err = errors.Join(err, &Error{
			Name: f.command.String(), Reason: TimedOut, Status: how.Status, cause: context.DeadlineExceeded,
			what: "it took longer than " + f.command.Timeout.String() + " and was stopped",
		})
	}
	return how, err
}
