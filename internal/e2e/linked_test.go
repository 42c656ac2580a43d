package e2e

import (
	"debug/buildinfo"
	"path/filepath"
	"strings"
	"testing"
)

// What reads databases is large, and in none but the tools that convert
// (docs/adr/0018): others have sess-import read them.
func TestDatabasesAreNotLinked(t *testing.T) {
	t.Parallel()
	for _, path := range glob(t, filepath.Join("..", "..", "cmd", "sess-*")) {
		tool := filepath.Base(path)
		if tool == "sess-import" || tool == "sess-export" {
			continue
		}
		info, err := buildinfo.ReadFile(filepath.Join(bin, tool))
		if err != nil {
			t.Fatal(err)
		}
		if len(info.Deps) == 0 {
			t.Errorf("%s: says nothing of what it is made of", tool)
		}
		for _, module := range info.Deps {
			for _, large := range []string{"modernc.org/", "github.com/vmihailenco/", "github.com/klauspost/"} {
				if strings.HasPrefix(module.Path, large) {
					t.Errorf("%s is linked into %s", module.Path, tool)
				}
			}
		}
	}
}
