// Package pager shows a text that is longer than the terminal in the user's pager.
package pager

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/command"
	"github.com/sess-tools/sess/internal/core/proc"
	"github.com/sess-tools/sess/internal/core/tty"
)

// Find returns the program that shows text: what the user says in SESS_PAGER or PAGER, or less, if that is here. An empty one is none.
func Find() (command.Pager, bool) {
	for _, name := range []string{"SESS_PAGER", "PAGER"} {
		words, ok := os.LookupEnv(name)
		switch {
		case !ok:
			continue
		case strings.TrimSpace(words) == "" || words == "cat":
			return command.Pager{}, false
		}
		return command.Pager{Argv: []string{"sh", "-c", words}, Env: less()}, true
	}
	if _, err := proc.Find("less"); err != nil {
		return command.Pager{}, false
	}
	return command.Pager{Argv: []string{"less"}, Env: less()}, true
}

// less are the flags of less, unless the user has some: colours, and no pager for what fits on the screen.
func less() []string {
	if _, ok := os.LookupEnv("LESS"); ok {
		return nil
	}
	return []string{"LESS=FRX"}
}

// rowsOf holds standard output back, where it is a terminal, until there are more rows than fit on it: the pager shows those. Rows that
// come slowly are printed as they come. The context for the run ends with the pager. An interrupt, which the pager has as well, ends the
// run, and the pager goes on with the rows that it has, as of git. The returned function waits for the pager, with the error of
// the run; leaving the pager is none.
func rowsOf(ctx context.Context, s *cli.Streams) (run context.Context, end func(error) error) {
	out := s.OutFile()
	shown, ok := s.Out.(*tty.Writer) // as it is on a terminal
	if !ok || os.Getenv("TERM") == "dumb" {
		return ctx, func(err error) error { return err }
	}
	p, ok := Find()
	if !ok {
		return ctx, func(err error) error { return err }
	}
	run, stop := context.WithCancelCause(ctx)
	w := &rows{room: tty.Height(out, os.LookupEnv) - 1}
	w.start = func() {
		r, in := io.Pipe()
		w.pipe, w.done = in, make(chan error, 1)
		go func() {
			err := p.Show(out, s.ErrFile(), func(to io.Writer, left <-chan struct{}) error {
				go func() {
					<-left
					r.CloseWithError(syscall.EPIPE)
					stop(errLeft)
				}()
				if _, err := io.Copy(to, r); !errors.Is(err, io.ErrClosedPipe) {
					return err
				}
				return nil // the user has left
			})
			r.CloseWithError(syscall.EPIPE) // where the pager did not start, no reader has closed it
			w.done <- err
		}()
	}
	restore := shown.Through(func(behind io.Writer) io.Writer {
		w.out = behind
		return w
	})
	return run, func(err error) error {
		if rest := shown.Flush(); err == nil {
			err = rest
		}
		left := run.Err() != nil && errors.Is(context.Cause(run), errLeft)
		failed := w.end()
		restore()
		if stop(nil); left || errors.Is(err, errLeft) {
			err = nil
		}
		if err != nil || ctx.Err() != nil {
			return err
		}
		return cli.CommandFailed(failed)
	}
}

// errLeft is the error of a write when the user has left the pager.
var errLeft = errors.New("the pager has ended")

// patience is how long rows are held back.
const patience = time.Second

// rows is a writer of lines to a terminal.
type rows struct {
	mu     sync.Mutex
	out    io.Writer
	room   int // lines that fit
	start  func()
	held   bytes.Buffer
	slow   *time.Timer
	direct bool           // all goes to the terminal
	pipe   *io.PipeWriter // to the pager, nil before it runs
	done   chan error     // with how it ended
}

func (w *rows) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.direct:
		return w.out.Write(b)
	case w.pipe != nil:
		return w.paged(b)
	}
	if w.held.Write(b); w.slow == nil {
		w.slow = time.AfterFunc(patience, func() {
			w.mu.Lock()
			defer w.mu.Unlock()
			_ = w.release() // the next write fails as well
		})
	}
	if bytes.Count(w.held.Bytes(), []byte("\n")) <= w.room {
		return len(b), nil
	}
	w.start()
	if _, err := w.paged(w.held.Bytes()); err != nil {
		return 0, err
	}
	w.held.Reset()
	return len(b), nil
}

// paged writes to the pager.
func (w *rows) paged(b []byte) (int, error) {
	n, err := w.pipe.Write(b)
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) {
		err = errLeft
	}
	return n, err
}

// release prints the lines that were held back, if no pager has them.
func (w *rows) release() error {
	if w.direct || w.pipe != nil {
		return nil
	}
	w.direct = true
	if _, err := w.out.Write(w.held.Bytes()); err != nil {
		return err
	}
	w.held.Reset()
	return w.flush()
}

func (w *rows) flush() error {
	if f, ok := w.out.(interface{ Flush() error }); ok {
		return f.Flush()
	}
	return nil
}

// Flush prints the lines that are past being held back.
func (w *rows) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.direct {
		return nil
	}
	return w.flush()
}

// end prints the lines that are left, and waits for the user to leave the pager.
func (w *rows) end() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.slow != nil {
		w.slow.Stop()
	}
	if err := w.release(); w.pipe == nil {
		return err
	}
	_ = w.pipe.Close()
	return <-w.done
}

// Of is the action of a tool that prints rows, which the pager shows if they are many.
func Of(run cli.Action) cli.Action {
	return func(ctx context.Context, s *cli.Streams, operands []string) error {
		ctx, end := rowsOf(ctx, s)
		return end(run(ctx, s, operands))
	}
}
