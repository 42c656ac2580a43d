package clikit

import (
	"strings"
	"testing"
	"time"
)

// The line appears after a while, ten times a second at most, and never beside other words.
func TestProgress(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	now := time.Unix(0, 0)
	p := newProgress(&b, func() time.Time { return now }, time.Second)
	for n := range 20 {
		p.Showf("%d", n)
		now = now.Add(70 * time.Millisecond)
	}
	p.Aside(func() { b.WriteString("first\n") })
	p.Clear()
	if got, want := b.String(), clearLine+"15"+clearLine+"17"+clearLine+"19"+clearLine+"first\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	b.Reset()
	p = newProgress(&b, func() time.Time { return now }, time.Second)
	p.Showf("too early")
	p.Clear()
	if b.Len() > 0 {
		t.Errorf("of less than a second: %q", &b)
	}
	silent := (&Streams{}).Progress(0)
	silent.Showf("nothing")
	silent.Aside(func() { b.WriteString("told") })
	if b.String() != "told" {
		t.Errorf("without a terminal: %q", &b)
	}
}
