package jqmap_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/jqmap"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/internal/test/must"
)

// overDatabases yields the maps over databases, each with the statements that make its sample.
func overDatabases(t *testing.T, yield func(t *testing.T, f formats.Format, statements []string)) {
	t.Helper()
	n := 0
	for _, f := range own() {
		if name := f.About().Name; jqmap.IsDatabase(t, f) {
			n++
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				text := must.Read(t, filepath.Join(corpus.Dir(), "agents", name, "made.sql"))
				yield(t, f, strings.Split(strings.TrimSpace(text), ";\n"))
			})
		}
	}
	if n < 5 {
		t.Errorf("%d maps over databases", n)
	}
}

// damages returns what of the sessions of a database is damaged.
func damages(results []formatstest.Result) (out []string) {
	for _, r := range results {
		for _, l := range r.Losses {
			if l.Kind == formats.KindDamage {
				out = append(out, l.String())
			}
		}
	}
	return out
}

// A column or a table that a map says may be missing may be: nothing is damaged. Of those that it needs the missing one is named.
func TestDatabasesWithoutColumns(t *testing.T) {
	t.Parallel()
	overDatabases(t, func(t *testing.T, f formats.Format, statements []string) {
		try := func(change string, refused bool, told string) {
			path := formatstest.Database(t, append(slices.Clone(statements), change)...)
			results, err := formatstest.TryAll(t.Context(), f, source(path))
			if refused != (err != nil) || refused && !(strings.Contains(err.Error(), told) && strings.Contains(err.Error(), path)) || len(damages(results)) > 0 {
				t.Errorf("%s: %v, %v", change, err, damages(results))
			}
		}
		need, may := jqmap.Columns(t, f)
		for _, table := range slices.Sorted(maps.Keys(may)) {
			if need[table] == nil {
				try("DROP TABLE "+table, false, "")
			}
			for _, column := range may[table] {
				if need[table] != nil && strings.Contains(strings.Join(statements, ";"), " "+column+" ") {
					try(fmt.Sprintf("ALTER TABLE %s RENAME COLUMN %s TO gone", table, column), false, "")
				}
			}
		}
		for table, columns := range need {
			try(fmt.Sprintf("DROP TABLE %s", table), true, "it has no table "+strings.ToLower(table))
			try(fmt.Sprintf("ALTER TABLE %s RENAME TO hidden; CREATE VIEW %s AS SELECT * FROM hidden", table, table), true, "it has no table "+strings.ToLower(table))
			try(fmt.Sprintf("CREATE TRIGGER watch AFTER INSERT ON %s BEGIN SELECT raise(ABORT, 'no'); END", table), false, "")
			column := columns[len(columns)-1]
			try(fmt.Sprintf("ALTER TABLE %s RENAME COLUMN %s TO gone; ALTER TABLE %s ADD COLUMN %s AS (gone)", table, column, table, column), true, "has no column "+strings.ToLower(column))
		}
	})
}

// What is only in the log of a running program is read.
func TestDatabasesWithALog(t *testing.T) {
	t.Parallel()
	overDatabases(t, func(t *testing.T, f formats.Format, statements []string) {
		last := len(statements) - 1
		want := fmt.Sprint(texts(t, f, formatstest.Database(t, statements...)))
		path := formatstest.Database(t, statements[:last]...)
		if fmt.Sprint(texts(t, f, path)) == want {
			t.Error("the last row says nothing")
		}
		formatstest.Logged(t, path, statements[last], func() {
			if got := fmt.Sprint(texts(t, f, path)); got != want {
				t.Errorf("read\n%s\nwant\n%s", got, want)
			}
		})
	})
}

// A message more adds to what was read before, but for what is counted at the end.
func TestDatabasesWithARowMore(t *testing.T) {
	t.Parallel()
	overDatabases(t, func(t *testing.T, f formats.Format, statements []string) {
		isMessage := func(s string) bool { return strings.HasPrefix(s, "INSERT INTO messages(") }
		all := entries(t, f, formatstest.Database(t, statements...))
		for i, statement := range statements {
			if !isMessage(statement) || slices.ContainsFunc(statements[i+1:], isMessage) {
				continue
			}
			part := entries(t, f, formatstest.Database(t, slices.Delete(slices.Clone(statements), i, i+1)...))
			less := 0
			for id, lines := range part {
				if whole := all[id]; len(lines) > len(whole) || !slices.Equal(lines, whole[:len(lines)]) {
					t.Errorf("%s: %q is not the beginning of %q", id, lines, whole)
				}
				less += len(all[id]) - len(lines)
			}
			if less == 0 {
				t.Error("the last message says nothing")
			}
		}
	})
}

// texts returns what the sessions of a database say.
func texts(t *testing.T, f formats.Format, path string) (out []string) {
	t.Helper()
	for _, r := range formatstest.Import(t, f, source(path), false) {
		out = append(out, r.Lines...)
	}
	return out
}

// entries returns the entries of the sessions of a database, but for what is counted, by the ids of the sessions.
func entries(t *testing.T, f formats.Format, path string) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for _, r := range formatstest.Import(t, f, source(path), false) {
		for _, e := range r.Session(t).Entries {
			if e.Type() != "usage" {
				out[r.Info.ID] = append(out[r.Info.ID], e.Raw())
			}
		}
	}
	return out
}
