package openoxide_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vmihailenco/msgpack/v5"

	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/internal/test/must"
)

// packed makes a database with messages whose content is that, of the user and the assistant in turn.
func packed(t testing.TB, contents ...any) string {
	t.Helper()
	tables, _, _ := strings.Cut(must.Read(t, "testdata/talk.sql"), "INSERT")
	statements := []string{tables, `INSERT INTO session VALUES('01KDYAK348ABVGK976B0NH1F8W', 'p', NULL, '', '/home/u/proj', 'unknown', 1767323045000, 1767323060000, NULL)`}
	for i, c := range contents {
		data, raw := c.([]byte)
		if !raw {
			var err error
			data, err = msgpack.Marshal(c)
			must.Do(t, err)
		}
		statements = append(statements, fmt.Sprintf(`INSERT INTO message VALUES('01KDYRA1SC0000000000000%03d', '01KDYAK348ABVGK976B0NH1F8W', '%s', %d, X'%x')`,
			i, []string{"user", "assistant"}[i%2], 1767323050000+i, data))
	}
	return formatstest.Database(t, statements...)
}

// Contents that are no entries are shown if they can be, and kept in any case.
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
	if diff := cmp.Diff([]string{"user plain", "assistant in a map", "user as text", "assistant p1p2"}, got); diff != "" {
		t.Error(diff)
	}
	if len(r.Losses) != 9 {
		t.Errorf("%d losses: %v", len(r.Losses), r.Losses)
	}
	if kept := strings.Count(r.Text(), `"kept":{"openoxide"`); kept != 13 {
		t.Errorf("%d rows are kept\n%s", kept, r.Text())
	}
}

// A fork as the blueprint makes it: the messages copied, under new ids.
func TestForkOfTheBlueprint(t *testing.T) {
	t.Parallel()
	const main, fork = "01KDYAK348ABVGK976B0NH1F8W", "01KDYRA1SC0000000000000000"
	results := imported(t, talk(t,
		`INSERT INTO session SELECT '`+fork+`', project_id, id, 'forked', directory, model_id, 1767323060000, 1767323060000, NULL FROM session WHERE id = '`+main+`'`,
		`INSERT INTO message SELECT '1' || substr(id, 2), '`+fork+`', role, time_created, content FROM message WHERE session_id = '`+main+`'`))
	r := results[len(results)-1]
	if r.Info.ID != fork || r.Info.ParentSession != main || r.Info.Name != "forked" {
		t.Errorf("%+v", r.Info)
	}
	was, is := view(results[0].Session(t)), view(r.Session(t))
	if diff := cmp.Diff(strings.Replace(was, "the title", "forked", 1), is); diff != "" {
		t.Error(diff)
	}
}
