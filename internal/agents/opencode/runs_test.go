package opencode

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/sqldb"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/drawn"
	"github.com/sess-tools/sess/internal/test/formatstest"
)

// drawnTables returns a database with messages of one time, without parts, without JSON, of other sessions, and parts in any order,
// and how many sessions it has.
func drawnTables(r *rand.Rand) (sql string, sessions int) {
	var b strings.Builder
	b.WriteString(`CREATE TABLE session (id, slug, directory, title, version, time_created, time_updated, parent_id); ` + firstTables)
	if r.IntN(2) == 0 {
		b.WriteString(`CREATE INDEX of_session ON message (session_id, time_created, id); CREATE INDEX of_message ON part (message_id, id);`)
	}
	sessions = 1 + r.IntN(3)
	for s := range sessions {
		fmt.Fprintf(&b, `INSERT INTO session VALUES ('ses_%d','sl','/w','t','1',%d,%d,NULL);`, s, r.IntN(9), r.IntN(20))
		for m := range r.IntN(12) {
			id, at := fmt.Sprintf("msg_%d_%d", s, (m*7)%12), r.IntN(30)
			data := fmt.Sprintf(`{"role":%q,"time":{"created":%d}}`, []string{"user", "assistant"}[r.IntN(2)], at)
			if r.IntN(6) == 0 {
				data = "no JSON"
			}
			fmt.Fprintf(&b, `INSERT INTO message VALUES ('%s','ses_%d',%d,'%s');`, id, s, at, data)
			for p := range r.IntN(4) {
				fmt.Fprintf(&b, `INSERT INTO part VALUES ('prt_%d_%d_%d','%s','ses_%d','{"type":"text","text":"%[2]d %[3]d"}');`, r.IntN(99), m, p, id, s)
			}
		}
	}
	return b.String(), sessions
}

// Each message has its own rows, in whatever order messages are asked for: those that one query yields, and those of a query for it.
func TestRunsAreThoseOfTheMessage(t *testing.T) {
	t.Parallel()
	for _, r := range drawn.Cases(t, 200) {
		sql, sessions := drawnTables(r)
		d, err := openDatabase(t.Context(), source("x"), formatstest.Database(t, sql))
		if err != nil {
			t.Fatal(err)
		}
		for n := range sessions {
			id := fmt.Sprintf("ses_%d", n)
			s, err := d.open(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			if r.IntN(2) == 0 {
				r.Shuffle(len(s.messages), func(i, j int) { s.messages[i], s.messages[j] = s.messages[j], s.messages[i] })
			}
			for _, m := range s.messages {
				got, err := s.message(t.Context(), m)
				if err != nil {
					t.Fatal(err)
				}
				if want := apart(t, d.db, id, m.id); cmp.Diff(want, shown(got)) != "" {
					t.Errorf("%s of\n%s\n%s", m.id, sql, cmp.Diff(want, shown(got)))
				}
			}
			s.close()
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// shown is what a message and its parts say.
func shown(m message) (texts []string) {
	texts = append(texts, string(m.info))
	for _, p := range m.parts {
		texts = append(texts, string(p))
	}
	return texts
}

// apart is shown for a message that is read by queries of its own.
func apart(t *testing.T, db *sqldb.DB, session, id string) (texts []string) {
	t.Helper()
	var data, part sqldb.Text
	for _, q := range []string{"SELECT id, data FROM message WHERE id = ?", "SELECT id, data FROM part WHERE message_id = ? ORDER BY id"} {
		for err := range db.Rows(t.Context(), []any{&part, &data}, q, id) {
			if err != nil {
				t.Fatal(err)
			}
			of := fmt.Sprintf(`,"id":%q,"sessionID":%q`, string(part), session)
			if len(texts) > 0 {
				of += fmt.Sprintf(`,"messageID":%q`, id)
			}
			texts = append(texts, strings.TrimSuffix(string(data), "}")+of+"}")
		}
	}
	return texts
}

// No session has a message behind the last time of its listing, and where none is asked for, no session is read whole.
func TestLatest(t *testing.T) {
	t.Parallel()
	var paths []string
	for name, data := range corpus.Golden(t, "opencode/databases-1.18") {
		paths = append(paths, write(t, name, data).Path)
	}
	for _, r := range drawn.Cases(t, 50) {
		sql, _ := drawnTables(r)
		paths = append(paths, formatstest.Database(t, sql))
	}
	paths = append(paths, formatstest.Database(t, sessions+secondTables+ofSession("ses_2", "0,0,0,0,0")+secondRows("ses_2", `user {"time":{"created":1788000009999},"text":"late"}`)+
		`UPDATE session_message SET time_created = 1788000009999;`))
	for _, path := range paths {
		d, err := openDatabase(t.Context(), source(path), path)
		if err != nil {
			t.Fatal(err)
		}
		heads := map[string]formats.Info{}
		for info, err := range d.List(t.Context(), formats.Query{Details: true, Only: func(formats.Info) bool { return false }}) {
			if err != nil || info.Entries > 0 || info.Latest.IsZero() {
				t.Errorf("%s: %+v, %v", path, info, err)
			}
			heads[info.ID] = info
		}
		for info, err := range d.List(t.Context(), formats.Query{Details: true}) {
			if err != nil || info.Modified.After(heads[info.ID].Last()) {
				t.Errorf("%s: %s has something at %v, behind %v; %v", path, info.ID, info.Modified, heads[info.ID].Last(), err)
			}
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A query that is interrupted ends with the error of its context, and leaves the database to others.
func TestRunsEndWithTheirContext(t *testing.T) {
	t.Parallel()
	path := databaseCopy(t)
	d, err := openDatabase(t.Context(), source(path), path)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for info := range d.List(t.Context(), formats.Query{}) {
		ctx, cancel := context.WithCancel(t.Context())
		n := 0
		b := formats.NewBuilder(agent, func(string) error {
			if n++; n == 4 {
				cancel()
			}
			return nil
		}, func(formats.Loss) {})
		if err := b.Read(ctx, d, info); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v after %d lines", info.ID, err, n)
		}
		cancel()
		if _, err := formats.Describe(t.Context(), d, info); err != nil {
			t.Errorf("%s: %v", info.ID, err)
		}
	}
}
