package main

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/agents/all"
	"github.com/sess-tools/sess/internal/agents/formats"
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

// Sessions of agents are the same every time, and what we read of them loses nothing and has a usage in each reply.
func TestHomes(t *testing.T) {
	t.Parallel()
	for _, agent := range []string{"claude", "codex", "opencode"} {
		t.Run(agent, func(t *testing.T) {
			t.Parallel()
			var sums [2]Facts
			for i := range sums {
				dir := t.TempDir()
				h := &homes{r: rand.New(rand.NewPCG(1, 2)), pool: texts(), now: time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)}
				sum, err := h.write(agent, dir, 12)
				if err != nil {
					t.Fatal(err)
				}
				if sums[i] = sum; i == 0 {
					readHome(t, agent, dir)
				}
			}
			if sums[0] != sums[1] || sums[0].Entries == 0 {
				t.Errorf("%v, and again %v", sums[0], sums[1])
			}
		})
	}
}

func readHome(t *testing.T, agent, dir string) {
	t.Helper()
	if agent == "opencode" { // SQLite is set up otherwise for reading, once in a process
		readDatabase(t, filepath.Join(dir, "opencode.db"))
		return
	}
	f, ok := formats.Lookup(all.Formats(), agent)
	if !ok {
		t.Fatal("no such format")
	}
	archive, err := f.Open(t.Context(), &formats.Source{Path: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	sessions, replies := 0, 0
	for info, err := range archive.List(t.Context(), formats.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		sessions++
		b := formats.NewBuilder(agent, func(line string) error {
			if strings.Contains(line, `"message":{"role":"assistant"`) {
				if replies++; !strings.Contains(line, `"usage":{"input":`) {
					t.Errorf("%.200s has no usage", line)
				}
			}
			return nil
		}, func(l formats.Loss) { t.Errorf("%s: lost %v", info.Path, l) })
		if err := b.Read(t.Context(), archive, info); err != nil {
			t.Fatal(err)
		}
	}
	if sessions < 12 || replies < sessions {
		t.Errorf("%d sessions, %d replies", sessions, replies)
	}
}

func readDatabase(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for query, want := range map[string]int{
		"SELECT count(*) FROM session":                                                                                                      12,
		"SELECT count(*) FROM message WHERE NOT json_valid(data)":                                                                           0,
		"SELECT count(*) FROM part WHERE NOT json_valid(data) OR message_id NOT IN (SELECT id FROM message)":                                0,
		"SELECT count(*) FROM message WHERE session_id NOT IN (SELECT id FROM session)":                                                     0,
		"SELECT count(*) FROM session s WHERE tokens_output<>(SELECT sum(data->>'$.tokens.output') FROM message m WHERE m.session_id=s.id)": 0,
	} {
		var got int
		if err := db.QueryRow(query).Scan(&got); err != nil || got != want {
			t.Errorf("%s: %d, %v", query, got, err)
		}
	}
}
