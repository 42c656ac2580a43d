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
	"strconv"
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
		{"suspended", `(kill -STOP $$; echo ready >&2) & wait; sleep 60`},
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
	c := stub(t, `echo $$ >&2; kill -STOP $$; sleep 60`)
	c.Kill = time.Minute
	w := &when{word: "\n"}
	w.do = func() {
		pid, _ := strconv.Atoi(strings.TrimSpace(w.seen.String()))
		var status syscall.WaitStatus
		if _, err := syscall.Wait4(pid, &status, syscall.WUNTRACED, nil); err != nil || !status.Stopped() {
			t.Errorf("waiting for the stop of %d: %v, %v", pid, status, err)
		}
		cancel()
	}
	c.Stderr = w
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

// TestTimeout: whatever the command has done by then.
func TestTimeout(t *testing.T) {
	t.Parallel()
	c := stub(t, `exec sleep 60`)
	c.Timeout = 50 * time.Millisecond
	start := time.Now()
	_, err := c.Run(t.Context(), testPrompt)
	if want := "running sh: no answer within 50ms; allow more time or give it less to read"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	wantTimedOut(t, err)
	wantQuick(t, start)
}

// wantTimedOut checks what matches the error of a time-out.
func wantTimedOut(t *testing.T, err error) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Reason != TimedOut || e.Status != -1 {
		t.Errorf("got %v, want TimedOut", err)
	}
	if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, ErrCommand) || errors.Is(err, ErrOverflow) {
		t.Errorf("%v matches the wrong errors", err)
	}
}

// TestCallersDeadline: also of the programs that retry for minutes (gemini, opencode), and
// of one that does not end.
func TestCallersDeadline(t *testing.T) {
	t.Parallel()
	life, dead := lifeline(t)
	c := stub(t, `exec 9>"$LIFE"; trap '' TERM; cat >&2; echo 'retrying: context window' >&2; sleep 60; sleep 60`)
	c.Env = []string{"LIFE=" + life}
	ctx := newDeadline(t)
	c.Stderr = &when{word: "context window", do: ctx.come}
	start := time.Now()
	_, err := c.Run(ctx, testPrompt)
	want := "running sh: no answer before the caller's deadline:\n\t[prompt left out]\n\tretrying: context window"
	if err == nil || err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
	wantTimedOut(t, err)
	wantQuick(t, start)
	wantDead(t, dead)
}

// TestNoSurvivors: an accepted reply does not save what the command left behind.
func TestNoSurvivors(t *testing.T) {
	t.Parallel()
	life, dead := lifeline(t)
	c := answering(t, `exec 9>"$LIFE"
		(trap '' TERM; echo >"$GATE"; while :; do sleep 1; done) >/dev/null 2>&1 &
		(trap '' TERM HUP; echo >"$GATE"; sleep 60; sleep 60) &
		(kill -STOP $(sh -c 'echo $PPID'); sleep 60) &
		read -r _ <"$GATE"; read -r _ <"$GATE"`)
	c.Env = append(c.Env, "LIFE="+life)
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
	c := answering(t, `setsid sh -c 'echo >"$GATE"; exec sleep 60' & read -r _ <"$GATE"`)
	start := time.Now()
	if got, err := c.Run(t.Context(), strings.Repeat(testPrompt, 10_000)); err != nil || got != "## Goal" {
		t.Errorf("got %q, %v", got, err)
	}
	wantQuick(t, start)
}

// answering returns a stub that runs a script, answers, and ends when the answer was read: then it
// is no matter how soon the silence of what it leaves behind is cut off. A line that goes into
// $GATE can be read from it.
func answering(t *testing.T, script string) Command {
	t.Helper()
	path, open := gate(t)
	c := stub(t, script+"\necho '## Goal'; read -r _ <\"$GATE\"")
	c.Env, c.silence = []string{"GATE=" + path}, time.Millisecond
	c.Stdout = &when{word: "## Goal", do: func() { _, _ = open.WriteString("\n") }}
	return c
}

// TestNoGoroutines cannot be parallel: it counts. The context's timer goroutine and the like may
// still be on their way when Run returns, and end by themselves.
func TestNoGoroutines(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, script := range []string{`echo x`, `exit 1`, `sleep 60 & echo x`, `sleep 60`} {
		c := stub(t, script)
		c.Timeout, c.silence = 300*time.Millisecond, time.Millisecond
		_, _ = c.Run(t.Context(), strings.Repeat(testPrompt, 10_000))
	}
	for until := time.Now().Add(time.Minute); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("%d goroutines, before %d", runtime.NumGoroutine(), before)
		}
	}
}
