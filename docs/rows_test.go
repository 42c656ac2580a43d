package docs_test

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// cmWords are the words of a page that are literals.
var cmWords = regexp.MustCompile(`(?m)^\.Cm (.*)$`)

// The page of a tool names every member of its rows that docs/rows describes.
func TestPagesNameMembers(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("rows/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, file := range files {
		tool := strings.TrimSuffix(filepath.Base(file), ".json")
		named := map[string]bool{}
		for _, m := range cmWords.FindAllStringSubmatch(read(t, filepath.Join("man", tool+".1")), -1) {
			for _, word := range strings.Fields(m[1]) {
				named[word] = true
			}
		}
		var doc struct {
			Defs map[string]struct{ Properties map[string]any } `json:"$defs"`
		}
		if err := json.Unmarshal([]byte(read(t, file)), &doc); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for kind, def := range doc.Defs {
			for name := range def.Properties {
				if !named[name] {
					t.Errorf("%s(1) does not name the member %s of %s", tool, name, kind)
				}
			}
		}
	}
}
