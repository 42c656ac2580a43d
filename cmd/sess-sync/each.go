package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/sess-tools/sess/internal/clikit"
	"github.com/sess-tools/sess/internal/tty"
)

// workers is how many sessions are worked on at once.
const workers = 16

// each calls do for each of a list, several at a time, and returns what it returns, in
// order. What has failed does not stop the others.
func each[T, R any](ctx context.Context, s *clikit.Streams, list []T, do func(context.Context, T) (R, error)) ([]R, error) {
	results, errs := make([]R, len(list)), make([]error, len(list))
	p := newProgress(s, len(list))
	defer p.stop()
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(workers, len(list)) {
		wg.Go(func() {
			for i := range next {
				results[i], errs[i] = do(ctx, list[i])
				p.one()
			}
		})
	}
	for i := range list {
		if ctx.Err() != nil {
			errs[i] = ctx.Err()
			break
		}
		next <- i
	}
	close(next)
	wg.Wait()
	return results, errors.Join(errs...)
}

// A progress is one line on a terminal that says how far a run of more than a second
// is. Anywhere else, and with -q, it is nothing.
type progress struct {
	mu    sync.Mutex
	w     io.Writer // nil for nothing
	next  time.Time
	shown bool
	done  int
	all   int
}

func newProgress(s *clikit.Streams, all int) *progress {
	f := s.ErrFile()
	if all < 2 || s.Quiet || f == nil || !tty.IsTerminal(f) {
		return &progress{}
	}
	return &progress{w: f, all: all, next: time.Now().Add(time.Second)}
}

func (p *progress) one() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.done++; p.w == nil || time.Now().Before(p.next) {
		return
	}
	p.next, p.shown = time.Now().Add(100*time.Millisecond), true
	fmt.Fprintf(p.w, "\r\x1b[K%d of %d sessions", p.done, p.all)
}

func (p *progress) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
