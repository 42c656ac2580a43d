package store

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// write makes a file below dir, and the directories it needs.
func write(t testing.TB, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// touch sets a file's modification time to s seconds past a fixed time.
func touch(t testing.TB, path string, s int) {
	t.Helper()
	at := time.Unix(1767323100+int64(s), 0)
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
}

// symlink skips the test where there are no symbolic links.
func symlink(t testing.TB, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Skipf("no symbolic links: %v", err)
	}
}

// text returns a session with this id and working directory and n messages, the
// i-th at i seconds.
func text(id, cwd string, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"type":"session","version":3,"id":%q,"timestamp":"2026-01-01T00:00:00.000Z","cwd":%q}`+"\n", id, cwd)
	for i := range n {
		b.WriteString(message(i, fmt.Sprintf("m%d", i)))
	}
	return b.String()
}

// message returns the line of a user message at i seconds.
func message(i int, content string) string {
	return fmt.Sprintf(`{"type":"message","id":"e%07d","parentId":null,"timestamp":"2026-01-02T03:05:00.000Z","message":{"role":"user","content":%q,"timestamp":%d}}`+"\n",
		i, content, 1767323100000+1000*int64(i))
}

// warnings collects what a function warns of, paths relative to dir.
type warnings struct {
	dir  string
	list []string
	errs []error
}

func (w *warnings) add(path string, err error) {
	if rel, relErr := filepath.Rel(w.dir, path); relErr == nil {
		path = filepath.ToSlash(rel)
	}
	w.list = append(w.list, path+": "+err.Error())
	w.errs = append(w.errs, err)
}

// rels returns the paths of rows relative to dir.
func rels(t testing.TB, dir string, rows []Row) []string {
	t.Helper()
	var out []string
	for _, r := range rows {
		rel, err := filepath.Rel(dir, r.Path)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, filepath.ToSlash(rel))
	}
	return out
}

func same(t testing.TB, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}
