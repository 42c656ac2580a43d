package main

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/sess-tools/sess/internal/clikit"
	"github.com/sess-tools/sess/internal/command"
	"github.com/sess-tools/sess/internal/tty"
)

// A source is where the stream comes from.
type source struct {
	out  io.Reader
	live bool // it is printed while it is read
	stop <-chan os.Signal
	wait func() error // for the command, whose status is its error
}

// source starts the command, or takes standard input. An interrupt from a terminal goes to
// whoever prints the stream, too, and that may still say something: so it does not end the
// recording, nor does a reader of standard output that goes away before what came is
// recorded. Any other signal that ends a program ends the stream here.
func (c *config) source(s *clikit.Streams) (*source, error) {
	if len(s.Command) > 0 {
		return started(s)
	}
	if f := s.InFile(); f != nil && tty.IsTerminal(f) {
		return nil, clikit.WithHint(clikit.UsageError("no command, and standard input is a terminal"),
			"a command stands behind two dashes: sess-record s.jsonl -- claude -p …")
	}
	in, err := s.OpenInput("")
	if err != nil {
		return nil, err
	}
	stop := make(chan os.Signal, 1)
	for _, sig := range []os.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		if !signal.Ignored(sig) { // as by nohup(1)
			signal.Notify(stop, sig)
		}
	}
	signal.Ignore(os.Interrupt)
	live := true
	if f := s.InFile(); f != nil {
		fi, err := f.Stat()
		live = err != nil || !fi.Mode().IsRegular()
	}
	return &source{out: in, live: live, stop: stop, wait: func() error { return nil }}, nil
}

// started starts the command.
func started(s *clikit.Streams) (*source, error) {
	stdin, stderr := s.In, s.Err
	if f := s.InFile(); f != nil {
		stdin = f
	}
	if f := s.ErrFile(); f != nil {
		stderr = f
	}
	f, err := command.StartForeground(s.Command, stdin, stderr)
	if err != nil {
		return nil, clikit.CommandFailed(err)
	}
	return &source{out: f.Out, live: true, wait: func() error {
		status, err := f.Wait()
		return errors.Join(err, clikit.CommandStatus(status))
	}}, nil
}

// maxBacklog is how many bytes may have passed that are not decoded. If the session is so
// slow that there are more, the stream has to wait.
const maxBacklog = 16 << 20

// A backlog is what has passed and is not decoded yet.
type backlog struct {
	mu    sync.Mutex
	data  []byte
	ended bool
	wake  chan struct{} // a token if there is something new, at most one
	room  chan struct{} // a token if there is room again
}

func newBacklog() *backlog {
	return &backlog{wake: make(chan struct{}, 1), room: make(chan struct{}, 1)}
}

// put adds bytes, and waits if there are too many.
func (b *backlog) put(p []byte) {
	b.mu.Lock()
	b.data = append(b.data, p...)
	full := len(b.data) > maxBacklog
	b.mu.Unlock()
	token(b.wake)
	if full {
		<-b.room
	}
}

// end says that nothing more comes.
func (b *backlog) end() {
	b.mu.Lock()
	b.ended = true
	b.mu.Unlock()
	token(b.wake)
}

// take returns all there is, and into, emptied, becomes the room for what comes next.
func (b *backlog) take(into []byte) (data []byte, ended bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	data, b.data = b.data, into[:0]
	token(b.room)
	return data, b.ended
}

func token(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// chunk is how many bytes are read at once.
const chunk = 256 << 10

// pass copies the stream to the backlog, which takes no time, and to standard output. An
// output that fails does not end the recording, unless nobody reads it any more.
func pass(s *clikit.Streams, in io.Reader, to *backlog) (err error) {
	defer to.end()
	out, buf := s.Live(), make([]byte, chunk)
	for {
		n, rerr := in.Read(buf)
		to.put(buf[:n])
		if n > 0 && err == nil {
			_, err = out.Write(buf[:n])
		}
		switch {
		case clikit.Status(err) == clikit.ExitPipe:
			if c, ok := in.(io.Closer); ok {
				_ = c.Close() // whoever writes shall know
			}
			return err
		case errors.Is(rerr, io.EOF):
			return err
		case rerr != nil:
			return errors.Join(err, rerr)
		}
	}
}
