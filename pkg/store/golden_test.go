package store

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// piSession is one element of what pi's listing prints.
type piSession struct {
	Path, ID, CWD, Name, ParentSessionPath, FirstMessage string
	Created, Modified                                    time.Time
	MessageCount                                         int
}

func readGolden(t *testing.T) []piSession {
	t.Helper()
	data, err := os.ReadFile("testdata/pi/list.json")
	if err != nil {
		t.Fatal(err)
	}
	var want []piSession
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	if len(want) == 0 {
		t.Fatal("no sessions in testdata/pi/list.json")
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
	for _, workers := range []int{1, 8} {
		rows, err := List(t.Context(), []string{"testdata/pi"}, Options{Workers: workers})
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
		if diff := cmp.Diff(readGolden(t), got); diff != "" {
			t.Errorf("%d workers: (-pi 1.5, +ours)\n%s", workers, diff)
		}
	}
}
