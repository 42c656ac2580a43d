package clikit

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/disk"
	"github.com/sess-tools/sess/internal/tty"
)

// An input is standard input that knows whether somebody waits for it.
type input struct {
	ctx     context.Context
	r       io.Reader
	waiting atomic.Bool
}

// Read fails after an interrupt, so that an action copying a stream that never
// ends notices.
func (in *input) Read(p []byte) (int, error) {
	if err := cancelled(in.ctx); err != nil {
		return 0, err
	}
	if in.r == nil {
		return 0, io.EOF
	}
	in.waiting.Store(true)
	defer in.waiting.Store(false)
	return in.r.Read(p)
}

// An output is standard output with errors that say so. The buffer in front of
// it keeps the first one.
type output struct{ w io.Writer }

func (o *output) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	return n, o.failed(err)
}

// failed says of an error of standard output what it is.
func (o *output) failed(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe):
		return &outputError{errReaderGone}
	}
	return &outputError{disk.Cause(err)}
}

// An outputError is the failure of standard output. Its type tells it from the
// failure of another file with the same cause.
type outputError struct{ err error }

func (e *outputError) Error() string { return "writing standard output: " + e.err.Error() }
func (e *outputError) Unwrap() error { return e.err }

// A messages writer is the standard error an action sees. It makes control
// characters visible, so that nothing quoted from a session can act on a
// terminal, and keeps a character together that two writes cut in half.
type messages struct {
	mu   *sync.Mutex
	w    io.Writer
	rest []byte
}

func (m *messages) Write(p []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	text := slices.Concat(m.rest, p)
	n := len(text) - cut(text)
	m.rest = text[n:]
	if _, err := io.WriteString(m.w, tty.CleanLines(string(text[:n]))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// cut returns how many bytes at the end of p begin a character not yet whole.
func cut(p []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(p); n++ {
		if b := p[len(p)-n:]; utf8.RuneStart(b[0]) {
			if utf8.FullRune(b) {
				return 0
			}
			return n
		}
	}
	return 0
}
