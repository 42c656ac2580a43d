package main

import (
	"fmt"
	"io"
	"time"

	"github.com/sess-tools/sess/internal/clikit"
	"github.com/sess-tools/sess/internal/tty"
)

// A progress is one line on a terminal that says how far a run is. Anywhere else,
// and with -q, it is nothing.
type progress struct {
	w     io.Writer // nil for nothing
	next  time.Time
	shown bool
}

// progressEvery is how often the line changes.
const progressEvery = 100 * time.Millisecond

func newProgress(s *clikit.Streams, many bool) *progress {
	f := s.ErrFile()
	if !many || s.Quiet || f == nil || !tty.IsTerminal(f) {
		return &progress{}
	}
	if out := s.OutFile(); out != nil && tty.IsTerminal(out) {
		return &progress{} // the paths say it
	}
	return &progress{w: f, next: time.Now().Add(progressEvery)}
}

// show says how many sessions there have been, if it is time.
func (p *progress) show(s *tally) {
	if p.w == nil || time.Now().Before(p.next) {
		return
	}
	p.next, p.shown = time.Now().Add(progressEvery), true
	fmt.Fprintf(p.w, "\r\x1b[K%d sessions: %d imported, %d there already, %d failed", s.made+s.there+s.failed, s.made, s.there, s.failed)
}

// clear takes the line away, before something else is printed.
func (p *progress) clear() {
	if p.w != nil && p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
}
