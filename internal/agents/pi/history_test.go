package pi

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/agents/sqldb"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/formatstest"
)

// genuine is a database that oh-my-pi 18.2.3 wrote.
var genuine = filepath.Join(corpus.Dir(), "omp", "history", "history.db")

func all(t *testing.T, path string) (list []Prompt, err error) {
	t.Helper()
	for p, err := range Prompts(t.Context(), path) {
		if err != nil {
			return list, err
		}
		list = append(list, p)
	}
	return list, nil
}

func TestGenuine(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "history.db")
	data, err := os.ReadFile(genuine)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o400); err != nil {
		t.Fatal(err)
	}
	got, err := all(t, path)
	at := int64(1795358456)
	want := []Prompt{
		{"git-commit: undo 100% of a_b", at, "/w", ""},
		{"commit all of it", at, "/x", "s2"},
		{"Fix the Tokenizer and the parser\nwith care", at, "/w", "s1"},
		{"fix the parser", at, "/x", "s2"},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v -want +got:\n%s", err, diff)
	}
	if files, _ := os.ReadDir(filepath.Dir(path)); len(files) != 1 {
		t.Errorf("reading left %v behind", files)
	}
	for range Prompts(t.Context(), path) {
		break // whoever has read enough gets no error, and holds nothing open
	}
}

// Databases of earlier releases lack columns, and rows may lack anything.
func TestOthers(t *testing.T) {
	t.Parallel()
	old := formatstest.Database(t, `CREATE TABLE history (id INTEGER PRIMARY KEY, prompt TEXT, created_at INTEGER, cwd TEXT)`,
		`INSERT INTO history VALUES (1, 'a', 5, NULL), (2, '', 6, ''), (3, NULL, 7, ''), (4, 'b', NULL, ''), (5, x'ff62', 9, '/w'), (6, 7, 8, '/w')`)
	got, err := all(t, old)
	want := []Prompt{{"\ufffdb", 9, "/w", ""}, {"7", 8, "/w", ""}, {"a", 5, "", ""}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v -want +got:\n%s", err, diff)
	}
	for name, path := range map[string]string{
		"no such table":  formatstest.Database(t, `CREATE TABLE other (id)`),
		"no such column": formatstest.Database(t, `CREATE TABLE history (id, prompt)`),
		"a view":         formatstest.Database(t, `CREATE TABLE x (id, prompt, created_at, cwd)`, `CREATE VIEW history AS SELECT * FROM x`),
	} {
		if list, err := all(t, path); !errors.Is(err, sqldb.ErrSchema) || len(list) > 0 {
			t.Errorf("%s: %v, %v", name, list, err)
		}
	}
	if _, err := all(t, filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
