//go:build unix

package proc

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/test/must"
)

// open starts a shell script. Its standard error and its end are stored in said and ended. Grace is an hour for one that
// ends by itself, so that a busy machine may take its time.
func open(ctx context.Context, t *testing.T, grace time.Duration, script string) (r *Reader, said *bytes.Buffer) {
	t.Helper()
	said = new(bytes.Buffer)
	r, err := Program{Argv: []string{"sh", "-c", script}, Stderr: said}.Open(ctx, "stub", grace, func(state *os.ProcessState, err error) error {
		if err != nil || state.Success() {
			return err
		}
		return Failure("stub", state, strings.TrimSpace(said.String()))
	})
	must.Do(t, err)
	t.Cleanup(func() { r.Close() })
	return r, said
}

// gone reports whether a program has ended and been waited for.
func gone(r *Reader) bool {
	return r.run.hasExited() && errors.Is(syscall.Kill(r.run.cmd.Process.Pid, 0), syscall.ESRCH)
}

// An interrupt ends a program, whether it wants or not, and what was read is not
// taken for the whole.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		grace  time.Duration
		script string
	}{
		{"one that listens", time.Hour, "echo begun; exec sleep 60"},
		{"one that cleans up", time.Hour, "trap 'echo cleaned >&2; exit 0' TERM; echo begun; sleep 60 >/dev/null 2>&1 & wait"},
		{"one that is deaf", time.Millisecond, "trap '' TERM; echo begun; exec sleep 60"},
		{"one that is stopped", time.Millisecond, "echo begun; kill -STOP $$"},
		{"one with a child on stdio", time.Millisecond, "trap '' TERM; (trap '' TERM; exec sleep 60) & echo begun; sleep 60"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			r, said := open(ctx, t, tt.grace, tt.script)
			if n, err := r.Read(make([]byte, 16)); n != len("begun\n") || err != nil {
				t.Fatal(n, err)
			}
			cancel()
			if _, err := io.ReadAll(r); !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			if !gone(r) {
				t.Error("it is still there")
			}
			if cleans := strings.Contains(tt.script, "cleaned"); cleans != (said.String() == "cleaned\n") {
				t.Errorf("it said %q", said)
			}
		})
	}
}

// Who has read enough leaves nobody behind.
func TestClose(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		grace  time.Duration
		script string
	}{
		{"one that writes on", time.Hour, "while :; do echo begun; done"},
		{"one that has ended", time.Hour, "echo begun"},
		{"one that sleeps", time.Hour, "echo begun; exec sleep 60"},
		{"one that is deaf", time.Millisecond, "trap '' TERM PIPE; echo begun; exec sleep 60"},
		{"one with a child on stdio", time.Millisecond, "echo begun; sleep 60 & exit 3"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, _ := open(t.Context(), t, tt.grace, tt.script)
			if n, err := r.Read(make([]byte, 6)); n == 0 || err != nil {
				t.Fatal(n, err)
			}
			if err := r.Close(); err != nil || !gone(r) {
				t.Errorf("%v; gone %t", err, gone(r))
			}
			if n, err := r.Read(make([]byte, 6)); n != 0 || !errors.Is(err, io.ErrClosedPipe) {
				t.Errorf("read %d bytes after that, %v", n, err)
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// left is the process of a program, and the end of its output that another process holds.
func left(t *testing.T, silence time.Duration) (p *Process, holder *os.File) {
	t.Helper()
	out, holder, err := os.Pipe()
	must.Do(t, err)
	p = &Process{
		stdout: out, exited: make(chan struct{}), read: make(chan struct{}), noted: make(chan struct{}), drained: make(chan struct{}),
		silence: silence,
	}
	t.Cleanup(func() { closeAll(out, holder) })
	return p, holder
}

// TestSilence: silence ends the output of a program that has exited, if output is waited for.
func TestSilence(t *testing.T) {
	t.Parallel()
	wantEnd := func(p *Process, what string) {
		t.Helper()
		if n, err := p.Read(make([]byte, 16)); n != 0 || err != io.EOF {
			t.Errorf("%s: %d, %v", what, n, err)
		}
		<-p.Drained() // although standard error is held
	}
	for range 100 { // the read begins before the exit, or after it
		p, _ := left(t, time.Millisecond)
		go p.drain()
		go close(p.exited)
		wantEnd(p, "silent")
	}
	p, holder := left(t, time.Hour)
	close(p.exited)
	for _, word := range []string{"a", "b"} { // the reader was away for longer than the silence
		must.Do(t, p.stdout.SetReadDeadline(time.Unix(1, 0)))
		_, _ = holder.WriteString(word)
		if n, err := p.Read(make([]byte, 16)); n != 1 || err != nil {
			t.Errorf("away: %d, %v", n, err)
		}
	}
	go p.drain()
	p.Cut()
	wantEnd(p, "cut")
	p, _ = left(t, time.Hour)
	close(p.exited)
	go p.drain()
	go p.Cut()
	wantEnd(p, "cut while it is read")
	p, holder = left(t, time.Millisecond)
	close(p.exited)
	go p.drain()
	closeAll(holder)
	wantEnd(p, "ended")
}
