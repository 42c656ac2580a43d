package main

import (
	"errors"
	"io"
	"sync"

	"github.com/sess-tools/sess/internal/tool/clikit"
)

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

// pass copies the stream to the backlog, which takes no time, and to out. An out that fails
// does not end the recording, unless its reader is gone.
func pass(out io.Writer, in io.Reader, to *backlog) (err error) {
	defer to.end()
	buf := make([]byte, chunk)
	for {
		n, rerr := in.Read(buf)
		to.put(buf[:n])
		if n > 0 && err == nil {
			_, err = out.Write(buf[:n])
		}
		switch {
		case clikit.Status(err) == clikit.ExitPipe:
			if c, ok := in.(io.Closer); ok {
				_ = c.Close() // so that the writer notices
			}
			return err
		case errors.Is(rerr, io.EOF):
			return err
		case rerr != nil:
			return errors.Join(err, rerr)
		}
	}
}
