package codex_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agent/codex"
	"github.com/sess-tools/sess/internal/agent/formats"
	"github.com/sess-tools/sess/internal/agent/formatstest"
)

// large is a rollout of many turns that is never in memory.
type large struct {
	left int
	rest string
}

func (l *large) Read(p []byte) (int, error) {
	if l.rest == "" {
		if l.left--; l.left < 0 {
			return 0, io.EOF
		}
		text := strings.Repeat("x", 50_000)
		l.rest = strings.Replace(asked, "q1", text, 1) + strings.NewReplacer("user", "assistant", "input_text", "output_text", "q1", text).Replace(asked)
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// A rollout is read in memory that does not grow with it.
func TestFlat(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rollout-2026-02-03T04-05-06-"+thread+".jsonl")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(f, io.MultiReader(strings.NewReader(meta), &large{left: 300})); err != nil {
		t.Fatal(err)
	}
	f.Close()
	a := formatstest.Open(t, codex.Format, &formats.Source{Path: path})
	most, made, measured := uint64(0), 0, 0
	b := formats.NewBuilder("codex", func(line string) error {
		if made += len(line); made-measured < 1_000_000 {
			return nil
		}
		measured = made
		runtime.GC() // what is garbage when depends on the machine
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		most = max(most, m.HeapAlloc)
		return nil
	}, func(formats.Loss) {})
	for info, err := range a.List(t.Context(), formats.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Read(t.Context(), a, info); err != nil {
			t.Fatal(err)
		}
	}
	if made < 30_000_000 || most > 10_000_000 {
		t.Errorf("%d bytes made with %d in use", made, most)
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	path := write(t, filepath.Join(t.TempDir(), "rollout-2026-02-03T04-05-06-"+thread+".jsonl"), meta+asked)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	a, err := codex.Format.Open(ctx, &formats.Source{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	for _, err := range a.List(ctx, formats.Query{}) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	}
}
