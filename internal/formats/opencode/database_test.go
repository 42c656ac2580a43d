package opencode

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/corpus"
	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/internal/formats/formatstest"
)

// sameAsExport compares the sessions of a database with their exports, by the ends of
// their ids, and returns how many there were.
func sameAsExport(t *testing.T, src *formats.Source, export func(id string) []byte) int {
	t.Helper()
	n := 0
	for _, r := range formatstest.Import(t, Format, src, false) {
		data := export(r.Info.ID)
		if data == nil {
			t.Errorf("%s: no export of it", r.Info.ID)
			continue
		}
		if diff := cmp.Diff(importOne(t, data).Lines, r.Lines); diff != "" {
			t.Errorf("%s (-export +database):\n%.4000s", r.Info.ID, diff)
		}
		n++
	}
	return n
}

// The database gives the same session as what opencode exports of it.
func TestDatabase(t *testing.T) {
	t.Parallel()
	n := 0
	files := exports(t)
	for name, data := range corpus.Golden(t, "opencode/databases-1.18") {
		n += sameAsExport(t, write(t, name, data), func(id string) []byte {
			return files["genuine-"+strings.TrimSuffix(name, ".db")+"-"+strings.TrimPrefix(id, "ses_")+".json"]
		})
	}
	if n != 7 {
		t.Errorf("%d sessions", n)
	}
}

// TestShared reads the whole collection of samples that these were chosen from.
func TestShared(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("SESS_SHARED")
	if dir == "" {
		t.Skip("SESS_SHARED names no collection of samples")
	}
	dir = filepath.Join(dir, "fixtures", "opencode")
	paths, err := filepath.Glob(filepath.Join(dir, "genuine", "*", "opencode.db"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: no databases, %v", dir, err)
	}
	files := map[string][]byte{}
	n := 0
	for _, path := range paths {
		scenario := filepath.Base(filepath.Dir(path))
		n += sameAsExport(t, source(path), func(id string) []byte {
			data, err := os.ReadFile(filepath.Join(filepath.Dir(path), "export-"+id+".json"))
			if err != nil {
				t.Error(err)
			}
			name := scenario + "__export-" + id
			files[name+".json"] = data
			if files[name+".brief"], err = os.ReadFile(filepath.Join(dir, "golden", name+".brief")); err != nil {
				t.Error(err)
			}
			return data
		})
	}
	t.Logf("%d databases, %d sessions as exported, %d as opencode sends them", len(paths), n, compareExports(t, files))
}
