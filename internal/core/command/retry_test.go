package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// failing returns an ask that fails with the given errors, one after the other,
// and then answers; calls counts.
func failing(calls *int, errs ...error) func(context.Context) (string, error) {
	return func(context.Context) (string, error) {
		if *calls++; *calls <= len(errs) {
			return "", errs[*calls-1]
		}
		return "REPLY", nil
	}
}

// TestMayPass: what is tried again, and what is not.
func TestMayPass(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		err  error
		want bool
	}{
		{"exit status", &Error{Reason: Exited, Status: 1}, true},
		{"exit status, wrapped", fmt.Errorf("chunk 2: %w", &Error{Reason: Exited, Status: 137}), true},
		{"signal", &Error{Reason: Signaled, Status: 137}, true},
		{"blank", &Error{Reason: Empty}, true},
		{"no heading", &Error{Reason: Refused}, false},
		{"no heading, too many requests", &Error{Reason: Refused, outlook: outlook{passing: true}}, true},
		{"no heading, too many requests, no money", &Error{Reason: Refused, outlook: outlook{passing: true, lasting: true}}, false},
		{"no key", &Error{Reason: Exited, Status: 1, outlook: outlook{lasting: true}}, false},
		{"shell pipeline of nothing", &Error{Reason: Empty, outlook: outlook{lasting: true}}, false},
		{"a long wait", &Error{Reason: Exited, Status: 1, outlook: outlook{passing: true, after: time.Hour}}, false},
		{"not executable", &Error{Reason: Exited, Status: 126}, false},
		{"not found", &Error{Reason: Exited, Status: 127}, false},
		{"not started", &Error{Reason: NotStarted, Status: -1}, false},
		{"recursion", &Error{Reason: Recursion, Status: -1}, false},
		{"time-out", &Error{Reason: TimedOut, cause: context.DeadlineExceeded}, false},
		{"reply too long", &Error{Reason: TooLong}, false},
		{"overflow by status", &Error{Reason: Exited, Status: 1, overflow: true}, false},
		{"overflow and no heading", &Error{Reason: Refused, overflow: true}, false},
		{"blank overflow", &Error{Reason: Empty, overflow: true}, false},
		{"canceled", fmt.Errorf("running x: %w", context.Canceled), false},
		{"other", errors.New("running a command: exactly one of Argv and Shell must be set"), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var calls, sleeps int
			r := Retry{Attempts: 3, Sleep: func(context.Context, time.Duration) error { sleeps++; return nil }}
			reply, err := r.Run(t.Context(), failing(&calls, tt.err))
			if tt.want && (calls != 2 || sleeps != 1 || reply != "REPLY" || err != nil) {
				t.Errorf("%d calls, %d waits, %q, %v, want it tried again", calls, sleeps, reply, err)
			}
			if !tt.want && (calls != 1 || sleeps != 0 || reply != "" || !errors.Is(err, tt.err)) {
				t.Errorf("%d calls, %d waits, %q, %v, want the error at once", calls, sleeps, reply, err)
			}
		})
	}
}

// TestBackOff: the bounds of the waits, and that they are drawn below them.
func TestBackOff(t *testing.T) {
	t.Parallel()
	const s = time.Second
	tests := []struct {
		name  string
		retry Retry
		rand  float64
		waits []time.Duration
	}{
		{"defaults", Retry{Attempts: 7}, 1, []time.Duration{s, 2 * s, 4 * s, 8 * s, 16 * s, 30 * s, 30 * s}},
		{"half", Retry{Attempts: 3}, 0.5, []time.Duration{s / 2, s, 2 * s}},
		{"never none", Retry{Attempts: 2}, 0, []time.Duration{s / 10, s / 10}},
		{"own", Retry{Attempts: 3, Base: 3 * s, Max: 7 * s}, 1, []time.Duration{3 * s, 6 * s, 7 * s}},
		{"Max below Base", Retry{Attempts: 2, Max: s / 4}, 1, []time.Duration{s / 4, s / 4}},
		{"no overflow", Retry{Attempts: 3, Base: 1 << 62, Max: 1<<63 - 1}, 0.25, []time.Duration{1 << 60, 1 << 61, 1 << 61}},
		{"once", Retry{}, 1, nil},
		{"less than once", Retry{Attempts: -1}, 1, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var calls int
			var waits, told []time.Duration
			var tries []int
			failure := &Error{Name: "x", Reason: Exited, Status: 1}
			r := tt.retry
			r.Rand = func() float64 { return tt.rand }
			r.Sleep = func(_ context.Context, d time.Duration) error { waits = append(waits, d); return nil }
			r.Report = func(try int, wait time.Duration, err error) {
				if !errors.Is(err, failure) || len(told) != len(waits) {
					t.Errorf("told %v, want the error before the wait", err)
				}
				tries, told = append(tries, try), append(told, wait)
			}
			reply, err := r.Run(t.Context(), failing(&calls, slices.Repeat([]error{failure}, 100)...))
			if reply != "" || !errors.Is(err, failure) || calls != len(tt.waits)+1 {
				t.Errorf("got %q, %v after %d calls, want the last error after %d", reply, err, calls, len(tt.waits)+1)
			}
			if !slices.Equal(waits, tt.waits) || !slices.Equal(told, tt.waits) {
				t.Errorf("waits %v, told %v, want %v", waits, told, tt.waits)
			}
			for i, try := range tries {
				if try != i+1 {
					t.Errorf("tries %v, want them counted from 1", tries)
				}
			}
		})
	}
}

