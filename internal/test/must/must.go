// Package must does what a test cannot go on without.
package must

import (
	"os"
	"path/filepath"
)

// A T is a test, a benchmark, a fuzz target or a case of rapid.
type T interface {
	Helper()
	Fatal(args ...any)
}

// Do ends the test with an error.
func Do(t T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Read returns what a file has.
func Read(t T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	Do(t, err)
	return string(data)
}

// Write makes a file below a directory, for its owner alone, and the directories between, and returns its path.
func Write(t T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	Do(t, os.MkdirAll(filepath.Dir(path), 0o700))
	Do(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}
