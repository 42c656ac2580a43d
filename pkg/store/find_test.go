package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/test/corpus"
)

func TestFind(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const at = "2026-01-02T03-04-05-678Z_"
	for name, id := range map[string]string{
		"--p--/" + at + "019baaaa-1.jsonl":      "019baaaa-1",
		"--p--/" + at + "019baaaa-2.jsonl":      "019baaaa-2",
		"--q--/" + at + "019bbbbb-1.jsonl":      "019bbbbb-1",
		"--q--/" + at + "019bbbbb-1-more.jsonl": "019bbbbb-1-more",
		"--q--/" + at + "under_score_id.jsonl":  "under_score_id",
		at + "attop000.jsonl":                   "attop000",
		"--p--/by-hand.jsonl":                   "oddname-1",
		"--p--/copy.jsonl":                      "doubled-1",
		"--p--/" + at + "doubled-1.jsonl":       "doubled-1",
		"--q--/" + at + "twice-1.jsonl":         "twice-1",
		"--p--/" + at + "twice-1.jsonl":         "twice-1",
		"--p--/" + at + "renamed1.jsonl":        "header-1",
		"--q--/" + at + "mixed-1.jsonl":         "mixed-1",
		"--q--/mixed.jsonl":                     "mixed-2",
		"--q--/short.jsonl":                     "ab",
		"--q--/" + at + "deep/sub.jsonl":        "deep-sub",
		"--q--/quote.jsonl":                     `we"ird`,
	} {
		write(t, dir, name, text(id, "/p", 0))
	}
	write(t, dir, "--p--/"+at+"nosession.jsonl", "words\n")
	write(t, dir, "--p--/"+at+"empty000.jsonl", "")
	s := Open(dir)
	for _, tt := range []struct {
		ref, want string // want "": not found; "?": ambiguous
	}{
		{"019baaaa-1", "--p--/" + at + "019baaaa-1.jsonl"},
		{"019baaaa", "?"},
		{"019b", "?"},
		{"019", ""}, // too short
		{"019bbbbb-1", "--q--/" + at + "019bbbbb-1.jsonl"}, // exact before prefix
		{"019bbbbb-1-", "--q--/" + at + "019bbbbb-1-more.jsonl"},
		{"019bbbbb", "?"},
		{"under_", "--q--/" + at + "under_score_id.jsonl"},
		{"attop000", at + "attop000.jsonl"},
		{"oddname-1", "--p--/by-hand.jsonl"},
		{"oddn", "--p--/by-hand.jsonl"},
		{"doubled-1", "--p--/" + at + "doubled-1.jsonl"}, // the name decides
		{"doub", "?"},
		{"twice-1", "?"},
		{"renamed1", ""}, // the header counts
		{"header-1", "--p--/" + at + "renamed1.jsonl"},
		{"head", "--p--/" + at + "renamed1.jsonl"},
		{"mixe", "?"},
		{"mixed-1", "--q--/" + at + "mixed-1.jsonl"},
		{"mixed-2", "--q--/mixed.jsonl"},
		{"ab", "--q--/short.jsonl"}, // exact may be short
		{`we"ird`, "--q--/quote.jsonl"},
		{"deep-sub", ""}, // belongs to a session
		{"nosession", ""},
		{"empty000", ""},
		{"019BAAAA-1", ""},
		{"", ""},
		{"../", ""},
		{"*", ""},
	} {
		want := ""
		if tt.want != "" && tt.want != "?" {
			want = filepath.Join(dir, filepath.FromSlash(tt.want))
		}
		got, err := s.Find(t.Context(), tt.ref)
		if got != want || errors.Is(err, ErrAmbiguous) != (tt.want == "?") || errors.Is(err, ErrNotFound) != (tt.want == "") {
			t.Errorf("Find(%q) = %q, %v; want %q", tt.ref, got, err, tt.want)
		}
	}
}

func TestFindInMissingStore(t *testing.T) {
	t.Parallel()
	_, err := Open(filepath.Join(t.TempDir(), "none")).Find(t.Context(), "019baaaa")
	if !errors.Is(err, ErrNotFound) || err.Error() != "session 019baaaa: no such session" {
		t.Errorf("got %v", err)
	}
}

func TestFindNotFoundText(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	// What is no session of ours is not worth a word here.
	write(t, dir, "--p--/words.jsonl", "words\n")
	write(t, dir, "--p--/v4.jsonl", `{"type":"session","version":4,"id":"v4"}`+"\n")
	s := Open(dir)
	for ref, want := range map[string]string{
		"019baaaa": "session 019baaaa: no such session",
		"a":        "session a: no such session; a prefix needs at least 4 characters",
		"a\x1b[2J": `session "a\x1b[2J": no such session`,
	} {
		if _, err := s.Find(t.Context(), ref); err == nil || err.Error() != want {
			t.Errorf("Find(%q): %v, want %s", ref, err, want)
		}
	}
}

func TestAmbiguousError(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range 10 {
		write(t, dir, fmt.Sprintf("--p--/%d.jsonl", i), text(fmt.Sprintf("many-%d", 9-i), "/p", 0))
	}
	one := write(t, dir, "--p--/x.jsonl", text("same", "/p", 0))
	two := write(t, dir, "--q--/x.jsonl", text("same", "/p", 0))
	_, err := Open(dir).Find(t.Context(), "many")
	const want = "session many: ambiguous, say more of it: many-0, many-1, many-2, many-3, many-4, many-5, many-6, many-7, and 2 more"
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
	if e, ok := errors.AsType[*AmbiguousError](err); !ok || e.Ref != "many" || len(e.Candidates) != 10 {
		t.Errorf("got %#v", err)
	}
	_, err = Open(dir).Find(t.Context(), "same")
	if err == nil || !strings.HasSuffix(err.Error(), "name the file: "+one+", "+two) {
		t.Errorf("got %v", err)
	}
}

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
