package cli

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/sess-tools/sess/internal/core/tty"
)

// A Progress is one line on a terminal that says how far a run is. The zero value says
// nothing. Its methods may be called concurrently.
type Progress struct {
	mu    sync.Mutex
	w     io.Writer // nil for nothing
	now   func() time.Time
	next  time.Time
	shown bool
}

// progressEvery is how often the line changes at most.
const progressEvery = 100 * time.Millisecond

const clearLine = "\r\x1b[K"

// silence is how long a run says nothing of how far it is.
const silence = 500 * time.Millisecond

// Progress returns the line of a run of which there is something to say after half a second; nothing if standard error is no
// terminal, and with -q.
func (s *Streams) Progress() *Progress {
	f := s.ErrFile()
	if s.Quiet || f == nil || !tty.IsTerminal(f) {
		return &Progress{}
	}
	return newProgress(f, time.Now, silence)
}

func newProgress(w io.Writer, now func() time.Time, patience time.Duration) *Progress {
	return &Progress{w: w, now: now, next: now().Add(patience)}
}

// Showf says how far the run is, if it is time.
func (p *Progress) Showf(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.w == nil || p.now().Before(p.next) {
		return
	}
	p.next, p.shown = p.now().Add(progressEvery), true
	fmt.Fprintf(p.w, clearLine+format, args...)
}

// Clear takes the line away, before something else is printed.
func (p *Progress) Clear() { p.Aside(func() {}) }

// Aside takes the line away and lets tell print something, alone.
func (p *Progress) Aside(tell func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		fmt.Fprint(p.w, clearLine)
		p.shown = false
	}
	tell()
}

// Live returns a writer to standard output that holds nothing back: for output that is read while
// it is made. On a terminal it makes control characters visible, as Out does. From then on a reader
// that goes away is an error of the write and no longer the end of the process: the tool has
// something to finish.
func (s *Streams) Live() io.Writer {
	// Caught and not ignored: an ignored signal stays ignored in the programs that are started.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	return s.onTerminal(live{s})
}

// LiveText is Live for text that people read, see [Streams.Text].
func (s *Streams) LiveText() io.Writer { return s.forRunner(s.Live()) }

type live struct{ s *Streams }

func (l live) Write(p []byte) (n int, err error) {
	err = l.s.unbuffered(func(w io.Writer) error {
		n, err = w.Write(p)
		return err
	})
	return n, err
}
