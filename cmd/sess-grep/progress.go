package main

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sess-tools/sess/internal/tty"
)

// A progress says on a terminal how far a search is that takes long.
type progress struct {
	search *search
	done   *atomic.Int64
	total  int
	stop   chan struct{}
	wg     sync.WaitGroup

	mu    sync.Mutex
	shown bool
}

// patience is how long a search may take without a word.
const patience = time.Second

func (g *search) progress(done *atomic.Int64, total int) *progress {
	p := &progress{search: g, done: done, total: total, stop: make(chan struct{})}
	if total > 1 && !g.streams.Quiet && tty.IsTerminal(g.streams.ErrFile()) {
		p.wg.Go(p.run)
	}
	return p
}

func (p *progress) run() {
	tick := time.NewTicker(patience)
	defer tick.Stop()
	for {
		select {
		case <-p.stop:
			return
		case <-tick.C:
			p.mu.Lock()
			fmt.Fprintf(p.search.streams.ErrFile(), "\r%d of %d sessions\x1b[K", p.done.Load(), p.total)
			p.shown = true
			p.mu.Unlock()
		}
	}
}

// clear takes the line away, before anything else is printed.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		fmt.Fprint(p.search.streams.ErrFile(), "\r\x1b[K")
		p.shown = false
	}
}

func (p *progress) close() {
	close(p.stop)
	p.wg.Wait()
	p.clear()
}
