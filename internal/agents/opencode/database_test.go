package opencode

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/formatstest"
)

// databaseCopy returns the path of a database that opencode has made.
func databaseCopy(t testing.TB) string {
	t.Helper()
	return write(t, "opencode.db", corpus.Golden(t, "opencode/databases-1.18")["07-subagent.db"]).Path
}

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

// Every database gives what opencode exported of it, and is shown to a model as
// opencode sent it.
func TestHomes(t *testing.T) {
	t.Parallel()
	home := corpus.Golden(t, "opencode/homes-1.18")
	files := map[string][]byte{}
	sessions := 0
	for name, data := range home {
		scenario, found := strings.CutSuffix(name, "/opencode.db")
		if !found {
			continue
		}
		sessions += sameAsExport(t, write(t, scenario+".db", data), func(id string) []byte {
			export := home[scenario+"/export-"+id+".json"]
			key := scenario + "__export-" + id
			files[key+".json"], files[key+".brief"] = export, home["golden/"+key+".brief"]
			if files[key+".brief"] == nil {
				t.Errorf("%s: nothing says what opencode sent", key)
			}
			return export
		})
	}
	if n := compareExports(t, files); sessions != 12 || n != sessions {
		t.Errorf("%d sessions as exported, %d as opencode sends them", sessions, n)
	}
}
