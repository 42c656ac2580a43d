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

func BenchmarkExtract(b *testing.B) {
	path := leafPath(b, corpus.Session(b, "pi/sessions/large-session.jsonl"))
	p, err := compact.New(path, compact.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		compact.Extract(p)
	}
}

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
