package storev2

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

func TestAppendRefuses(t *testing.T) {
	t.Parallel()
	line := func(s string) []byte { return []byte(s) }
	tests := map[string]struct {
		lines [][]byte
		want  error
		says  string
	}{
		"type":                  {[][]byte{line(`{"type":"mode_change","id":"n1","parentId":"e0000003"}`)}, ErrContract, "mode_change"},
		"id":                    {[][]byte{line(`{"type":"message","id":"n 1","parentId":"e0000003"}`)}, ErrContract, `"n 1"`},
		"long id":               {[][]byte{line(`{"type":"message","id":"` + strings.Repeat("x", 129) + `","parentId":null}`)}, ErrContract, "128"},
		"no id":                 {[][]byte{line(`{"type":"message","parentId":null}`)}, ErrContract, "no id"},
		"no type":               {[][]byte{line(`{"id":"n1","parentId":null}`)}, ErrContract, "no type"},
		"numeric parent":        {[][]byte{line(`{"type":"message","id":"n1","parentId":7}`)}, ErrContract, "parentId 7"},
		"empty parent":          {[][]byte{line(`{"type":"message","id":"n1","parentId":""}`)}, ErrContract, `parentId ""`},
		"unknown parent":        {[][]byte{line(`{"type":"message","id":"n1","parentId":"zz"}`)}, ErrContract, `"zz"`},
		"own parent":            {[][]byte{line(`{"type":"message","id":"n1","parentId":"n1"}`)}, ErrContract, "its own parent"},
		"taken id":              {[][]byte{line(entryLine(2))}, ErrDuplicate, "e0000002"},
		"twice in a batch":      {[][]byte{line(entryLine(4)), line(entryLine(4))}, ErrDuplicate, "entry 2 of 2"},
		"two lines":             {[][]byte{line(entryLine(4) + "\n" + entryLine(5))}, ErrContract, "one line"},
		"not JSON":              {[][]byte{line(`{"type":`)}, session.ErrMalformed, ""},
		"not UTF-8":             {[][]byte{line("{\"type\":\"message\",\"id\":\"n1\",\"x\":\"\xff\"}")}, ErrContract, "UTF-8"},
		"larger than a segment": {[][]byte{line(`{"type":"message","id":"n1","parentId":null,"x":"` + strings.Repeat("x", 1200) + `"}`)}, ErrContract, "1200"},
	}
	s, _ := newTestStore(t, 3)
	before := tree(t, s.dir)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			err := s.Append(t.Context(), tt.lines...)
			if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%v, want %v with %q", err, tt.want, tt.says)
			}
			if !sameTree(before, tree(t, s.dir)) {
				t.Error("the store was changed")
			}
		})
	}
}

func TestExtended(t *testing.T) {
	t.Parallel()
	lines := []string{
		strings.Replace(testHeader, "f4c03c8c-cf0a-4c90-9535-e95f2d02b393", "my.session", 1),
		`{"type":"mode_change","id":"a b","parentId":null,"mode":"plan"}`,
		`{"type":"message","id":"n2","parentId":"a b"}`,
	}
	name := writeSession(t, lines...)
	for _, id := range []string{lines[0], testHeader} {
		plain := writeSession(t, append([]string{id}, lines[1:]...)...)
		if _, err := Migrate(t.Context(), plain, testOptions); !errors.Is(err, ErrContract) {
			t.Errorf("not extended: %v", err)
		}
		if left, _ := filepath.Glob(Dir(plain) + "*"); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	}
	o := testOptions
	o.Extended = true
	m, err := Migrate(t.Context(), name, o)
	must.Do(t, err)
	s := mustOpen(t, m.Dir, o)
	must.Do(t, s.Append(t.Context(), []byte(`{"type":"x/y","id":"ü","parentId":"n2"}`)))
	wantSound(t, s)
	if _, err := s.Checkpoint(t.Context(), "manual"); err != nil {
		t.Fatal(err)
	}
	wantSound(t, s)
	for name, text := range tree(t, s.dir) {
		if name == manifestFile && !strings.Contains(text, manifestExtended) ||
			name == "checkpoints/0000000000000001.json" && !strings.Contains(text, checkpointExtended) {
			t.Errorf("%s has pi's schema id:\n%s", name, text)
		}
	}
	if st, err := s.Status(); err != nil || !st.Extended {
		t.Errorf("%+v, %v", st, err)
	}
	if e, err := s.Get("ü"); err != nil || e.Type != "x/y" || e.ParentID != "n2" {
		t.Errorf("%+v, %v", e, err)
	}
}

// Counters of branches do not depend on how entries arrive.
func TestAppendCountsBranches(t *testing.T) {
	t.Parallel()
	s, _ := newTestStore(t, 3)
	entry := func(id, parent string) []byte {
		return []byte(`{"type":"compaction","id":"` + id + `","parentId":"` + parent + `"}`)
	}
	steps := []struct {
		lines [][]byte
		want  int64
	}{
		{[][]byte{entry("a", "e0000002")}, 1},
		{[][]byte{entry("b", "e0000002")}, 1},
		{[][]byte{entry("c", "e0000003"), entry("d", "e0000003")}, 2},
		{[][]byte{entry("e", "d"), entry("f", "e"), entry("g", "d")}, 3},
		{[][]byte{[]byte(`{"type":"label","id":"h","parentId":null}`), entry("i", "g")}, 3},
	}
	for _, step := range steps {
		must.Do(t, s.Append(t.Context(), step.lines...))
		wantSound(t, s)
		m, err := readManifest(disk.OS{}, s.dir)
		must.Do(t, err)
		if m.Counters.Branches != step.want {
			t.Errorf("%d branches, want %d", m.Counters.Branches, step.want)
		}
	}
}

