//go:build unix

package compact_test

import (
	"fmt"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/session"
)

// TestLinear: twenty times as many entries take about twenty times as long to plan, to report on and
// to ask for in small chunks, also if one call waits for its result all along. Allocations, which
// others count, do not tell of a list that is searched again and again.
//
// It cannot be parallel: it measures how long this process computes, which no other adds to.
func TestLinear(t *testing.T) {
	if raceDetector || testing.Short() {
		t.Skip("measures time")
	}
	path := naming(t, 40_000)
	waiting := &builder{t: t}
	waiting.call("late", "read", `{"path":"f"}`)
	waiting.path = append(waiting.path, path...)
	waiting.result("late", "ok", false)
	for _, tt := range []struct {
		what string
		path []session.Entry
		on   func(path []session.Entry) (work func())
	}{
		{"planning", path, func(path []session.Entry) func() {
			return func() {
				if p := planned(t, path); p.Text(summaryOf(p)) == "" {
					t.Fatal("no text")
				}
			}
		}},
		{"measuring", path, func(path []session.Entry) func() {
			return func() { compact.Measure(path, compact.Trigger{Calibrate: true}) }
		}},
		{"asking for", path, func(path []session.Entry) func() { return func() { ask(t, path) } }},
		{"asking, while a call waits, for", waiting.path, func(path []session.Entry) func() { return func() { ask(t, path) } }},
	} {
		// What is quadratic takes twenty times as long.
		const times, bound = 20, 3
		part, whole := tt.on(tt.path[:len(tt.path)/times]), tt.on(tt.path)
		parts := computing(t, func() {
			for range times {
				part()
			}
		})
		if all := computing(t, whole); all > bound*parts {
			t.Errorf("%s %d entries takes %v, and %d times a %[4]dth of them %v", tt.what, len(tt.path), all, times, parts)
		}
	}
}

// naming is a path of n entries in which every second one edits a file of its own: then one list is
// long.
func naming(t tb, n int) []session.Entry {
	b := &builder{t: t}
	for i := 0; len(b.path) < n; i++ {
		if i%50 == 0 {
			b.user("go on")
		}
		b.call("x", "edit", fmt.Sprintf(`{"path":"f%d.go"}`, i))
		b.result("x", "ok", false)
	}
	return slices.Clip(b.path)
}

func planned(t *testing.T, path []session.Entry) *compact.Plan {
	t.Helper()
	p, err := compact.New(path, compact.Options{Keep: 1000})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func ask(t *testing.T, path []session.Entry) {
	t.Helper()
	r := request(path, compact.PromptOptions{MaxPrompt: 400})
	for !r.Done() {
		if _, _, _, err := r.Next(); err != nil {
			t.Fatal(err)
		}
		r.Accept("S")
	}
}

// computing is how long this process computes meanwhile.
func computing(t *testing.T, work func()) time.Duration {
	t.Helper()
	begun := computed(t)
	work()
	return computed(t) - begun
}

func computed(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
