package redact

import (
	"os"
	"testing"

	"github.com/sess-tools/sess/internal/secret"
	"github.com/sess-tools/sess/pkg/jsonl"
)

func BenchmarkS60(b *testing.B) {
	for b.Loop() {
		set, _ := secret.New(secret.Options{Depth: 5})
		r, _ := New(Options{Set: set})
		f, err := os.Open("/tmp/s60.jsonl")
		if err != nil {
			b.Skip()
		}
		n := 0
		if err := r.Run(jsonl.Lines(f), nil, func(Found) { n++ }); err != nil {
			b.Fatal(err)
		}
		b.SetBytes(60e6)
		f.Close()
	}
}
func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		secret.New(secret.Options{Depth: 5})
	}
}
