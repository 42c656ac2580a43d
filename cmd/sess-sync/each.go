package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/sess-tools/sess/internal/clikit"
	"github.com/sess-tools/sess/internal/ordered"
	"github.com/sess-tools/sess/internal/tty"
)

// workers is how many sessions are worked on at once.
const workers = 16

// each calls do for each of a list, several at a time, and returns what it returns, in
// order. What has failed does not stop the others. Do calls moved with the number of bytes
// that it has pushed or pulled, as it goes on; tell says what came of one, alone on its
// line.
func each[T, R any](ctx context.Context, s *clikit.Streams, list []T, do func(ctx context.Context, t T, moved func(int)) (R, error), tell func(T, R)) ([]R, error) {
	p := newProgress(s, len(list))
	defer p.stop()
	var results []R
	var errs []error
	for result, err := range ordered.MapErr(ctx, workers, slices.Values(list), func(ctx context.Context, t T) (R, error) { return do(ctx, t, p.moved) }) {
		p.one(func() { tell(list[len(results)], result) })
		results, errs = append(results, result), append(errs, err)
	}
	return results, errors.Join(append(errs, ctx.Err())...)
}

// A progress is one line on a terminal that says how far a run of more than a second
// is. Anywhere else, and with -q, it is nothing.
type progress struct {
	mu    sync.Mutex
	w     io.Writer // nil for nothing
	now   func() time.Time
	next  time.Time
	shown bool
	done  int
	all   int
	bytes int64
}

const clearLine = "\r\x1b[K"

func newProgress(s *clikit.Streams, all int) *progress {
	f := s.ErrFile()
	if s.Quiet || f == nil || !tty.IsTerminal(f) {
		return &progress{}
	}
	return &progress{w: f, now: time.Now, all: all, next: time.Now().Add(time.Second)}
}

// one notes that a session is done, and has tell print what came of it.
func (p *progress) one(tell func()) {
	p.mu.Lock()
	if p.shown {
		fmt.Fprint(p.w, clearLine)
		p.shown = false
	}
	tell()
	p.mu.Unlock()
	p.add(1, 0)
}

// moved notes that bytes of a session were pushed or pulled.
func (p *progress) moved(bytes int) { p.add(0, bytes) }

func (p *progress) add(sessions, bytes int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done, p.bytes = p.done+sessions, p.bytes+int64(bytes)
	if p.w == nil || p.now().Before(p.next) {
		return
	}
	p.next, p.shown = p.now().Add(100*time.Millisecond), true
	fmt.Fprint(p.w, clearLine)
	if p.all > 1 {
		fmt.Fprintf(p.w, "%d of %d sessions, ", p.done, p.all)
	}
	fmt.Fprintf(p.w, "%.1f MB", float64(p.bytes)/1e6)
}

func (p *progress) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		fmt.Fprint(p.w, clearLine)
	}
}
