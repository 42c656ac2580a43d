package openoxide_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vmihailenco/msgpack/v5"

	"github.com/sess-tools/sess/internal/agents/openoxide"
	"github.com/sess-tools/sess/internal/agents/sqldb"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/internal/test/must"
)

// packed makes a database with messages whose content is that.
func packed(t testing.TB, contents ...any) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "p.db")
	formatstest.ExportTo(t, openoxide.OpenOxide, formatstest.Parse(t, header), path)
	err := sqldb.Update(t.Context(), path, func(ctx context.Context, tx *sql.Tx) error {
		var id string
		if err := tx.QueryRowContext(ctx, `SELECT id FROM session`).Scan(&id); err != nil {
			return err
		}
		for i, c := range contents {
			data, raw := c.([]byte)
			if !raw {
				var err error
				if data, err = msgpack.Marshal(c); err != nil {
					return err
				}
			}
			role := []string{"user", "assistant"}[i%2]
			if _, err := tx.ExecContext(ctx, `INSERT INTO message VALUES(?, ?, ?, ?, ?)`, fmt.Sprintf("01KDYRA1SC0000000000000%03d", i), id, role, 1767323050000+i, data); err != nil {
				return err
			}
		}
		// The session was changed behind its last message, as by a new title.
		_, err := tx.ExecContext(ctx, `UPDATE session SET time_updated = ?`, 1767323060000)
		return err
	})
	must.Do(t, err)
	return path
}

// Contents that are none of ours are shown if they can be, and come back in any case.
func TestForeignContents(t *testing.T) {
	t.Parallel()
	type m = map[string]any
	path := packed(t,
		"plain", m{"content": "in a map"}, m{"text": "as text"},
		m{"parts": []m{{"type": "text", "text": "p1"}, {"type": "text", "text": "p2"}}},
		[]any{"user", "positional"}, m{"content": []m{{"type": "image"}}}, []byte{0xc1}, []byte{}, bytes.Repeat([]byte{0x91}, 100_000),
		[]byte{0xdf, 0xff, 0xff, 0xff, 0xff}, m{"v": 1, "entry": m{"type": "message"}}, []byte{0xc4, 1, 0}, m{"v": 1, "raw": "{"})
	r := imported(t, path)[0]
	var got []string
	s := r.Session(t)
	for _, m := range formatstest.Shown(s) {
		got = append(got, m.Role()+" "+m.Text("|"))
	}
	if diff := cmp.Diff([]string{"user plain", "assistant in a map", "user as text", "assistant p1|p2"}, got); diff != "" {
		t.Error(diff)
	}
	if len(r.Losses) != 9 {
		t.Errorf("%d losses: %v", len(r.Losses), r.Losses)
	}
	made := filepath.Join(t.TempDir(), "made.db")
	formatstest.ExportTo(t, openoxide.OpenOxide, s, made)
	if diff := cmp.Diff(dump(t, path), dump(t, made)); diff != "" {
		t.Errorf("given back otherwise: %s", diff)
	}
}

// A fork as the blueprint makes it: the messages copied, under new ids.
func TestForkOfTheBlueprint(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "o.db")
	formatstest.ExportTo(t, openoxide.OpenOxide, formatstest.Parse(t, talk), path)
	const fork = "01KDYRA1SC0000000000000000"
	err := sqldb.Update(t.Context(), path, func(ctx context.Context, tx *sql.Tx) error {
		var main string
		if err := tx.QueryRowContext(ctx, `SELECT id FROM session WHERE parent_id IS NULL`).Scan(&main); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO session SELECT ?1, project_id, id, 'forked', directory, model_id, 1767323060000, 1767323060000, NULL FROM session WHERE id = ?2;
			INSERT INTO message SELECT '1' || substr(id, 2), ?1, role, time_created, content FROM message WHERE session_id = ?2`, fork, main)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	results := imported(t, path)
	r := results[len(results)-1]
	if r.Info.ID != fork || r.Info.ParentSession != results[0].Info.ID || r.Info.Name != "forked" {
		t.Errorf("%+v", r.Info)
	}
	was, is := view(results[0].Session(t)), view(r.Session(t))
	if diff := cmp.Diff(strings.Replace(was, "the title", "forked", 1), is); diff != "" {
		t.Error(diff)
	}
	made := filepath.Join(t.TempDir(), "made.db")
	for _, r := range results {
		formatstest.ExportTo(t, openoxide.OpenOxide, r.Session(t), made)
	}
	if diff := cmp.Diff(dump(t, path), dump(t, made)); diff != "" {
		t.Errorf("given back otherwise: %s", diff)
	}
}
