package command

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// TestDrain: output that trickles in is waited for without bound, silence is not.
func TestDrain(t *testing.T) {
	t.Parallel()
	const silence = 2 * time.Second
	tests := []struct {
		name string
		do   func(p *process, cancel func()) // what happens after the exit
		took time.Duration
		want bool
	}{
		{"at the end already", func(p *process, _ func()) { close(p.ended) }, 0, true},
		{"silent", func(*process, func()) {}, silence, true},
		{"trickles, then ends", func(p *process, _ func()) {
			for range 10 {
				time.Sleep(silence - time.Millisecond)
				p.moved <- struct{}{}
			}
			close(p.ended)
		}, 10 * (silence - time.Millisecond), true},
		{"trickles, then holds the pipe", func(p *process, _ func()) {
			time.Sleep(time.Second)
			p.moved <- struct{}{}
		}, time.Second + silence, true},
		{"too long", func(p *process, _ func()) {
			time.Sleep(time.Second)
			close(p.full)
		}, time.Second, true},
		{"context ends", func(_ *process, cancel func()) {
			time.Sleep(time.Second)
			cancel()
		}, time.Second, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				p := &process{
					ended: make(chan struct{}),
					moved: make(chan struct{}, 1),
					full:  make(chan struct{}),
				}
				go tt.do(p, cancel)
				start := time.Now()
				if got := p.drain(ctx, silence); got != tt.want {
					t.Errorf("drain reports %v, want %v", got, tt.want)
				}
				if took := time.Since(start); took != tt.took {
					t.Errorf("drain took %v, want %v", took, tt.took)
				}
			})
		})
	}
}
