package zeroclaw_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/zeroclaw"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/pkg/session"
)

// dump returns the rows of the fork's tables.
func dump(t testing.TB, path string) map[string][]string {
	t.Helper()
	return formatstest.Rows(t, path, "sessions", "session_index", "session_messages", "session_state")
}

// An existing database gets the session added, once, and what is in it stays.
func TestExportInto(t *testing.T) {
	t.Parallel()
	path := sample(t, "memory.db")
	before := dump(t, path)
	s := read(t, `{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"one"}}`)
	formatstest.ExportTo(t, zeroclaw.ZeroClaw, s, path)
	after := dump(t, path)
	for table, rows := range before {
		for _, row := range rows {
			if !strings.Contains(strings.Join(after[table], "\n"), row) {
				t.Errorf("%s: %s is gone", table, row)
			}
		}
	}
	if n := len(after["session_messages"]) - len(before["session_messages"]); n != 1 {
		t.Errorf("%d messages more", n)
	}
	target := formats.NewTarget(func(formats.Loss) {})
	target.Path = path
	if err := zeroclaw.ZeroClaw.Export(t.Context(), s, target); err == nil || !strings.Contains(err.Error(), "session s1: file already exists") {
		t.Errorf("a second time: %v", err)
	}
	target.Path = formatstest.Database(t, "CREATE TABLE sessions(id, session_key, role, content, created_at)")
	if err := zeroclaw.ZeroClaw.Export(t.Context(), s, target); err == nil || !strings.Contains(err.Error(), "not laid out") {
		t.Errorf("another layout: %v", err)
	}
	if diff := cmp.Diff(after, dump(t, path)); diff != "" {
		t.Error(diff)
	}
}

func read(t testing.TB, lines ...string) *session.Session {
	t.Helper()
	return formatstest.Parse(t, `{"type":"session","version":3,"id":"s1","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}`+"\n"+strings.Join(lines, "\n")+"\n")
}

// What a compaction keeps stands behind its summary, where ZeroClaw shows it.
func TestExportKeeps(t *testing.T) {
	t.Parallel()
	s := read(t,
		`{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"one"}}`,
		`{"type":"message","id":"b","parentId":"a","timestamp":"2026-01-02T03:04:07.000Z","message":{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"two"}]}}`,
		`{"type":"compaction","id":"c","parentId":"b","timestamp":"2026-01-02T03:04:08.000Z","summary":"sum","firstKeptEntryId":"b","tokensBefore":1}`,
		`{"type":"message","id":"d","parentId":"c","timestamp":"2026-01-02T03:04:09.000Z","message":{"role":"user","content":"three"}}`,
		`{"type":"model_change","id":"e","parentId":"d","timestamp":"2026-01-02T03:04:09.000Z","provider":"p","modelId":"m"}`)
	path := filepath.Join(t.TempDir(), "s.db")
	losses := formatstest.ExportTo(t, zeroclaw.ZeroClaw, s, path)
	if len(losses) != 1 || losses[0].Kind != formats.KindThinking { // none for the name of a model
		t.Errorf("losses %v", losses)
	}
	if diff := cmp.Diff(history(s), history(imported(t, path)[0].Session(t))); diff != "" {
		t.Error(diff)
	}
}