func TestReading(t *testing.T) {
	t.Parallel()
	s, _ := newTestStore(t, 7)
	must.Do(t, s.Append(t.Context(), []byte(`{"type":"label","id":"side","parentId":"e0000003"}`)))
	tail, err := s.Tail(3)
	must.Do(t, err)
	if len(tail) != 3 || tail[0].ID != "e0000006" || tail[2].ID != "side" || tail[1].Line != entryLine(7) {
		t.Errorf("tail %+v", tail)
	}
	if all, err := s.Tail(100); err != nil || len(all) != 8 {
		t.Errorf("%d entries, %v", len(all), err)
	}
	if e, err := s.Get("e0000004"); err != nil || e.Seq != 4 || e.Line != entryLine(4) {
		t.Errorf("%+v, %v", e, err)
	}
	if _, err := s.Get("e000000"); !errors.Is(err, ErrNotFound) {
		t.Errorf("unknown id: %v", err)
	}
	if _, err := Open(filepath.Dir(s.dir), testOptions); !errors.Is(err, ErrNotStore) {
		t.Errorf("opening a directory: %v", err)
	}
}

// A parent may stand after its child in a session that was migrated.
func TestParentsAfterChildren(t *testing.T) {
	t.Parallel()
	name := writeSession(t, testHeader, `{"type":"label","id":"b","parentId":"a"}`, `{"type":"label","id":"a","parentId":null}`)
	m, err := Migrate(t.Context(), name, testOptions)
	must.Do(t, err)
	s := mustOpen(t, m.Dir, testOptions)
	must.Do(t, s.Append(t.Context(), []byte(`{"type":"label","id":"c","parentId":"a"}`)))
	wantSound(t, s) // which counts the branch at a
}

func TestLocked(t *testing.T) {
	t.Parallel()
	s, name := newTestStore(t, 3)
	hasty := testOptions
	hasty.Wait = -1
	unlock, err := s.lock(t.Context())
	must.Do(t, err)
	if err := mustOpen(t, s.dir, hasty).Append(t.Context(), []byte(entryLine(4))); !errors.Is(err, jsonl.ErrLocked) {
		t.Errorf("appending: %v", err)
	}
	if _, err := Rollback(t.Context(), name, "test", hasty); !errors.Is(err, jsonl.ErrLocked) {
		t.Errorf("rolling back: %v", err)
	}
	if got := ids(t, s); len(got) != 3 {
		t.Errorf("reading: %v", got)
	}
	must.Do(t, unlock())
	must.Do(t, s.Append(t.Context(), []byte(entryLine(4))))

	a, err := jsonl.OpenAppender(t.Context(), name, jsonl.Options{})
	must.Do(t, err)
	defer a.Close()
	if _, err := Migrate(t.Context(), name, hasty); !errors.Is(err, jsonl.ErrLocked) {
		t.Errorf("migrating: %v", err)
	}
}

// Four appenders and four readers, each with a Store of its own: readers see a
// prefix that only grows, and the chain verifies at every moment.
func TestConcurrency(t *testing.T) {
	t.Parallel()
	each := 60 // entries of a writer
	if testing.Short() {
		each = 15
	}
	_, name := newTestStore(t, 3)
	o := Options{MaxSegment: 4000, Wait: time.Minute}
	done := make(chan struct{})
	var writers, readers sync.WaitGroup
	var acked atomic.Int64
	for k := range 4 {
		writers.Add(1)
		go func() {
			defer writers.Done()
			s, err := openStore(fastDisk{}, Dir(name), o)
			for n := 0; n < each && err == nil; n++ {
				line := fmt.Sprintf(`{"type":"message","id":"w%d-%d","parentId":"e0000003"}`, k, n)
				if err = s.Append(t.Context(), []byte(line)); err == nil {
					acked.Add(1)
				}
			}
			if err != nil {
				t.Error(err)
			}
		}()
	}
	for k := range 4 {
		readers.Add(1)
		go func() {
			defer readers.Done()
			s, err := openStore(fastDisk{}, Dir(name), o)
			if err != nil {
				t.Error(err)
				return
			}
			watch(t, s, k, &acked, done)
		}()
	}
	writers.Wait()
	close(done)
	readers.Wait()
	s := mustOpen(t, Dir(name), o)
	rep := wantSound(t, s)
	if want := acked.Load() + 3; rep.Entries != want || want != int64(4*each+3) {
		t.Errorf("%d entries, %d were acknowledged", rep.Entries, want)
	}
}

// watch reads a store that grows, until done, and once more.
func watch(t *testing.T, s *Store, k int, acked *atomic.Int64, done <-chan struct{}) {
	var before []string
	for last := false; !last; {
		select {
		case <-done:
			last = true
		default:
		}
		if k == 0 {
			rep, err := s.Verify(t.Context())
			if err != nil || !rep.OK() {
				t.Errorf("verifying: %v, %+v", err, rep)
				return
			}
			continue
		}
		least := int(acked.Load()) + 3
		var got []string
		for e, err := range s.Entries() {
			if err != nil {
				t.Error(err)
				return
			}
			got = append(got, e.ID)
		}
		if len(got) < least || len(got) < len(before) {
			t.Errorf("%d entries, %d were acknowledged and %d seen before", len(got), least, len(before))
			return
		}
		for i, id := range before {
			if got[i] != id {
				t.Errorf("entry %d was %s and is %s", i+1, id, got[i])
				return
			}
		}
		before = got
		// The store may have grown since.
		if tail, err := s.Tail(5); err != nil || len(tail) < min(5, len(got)) || len(tail) > 5 {
			t.Errorf("tail of %d, %v", len(tail), err)
			return
		}
	}
}
