package main

import (
	"strings"
	"testing"
	"time"
)

// The line appears after a second, also for one session, ten times a second at most, and
// is gone at the end.
func TestProgress(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	now := time.Unix(0, 0)
	p := &progress{w: &b, now: func() time.Time { return now }, all: 1, next: now.Add(time.Second)}
	for range 20 {
		p.moved(8_000_000)
		now = now.Add(70 * time.Millisecond)
	}
	p.one(func() {})
	p.stop()
	if got, want := b.String(), clearLine+"128.0 MB"+clearLine+"144.0 MB"+clearLine+"160.0 MB"+clearLine; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	b.Reset()
	p = &progress{w: &b, now: func() time.Time { return now }, all: 2}
	p.one(func() { b.WriteString("first\n") })
	now = now.Add(time.Second)
	p.one(func() { b.WriteString("second\n") })
	p.stop()
	if got, want := b.String(), "first\n"+clearLine+"1 of 2 sessions, 0.0 MB"+clearLine+"second\n"+clearLine+"2 of 2 sessions, 0.0 MB"+clearLine; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	b.Reset()
	p = &progress{w: &b, now: func() time.Time { return now }, all: 1, next: now.Add(time.Second)}
	p.moved(1)
	p.one(func() {})
	p.stop()
	if b.Len() > 0 {
		t.Errorf("of less than a second: %q", &b)
	}
	silent := &progress{}
	silent.moved(1)
	silent.stop()
}
