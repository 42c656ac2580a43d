package compact_test

import (
	"testing"
	"time"

	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// TestFiguresLinear: ten times the entries take ten times the work, in calls of
// the estimator and allocations, for figures and reports alike.
func TestFiguresLinear(t *testing.T) { // counts allocations, so not in parallel
	const n = 3_000
	work := func(n int) (calls, allocs float64) {
		path := sized(t, n)
		count := func(m session.Message) int64 { calls++; return convo.Estimate(m) }
		compact.Measure(path, compact.Trigger{Estimate: count, Calibrate: true})
		plan, err := compact.New(path, compact.Options{Keep: 1000})
		if err != nil {
			t.Fatal(err)
		}
		if raceDetector {
			return calls, 0
		}
		return calls, testing.AllocsPerRun(1, func() { plan.Report() })
	}
	calls, allocs := work(n)
	moreCalls, moreAllocs := work(10 * n)
	if moreCalls > 11*calls || moreAllocs > 20*allocs {
		t.Errorf("%v calls and %v allocations for %d entries, %v and %v for ten times as many", calls, allocs, n, moreCalls, moreAllocs)
	}
}

// TestReportLinear measures the time, as TestLinear does.
func TestReportLinear(t *testing.T) {
	const n = 5_000
	linear(t, "reporting on", sized(t, n), sized(t, 5*n), func(path []session.Entry) time.Duration {
		plan, err := compact.New(path, compact.Options{Keep: 1000})
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		plan.Report()
		compact.Measure(path, compact.Trigger{Calibrate: true})
		return time.Since(start)
	})
}

func BenchmarkReport(b *testing.B) {
	path := sized(b, 100_000)
	plan, err := compact.New(path, compact.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(size(path))
	b.ReportAllocs()
	for b.Loop() {
		plan.Report()
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
