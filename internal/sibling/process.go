package sibling

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/sess-tools/sess/internal/clikit"
	"github.com/sess-tools/sess/internal/disk"
)

// grace is how long a program has to end after it was asked to.
const grace = 2 * time.Second

// A Program is a program of the toolkit to be run. Say is told of what it prints
// on standard error while it runs; see [Message].
type Program struct {
	Name string // "sess-import"
	Args []string
	Say  func(Message)

	path  string        // found already, for tests
	grace time.Duration // 0 is the constant
}

// A Process is a running program. Its methods must not be called concurrently.
type Process struct {
	name   string
	ctx    context.Context
	cancel context.CancelFunc
	cmd    *exec.Cmd
	stdout io.ReadCloser

	talk *talk

	ended bool
	err   error // of the run, once it ended
}

// Start starts the program. The error says that there is none, or that it does
// not start.
func (p Program) Start(ctx context.Context) (*Process, error) {
	if p.path == "" {
		var err error
		if p.path, err = Find(p.Name); err != nil {
			return nil, err
		}
	}
	run := &Process{name: p.Name, ctx: ctx, talk: &talk{name: p.Name, say: p.Say}}
	var child context.Context
	child, run.cancel = context.WithCancel(ctx)
	run.cmd = exec.CommandContext(child, p.path, p.Args...)
	run.cmd.Cancel = func() error { return terminate(run.cmd.Process) }
	if run.cmd.WaitDelay = p.grace; p.grace == 0 {
		run.cmd.WaitDelay = grace
	}
	run.cmd.Stderr = run.talk
	var err error
	if run.stdout, err = run.cmd.StdoutPipe(); err == nil {
		err = run.cmd.Start()
	}
	if err != nil {
		run.cancel()
		return nil, fmt.Errorf("running %s: %w", p.Name, disk.Cause(err))
	}
	return run, nil
}

// Read reads what the program prints. It returns io.EOF if that was all of it and
// the program says so, by its status 0, and else why not.
func (p *Process) Read(b []byte) (int, error) {
	if p.ended {
		return 0, p.outcome()
	}
	n, err := p.stdout.Read(b)
	if err == nil || n > 0 {
		return n, nil // an error comes again
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	p.finish(err)
	return 0, p.outcome()
}

// outcome is what Read returns at the end.
func (p *Process) outcome() error {
	if p.err == nil {
		return io.EOF
	}
	return p.err
}

// finish waits for the program to end and judges how it did.
func (p *Process) finish(reading error) {
	_ = p.stdout.Close() // whoever still holds the other end writes in vain
	err := p.cmd.Wait()
	p.talk.end()
	stopped := p.ctx.Err()
	p.cancel()
	p.ended = true
	switch exit, failed := errors.AsType[*exec.ExitError](err); {
	case stopped != nil:
		p.err = stopped
	case failed:
		p.err = p.failure(exit.ProcessState)
	case err != nil || reading != nil:
		p.err = fmt.Errorf("reading what %s prints: %w", p.name, disk.Cause(cmp.Or(reading, err)))
	default:
		p.talk.rest()
	}
}

// failure is the error of a program that ended otherwise than with status 0.
func (p *Process) failure(state *os.ProcessState) error {
	text, hint := p.talk.last()
	if text == "" {
		text = fmt.Sprintf("%s ended with %s", p.name, state)
	} else if !state.Exited() {
		text = fmt.Sprintf("%s ended with %s: %s", p.name, state, text)
	}
	err := clikit.Exited(errors.New(text), state.ExitCode())
	if hint != "" {
		err = clikit.WithHint(err, "%s", hint)
	}
	return err
}

// Close ends the program if it has not ended, and waits for it.
func (p *Process) Close() error {
	if !p.ended {
		p.cancel()
		p.finish(nil)
		p.err = io.ErrClosedPipe
	}
	return nil
}

// terminate asks a process to end, or ends it where that cannot be asked.
func terminate(process *os.Process) error {
	if err := process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return process.Kill()
	}
	return nil
}
