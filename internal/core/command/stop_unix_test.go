//go:build unix

package command

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestCancel: the group ends, whatever its processes do about SIGTERM, and the
// error is the caller's cancellation, not a failure of the command.
func TestCancel(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, script string }{
		{"obeys SIGTERM", `echo ready >&2; sleep 60`},
		{"ignores SIGTERM", `trap '' TERM; echo ready >&2; sleep 60; sleep 60`},
		{"child ignores SIGTERM", `(trap '' TERM; echo ready >&2; sleep 60; sleep 60) & wait`},
		{"suspended", `(sleep 0.2; echo ready >&2) & kill -STOP $$; sleep 60`},
		{"does not read", `echo ready >&2; while :; do sleep 60; done`},
		{"exits on SIGTERM with an answer", `trap 'echo "## Goal"; exit 0' TERM; echo ready >&2; sleep 60 & wait`},
		{"gone, child holds the pipe", `(trap '' TERM; echo ready >&2; sleep 60; sleep 60) & exit 0`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			life, dead := lifeline(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			c := stub(t, `exec 9>"$LIFE"; `+tt.script)
			c.Env = []string{"LIFE=" + life}
			c.Stderr = &when{word: "ready", do: cancel}
			start := time.Now()
			got, err := c.Run(ctx, strings.Repeat(testPrompt, 10_000))
			if got != "" || !errors.Is(err, context.Canceled) || errors.Is(err, ErrCommand) {
				t.Errorf("got %q, %v, want context.Canceled", got, err)
			}
			wantQuick(t, start)
			wantDead(t, dead)
		})
	}
}

// TestSecondSignal cannot be parallel: the signals are for the process. The second
// one kills the group, without waiting for what the first one began.
func TestSecondSignal(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGQUIT} {
		ctx, stop := signal.NotifyContext(context.Background(), sig)
		defer stop()
		life, dead := lifeline(t)
		c := stub(t, `exec 9>"$LIFE"; trap 'echo told >&2' TERM; (trap '' TERM; sleep 60; sleep 60) & echo ready >&2; while :; do sleep 0.1; done`)
		c.Env = []string{"LIFE=" + life}
		c.Kill = time.Minute
		send := func() { _ = syscall.Kill(os.Getpid(), sig) }
		c.Stderr = io.MultiWriter(&when{word: "ready", do: send}, &when{word: "told", do: send})
		start := time.Now()
		if _, err := c.Run(ctx, testPrompt); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		wantQuick(t, start)
		wantDead(t, dead)
	}
}

// TestTermFirst: a command gets its Kill time to clean up.
func TestTermFirst(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := stub(t, `trap 'sleep 0.5; echo cleaned >&2; exit 1' TERM; echo ready >&2; while :; do sleep 0.1; done`)
	c.Kill = time.Minute
	w := &when{word: "ready", do: cancel}
	c.Stderr = w
	if _, err := c.Run(ctx, testPrompt); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if !strings.Contains(w.seen.String(), "cleaned") {
		t.Errorf("stderr %q, want the handler of SIGTERM to have run", w.seen.String())
	}
}

// TestSuspended: SIGTERM reaches a suspended command, too, without waiting for
// SIGKILL.
func TestSuspended(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := stub(t, `(sleep 0.2; echo ready >&2) & kill -STOP $$; sleep 60`)
	c.Kill = time.Minute
	c.Stderr = &when{word: "ready", do: cancel}
	start := time.Now()
	if _, err := c.Run(ctx, testPrompt); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	wantQuick(t, start)
}

func TestCanceledBefore(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := stub(t, `echo started >&2`)
	w := &when{}
	c.Stderr = w
	if _, err := c.Run(ctx, testPrompt); !errors.Is(err, context.Canceled) || w.seen.Len() > 0 {
		t.Errorf("got %v and %q, want nothing started", err, w.seen.String())
	}
}

// TestTimeout: also the programs that retry for minutes (gemini, opencode).
func TestTimeout(t *testing.T) {
	t.Parallel()
	life, dead := lifeline(t)
	c := stub(t, `exec 9>"$LIFE"; trap '' TERM; cat >&2; echo 'retrying: context window' >&2; sleep 60; sleep 60`)
	c.Env = []string{"LIFE=" + life}
	c.Timeout = time.Second
	start := time.Now()
	_, err := c.Run(t.Context(), testPrompt)
	var e *Error
	if !errors.As(err, &e) || e.Reason != TimedOut || e.Status != -1 {
		t.Fatalf("got %v, want TimedOut", err)
	}
	if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, ErrCommand) || errors.Is(err, ErrOverflow) {
		t.Errorf("%v matches the wrong errors", err)
	}
	want := "running sh: no answer within 1s; allow more time or give it less to read:\n\t[prompt left out]\n\tretrying: context window"
	if err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
	wantQuick(t, start)
	wantDead(t, dead)
}

func TestCallersDeadline(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err := stub(t, `sleep 60`).Run(ctx, testPrompt)
	if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, ErrCommand) || !strings.Contains(err.Error(), "caller's deadline") {
		t.Errorf("got %v", err)
	}
}

// TestNoSurvivors: an accepted reply does not save what the command left behind.
func TestNoSurvivors(t *testing.T) {
	t.Parallel()
	life, dead := lifeline(t)
	c := stub(t, `exec 9>"$LIFE"
		(trap '' TERM; while :; do sleep 1; done) >/dev/null 2>&1 &
		(trap '' TERM HUP; sleep 60; sleep 60) &
		(kill -STOP $(sh -c 'echo $PPID'); sleep 60) &
		echo '## Goal'`)
	c.Env = []string{"LIFE=" + life}
	start := time.Now()
	if got, err := c.Run(t.Context(), testPrompt); err != nil || got != "## Goal" {
		t.Errorf("got %q, %v", got, err)
	}
	wantQuick(t, start)
	wantDead(t, dead)
}

// TestOutsideGroup: a daemon that left the group is neither killed nor waited for,
// even if it kept our pipes.
func TestOutsideGroup(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("needs setsid(1)")
	}
	c := stub(t, `setsid sleep 40 & sleep 0.3; echo '## Goal'`)
	start := time.Now()
	if got, err := c.Run(t.Context(), strings.Repeat(testPrompt, 10_000)); err != nil || got != "## Goal" {
		t.Errorf("got %q, %v", got, err)
	}
	wantQuick(t, start)
}

// TestNoGoroutines cannot be parallel: it counts.
func TestNoGoroutines(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, script := range []string{`echo x`, `exit 1`, `sleep 60 & echo x`, `sleep 60`} {
		c := stub(t, script)
		c.Timeout = 300 * time.Millisecond
		_, _ = c.Run(t.Context(), strings.Repeat(testPrompt, 10_000))
	}
	for range 100 { // the context's timer goroutine and the like may be on their way
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines, before %d", runtime.NumGoroutine(), before)
}
