package session_test

import (
	"bytes"
	"testing"

	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// large is a real session of about a thousand entries.
const large = "pi/sessions/large-session.jsonl"

func largePath(b *testing.B) []session.Entry {
	b.Helper()
	s, err := read(b, large)
	if err != nil {
		b.Fatal(err)
	}
	leaf, _ := s.Leaf()
	path, _ := s.Path(leaf)
	return path
}

func BenchmarkRead(b *testing.B) {
	for _, path := range []string{large, "pi/sessions/branching.jsonl"} {
		b.Run(corpus.PiName(path), func(b *testing.B) {
			data := corpus.Session(b, path)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := session.Read(bytes.NewReader(data)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkReadTail(b *testing.B) {
	s, err := read(b, large)
	if err != nil {
		b.Fatal(err)
	}
	data := []byte(join(append(s.Lead(), raws(s.Entries)...)...)) // version 3
	b.ReportAllocs()
	for b.Loop() {
		if _, err := session.ReadTail(bytes.NewReader(data), int64(len(data))); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkScanInfo(b *testing.B) {
	data := corpus.Session(b, large)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := session.ScanInfo(bytes.NewReader(data)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPath(b *testing.B) {
	s, err := read(b, large)
	if err != nil {
		b.Fatal(err)
	}
	leaf, _ := s.Leaf()
	b.ReportAllocs()
	for b.Loop() {
		if path, _ := s.Path(leaf); len(path) == 0 {
			b.Fatal("no path")
		}
	}
}

func BenchmarkProject(b *testing.B) {
	path := largePath(b)
	b.ReportAllocs()
	for b.Loop() {
		if len(convo.Project(path)) == 0 {
			b.Fatal("nothing selected")
		}
	}
}

func BenchmarkEstimate(b *testing.B) {
	messages := convo.MessagesOf(convo.Project(largePath(b)))
	size := 0
	for _, m := range messages {
		size += len(m.Raw())
	}
	for _, e := range []struct {
		name     string
		estimate convo.Estimator
	}{{"chars", convo.Estimate}, {"bytes", convo.EstimateBytes}, {"cjk", convo.EstimateCJK}} {
		b.Run(e.name, func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				var n int64
				for _, m := range messages {
					n += e.estimate(m)
				}
				if n == 0 {
					b.Fatal("no tokens")
				}
			}
		})
	}
}

func BenchmarkWithParent(b *testing.B) {
	path := largePath(b)
	b.ReportAllocs()
	for b.Loop() {
		for _, e := range path {
			e.WithParent("0123abcd")
		}
	}
}
