package losses_test

import (
	"context"
	"io"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/losses"
	"github.com/sess-tools/sess/internal/core/cli"
)

// said is what a tool prints on standard error that tells of losses, and the table for a terminal of a width.
func said(t *testing.T, faults bool, width int, args ...string) (stderr string, table []string) {
	t.Helper()
	var b strings.Builder
	tool := cli.Tool{Name: "sess-demo", New: func() ([]cli.Flag, cli.Action) {
		return nil, func(_ context.Context, s *cli.Streams, _ []string) error {
			l, err := losses.Open("", faults, s)
			if err != nil {
				return err
			}
			tell := func(session, where, kind, what string, n int) {
				place := losses.Place("claude:"+session, "/home/u/"+session+".jsonl", where)
				l.Tell(session, place, formats.Loss{Where: where, Kind: kind, What: what, N: n})
			}
			tell("one", "/home/u/one.jsonl:3", formats.KindMedia, `content of type "tool_reference", which no model will see`, 0)
			tell("one", "/home/u/one.jsonl:9", formats.KindContext, "12 attachments without text", 12)
			tell("two", "/home/u/two.jsonl:4", formats.KindMedia, "content of type", 0)
			tell("two", "/home/u/two.jsonl:7", formats.KindDamage, "not JSON, line of 9 bytes skipped", 0)
			tell("two", "entry a", formats.KindTree, "a cycle of parents", 0)
			table = l.Table("NOT KEPT", width)
			return l.Close("NOT KEPT")
		}
	}}
	if status := cli.Run(t.Context(), tool, strings.NewReader(""), io.Discard, &b, args); status != 0 {
		t.Fatalf("status %d: %s", status, b.String())
	}
	return b.String(), table
}

// A conversion ends in a table: damage is a warning, too, -v prints each loss with its own place, and -q nothing. With faults alone
// there is no table.
func TestLog(t *testing.T) {
	t.Parallel()
	const (
		damage = "sess-demo: warning: claude:two, line 7: not JSON, line of 9 bytes skipped\n"
		table  = `sess-demo:   NOT KEPT               THINGS  SESSIONS  SUCH AS
sess-demo:   images and files            2         2  content of type "tool_reference", which no model will see, claude:one, line 3
sess-demo:   attachments and notes      12         1  12 attachments without text, claude:one, line 9
sess-demo:   damaged parts               1         1  not JSON, line of 9 bytes skipped, claude:two, line 7
sess-demo:   links between entries       1         1  a cycle of parents, entry a
`
		hint = "sess-demo: hint: --losses FILE writes each of them, -v prints them\n"
		each = `sess-demo: warning: /home/u/one.jsonl:3: content of type "tool_reference", which no model will see
sess-demo: warning: /home/u/one.jsonl:9: 12 attachments without text
sess-demo: warning: /home/u/two.jsonl:4: content of type
sess-demo: warning: /home/u/two.jsonl:7: not JSON, line of 9 bytes skipped
sess-demo: warning: entry a: a cycle of parents
`
		tree = "sess-demo: warning: entry a: a cycle of parents\n"
	)
	for _, tt := range []struct {
		faults bool
		arg    string
		want   string
	}{
		{false, "", damage + table + hint},
		{false, "-v", each + table},
		{false, "-q", ""},
		{true, "", tree + damage},
	} {
		args := strings.Fields(tt.arg)
		if got, _ := said(t, tt.faults, 0, args...); got != tt.want {
			t.Errorf("%q, faults %t (-want +got):\n%s", tt.arg, tt.faults, cmp.Diff(tt.want, got))
		}
	}
}

// No line of a table is wider than the terminal; the example is cut in its text, so that its place stays, and goes below 72 columns.
func TestTableWidth(t *testing.T) {
	t.Parallel()
	for _, width := range []int{20, 40, 71, 72, 80, 100, 140} {
		_, table := said(t, false, width, "-q")
		for _, line := range table {
			if n := utf8.RuneCountInString(line); n > width {
				t.Errorf("%d columns of %d: %s", n, width, line)
			}
		}
		if got := strings.Contains(table[0], "SUCH AS"); got != (width >= 72) {
			t.Errorf("%d: %s", width, table[0])
		}
		if width >= 72 && !regexp.MustCompile(`content .*…?, claude:one, line 3$`).MatchString(table[1]) {
			t.Errorf("%d: %s", width, table[1])
		}
	}
}

// Only a line of the session's own file has the address for its place.
func TestPlace(t *testing.T) {
	t.Parallel()
	for _, tt := range [][4]string{
		{"claude:1", "/a/1.jsonl", "/a/1.jsonl:12", "claude:1, line 12"},
		{"", "/a/1.jsonl", "/a/1.jsonl:12", "/a/1.jsonl:12"},
		{"codex:1", "/a/1.jsonl", "/a/2.jsonl:12", "/a/2.jsonl:12"},
		{"codex:1", "/a/1.jsonl", "message m", "message m"},
		{"codex:1", "/a/1.jsonl", "/a/1.jsonl:x", "/a/1.jsonl:x"},
		{"codex:1", "", "", ""},
	} {
		if got := losses.Place(tt[0], tt[1], tt[2]); got != tt[3] {
			t.Errorf("%q: %q", tt, got)
		}
	}
}
