package listing

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

func full() Row {
	return Row{Agent: "codex", Address: "codex:0199", Row: store.Row{
		Path: "/h/.codex/sessions/r.jsonl", Size: 1 << 40, ModTime: time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC),
		Info: session.Info{
			ID: "0199", CWD: "/w", Name: "a <name>", ParentSession: "0198", Version: 3,
			Created: time.UnixMilli(1767323045000).UTC(), Modified: time.UnixMilli(1767323046123).UTC(),
			Entries: 7, Messages: 5, FirstMessage: "first\u2028\n\t\"x\" \x1b[31m", LastMessage: strings.Repeat("ä", 100_000), Exact: true,
			Spent: session.Spent{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 1 << 60, Reasoning: 1, Cost: 0.25, Priced: true},
		},
	}}
}

// A row that was written is the row that is read.
func TestThereAndBack(t *testing.T) {
	t.Parallel()
	free, shared, asked := full(), full(), full()
	asked.Name, asked.Prompts = "", []string{"Fix the lexer"}
	free.Spent.Cost, free.Spent.Priced = 0, false
	shared.Spent, shared.Unspent = session.Spent{}, true
	for name, row := range map[string]Row{"full": full(), "empty": {}, "ours": {Row: full().Row}, "asked": asked, "unpriced": free, "shared": shared} {
		text := JSON(row)
		got, err := Parse([]byte(text))
		if diff := cmp.Diff(row, got); diff != "" || err != nil || !json.Valid([]byte(text)) {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
	}
	infinite := full()
	infinite.Spent.Cost = math.Inf(1)
	if got, err := Parse([]byte(JSON(infinite))); err != nil || got.Spent.Priced {
		t.Errorf("an infinite cost is known: %v", err)
	}
}

// A message is quoted in pieces, and nobody sees where they meet.
func TestLongMessages(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "<a> & \u2028 \"b\"\n", strings.Repeat("ä", 100_000), "x" + strings.Repeat("日本<", 50_000), strings.Repeat("xy", 64<<10)} {
		row := Row{Row: store.Row{Info: session.Info{FirstMessage: text, LastMessage: "last\xff" + text, Exact: true}}}
		first := js.Quote(text)
		if text == "" {
			first = "null"
		}
		want := `"messages":0,"exact":true,"unread":false,"firstMessage":` + first + `,"lastMessage":` + js.Quote("last\uFFFD"+text) +
			`,"tokens":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"reasoning":0,"total":0},"cost":null,"resume":null}`
		if got := JSON(row); !strings.HasSuffix(got, want) || !json.Valid([]byte(got)) {
			t.Errorf("a message of %d bytes: %.300s", len(text), got)
		}
	}
}

func TestRows(t *testing.T) {
	t.Parallel()
	line := JSON(full()) + "\n"
	broken := errors.New("broken")
	for _, tt := range []struct {
		name string
		r    io.Reader
		rows int
		want string
	}{
		{"none", strings.NewReader(""), 0, ""},
		{"two", strings.NewReader(line + line), 2, ""},
		{"a reader that fails", io.MultiReader(strings.NewReader(line+line[:50]), iotest.ErrReader(broken)), 1, "broken"},
		{"no row", strings.NewReader(line + "hello\n" + line), 1, "line 2: reading a row"},
		{"half a row", strings.NewReader(line + line[:50]), 1, "line 2: reading a row"},
		{"a row of another kind", strings.NewReader(`{"kind":"match"}`), 0, `line 1: reading a row: it is of kind "match"`},
		{"another value", strings.NewReader("[]\n"), 0, "line 1: reading a row"},
	} {
		n, failed := 0, error(nil)
		for row, err := range Rows(tt.r) {
			if failed = err; err == nil {
				n++
				if row.ID != "0199" {
					t.Errorf("%s: %+v", tt.name, row)
				}
			}
		}
		if n != tt.rows || (failed == nil) != (tt.want == "") || failed != nil && !strings.Contains(failed.Error(), tt.want) {
			t.Errorf("%s: %d rows, %v", tt.name, n, failed)
		}
	}
}

func TestLater(t *testing.T) {
	t.Parallel()
	at := func(file, message, created int64) store.Row {
		r := store.Row{}
		for dst, sec := range map[*time.Time]int64{&r.ModTime: file, &r.Modified: message, &r.Created: created} {
			if sec > 0 {
				*dst = time.Unix(sec, 0)
			}
		}
		return r
	}
	for _, tt := range []struct {
		name          string
		earlier, late store.Row
	}{
		{"the file counts", at(1, 9, 9), at(2, 1, 1)},
		{"of one file the message", at(5, 1, 9), at(5, 2, 1)},
		{"and then the beginning", at(5, 0, 1), at(5, 0, 2)},
		{"without a file the message", at(0, 4, 0), at(5, 1, 0)},
		{"without a file the message", at(5, 1, 0), at(0, 6, 0)},
	} {
		if Later(tt.earlier, tt.late) >= 0 || Later(tt.late, tt.earlier) <= 0 || Later(tt.late, tt.late) != 0 {
			t.Errorf("%s: %d", tt.name, Later(tt.earlier, tt.late))
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(JSON(full())))
	f.Add([]byte(`{"usage":{"cost":null}}`))
	// Laws: no line makes it panic; what is read comes back when it is written.
	f.Fuzz(func(t *testing.T, line []byte) {
		row, err := Parse(line)
		if err != nil {
			return
		}
		text := JSON(row)
		again, err := Parse([]byte(text))
		if err != nil || JSON(again) != text {
			t.Errorf("%v\n%s\n%s", err, text, JSON(again))
		}
	})
}
