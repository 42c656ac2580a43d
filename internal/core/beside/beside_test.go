package beside

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/test/must"
)

// What a directory is beside a file: nothing, a cache of pi's, or the session.
func TestCommitted(t *testing.T) {
	t.Parallel()
	event := func(phase string) string {
		return `{"schema":"` + EventSchema + `","phase":"` + phase + `"}` + "\n"
	}
	for name, tt := range map[string]struct {
		files            map[string]string
		store, committed bool
	}{
		"none":                        {nil, false, false},
		"an index":                    {map[string]string{IndexFile: ""}, true, false},
		"a cache of pi's":             {map[string]string{ManifestFile: "{}", LedgerFile: event("completed")}, true, false},
		"a marker":                    {map[string]string{ManifestFile: "{}", MarkerFile: "torn"}, true, true},
		"a ledger":                    {map[string]string{ManifestFile: "{}", LedgerFile: event("completed") + event("planned")}, true, true},
		"a ledger behind a torn line": {map[string]string{ManifestFile: "{}", LedgerFile: "{\n" + event("cutover_commit")}, true, true},
		"a torn ledger":               {map[string]string{ManifestFile: "{}", LedgerFile: strings.TrimSuffix(event("planned"), "\n")}, true, false},
		"another ledger":              {map[string]string{LedgerFile: `{"schema":"x","phase":"planned"}` + "\n"}, false, false},
		"no manifest and a marker":    {map[string]string{MarkerFile: "{}"}, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "s.jsonl")
			for file, text := range tt.files {
				file = filepath.Join(Dir(path), filepath.FromSlash(file))
				must.Do(t, os.MkdirAll(filepath.Dir(file), 0o700))
				must.Do(t, os.WriteFile(file, []byte(text), 0o600))
			}
			if got := IsStore(Dir(path) + string(os.PathSeparator)); got != tt.store {
				t.Errorf("a store: %v, want %v", got, tt.store)
			}
			want := ""
			if tt.committed {
				want = Dir(path)
			}
			if got, err := Committed(path); got != want || err != nil {
				t.Errorf("%q, %v, want %q", got, err, want)
			}
			if Source(Dir(path)) != path {
				t.Errorf("the store of %s is of %s", path, Source(Dir(path)))
			}
		})
	}
}

// A ledger that is a directory, and a store that is a file or a link, tell nothing.
func TestCommittedOdd(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must.Do(t, os.MkdirAll(filepath.Join(dir, "a.v2", LedgerFile), 0o700))
	must.Do(t, os.WriteFile(filepath.Join(dir, "b.v2"), nil, 0o600))
	for _, name := range []string{"a.jsonl", "b.jsonl", "c.v2", "a.v2"} {
		if got, err := Committed(filepath.Join(dir, name)); got != "" || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if IsStore("") || IsStore(filepath.Join(dir, "b.v2")) {
		t.Error("no directory is a store")
	}
	if ours, err := Migrated(disk.OS{}, filepath.Join(dir, "none")); ours || err != nil {
		t.Errorf("%v, %v", ours, err)
	}
}
