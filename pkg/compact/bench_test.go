package compact_test

import (
	"fmt"
	"testing"

	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// sized is a path of n entries in which every second one names a file of its
// own.
func sized(t tb, n int) []session.Entry {
	b := &builder{t: t}
	for i := 0; len(b.path) < n; i++ {
		if i%50 == 0 {
			b.user("go on")
		}
		b.call("x", []string{"read", "edit", "write"}[i%3], fmt.Sprintf(`{"path":"f%d.go"}`, i))
		b.result("x", "ok", false)
	}
	return b.path
}

func BenchmarkNew(b *testing.B) {
	path := leafPath(b, corpus.Session(b, "pi/sessions/large-session.jsonl"))
	for _, c := range []struct {
		name string
		path []session.Entry
	}{{"large-session", path}, {"entries=10000", sized(b, 10_000)}} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(size(c.path))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := compact.New(c.path, compact.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func size(path []session.Entry) (bytes int64) {
	for _, e := range path {
		bytes += int64(len(e.Raw()) + 1)
	}
	return bytes
}

func BenchmarkSerialize(b *testing.B) {
	path := leafPath(b, corpus.Session(b, "pi/sessions/large-session.jsonl"))
	messages := convo.MessagesOf(convo.Project(path))
	b.SetBytes(size(path))
	b.ReportAllocs()
	for b.Loop() {
		compact.Serialize(messages)
	}
}

func TestLinearAllocations(t *testing.T) { // not parallel: it counts allocations
	if testing.Short() {
		t.Skip("makes paths of 20,000 entries")
	}
	const n, allocations, estimates = 2_000, 20, 11
	calls := 0
	count := func(m session.Message) int64 { calls++; return convo.Estimate(m) }
	plan := func(path []session.Entry, o compact.Options) *compact.Plan {
		o.Keep = 1000
		p, err := compact.New(path, o)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	extracting := func(o compact.Options) func([]session.Entry) {
		return func(path []session.Entry) {
			if p := plan(path, o); p.Text(summaryOf(p)) == "" {
				t.Fatal("no text")
			}
		}
	}
	whole := sized(t, 10*n)
	for what, work := range map[string]func(path []session.Entry){
		"planning":                  extracting(compact.Options{}),
		"planning to keep user":     extracting(compact.Options{Strategy: compact.KeepUser}),
		"planning to keep the turn": extracting(compact.Options{Strategy: compact.LastTurn}),
		"measuring":                 func(path []session.Entry) { compact.Measure(path, compact.Trigger{Estimate: count, Calibrate: true}) },
		"leaving a branch": func(path []session.Entry) {
			b, err := compact.NewBranch(path, whole[:1], compact.BranchOptions{Estimate: count})
			if err != nil || len(b.Parts) < len(path)/2 || b.Empty() {
				t.Fatal(err)
			}
		},
	} {
		cost := func(path []session.Entry) (float64, int) {
			allocations := testing.AllocsPerRun(1, func() { calls = 0; work(path) })
			return allocations, calls
		}
		small, smallCalls := cost(whole[:n])
		large, largeCalls := cost(whole)
		if !raceDetector && large > allocations*small || largeCalls > estimates*smallCalls {
			t.Errorf("%s: %.0f allocations and %d estimates for %d entries, %.0f and %d for ten times as many", what, small, smallCalls, n, large, largeCalls)
		}
	}
}

func BenchmarkMeasure(b *testing.B) {
	path := sized(b, 100_000)
	b.SetBytes(size(path))
	b.ReportAllocs()
	for b.Loop() {
		compact.Measure(path, compact.Trigger{Calibrate: true})
	}
}
