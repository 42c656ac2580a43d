package store

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/test/corpus"
)

// piSession is one element of what pi's listing prints.
type piSession struct {
	Path, ID, CWD, Name, ParentSessionPath, FirstMessage string
	Created, Modified                                    time.Time
	MessageCount                                         int
}

// readGolden returns what pi lists, without the sessions that testdata keeps
// compressed.
func readGolden(t *testing.T, dir string) []piSession {
	t.Helper()
	var golden struct{ Sessions []piSession }
	if err := json.Unmarshal(corpus.Golden(t, "pi/golden/1.5")["list.json"], &golden); err != nil {
		t.Fatal(err)
	}
	var want []piSession
	for _, s := range golden.Sessions {
		s.Path = filepath.Base(s.Path)
		if _, err := os.Stat(filepath.Join(dir, s.Path)); err == nil {
			want = append(want, s)
		}
	}
	if len(want) < 10 {
		t.Fatalf("only %d sessions to compare with", len(want))
	}
	return want
}

// asPi puts a row the way pi puts it. The one deliberate difference: where a
// session has no question, pi's listing says "(no messages)" in place of one,
// which a reader cannot tell from a user who said that; a row says "".
func asPi(r Row) piSession {
	first := r.FirstMessage
	if first == "" {
		first = "(no messages)"
	}
	return piSession{
		Path: filepath.Base(r.Path), ID: r.ID, CWD: r.CWD, Name: r.Name, ParentSessionPath: r.ParentSession,
		FirstMessage: first, Created: r.Created, Modified: r.Modified, MessageCount: r.Messages,
	}
}

func TestListAgreesWithPi(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(corpus.Dir(), "pi", "sessions")
	for _, workers := range []int{1, 8} {
		rows, err := List(t.Context(), []string{dir}, Options{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		var got []piSession
		for _, r := range rows {
			got = append(got, asPi(r))
			if !r.Exact {
				t.Errorf("%s: not exact, although below the limit", r.Path)
			}
		}
		if diff := cmp.Diff(readGolden(t, dir), got); diff != "" {
			t.Errorf("%d workers: (-pi 1.5, +ours)\n%s", workers, diff)
		}
	}
}
