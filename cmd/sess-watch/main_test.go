package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/selection"
	"github.com/sess-tools/sess/internal/readers/status"
	"github.com/sess-tools/sess/internal/test/rowtest"
)

// What is written behind the first reading is seen, though nothing is written after it.
func TestWrittenWhileRead(t *testing.T) {
	t.Parallel()
	const head = `{"type":"session","version":3,"id":"s1","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}` + "\n" +
		`{"type":"message","id":"a0000001","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"hi"}}` + "\n"
	const reply = `{"type":"message","id":"a0000002","parentId":"a0000001","timestamp":"2026-01-02T03:04:07.000Z","message":{"role":"assistant","content":[],"stopReason":"stop"}}` + "\n"
	for _, tt := range []struct {
		name  string
		began time.Time
		want  string
	}{
		{"as the reading began", time.Now(), status.Answered},
		{"long before it", time.Now().Add(time.Hour), status.Working}, // such a file is not read twice
	} {
		path := filepath.Join(t.TempDir(), "s.jsonl")
		if err := os.WriteFile(path, []byte(head), 0o600); err != nil {
			t.Fatal(err)
		}
		w := &watcher{config: &config{after: afterNow}, streams: &cli.Streams{}, began: tt.began}
		d := &watched{src: selection.Source{Name: path}}
		in, err := d.src.Open(t.Context(), w.streams)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := in.Session()
		if in.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(head+reply), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := w.take(t.Context(), d, whole); err != nil {
			t.Fatal(err)
		}
		w.all = []*watched{d}
		if w.look(t.Context()); d.state.Name != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, d.state.Name, tt.want)
		}
	}
}

func TestRows(t *testing.T) {
	t.Parallel()
	rowtest.Schema(t, "A line of sess-watch --json.", entryRow{}, stateRow{})
}
