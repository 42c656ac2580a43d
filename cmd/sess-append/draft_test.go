package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/sess-tools/sess/internal/test/must"
)

// Processes that append to one draft race to publish it: one does, the others
// find the session under its own name, and all end up in one chain.
func TestDraftWriters(t *testing.T) {
	t.Parallel()
	const rounds, writers, each = 4, 5, 3
	for round := range rounds {
		dir := t.TempDir()
		path, draft := filepath.Join(dir, "s.jsonl"), filepath.Join(dir, ".s.jsonl.draft")
		header := `{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}` + "\n"
		must.Do(t, os.WriteFile(draft, []byte(header), 0o600))
		ids := make([]string, writers)
		var wg sync.WaitGroup
		for w := range writers {
			wg.Go(func() {
				for i := range each {
					role := []string{"user", "assistant"}[(w+i)%2]
					out, err := exec.Command(tool.Name, "-r", role, "-t", fmt.Sprint(w, i), path).CombinedOutput()
					if err != nil {
						t.Errorf("round %d: %v: %s", round, err, out)
						return
					}
					ids[w] += string(out)
				}
			})
		}
		wg.Wait()
		checkChain(t, path, strings.Fields(strings.Join(ids, "")), writers*each)
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != 1 {
			t.Errorf("round %d: left behind: %v, %v", round, entries, err)
		}
	}
}

// checkChain wants the session at path to be one chain of the ids acknowledged.
func checkChain(t *testing.T, path string, acknowledged []string, n int) {
	t.Helper()
	data, err := os.ReadFile(path)
	must.Do(t, err)
	parent, found := "", map[string]bool{}
	for i, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
		var e struct{ ID, ParentID string }
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		if i == 0 {
			continue
		}
		if e.ParentID != parent {
			t.Errorf("line %d: parent %q, want %q", i+1, e.ParentID, parent)
		}
		parent = e.ID
		found[e.ID] = true
	}
	if len(found) != n || len(acknowledged) != n {
		t.Errorf("%d entries and %d ids, want %d", len(found), len(acknowledged), n)
	}
	for _, id := range acknowledged {
		if !found[id] {
			t.Errorf("id %s was acknowledged and is lost", id)
		}
	}
}
