package storev2

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// What goes in comes out, and the way back leaves the file as it was: every session of the corpus that a store takes.
func TestMigrateCorpus(t *testing.T) {
	t.Parallel()
	taken := 0
	for _, dir := range []string{"pi", "omp", "v2"} {
		for _, path := range corpus.Sessions(t, dir) {
			text := string(corpus.Session(t, path))
			if len(text) > 1<<20 || text == "" {
				continue
			}
			name := filepath.Join(fastDir(t), "s.jsonl")
			must.Do(t, os.WriteFile(name, []byte(text), 0o600))
			o := testOptions
			o.Extended = true
			o.MaxSegment = int64(len(text))/3 + 64<<10
			m, err := migrate(background, fastDisk{}, name, o)
			if err != nil {
				named := false
				for _, want := range []error{ErrContract, session.ErrMalformed, session.ErrNotSession, session.ErrVersion, jsonl.ErrTorn, errNoHeader} {
					named = named || errors.Is(err, want)
				}
				if left, _ := filepath.Glob(Dir(name) + "*"); !named || len(left) > 0 {
					t.Errorf("%s: %v; left behind: %v", path, err, left)
				}
				continue
			}
			taken++
			s := mustOpen(t, m.Dir, o)
			if rep, err := s.Verify(background); err != nil || !rep.OK() {
				t.Errorf("%s: %v, %v", path, err, rep.Problems)
			}
			if got := catText(t, s); got != withoutBlank(text) {
				t.Errorf("%s comes back changed", path)
			}
			if _, err := rollback(background, fastDisk{}, name, "test", o); err != nil || readText(t, name) != text {
				t.Errorf("%s was changed, or there is no way back: %v", path, err)
			}
		}
	}
	t.Logf("%d sessions", taken)
	if taken < 30 {
		t.Errorf("only %d sessions are taken", taken)
	}
}

// withoutBlank returns text without its blank lines, of which a store has no
// notion.
func withoutBlank(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.Trim(line, " \t\r\n") != "" {
			b.WriteString(line)
		}
	}
	return b.String()
}

// The same for sessions made up by chance, with white space around the entries,
// appended in part.
func TestMigrateGenerated(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		space := rapid.SampledFrom([]string{"", "", " ", "\t", "\r", " \r"})
		n := rapid.IntRange(0, 12).Draw(t, "entries")
		lines := []string{testHeader}
		names := []string{}
		for i := range n {
			parent := "null"
			if i > 0 && rapid.IntRange(0, 9).Draw(t, "root") > 0 {
				parent = js.Quote(rapid.SampledFrom(names).Draw(t, "parent"))
			}
			id := rapid.StringMatching(`[A-Za-z0-9_-]{1,8}`).Draw(t, "id") + js.Quote(string(rune('a' + i)))[1:2]
			names = append(names, id)
			text := js.Quote(rapid.String().Draw(t, "text"))
			kind := rapid.SampledFrom(entryTypes).Draw(t, "type")
			lines = append(lines, space.Draw(t, "before")+`{"type":"`+kind+`","x":`+text+`,"id":`+js.Quote(id)+`,"n":1.0, "parentId":`+parent+`}`+space.Draw(t, "after"))
		}
		seen := map[string]bool{}
		for _, id := range names {
			if seen[id] {
				t.Skip("an id twice")
			}
			seen[id] = true
		}
		later := rapid.IntRange(0, n).Draw(t, "appended later")
		dir, err := fastTemp()
		must.Do(t, err)
		defer os.RemoveAll(dir)
		name := filepath.Join(dir, "s.jsonl")
		first := strings.Join(lines[:len(lines)-later], "\n") + "\n"
		must.Do(t, os.WriteFile(name, []byte(first), 0o600))
		o := testOptions
		o.MaxSegment = int64(rapid.IntRange(2000, 4000).Draw(t, "segment"))
		m, err := migrate(background, fastDisk{}, name, o)
		if errors.Is(err, ErrContract) && strings.Contains(err.Error(), "a segment holds") {
			t.Skip("too large")
		}
		must.Do(t, err)
		s, err := openStore(fastDisk{}, m.Dir, o)
		must.Do(t, err)
		for _, line := range lines[len(lines)-later:] {
			if err := s.Append(background, []byte(line)); err != nil && strings.Contains(err.Error(), "a segment holds") {
				t.Skip("too large")
			} else if err != nil {
				t.Fatal(err)
			}
		}
		var b strings.Builder
		if _, err := s.WriteTo(&b); err != nil || b.String() != strings.Join(lines, "\n")+"\n" {
			t.Fatalf("%q, %v\nwant %q", b.String(), err, lines)
		}
		if rep, err := s.Verify(background); err != nil || !rep.OK() {
			t.Fatal(err, rep.Problems)
		}
	})
}

func TestMigrateRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text string
		want error
		says string
	}{
		"empty":      {"", errNoHeader, ""},
		"torn":       {testHeader + "\n" + entryLine(1)[:20], jsonl.ErrTorn, ""},
		"not ended":  {testHeader + "\n" + entryLine(1), jsonl.ErrTorn, "line 2"},
		"bad line":   {testHeader + "\n{\n" + entryLine(1) + "\n", session.ErrMalformed, "line 2"},
		"no parent":  {testHeader + "\n" + entryLine(2) + "\n", ErrContract, "e0000001"},
		"id twice":   {testHeader + "\n" + entryLine(1) + "\n" + entryLine(1) + "\n", ErrContract, "e0000001"},
		"cycle":      {testHeader + "\n" + `{"type":"label","id":"a","parentId":"b"}` + "\n" + `{"type":"label","id":"b","parentId":"a"}` + "\n", ErrContract, "ancestor"},
		"version 2":  {strings.Replace(testHeader, `"version":3`, `"version":2`, 1) + "\n", ErrContract, "version 2"},
		"version 4":  {strings.Replace(testHeader, `"version":3`, `"version":4`, 1) + "\n", session.ErrVersion, ""},
		"no session": {`{"type":"message"}` + "\n", session.ErrNotSession, ""},
		"type":       {testHeader + "\n" + `{"type":"mode_change","id":"a","parentId":null}` + "\n", ErrContract, "mode_change"},
		"no UUID":    {strings.Replace(testHeader, "f4c03c8c-", "f4c03c8c.", 1) + "\n", ErrContract, "UUID"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "s.jsonl")
			must.Do(t, os.WriteFile(file, []byte(tt.text), 0o600))
			_, err := Migrate(t.Context(), file, testOptions)
			if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%v, want %v with %q", err, tt.want, tt.says)
			}
			if left, _ := filepath.Glob(Dir(file) + "*"); len(left) > 0 || readText(t, file) != tt.text {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestDryRun(t *testing.T) {
	t.Parallel()
	name := newSession(t, 3)
	o := testOptions
	o.DryRun = true
	m, err := Migrate(t.Context(), name, o)
	if err != nil || m.Entries != 3 || !m.EntryCountMatch || !m.HashChainMatch || !m.IndexConsistent {
		t.Errorf("%+v, %v", m, err)
	}
	if left, _ := filepath.Glob(Dir(name) + "*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A store with entries that the file has not is never replaced.
func TestMigrateKeepsAppended(t *testing.T) {
	t.Parallel()
	s, name := newTestStore(t, 3)
	_, err := Migrate(t.Context(), name, testOptions) // again, in place of its like
	must.Do(t, err)
	must.Do(t, s.Append(t.Context(), []byte(entryLine(4))))
	m, err := Migrate(t.Context(), name, testOptions)
	if got := ids(t, s); err != nil || len(got) != 4 || m.Taken != 0 || m.Entries != 4 {
		t.Errorf("%+v, %v, entries %v", m, err, got)
	}
	wantSound(t, s)
}

// What another program added to the file is taken into a store that has entries of
// its own: by id, in the order of the file, once.
func TestMigrateTakesIn(t *testing.T) {
	t.Parallel()
	s, name := newTestStore(t, 3)
	must.Do(t, s.Append(t.Context(), []byte(entryLine(4))))
	branch := func(id, parent string) string {
		return strings.NewReplacer("e0000002", id, "e0000001", parent).Replace(entryLine(2))
	}
	addTo(t, name, branch("f2", "e0000003")+"\n"+entryLine(4)+"\n"+branch("f1", "f2")+"\n")
	if f, err := s.Foreign(t.Context()); err != nil || strings.Join(f.IDs, " ") != "f2 f1" {
		t.Errorf("foreign entries: %+v, %v", f, err)
	}
	o := testOptions
	o.DryRun = true
	m, err := Migrate(t.Context(), name, o)
	if err != nil || m.Taken != 0 && m.Entries == 0 {
		t.Errorf("%+v, %v", m, err)
	}
	if got := ids(t, s); len(got) != 4 { // the file has all of the store now: it would be built anew
		t.Errorf("a dry run left %v", got)
	}
	must.Do(t, s.Append(t.Context(), []byte(entryLine(5))))
	if m, err = Migrate(t.Context(), name, o); err != nil || m.Taken != 2 || m.Entries != 7 {
		t.Errorf("%+v, %v", m, err)
	}
	if m, err = Migrate(t.Context(), name, testOptions); err != nil || m.Taken != 2 || m.Entries != 7 {
		t.Errorf("%+v, %v", m, err)
	}
	if got := strings.Join(ids(t, s), " "); got != "e0000001 e0000002 e0000003 e0000004 e0000005 f2 f1" {
		t.Errorf("entries %s", got)
	}
	if f, err := s.Foreign(t.Context()); err != nil || len(f.IDs) > 0 {
		t.Errorf("foreign entries: %+v, %v", f, err)
	}
	wantSound(t, s)
	text := readText(t, name)
	out, err := Rollback(t.Context(), name, "test", testOptions)
	if err != nil || out.Carried != 1 || readText(t, name) != text+entryLine(5)+"\n" {
		t.Errorf("%+v, %v", out, err)
	}
}

// A file that another program wrote anew has the same entries: only what is not in the
// store counts.
func TestForeignRewritten(t *testing.T) {
	t.Parallel()
	s, name := newTestStore(t, 3)
	text := strings.ReplaceAll(readText(t, name), `"content"`, `"more":1,"content"`)
	for _, tt := range []struct{ text, want string }{
		{text, ""},
		{text + entryLine(4) + "\n", "e0000004"},
		{text + entryLine(4)[:30], ""}, // a writer at work
		{testHeader + "\n" + entryLine(9) + "\n", "e0000009"},
		{"", ""},
	} {
		must.Do(t, os.WriteFile(name, []byte(tt.text), 0o600))
		if f, err := s.Foreign(t.Context()); err != nil || strings.Join(f.IDs, " ") != tt.want {
			t.Errorf("%.200q: %+v, %v", tt.text, f, err)
		}
	}
	must.Do(t, os.Remove(name))
	if f, err := s.Foreign(t.Context()); err != nil || len(f.IDs) > 0 {
		t.Errorf("%+v, %v", f, err)
	}
}

// What cannot be read cannot be carried: nothing happens, unless it is forced.
func TestRollbackForce(t *testing.T) {
	t.Parallel()
	s, name := newTestStore(t, 3)
	text := readText(t, name)
	must.Do(t, appendN(disk.OS{}, name, 4, 6))
	file := lastSegment(t, name)
	must.Do(t, os.WriteFile(file, []byte(strings.Replace(readText(t, file), "number 6", "number 7", 1)), 0o600))
	o := testOptions
	for range 2 { // the second time the store is FAILED
		if _, err := Rollback(t.Context(), name, "test", o); !errors.Is(err, ErrUnsaved) && !errors.Is(err, ErrCorrupt) {
			t.Errorf("got %v", err)
		}
	}
	if _, err := os.Stat(s.dir); err != nil || readText(t, name) != text {
		t.Errorf("something was changed: %v", err)
	}
	o.Force = true
	if out, err := Rollback(t.Context(), name, "test", o); err != nil || out.Carried != 0 || readText(t, name) != text {
		t.Errorf("%+v, %v", out, err)
	}
}

func TestRollback(t *testing.T) {
	t.Parallel()
	s, name := newTestStore(t, 3)
	text := readText(t, name)
	must.Do(t, s.Append(t.Context(), []byte(entryLine(4))))
	out, err := Rollback(t.Context(), name, "because", testOptions)
	to := out.Dir
	must.Do(t, err)
	if readText(t, name) != text+entryLine(4)+"\n" || out.Carried != 1 {
		t.Errorf("%d entries were carried into the file", out.Carried)
	}
	if _, err := Open(Dir(name), testOptions); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("opening what is gone: %v", err)
	}
	old := mustOpen(t, to, testOptions)
	if st, err := old.Status(); err != nil || st.State != RolledBack || st.Reason != "because" || st.Entries != 4 {
		t.Errorf("%+v, %v", st, err)
	}
	events, err := ledger(disk.OS{}, to)
	must.Do(t, err)
	var phases []string
	for _, e := range events {
		phases = append(phases, e.Phase)
		if e.Migration != events[0].Migration {
			t.Errorf("event %s belongs to another migration", e.Phase)
		}
	}
	if got := strings.Join(phases, " "); got != "planned staging_copy integrity_check cutover_commit completed rollback" {
		t.Errorf("events %s", got)
	}
	_, err = Migrate(t.Context(), name, testOptions) // and forth again
	must.Do(t, err)
}
