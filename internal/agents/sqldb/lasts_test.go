package sqldb_test

import (
	"slices"
	"testing"
)

// A database can be read on where a writer waits for no reader, until something is written: what is read is then what opening it anew
// shows.
func TestLasts(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		mode  string
		ended bool
		want  bool
	}{
		"rollback journal, ended":   {"DELETE", true, false},
		"rollback journal, running": {"DELETE", false, false},
		"log, ended":                {"WAL", true, true},
		"log, running":              {"WAL", false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, path := fresh(t)
			w.exec("PRAGMA journal_mode="+tt.mode, "CREATE TABLE t(x)", "INSERT INTO t VALUES('a')")
			if tt.ended {
				w.end()
			}
			db := opened(t, path)
			if got := db.Lasts(); got != tt.want {
				t.Fatalf("it lasts: %v", got)
			}
			if !tt.want {
				return
			}
			if tt.ended {
				w = startWriter(t, path)
			}
			w.exec("INSERT INTO t VALUES('b')") // which waits for no lock: it would fail
			if db.Lasts() {
				t.Error("it lasts behind a change")
			}
			if got := read(t, path); !slices.Equal(got, []string{"a", "b"}) {
				t.Errorf("%v", got)
			}
		})
	}
}
