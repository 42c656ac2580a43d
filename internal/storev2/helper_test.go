package storev2

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/must"
)

var background = context.Background()

const testHeader = `{"type":"session","version":3,"id":"f4c03c8c-cf0a-4c90-9535-e95f2d02b393","timestamp":"2026-02-15T18:10:00.000Z","cwd":"/w"}`

// fixedTime is the clock of the fixtures.
func fixedTime() time.Time { return time.Date(2026, 2, 15, 18, 11, 0, 0, time.UTC) }

// testOptions wait for a lock: one that was let go of may last a little longer, while
// another program reads /proc/PID/fd.
var testOptions = Options{Now: fixedTime}

// entryLine is the n-th entry of a made-up session, a child of the one before.
func entryLine(n int) string {
	parent := "null"
	if n > 1 {
		parent = fmt.Sprintf(`"e%07d"`, n-1)
	}
	return fmt.Sprintf(`{"type":"message","id":"e%07d","parentId":%s,"timestamp":"2026-02-15T18:10:00.000Z","message":{"role":"user","content":"number %d"}}`, n, parent, n)
}

// newSession writes a session of n entries and returns its name.
func newSession(t testing.TB, n int) string {
	t.Helper()
	lines := []string{testHeader}
	for i := 1; i <= n; i++ {
		lines = append(lines, entryLine(i))
	}
	return writeSession(t, lines...)
}

func writeSession(t testing.TB, lines ...string) string {
	t.Helper()
	name := filepath.Join(fastDir(t), "s.jsonl")
	must.Do(t, os.WriteFile(name, []byte(strings.Join(lines, "\n")+"\n"), 0o600))
	return name
}

// newTestStore returns a migrated store of n entries in small segments.
func newTestStore(t testing.TB, n int) (*Store, string) {
	t.Helper()
	name := newSession(t, n)
	o := testOptions
	o.MaxSegment = 1200
	if _, err := Migrate(t.Context(), name, o); err != nil {
		t.Fatal(err)
	}
	return mustOpen(t, Dir(name), o), name
}

func mustOpen(t testing.TB, dir string, o Options) *Store {
	t.Helper()
	s, err := Open(dir, o)
	must.Do(t, err)
	return s
}

func wantSound(t testing.TB, s *Store) *Report {
	t.Helper()
	rep, err := s.Verify(t.Context())
	must.Do(t, err)
	for _, p := range rep.Problems {
		t.Errorf("%s %s: %s", p.Kind, p.Invariant, p.Text)
	}
	if t.Failed() {
		t.FailNow()
	}
	return rep
}

func ids(t testing.TB, s *Store) []string {
	t.Helper()
	var out []string
	for e, err := range s.Entries() {
		must.Do(t, err)
		out = append(out, e.ID)
	}
	return out
}

func catText(t testing.TB, s *Store) string {
	t.Helper()
	var b bytes.Buffer
	if _, err := s.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func readText(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	must.Do(t, err)
	return string(b)
}

var vectorsOnce = sync.OnceValues(func() ([]byte, error) {
	return os.ReadFile(filepath.Join(corpus.Dir(), "v2", "stores.tar.gz"))
})

// vectors unpacks the stores that pi's code wrote, or what was made of them, and
// returns their directory. Only names that begin with one of the prefixes count.
func vectors(t testing.TB, prefixes ...string) string {
	t.Helper()
	data, err := vectorsOnce()
	must.Do(t, err)
	z, err := gzip.NewReader(bytes.NewReader(data))
	must.Do(t, err)
	dir := t.TempDir()
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return dir
		}
		must.Do(t, err)
		name := strings.TrimPrefix(h.Name, "vectors/")
		wanted := false
		for _, p := range prefixes {
			wanted = wanted || strings.HasPrefix(name, p)
		}
		if !wanted {
			continue
		}
		unpack(t, filepath.Join(dir, filepath.FromSlash(name)), h, r)
	}
}

func unpack(t testing.TB, to string, h *tar.Header, r io.Reader) {
	t.Helper()
	if h.FileInfo().IsDir() {
		must.Do(t, os.MkdirAll(to, h.FileInfo().Mode().Perm()))
		return
	}
	b, err := io.ReadAll(r)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(to), 0o700)
	}
	if err == nil {
		err = os.WriteFile(to, b, h.FileInfo().Mode().Perm())
	}
	must.Do(t, err)
}

// copyTree copies a directory, with the modes that a store has.
func copyTree(t testing.TB, from, to string) {
	t.Helper()
	must.Do(t, os.Mkdir(to, dirMode))
	entries, err := os.ReadDir(from)
	must.Do(t, err)
	for _, e := range entries {
		a, b := filepath.Join(from, e.Name()), filepath.Join(to, e.Name())
		if e.IsDir() {
			copyTree(t, a, b)
			continue
		}
		data, err := os.ReadFile(a)
		must.Do(t, err)
		must.Do(t, os.WriteFile(b, data, fileMode))
	}
}

// tree returns the files below dir with their contents.
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		out[filepath.ToSlash(rel)] = readText(t, path)
		return err
	})
	must.Do(t, err)
	return out
}
