package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
)

// Many processes append to one session, and a program that does not lock
// beside them: every id that was printed is there once, and ours form one
// chain.
func TestWriters(t *testing.T) {
	t.Parallel()
	const writers, each = 8, 12
	dir := t.TempDir()
	path := write(t, dir, "s.jsonl", good)
	var wg sync.WaitGroup
	acknowledged := make([][]string, writers)
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				r := runCommand(t, dir, strings.Repeat("x", 1000*i), "sess-append", "-t", fmt.Sprintf("w%d i%d %s", w, i, strings.Repeat("y", 5000*(i%3))), "s.jsonl")
				if r.status != 0 {
					t.Errorf("status %d: %s", r.status, r.stderr)
					return
				}
				acknowledged[w] = append(acknowledged[w], strings.TrimSpace(r.stdout))
			}
		})
	}
	wg.Go(func() {
		for i := range each {
			f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
			if err != nil {
				t.Error(err)
				return
			}
			fmt.Fprintf(f, `{"type":"custom","customType":"foreign","id":"ffff%04d","parentId":null,"timestamp":"2026-01-02T03:05:00.000Z"}`+"\n", i)
			f.Close()
		}
	})
	wg.Wait()
	seen := map[string]int{}
	for i, line := range strings.Split(strings.TrimSuffix(readFile(t, path), "\n"), "\n") {
		var e struct{ ID, ParentID string }
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		seen[e.ID]++
		if e.ParentID != "" && seen[e.ParentID] == 0 {
			t.Errorf("line %d: parent %s comes later or never", i+1, e.ParentID)
		}
	}
	for w, ids := range acknowledged {
		for _, id := range ids {
			if seen[id] != 1 {
				t.Errorf("writer %d: id %s stands there %d times", w, id, seen[id])
			}
		}
	}
}

// Compare-and-swap: of two who saw the same leaf one wins.
func TestExpectLeaf(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := write(t, dir, "s.jsonl", good)
	if r := runCommand(t, dir, "", "sess-append", "-t", "one", "--expect-leaf", "bbbb0003", "s.jsonl"); r.status != 0 {
		t.Fatalf("status %d: %s", r.status, r.stderr)
	}
	before := readFile(t, path)
	for _, ref := range []string{"bbbb0003", "gone", "null"} {
		r := runCommand(t, dir, "", "sess-append", "-t", "two", "--expect-leaf", ref, "s.jsonl")
		checkRun(t, r, 4, "sess-append", "the leaf moved")
	}
	if readFile(t, path) != before {
		t.Error("the session was changed")
	}
}
