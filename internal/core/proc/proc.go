// Package proc starts a program, feeds it, reads its output and ends it. It alone imports os/exec. Package command runs
// programs of the user with it, package subprocess the other tools, package git git.
package proc

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"

	"github.com/sess-tools/sess/internal/core/disk"
)

const (
	// Linger is how long the leftovers of a program are borne with once it has exited. On a busy machine a filter may
	// need that long for its last words.
	Linger = 2 * time.Second
	// poll is the interval at which a group is asked whether it is gone.
	poll = 10 * time.Millisecond
)

// A Program says what to start.
type Program struct {
	Argv []string // Argv[0] is a path, or a name to look up in PATH
	Env  []string // nil is the environment of this process
	Dir  string   // "" is the current directory

	Stdin  io.Reader // is handed over if it is a file, else copied; nil is an empty input
	Stdout *os.File  // is handed over; nil is [Process.Read]
	Stderr io.Writer // is handed over if it is a file, else written to by one goroutine; nil drops the output there

	// Group gives the program a process group, to which signals go. If this process is killed, Linux kills the program.
	Group bool
	// Silence ends the output of a program that has exited, although a process that it left behind holds it: after so
	// long without output while output is waited for. 0 waits for the last holder.
	Silence time.Duration
}

// A Process is a started program. The pipes are its own and not exec's: it has exited when the program has, and not
// when the last process that inherited its output does.
type Process struct {
	cmd    *exec.Cmd
	group  bool
	stdin  *os.File // our ends of the pipes, nil without
	stdout *os.File
	stderr *os.File

	exited  chan struct{} // closed when the program has exited
	err     error         // of waiting, once exited is closed
	took    time.Duration // likewise
	killed  chan struct{} // closed by Kill
	killing sync.Once

	fed     chan struct{} // closed when the input is copied
	noted   chan struct{} // closed at the end of standard error
	read    chan struct{} // closed at the end of standard output
	reading sync.Once     // closes read
	drained chan struct{} // closed when the program has exited and its output has ended

	mu      sync.Mutex
	silence time.Duration
	cut     bool // standard output was ended
}

// Start starts the program. The error is the bare cause.
func (p Program) Start() (*Process, error) {
	run := &Process{
		cmd: exec.Command(p.Argv[0], p.Argv[1:]...), group: p.Group, exited: make(chan struct{}), killed: make(chan struct{}),
		fed: make(chan struct{}), read: make(chan struct{}), noted: make(chan struct{}), drained: make(chan struct{}), silence: p.Silence,
	}
	run.cmd.Env, run.cmd.Dir = p.Env, p.Dir
	if p.Group {
		run.cmd.SysProcAttr = ownGroup()
	}
	theirs, err := run.connect(p)
	if err == nil {
		err = run.launch()
	}
	closeAll(theirs...) // the program has its copies
	if err != nil {
		closeAll(run.stdin, run.stdout, run.stderr)
		return nil, cause(err)
	}
	go pump(run.stdin, run.stdin, p.Stdin, run.fed)
	go pump(run.stderr, p.Stderr, run.stderr, run.noted)
	if run.stdout == nil {
		run.endOutput()
	}
	go run.drain()
	return run, nil
}

// connect makes the pipes, and returns the ends that are the program's.
func (p *Process) connect(to Program) (theirs []*os.File, err error) {
	pipe := func() (r, w *os.File) {
		if err == nil {
			r, w, err = os.Pipe()
		}
		return r, w
	}
	p.cmd.Stdin, p.cmd.Stderr = to.Stdin, to.Stderr
	if _, file := to.Stdin.(*os.File); to.Stdin != nil && !file {
		var r *os.File
		r, p.stdin = pipe()
		p.cmd.Stdin, theirs = r, append(theirs, r)
	}
	w := to.Stdout
	if w == nil {
		p.stdout, w = pipe()
		theirs = append(theirs, w)
	}
	p.cmd.Stdout = w
	if _, file := to.Stderr.(*os.File); to.Stderr != nil && !file {
		p.stderr, w = pipe()
		p.cmd.Stderr, theirs = w, append(theirs, w)
	}
	return theirs, err
}

// launch starts the program, and waits for its end on the same thread: see withParent.
func (p *Process) launch() error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		began := time.Now()
		err := p.cmd.Start()
		started <- err
		if err == nil {
			p.err = p.cmd.Wait()
			p.took = time.Since(began)
			if _, failed := errors.AsType[*exec.ExitError](p.err); failed {
				p.err = nil // the state tells
			}
			close(p.exited)
		}
	}()
	return <-started
}

