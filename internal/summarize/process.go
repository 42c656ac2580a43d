package summarize

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
)

// notesKept is how much of the end of standard error is looked at.
const notesKept = 64 << 10

// process is a started command with the three pipes to it. The pipes are our
// own instead of exec's, because then Wait returns when the command exits and
// not when the last process that inherited its output does.
type process struct {
	cmd    *exec.Cmd
	stdin  *os.File // our ends
	stdout *os.File
	stderr *os.File

	reply []byte // read by the pumps; complete after pumps.Wait
	notes tail

	exited chan error     // the result of cmd.Wait, once
	ended  chan struct{}  // closed when both outputs reached their end
	moved  chan struct{}  // a token for each arrival of output, at most one waiting
	full   chan struct{}  // closed when the reply is longer than accepted
	killed chan struct{}  // closed when the group was killed at somebody's wish
	pumps  sync.WaitGroup // the goroutines that use the pipes
}

// start starts the command and the goroutines that feed and read it.
func (c Command) start(prompt string) (*process, error) {
	argv := c.argv()
	p := &process{
		cmd:    exec.Command(argv[0], argv[1:]...),
		notes:  tail{max: notesKept},
		exited: make(chan error, 1),
		ended:  make(chan struct{}),
		moved:  make(chan struct{}, 1),
		full:   make(chan struct{}),
		killed: make(chan struct{}),
	}
	p.cmd.Env = c.environ()
	p.cmd.SysProcAttr = ownGroup()
	theirs, err := p.pipes()
	if err != nil {
		return nil, err
	}
	err = p.launch()
	closeAll(theirs) // the command has its copies
	if err != nil {
		closeAll(p.ours())
		return nil, err
	}
	p.run(c, prompt)
	return p, nil
}

// launch starts the command, and waits for its end on the same thread: see
// withParent.
func (p *process) launch() error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.cmd.Start()
		started <- err
		if err == nil {
			p.exited <- p.cmd.Wait()
		}
	}()
	return <-started
}

// run starts the goroutines that feed and read a started process.
func (p *process) run(c Command, prompt string) {
	p.pumps.Go(func() {
		// An error is a command that does not read; its answer decides.
		_, _ = p.stdin.WriteString(prompt)
		_ = p.stdin.Close()
	})
	var outputs sync.WaitGroup
	outputs.Go(func() { p.readReply(c.MaxReply) })
	outputs.Go(func() { p.readNotes(c.Stderr) })
	p.pumps.Go(func() {
		outputs.Wait()
		close(p.ended)
	})
}

// pipes connects the command and returns its ends.
func (p *process) pipes() (theirs []*os.File, err error) {
	defer func() {
		if err != nil {
			closeAll(theirs)
			closeAll(p.ours())
		}
	}()
	in, stdin, err := os.Pipe()
	if err != nil {
		return theirs, fmt.Errorf("making a pipe: %w", err)
	}
	p.stdin, p.cmd.Stdin, theirs = stdin, in, append(theirs, in)
	stdout, out, err := os.Pipe()
	if err != nil {
		return theirs, fmt.Errorf("making a pipe: %w", err)
	}
	p.stdout, p.cmd.Stdout, theirs = stdout, out, append(theirs, out)
	stderr, notes, err := os.Pipe()
	if err != nil {
		return theirs, fmt.Errorf("making a pipe: %w", err)
	}
	p.stderr, p.cmd.Stderr, theirs = stderr, notes, append(theirs, notes)
	return theirs, nil
}

// readReply collects standard output up to one byte more than accepted. It goes
// on reading after that, so that the command is not stuck in a write while it
// should be dying.
func (p *process) readReply(accepted int) {
	buf := make([]byte, 32<<10)
	for {
		n, err := p.stdout.Read(buf)
		before := len(p.reply)
		p.reply = append(p.reply, buf[:min(n, accepted+1-before)]...)
		if before <= accepted && len(p.reply) > accepted {
			close(p.full)
		}
		if n > 0 {
			select {
			case p.moved <- struct{}{}:
			default:
			}
		}
		if err != nil {
			return
		}
	}
}

// readNotes keeps the end of standard error and forwards all of it to w.
func (p *process) readNotes(w io.Writer) {
	buf := make([]byte, 32<<10)
	for {
		n, err := p.stderr.Read(buf)
		p.notes.add(buf[:n])
		if n > 0 && w != nil {
			if _, werr := w.Write(buf[:n]); werr != nil {
				w = nil
			}
		}
		if err != nil {
			return
		}
	}
}

func (p *process) ours() []*os.File { return []*os.File{p.stdin, p.stdout, p.stderr} }

// closeAll closes pipe ends. Nothing is lost by an error there: what was read
// is read, and what the command did not take it did not want.
func closeAll(files []*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close()
		}
	}
}

// tail keeps the last max bytes of what is added.
type tail struct {
	max int
	buf []byte
	cut bool // something was dropped
}

func (t *tail) add(b []byte) {
	t.buf = append(t.buf, b...)
	if len(t.buf) > 2*t.max { // move rarely
		t.trim()
	}
}

func (t *tail) trim() {
	if over := len(t.buf) - t.max; over > 0 {
		t.buf = t.buf[:copy(t.buf, t.buf[over:])]
		t.cut = true
	}
}
