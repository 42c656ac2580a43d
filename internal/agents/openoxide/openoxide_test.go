package openoxide_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/openoxide"
	"github.com/sess-tools/sess/internal/agents/sqldb"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/pkg/session"
)

func imported(t testing.TB, path string) []formatstest.Result {
	t.Helper()
	return formatstest.Import(t, openoxide.OpenOxide, &formats.Source{Path: path, CWD: "/w"}, false)
}

// view is the context at the leaf, and the name.
func view(s *session.Session) string {
	out := s.Name + "\n"
	for _, m := range formatstest.Shown(s) {
		out += m.Raw() + ","
	}
	return out
}

// dump returns the rows of both tables.
func dump(t testing.TB, path string) map[string][]string {
	t.Helper()
	return formatstest.Rows(t, path, "session", "message")
}

// Sessions of pi go in, and come out with every entry of the path as it was.
func TestCorpus(t *testing.T) {
	t.Parallel()
	n := 0
	for _, dir := range []string{"pi/sessions", "pi/branches", "pi/genuine/1.5"} {
		for _, name := range corpus.Sessions(t, dir) {
			s, err := session.Read(bytes.NewReader(corpus.Session(t, name)))
			if err != nil || len(s.Entries) > 300 {
				continue
			}
			n++
			if diff := differs(t, s); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
	}
	if n < 20 {
		t.Errorf("only %d sessions", n)
	}
}

// differs says what of a session is another one after it went into a database and back: the view, the name, the header, the
// entries of the path; and whether the database is another one when they go into it once more.
func differs(t testing.TB, s *session.Session) string {
	t.Helper()
	dir := t.TempDir()
	first, second := filepath.Join(dir, "a.db"), filepath.Join(dir, "b.db")
	formatstest.ExportTo(t, openoxide.OpenOxide, s, first)
	results := formatstest.Import(t, openoxide.OpenOxide, &formats.Source{Path: first}, true) // its compactions may keep what is elsewhere
	back := results[0].Session(t)
	if diff := cmp.Diff(view(s), view(back)); diff != "" {
		return "the view (-before +after)\n" + diff
	}
	if s.Header.Timestamp != back.Header.Timestamp || s.Header.CWD != back.Header.CWD {
		return fmt.Sprintf("header %s became %s", s.Header.Raw(), back.Header.Raw())
	}
	lines := map[string]bool{}
	for _, r := range results {
		if len(r.Losses) > 0 {
			return fmt.Sprint("lost: ", r.Losses)
		}
		for _, e := range r.Session(t).Entries {
			lines[e.WithParent("").Raw()] = true
		}
		formatstest.ExportTo(t, openoxide.OpenOxide, r.Session(t), second)
	}
	for _, e := range formatstest.Path(s) {
		if !lines[e.WithParent("").Raw()] {
			return e.Raw() + " is gone"
		}
	}
	if diff := cmp.Diff(dump(t, first), dump(t, second)); diff != "" {
		return "the database (-first +second)\n" + diff
	}
	return ""
}

const header = `{"type":"session","version":3,"id":"s1","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/home/u/proj"}` + "\n"

const talk = header + `{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"one"}}
{"type":"message","id":"b","parentId":"a","timestamp":"2026-01-02T03:04:07.000Z","message":{"role":"assistant","content":[{"type":"text","text":"two"}],"provider":"p","model":"m","n":[1.0,1,-0,1e400,1e21,18446744073709551615,123456789012345678901234567890,1e-7,5e-324]}}
{"type":"message","id":"c","parentId":"a","timestamp":"2026-01-02T03:04:08.000Z","message":{"role":"user","content":"\ud800 😀 é"}}
{"type":"session_info","id":"d","parentId":"b","timestamp":"2026-01-02T03:04:01.000Z","name":"the title"}
`

// Branches become forks: rows of their own that hold what is shared again.
func TestForks(t *testing.T) {
	t.Parallel()
	s := formatstest.Parse(t, talk)
	path := filepath.Join(t.TempDir(), "o.db")
	losses := formatstest.ExportTo(t, openoxide.OpenOxide, s, path)
	if len(losses) != 1 || losses[0].Kind != formats.KindBranch {
		t.Errorf("losses %v", losses)
	}
	got := imported(t, path)
	if len(got) != 2 {
		t.Fatalf("%d sessions", len(got))
	}
	if got[1].Info.ParentSession != got[0].Info.ID || got[0].Info.ParentSession != "" {
		t.Errorf("parents %q, %q", got[0].Info.ParentSession, got[1].Info.ParentSession)
	}
	leaf, _ := got[1].Session(t).Index("c")
	whole, _ := got[1].Session(t).Path(leaf)
	var ids []string
	for _, e := range whole {
		if e.Type() == session.TypeMessage {
			ids = append(ids, e.ID())
		}
	}
	if !cmp.Equal(ids, []string{"a", "c"}) {
		t.Errorf("the fork holds %q", ids)
	}
	if diff := differs(t, s); diff != "" {
		t.Error(diff)
	}

	// The rules of the blueprint's tables: who deletes the parent deletes forks.
	err := sqldb.Update(t.Context(), path, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM session WHERE id = ?`, got[0].Info.ID)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if left := dump(t, path); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

// Whoever exports into a database adds to it, and never twice.
func TestExportInto(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new", "o.db")
	s := formatstest.Parse(t, talk)
	formatstest.ExportTo(t, openoxide.OpenOxide, s, path)
	fi, err := os.Stat(path)
	if err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", fi.Mode(), err)
	}
	before := dump(t, path)
	if _, err := formatstest.TryExportTo(t.Context(), openoxide.OpenOxide, s, path); !errors.Is(err, fs.ErrExist) {
		t.Errorf("twice: %v", err)
	}
	if diff := cmp.Diff(before, dump(t, path)); diff != "" {
		t.Error(diff)
	}
	parent := imported(t, path)[0].Info.ID
	child := strings.Replace(strings.Replace(talk, `"id":"s1"`, `"id":"s2"`, 1), `"cwd"`, `"parentSession":"`+parent+`","cwd"`, 1)
	if losses := formatstest.ExportTo(t, openoxide.OpenOxide, formatstest.Parse(t, child), path); len(losses) != 1 {
		t.Errorf("losses %v", losses)
	}
	other := filepath.Join(t.TempDir(), "o.db")
	if losses := formatstest.ExportTo(t, openoxide.OpenOxide, formatstest.Parse(t, child), other); len(losses) != 2 || losses[1].Kind != formats.KindReference {
		t.Errorf("losses %v", losses)
	}
	if got := imported(t, path); len(got) != 4 || got[2].Info.ParentSession != parent {
		t.Errorf("%d sessions", len(got))
	}
}

func TestProjectID(t *testing.T) {
	t.Parallel()
	const want = "9c09f8055a26c27736ddcc04b4e693afbffd826da1d5a8e76081fdc9244e4c09"
	if _, err := os.Stat("/home/u/proj"); err == nil {
		t.Skip("there is a /home/u/proj")
	}
	if got := openoxide.ProjectID("/home/u/proj/"); got != want {
		t.Errorf("got %s", got)
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	below := filepath.Join(root, "a", "b")
	for _, dir := range []string{filepath.Join(root, ".git"), below} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	sum := sha256.Sum256([]byte(root))
	if got := openoxide.ProjectID(below); got != hex.EncodeToString(sum[:]) {
		t.Errorf("below a working tree: %s", got)
	}
}

// Rows that a database would refuse, as an altered one has them, are put right, and that
// is told: each message has an id of its own and one of the three roles.
func TestAlteredRows(t *testing.T) {
	t.Parallel()
	kept := func(id, row, role string) string {
		return fmt.Sprintf(`{"type":"custom","id":%q,"parentId":null,"timestamp":"2026-01-02T03:04:05.678Z","customType":"openoxide:content","kept":{"openoxide":{"lines":[{"id":%q,"role":%q,"time_created":1767323045678,"content":%q}]}}}`+"\n",
			id, row, role, base64.StdEncoding.EncodeToString([]byte{0xa1, 'x'}))
	}
	header, _, _ := strings.Cut(comb(0), "\n")
	s := formatstest.Parse(t, header+"\n"+kept("a0000001", "01KDYDPV6E0000000000000000", "user")+
		strings.Replace(kept("a0000002", "01KDYDPV6E0000000000000000", "user"), "null", `"a0000001"`, 1)+
		strings.Replace(kept("a0000003", "01KDYDPV6E0000000000000001", "system"), "null", `"a0000002"`, 1))
	path := filepath.Join(t.TempDir(), "x.db")
	told := map[string]bool{}
	for _, l := range formatstest.ExportTo(t, openoxide.OpenOxide, s, path) {
		told[l.Kind] = true
	}
	if !told[formats.KindRole] || !told[formats.KindEntry] {
		t.Errorf("told %v", told)
	}
	// Another session with the same rows goes into the same database.
	again := formatstest.Parse(t, strings.Replace(header, `"s"`, `"t"`, 1)+"\n"+kept("a0000001", "01KDYDPV6E0000000000000000", "user"))
	if _, err := formatstest.TryExportTo(t.Context(), openoxide.OpenOxide, again, path); err != nil {
		t.Error(err)
	}
	if got := imported(t, path); len(got) != 2 {
		t.Errorf("%d sessions", len(got))
	}
}
