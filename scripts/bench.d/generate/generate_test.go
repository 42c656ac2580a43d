package main

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"sync"
	"testing"
)

// texts is the pool of all sessions here.
var texts = sync.OnceValue(func() *pool { return newPool(rand.New(rand.NewPCG(3, 4))) })

func generated(t *testing.T, s shape) ([]byte, Facts) {
	t.Helper()
	if s.median == 0 {
		s.median = 1000
	}
	w := writer{shape: s, r: rand.New(rand.NewPCG(1, 2)), pool: texts()}
	var out bytes.Buffer
	facts, err := w.write(&out, "/home/dev")
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), facts
}

// TestSessions: every line is JSON, ids occur once, parents come before; what the
// facts say is so; the path has the share of the bytes it is to have.
func TestSessions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		shape shape
		path  float64
	}{
		{"linear", shape{size: 3e6}, 1},
		{"branched", shape{size: 3e6, offPath: 0.05}, 0.95},
		{"compacted", shape{size: 3e6, compact: true}, 1},
		{"short", shape{entries: 500, median: 200}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			text, facts := generated(t, c.shape)
			if again, _ := generated(t, c.shape); !bytes.Equal(text, again) {
				t.Error("not the same twice")
			}
			onPath := look(t, text, facts, c.shape.compact)
			if share := float64(onPath) / float64(len(text)); share < c.path-0.03 || share > c.path+0.03 {
				t.Errorf("%.3f of the bytes are on the path, want %.2f", share, c.path)
			}
			if c.shape.entries > 0 && facts.Entries < c.shape.entries || float64(len(text)) < float64(c.shape.size) {
				t.Errorf("%d entries, %d bytes", facts.Entries, len(text))
			}
		})
	}
}

// TestIDs: the ids of a gigabyte's entries, and of one twice as large, are all
// different.
func TestIDs(t *testing.T) {
	t.Parallel()
	seen := make(map[string]struct{}, 1<<20)
	for n := range 1 << 20 {
		w := writer{Facts: Facts{Entries: n}}
		seen[w.nextID()] = struct{}{}
	}
	if len(seen) != 1<<20 {
		t.Errorf("%d ids for %d entries", len(seen), 1<<20)
	}
}

// look reads a session and returns how many bytes are on its path.
func look(t *testing.T, text []byte, facts Facts, compact bool) (onPath int) {
	t.Helper()
	type entry struct {
		Type             string
		ID               string
		ParentID         *string
		FirstKeptEntryID string
	}
	parents, sizes, entries, compactions := map[string]string{}, map[string]int{}, 0, 0
	for i, line := range bytes.SplitAfter(bytes.TrimSuffix(text, []byte("\n")), []byte("\n")) {
		var e entry
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		if i == 0 {
			onPath += len(line)
			continue
		}
		entries++
		if _, ok := sizes[e.ID]; ok || e.ID == "" {
			t.Errorf("line %d: id %q twice", i+1, e.ID)
		}
		if e.ParentID != nil {
			if _, ok := sizes[*e.ParentID]; !ok {
				t.Errorf("line %d: unknown parent %q", i+1, *e.ParentID)
			}
			parents[e.ID] = *e.ParentID
		}
		if e.Type == "compaction" {
			compactions++
			if _, ok := sizes[e.FirstKeptEntryID]; !ok {
				t.Errorf("line %d: unknown first kept %q", i+1, e.FirstKeptEntryID)
			}
		}
		sizes[e.ID] = len(line)
	}
	if (compactions > 0) != compact {
		t.Errorf("%d compactions", compactions)
	}
	if _, ok := sizes[facts.Middle]; !ok || entries != facts.Entries || int64(len(text)) != facts.Bytes {
		t.Errorf("%+v: there are %d entries, %d bytes", facts, entries, len(text))
	}
	for id, n := facts.Last, 0; id != "" && n < entries; id, n = parents[id], n+1 {
		onPath += sizes[id]
	}
	return onPath
}
