package openoxide_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/openoxide"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/pkg/session"
)

func imported(t testing.TB, path string) []formatstest.Result {
	t.Helper()
	return formatstest.Import(t, openoxide.OpenOxide, &formats.Source{Path: path}, false)
}

// talk makes a database of a session and its fork, and runs statements on it.
func talk(t testing.TB, statements ...string) string {
	t.Helper()
	return formatstest.Database(t, append([]string{must.Read(t, "testdata/talk.sql")}, statements...)...)
}

// view is the context at the leaf, and the name.
func view(s *session.Session) string {
	out := s.Name + "\n"
	for _, m := range formatstest.Shown(s) {
		out += m.Raw() + ","
	}
	return out
}

// A session and its fork are read entry by entry. Numbers and texts that MessagePack would give back otherwise come out
// letter by letter, and nothing of a row is kept that follows from its entry.
func TestEntries(t *testing.T) {
	t.Parallel()
	got := ""
	for _, r := range imported(t, talk(t)) {
		got += r.Text()
		if len(r.Losses) > 0 {
			t.Errorf("%s: %v", r.Info.ID, r.Losses)
		}
	}
	if diff := cmp.Diff(must.Read(t, "testdata/talk.jsonl"), got); diff != "" {
		t.Error(diff)
	}
}

// A row whose id, role or time does not follow from its entry is kept, and one whose id follows from that of a kept one.
func TestAlteredRows(t *testing.T) {
	t.Parallel()
	const user, assistant = ` WHERE id = '01KDYAK43G7CASCG29HDV292D5'`, ` WHERE id = '01KDYAK52RFN6AKY52RJ3B6X25'`
	for change, want := range map[string]int{
		"id = '01KDYAK43G7CASCG29HDV292D6'" + user:      1,
		"role = 'tool'" + user:                          1,
		"time_created = 1767323046001" + user:           1,
		"id = '01KDYAK52RFN6AKY52RJ3B6X24'" + assistant: 2, // the next one has the same millisecond
	} {
		r := imported(t, talk(t, "UPDATE message SET "+change))[0]
		if got := strings.Count(r.Text(), `"kept":{"openoxide"`); got != want {
			t.Errorf("%s: %d rows are kept, want %d\n%s", change, got, want, r.Text())
		}
	}
}
