package command

import (
	"context"
	"io"
	"sync"
	"time"
)

// A relay passes on what is collected as it grows. It has a goroutine of its own, so
// that the collecting never waits for the writer. A nil relay does nothing.
type relay struct {
	mu    sync.Mutex
	data  []byte // everything so far
	ended bool   // it will not grow any more

	wake chan struct{} // a token for each change, at most one waiting
	done chan struct{} // closed when nothing more is written
}

// startRelay starts to pass on to w.
func startRelay(w io.Writer) *relay {
	r := &relay{wake: make(chan struct{}, 1), done: make(chan struct{})}
	go r.run(w)
	return r
}

func (r *relay) run(w io.Writer) {
	defer close(r.done)
	for sent := 0; ; {
		r.mu.Lock()
		rest, ended := r.data[sent:], r.ended
		r.mu.Unlock()
		switch {
		case len(rest) > 0:
			if _, err := w.Write(rest); err != nil {
				return
			}
			sent += len(rest)
		case ended:
			return
		default:
			<-r.wake
		}
	}
}

// has says that so much has been collected. What was there before must be the same.
func (r *relay) has(data []byte) { r.change(func() { r.data = data }) }

// moment is how long a writer has for the rest if ctx has ended: one that waits for
// no command needs less.
const moment = 200 * time.Millisecond

// end waits until everything has been written, or until a moment after the end of ctx.
func (r *relay) end(ctx context.Context) {
	r.change(func() { r.ended = true })
	if r == nil {
		return
	}
	select {
	case <-r.done:
		return
	case <-ctx.Done():
	}
	select {
	case <-r.done:
	case <-time.After(moment):
	}
}

func (r *relay) change(what func()) {
	if r == nil {
		return
	}
	r.mu.Lock()
	what()
	r.mu.Unlock()
	select {
	case r.wake <- struct{}{}:
	default:
	}
}