// TestJitter: without a Rand of the caller's the waits differ and keep to the
// bound.
func TestJitter(t *testing.T) {
	t.Parallel()
	seen := map[time.Duration]bool{}
	r := Retry{Attempts: 20, Base: time.Hour, Max: time.Hour}
	r.Sleep = func(_ context.Context, d time.Duration) error {
		if d < 0 || d >= time.Hour {
			t.Errorf("a wait of %v", d)
		}
		seen[d] = true
		return nil
	}
	var calls int
	_, err := r.Run(t.Context(), failing(&calls, slices.Repeat([]error{&Error{Reason: Empty}}, 100)...))
	if err == nil || len(seen) < 15 {
		t.Errorf("%d waits of 20 differ, %v", len(seen), err)
	}
}

// TestRetryStops: the end of the context ends the wait, and what is said then.
func TestRetryStops(t *testing.T) {
	t.Parallel()
	failure := &Error{Name: "x", Reason: Exited, Status: 1}
	one := func() float64 { return 1 }
	t.Run("waits", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			var calls int
			reply, err := Retry{Attempts: 2, Rand: one}.Run(t.Context(), failing(&calls, failure, failure))
			if took := time.Since(start); reply != "REPLY" || err != nil || took != 3*time.Second {
				t.Errorf("%q, %v after %v, want 3s", reply, err, took)
			}
		})
	})
	t.Run("canceled", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Millisecond, cancel)
			start := time.Now()
			var calls int
			reply, err := Retry{Attempts: 2, Rand: one}.Run(ctx, failing(&calls, failure))
			if reply != "" || !errors.Is(err, context.Canceled) || errors.Is(err, ErrCommand) || calls != 1 {
				t.Errorf("%q, %v after %d calls, want context.Canceled alone", reply, err, calls)
			}
			if took := time.Since(start); took != time.Millisecond {
				t.Errorf("returned %v later", took)
			}
		})
	})
	t.Run("deadline", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			defer cancel()
			var calls int
			_, err := Retry{Attempts: 2, Rand: one}.Run(ctx, failing(&calls, failure))
			if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, failure) || calls != 1 {
				t.Errorf("%v after %d calls, want the failure and the deadline", err, calls)
			}
			if want := "running x: exited; no time to try again: context deadline exceeded"; err == nil || err.Error() != want {
				t.Errorf("got %v, want %s", err, want)
			}
		})
	})
	t.Run("canceled before a wait of nothing", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		var calls int
		r := Retry{Attempts: 50, Rand: func() float64 { return 0 }, Report: func(int, time.Duration, error) { cancel() }}
		if _, err := r.Run(ctx, failing(&calls, slices.Repeat([]error{error(failure)}, 50)...)); calls != 1 || !errors.Is(err, context.Canceled) {
			t.Errorf("%d calls, %v", calls, err)
		}
	})
	t.Run("canceled while asking", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		calls := 0
		_, err := Retry{Attempts: 5}.Run(ctx, func(ctx context.Context) (string, error) {
			calls++
			cancel()
			return "", fmt.Errorf("running x: %w", ctx.Err())
		})
		if calls != 1 || !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "waiting") {
			t.Errorf("%d calls, %v", calls, err)
		}
	})
}

// TestOutlook has the words of programs and providers, and words of the same kind
// that mean something else.
func TestOutlook(t *testing.T) {
	t.Parallel()
	const s = time.Second
	passing := func(after time.Duration) outlook { return outlook{passing: true, after: after} }
	lasting := outlook{lasting: true}
	for text, want := range map[string]outlook{
		"Rate limit exceeded":                                             passing(0),
		"API Error: 429 {\"type\":\"rate_limit_error\"}":                  passing(0),
		"ERROR: exceeded retry limit, last status: 429 Too Many Requests": passing(0),
		"API Error: 529 Overloaded":                                       passing(0),
		"API Error: 500 Internal server error":                            passing(0),
		"fetch failed: ECONNRESET":                                        passing(0),
		"Rate limit reached. Please try again in 6.5s.":                   passing(6500 * time.Millisecond),
		"Please try again in 350ms":                                       passing(350 * time.Millisecond),
		"You exceeded your current quota. Please retry in 20s.":           passing(20 * s),
		"retry-after: 12":                                                 passing(12 * s),
		`{"retry_after": "2 minutes"}`:                                    passing(2 * time.Minute),
		"401 invalid x-api-key":                                           lasting,
		"ERROR: unexpected status 401 Unauthorized":                       lasting,
		"Invalid API key":                                                 lasting,
		"Error: Incorrect API key provided":                               lasting,
		"sh: 1: nosuch: not found":                                        lasting,
		"bash: nosuch: command not found":                                 lasting,
		"model 'nosuch' not found":                                        lasting,
		"You exceeded your current quota, please check your plan":         lasting,
		"Your credit balance is too low":                                  lasting,
		"It loops: retry 3 times":                                         {},
		"boom":                                                            {},
		"":                                                                {},
	} {
		if got := outlookOf(text); got.after != want.after || got.passing != want.passing || got.lasting != want.lasting {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}
