package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/pkg/session"
)

// The sessions of a database are detected, listed, found by id and key, and imported all; the
// agent's own place is where its variables say.
func TestDatabases(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, d := range []string{"ws/memory", "project/.git", "project/.openoxide"} {
		check(t, os.MkdirAll(filepath.Join(dir, filepath.FromSlash(d)), 0o700))
	}
	write(t, dir, "ws/memory/sessions.db", string(corpus.Session(t, "zeroclaw/memory.db")))
	before := readFile(t, filepath.Join(dir, "ws/memory/sessions.db"))
	formatstest.Execute(t, filepath.Join(dir, "project/.openoxide/sessions.db"),
		`CREATE TABLE session(id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT, title TEXT, directory TEXT, model_id TEXT, time_created INTEGER, time_updated INTEGER, revert_oid TEXT)`,
		`CREATE TABLE message(id TEXT PRIMARY KEY, session_id TEXT, role TEXT, time_created INTEGER, content BLOB)`,
		`INSERT INTO session VALUES('01KDYAK348ABVGK976B0NH1F8W', 'p', NULL, 'a title', '/w', 'm', 1767323045000, 1767323046000, NULL)`,
		`INSERT INTO message VALUES('01KDYAK43G7CASCG29HDV292D5', '01KDYAK348ABVGK976B0NH1F8W', 'user', 1767323046000, X'a36f6e65')`)
	got := script(t, dir, `
		sess-import --detect ws/memory/sessions.db
		sess-import zeroclaw --list ws | wc -l | tr -d ' '
		sess-import zeroclaw --session direct:telegram:alice ws | sess-path --as text | head -n 2
		ZEROCLAW_WORKSPACE=$PWD/ws sess-import zeroclaw --session 3333 -o group.jsonl
		sess-import zeroclaw --all -o out ws | wc -l | tr -d ' '
		sess-import zeroclaw --session old - < ws/memory/sessions.db | sess-path --as openai

		sess-import --detect project/.openoxide/sessions.db
		cd project
		sess-import openoxide --recent | sess-path --as openai
		cd ..
		XDG_DATA_HOME=$PWD/data sess-import openoxide --list || echo none`)
	want := []string{
		"zeroclaw", "6", "", "", "group.jsonl", "6", `[{"role":"user","content":"first"},{"role":"assistant","content":"ok"}]`,
		"openoxide", `[{"role":"user","content":"one"}]`, "none",
	}
	lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
	for i, line := range lines {
		if i >= len(want) || want[i] != "" && line != want[i] {
			t.Fatalf("line %d is %q of\n%s", i, line, got)
		}
	}
	if readFile(t, filepath.Join(dir, "ws/memory/sessions.db")) != before {
		t.Error("the database has changed")
	}
	for _, leftover := range []string{"-wal", "-shm", "-journal"} {
		if _, err := os.Stat(filepath.Join(dir, "ws/memory/sessions.db"+leftover)); err == nil {
			t.Errorf("%s was made", leftover)
		}
	}
}

// sess-path over a session of one path is cat.
func TestPathIsCat(t *testing.T) {
	t.Parallel()
	linear := 0
	for _, dir := range []string{"pi", "omp"} {
		for _, path := range corpus.Sessions(t, dir) {
			data := corpus.Session(t, path)
			if !isLinear(data) {
				continue
			}
			linear++
			t.Run(path, func(t *testing.T) {
				t.Parallel()
				work := t.TempDir()
				name := filepath.Join(work, "s.jsonl")
				check(t, os.WriteFile(name, data, 0o600))
				for _, r := range []result{
					runCommand(t, work, "", "sess-path", name),
					runCommand(t, work, string(data), "sess-path"),
				} {
					if r.status != 0 || r.stdout != string(data) {
						t.Errorf("status %d, %d bytes of %d: %s", r.status, len(r.stdout), len(data), r.stderr)
					}
				}
			})
		}
	}
	if linear < 60 {
		t.Errorf("only %d linear sessions: the test tests nothing", linear)
	}
}

// isLinear reports whether a session is undamaged, of version 3, and one path
// through all its entries.
func isLinear(data []byte) bool {
	s, err := session.Read(bytes.NewReader(data))
	if err != nil || len(data) == 0 || data[len(data)-1] != '\n' || s.Header.Version != session.Version {
		return false
	}
	for _, p := range s.Problems {
		if p.Kind != session.InvalidUTF8 && p.Kind != session.NoFirstKept {
			return false
		}
	}
	leaf, _ := s.Leaf()
	path, problems := s.PathIndex(leaf)
	blank := bytes.Contains(data, []byte("\n\n")) || bytes.Contains(data, []byte("\n\r\n")) || bytes.HasPrefix(data, []byte("\n"))
	return len(path) == len(s.Entries) && len(problems) == 0 && !blank
}
