package js

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// table reads the rows of a file of testdata: what node answered to
// testdata/generate.js.
func table(t *testing.T, name string) [][]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	head, rest, _ := strings.Cut(string(data), "\n")
	columns := strings.Count(head, "\t") + strings.Count(head, "<tab>") + 1
	var rows [][]string
	for line := range strings.Lines(rest) {
		row := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(row) != columns {
			t.Fatalf("%s: row %d has %d columns, want %d", name, len(rows)+1, len(row), columns)
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		t.Fatalf("%s: no rows", name)
	}
	return rows
}
