package codex_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/sess-tools/sess/internal/agent/codex"
	"github.com/sess-tools/sess/internal/agent/formats"
	"github.com/sess-tools/sess/internal/test/corpus"
)

// BenchmarkImport reads a rollout of about 50 kB as an import of many does: found in a
// listing, and read.
func BenchmarkImport(b *testing.B) {
	dir := b.TempDir()
	name := "rollout-2026-11-21T03-02-55-01a1fc0e-91f6-7160-bf5c-f00cf0fdb18c.jsonl"
	data := corpus.Session(b, "codex/home/sessions/2026/11/21/"+name)
	if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	a, err := codex.Format.Open(b.Context(), &formats.Source{Path: dir})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		for info, err := range a.List(b.Context(), formats.Query{}) {
			if err != nil {
				b.Fatal(err)
			}
			builder := formats.NewBuilder("codex", func(string) error { return nil }, func(formats.Loss) {})
			if err := a.Read(b.Context(), info, builder); err != nil {
				b.Fatal(err)
			}
		}
	}
}
