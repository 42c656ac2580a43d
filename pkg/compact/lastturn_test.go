package compact_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/sess-tools/sess/pkg/compact"
)

// TestLastTurnEntry: the compaction keeps entries, and says by what strategy.
func TestLastTurnEntry(t *testing.T) {
	t.Parallel()
	b := &builder{t: t}
	b.steps("u a u a")
	p, err := compact.New(b.path, compact.Options{Strategy: compact.LastTurn})
	if err != nil {
		t.Fatal(err)
	}
	got := added(t, p, compact.Summary{History: "S"})
	if e := got[0]; len(got) != 1 || e.Str("firstKeptEntryId") != "00000003" || e.Get("details") != `{"readFiles":[],"modifiedFiles":[],"strategy":"last-turn"}` {
		t.Errorf("%d entries, the first is %s", len(got), e.Raw())
	}
}

// zeroClaw are sample sessions of ZeroClaw as they stood when they were
// compacted, or stand now: the ids and roles of their rows, and the row that the
// history begins with that ZeroClaw keeps, "" if it does nothing. It was found
// by ZeroClaw's rule from the databases, with rows of the same role in a row as
// one message.
var zeroClaw = []struct {
	session string
	rows    string
	kept    string
}{
	{"direct chat, compacted once", "1u 2a 3u 4a 6u", "6"},
	{"group, closed", "8u 9a", ""},
	{"group, rows of the same role in a row", "10u 11u 12a 13a 14t 16u", "16"},
	{"thread, summary in the state", "17u 18a 19u 20a", "19"},
	{"compacted by hand after a turn", "21u 22a 23u 24a", "23"},
	{"empty", "", ""},
	{"second layout", "1u 2a", ""},
	{"second layout, several messages in one", "3u 4a", ""},
}

func TestZeroClaw(t *testing.T) {
	t.Parallel()
	for _, c := range zeroClaw {
		b := &builder{t: t}
		rows := strings.Fields(c.rows)
		for _, row := range rows {
			switch row[len(row)-1] {
			case 'u':
				b.user(row)
			case 'a':
				b.assistant(row)
			default:
				b.result("c1", row, false)
			}
		}
		kept := ""
		p, err := compact.New(b.path, compact.Options{Strategy: compact.LastTurn})
		if err == nil {
			e := p.Kept()[0]
			m, _ := e.Message()
			kept = strings.TrimRight(m.Text(""), "uat")
		} else if !errors.Is(err, compact.ErrNothing) {
			t.Fatal(err)
		}
		if kept != c.kept {
			t.Errorf("%s: keeps from row %q on, ZeroClaw from %q", c.session, kept, c.kept)
		}
	}
}
