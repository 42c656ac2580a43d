package address

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/storev2"
	"github.com/sess-tools/sess/internal/test/must"
)

// A file that was found in a directory is read no further than it goes when it is opened: a
// link may lead to one that never ends.
func TestOpenFoundEnds(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	must.Do(t, os.WriteFile(path, []byte("one\n"), 0o600))
	in, err := OpenFound(t.Context(), &cli.Streams{}, path, nil)
	must.Do(t, err)
	defer in.Close()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	must.Do(t, err)
	if _, err := f.WriteString("two\n"); err != nil {
		t.Fatal(err)
	}
	must.Do(t, f.Close())
	if data, err := io.ReadAll(in); err != nil || string(data) != "one\n" {
		t.Errorf("%q %v", data, err)
	}
}

// Neighbours says of each file in a directory what Stored says: of one beside a store, of a link
// to such a one, of a store that is none, of a file that is not there.
func TestNeighbours(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	session := `{"type":"session","version":3,"id":"00000000-0000-7000-8000-000000000001","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}` + "\n" +
		`{"type":"message","id":"a0000001","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"hi"}}` + "\n"
	for _, name := range []string{"plain.jsonl", "moved.jsonl", "beside.jsonl"} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(session), 0o600))
	}
	if _, err := storev2.Migrate(t.Context(), filepath.Join(dir, "moved.jsonl"), storev2.Options{}); err != nil {
		t.Fatal(err)
	}
	must.Do(t, os.Mkdir(filepath.Join(dir, "beside.v2"), 0o700))
	if err := os.Symlink("moved.jsonl", filepath.Join(dir, "link.jsonl")); err != nil {
		t.Skip("no links here")
	}
	var beside Neighbours
	found := 0
	for _, name := range []string{"plain.jsonl", "moved.jsonl", "beside.jsonl", "link.jsonl", "none.jsonl", "no/where.jsonl"} {
		path := filepath.Join(dir, name)
		want, wantErr := Stored(path)
		got, err := beside.Stored(path)
		if got != want || (err == nil) != (wantErr == nil) {
			t.Errorf("%s: %q %v, not %q %v", name, got, err, want, wantErr)
		}
		if got != "" {
			found++
		}
	}
	if found != 2 {
		t.Errorf("%d are stores, not 2", found)
	}
}

// An error of reading names the session, and one of the copy does not.
func TestSpooled(t *testing.T) {
	failed := errors.New("failed")
	_, err := Spooled(t.Context(), "x.jsonl", io.MultiReader(strings.NewReader("text"), iotest.ErrReader(failed)))
	if !errors.Is(err, failed) || !strings.Contains(err.Error(), "x.jsonl: ") {
		t.Errorf("%v", err)
	}
	t.Setenv("TMPDIR", "/nonexistent")
	_, err = Spooled(t.Context(), "x.jsonl", strings.NewReader(strings.Repeat("x", 16<<20)))
	if err == nil || strings.Contains(err.Error(), "x.jsonl") {
		t.Errorf("without a place for the copy: %v", err)
	}
}
