package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/selection"
	"github.com/sess-tools/sess/internal/readers/status"
	"github.com/sess-tools/sess/internal/test/must"
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
		must.Do(t, os.WriteFile(path, []byte(head), 0o600))
		w := &watcher{config: &config{after: afterNow}, streams: &cli.Streams{}, began: tt.began}
		d := &watched{src: selection.Source{Name: path}}
		in, err := d.src.Open(t.Context(), w.streams)
		must.Do(t, err)
		whole, err := in.Session()
		if in.Close(); err != nil {
			t.Fatal(err)
		}
		must.Do(t, os.WriteFile(path, []byte(head+reply), 0o600))
		must.Do(t, w.take(t.Context(), d, whole, func(int) bool { return true }))
		w.all = []*watched{d}
		if w.look(t.Context()); d.state.Name != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, d.state.Name, tt.want)
		}
	}
}

// Sessions of a directory that begin later are watched, with what was written since, and named ones remain alone.
func TestSeek(t *testing.T) {
	t.Parallel()
	entry := func(id string, at time.Time) string {
		return fmt.Sprintf(`{"type":"message","id":%q,"parentId":null,"timestamp":%q,"message":{"role":"user","content":"hi"}}`+"\n", id, at.UTC().Format(time.RFC3339Nano))
	}
	head := `{"type":"session","version":3,"id":"s1","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}` + "\n"
	for _, tt := range []struct {
		name, operand string
		want          []string
	}{
		{"a directory", "", []string{"b0000002"}},
		{"a file", "a.jsonl", nil},
	} {
		dir := t.TempDir()
		put := func(name, text string) {
			t.Helper()
			must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
		}
		put("a.jsonl", head+entry("a0000001", time.Now()))
		w := &watcher{config: &config{after: afterNow}, streams: &cli.Streams{Out: io.Discard}, named: []string{filepath.Join(dir, tt.operand)}}
		found, err := w.sessions.Find(t.Context(), w.streams, w.named)
		if err == nil {
			err = w.begin(t.Context(), found)
		}
		must.Do(t, err)
		w.sought = time.Time{}
		w.look(t.Context())
		put("b.jsonl", head+entry("b0000001", time.Now().Add(-time.Hour))+entry("b0000002", time.Now()))
		put("c.jsonl", "") // which cannot be read yet
		for range 2 {
			w.sought = time.Time{}
			w.look(t.Context())
		}
		if want := 1 + len(tt.want); len(w.all) != want {
			t.Fatalf("%s: %d sessions, want %d", tt.name, len(w.all), want)
		}
		var came []string
		for _, d := range w.all {
			for _, p := range d.take(false) {
				came = append(came, p.entry)
			}
		}
		if !slices.Equal(came, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, came, tt.want)
		}
		put("c.jsonl", head+entry("c0000001", time.Now()))
		w.sought = time.Time{}
		w.look(t.Context())
		if want := 1 + 2*len(tt.want); len(w.all) != want {
			t.Errorf("%s: %d sessions with the late one, want %d", tt.name, len(w.all), want)
		}
	}
}

func TestRows(t *testing.T) {
	t.Parallel()
	rowtest.Schema(t, "A line of sess-watch --json.", entryRow{}, stateRow{})
}