// pump copies through a pipe, if there is one. An error is a program that does not read: how it ends decides.
func pump(pipe *os.File, dst io.Writer, src io.Reader, done chan struct{}) {
	if pipe != nil {
		_, _ = io.Copy(dst, src)
		_ = pipe.Close()
	}
	close(done)
}

// Read reads what the program prints. The output ends with its last holder, or as [Program.Silence] says, or by Cut.
func (p *Process) Read(b []byte) (int, error) {
	p.expect()
	n, err := p.stdout.Read(b)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		p.Cut()
		err = io.EOF
	case errors.Is(err, os.ErrClosed):
		err = io.EOF
	}
	if err != nil {
		p.endOutput()
	}
	return n, err
}

func (p *Process) endOutput() { p.reading.Do(func() { close(p.read) }) }

// expect lets a read wait as long as the output may be silent, if the program has exited. Another process may still be
// writing it, as a shell's process substitution does. Between two reads no silence is counted: what was read is being
// passed on.
func (p *Process) expect() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.silence > 0 && !p.cut && p.stdout != nil && p.hasExited() {
		_ = p.stdout.SetReadDeadline(time.Now().Add(p.silence))
	}
}

// Cut ends the output: no more of it is waited for.
func (p *Process) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cut = true; p.stdout != nil {
		_ = p.stdout.SetReadDeadline(time.Now())
	}
}

// drain waits for the end of the output.
func (p *Process) drain() {
	defer close(p.drained)
	<-p.exited
	p.expect() // for the read that waits
	<-p.read
	p.mu.Lock()
	patience := p.silence
	if p.cut {
		patience = 0
	}
	p.mu.Unlock()
	select {
	case <-p.noted:
	case <-time.After(patience):
	}
}

// Exited is closed when the program has exited.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Drained is closed when the program has exited and its output has ended.
func (p *Process) Drained() <-chan struct{} { return p.drained }

// Ended returns how the program exited, whatever its status, and how long it took. The state is nil if it has not
// exited, or, with an error, if waiting for it failed.
func (p *Process) Ended() (state *os.ProcessState, took time.Duration, err error) {
	if !p.hasExited() {
		return nil, 0, nil
	}
	return p.cmd.ProcessState, p.took, p.err
}

func (p *Process) hasExited() bool {
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}

// End ends the program and, if it has one, every process of its group: asks, and after grace kills the rest. Processes
// that an exited program left behind get no more than Linger. A program that cannot be killed, because it is another
// user's (sudo), is left alone in the end.
func (p *Process) End(grace time.Duration) {
	if p.gone() {
		return
	}
	if p.hasExited() {
		grace = min(grace, Linger)
	}
	p.terminate()
	deadline := time.NewTimer(grace)
	defer deadline.Stop()
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for exited := p.exited; !p.gone(); {
		select {
		case <-exited:
			exited = nil // the group is polled
		case <-tick.C:
		case <-deadline.C:
			p.Kill()
		case <-p.killed:
			select {
			case <-p.exited:
			case <-time.After(Linger):
			}
			return
		}
	}
}

// gone reports whether the program has exited and left nothing behind in its group.
func (p *Process) gone() bool { return p.hasExited() && !(p.group && groupAlive(p.cmd.Process)) }

// Kill ends the program, or its group, at once.
func (p *Process) Kill() {
	p.killing.Do(func() { p.Signal(os.Kill); close(p.killed) })
}

// Close tells the program that its output has no reader.
func (p *Process) Close() error {
	closeAll(p.stdout)
	p.endOutput()
	return nil
}

// Release closes the other pipes. What still takes the input or prints on standard error may do so for a time.
func (p *Process) Release(leftovers time.Duration) {
	over := make(chan struct{})
	defer time.AfterFunc(leftovers, func() { close(over) }).Stop()
	for _, pump := range []chan struct{}{p.fed, p.noted} {
		select {
		case <-pump:
		case <-over:
		}
	}
	closeAll(p.stdin, p.stderr)
	<-p.noted
}

// closeAll closes ends of pipes. An error there loses nothing: what was read is read, and what the program did not take
// it did not want.
func closeAll(files ...*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close()
		}
	}
}

// Find returns where PATH has a program. The error is the bare cause.
func Find(name string) (string, error) {
	path, err := exec.LookPath(name)
	return path, cause(err)
}

// ErrNotFound is matched by the error for a program that PATH does not have.
var ErrNotFound = exec.ErrNotFound

// cause strips the name of the program from an error of finding or starting it.
func cause(err error) error {
	if e, ok := errors.AsType[*exec.Error](err); ok {
		err = e.Err
	}
	return disk.Cause(err)
}
