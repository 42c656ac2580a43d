package complete_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/complete"
	"github.com/sess-tools/sess/internal/test/must"
)

// BenchmarkSessions completes the id of a session in a store of 10,000 in 200 projects,
// without the limit that a shell gets.
func BenchmarkSessions(b *testing.B) {
	dir := b.TempDir()
	b.Setenv("SESS_DIR", dir)
	for i := range 10_000 {
		project := filepath.Join(dir, fmt.Sprintf("--p%03d--", i%200))
		must.Do(b, os.MkdirAll(project, 0o700))
		id := fmt.Sprintf("019b%04x-0000-7000-8000-000000000000", i)
		text := `{"type":"session","version":3,"id":"` + id + `","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/p"}` + "\n" +
			`{"type":"message","id":"a0000001","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"question","timestamp":1}}` + "\n"
		name := fmt.Sprintf("2026-01-%02dT03-04-05-000Z_%s.jsonl", 1+i/400, id)
		must.Do(b, os.WriteFile(filepath.Join(project, name), []byte(text), 0o600))
	}
	for _, word := range []string{"", "019b27"} {
		b.Run("word="+word, func(b *testing.B) {
			n := 0
			for b.Loop() {
				n = 0
				complete.Writer(context.Background(), cli.Place{Kind: "SESSION", Word: word}, func(cli.Candidate) { n++ })
			}
			b.ReportMetric(float64(n), "candidates")
		})
	}
}
