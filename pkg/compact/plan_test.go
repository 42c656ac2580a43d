package compact_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/session"
)

// long is a text of n tokens.
func long(n int) string { return strings.Repeat("four", n) }

func TestFiles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, compaction, want string }{
		{"carried", `"details":{"readFiles":["r","e"],"modifiedFiles":["e","w"]},"fromHook":false`, "\n\n<read-files>\nnested\nr\nread\n</read-files>\n\n<modified-files>\ne\nw\n</modified-files>"},
		{"of a hook", `"details":{"readFiles":["r"]},"fromHook":true`, "\n\n<read-files>\nnested\nread\n</read-files>"},
		{"of an oh-my-pi extension", `"details":{"readFiles":["r"]},"fromExtension":true`, "\n\n<read-files>\nnested\nread\n</read-files>"},
		{"details of another shape", `"details":{"readFiles":"r","modifiedFiles":[1,null]}`, "\n\n<read-files>\nnested\nread\n</read-files>"},
		{"no details", `"details":[]`, "\n\n<read-files>\nnested\nread\n</read-files>"},
	} {
		b := &builder{t: t}
		b.add(session.TypeCompaction, `"summary":"s","firstKeptEntryId":"none","tokensBefore":1,`+c.compaction)
		b.user("a")
		b.call("x", "read", `{"path":"read"}`, "y", "Read", `{"path":"other name"}`, "z", "write", `["no object"]`, "", "edit", `{"path":7}`)
		b.message(`{"role":"toolResult","toolCallId":"x","content":[],"nestedCalls":{"calls":[{"name":"read","arguments":{"path":"nested"}},"no call"]}}`)
		b.message(`{"role":"toolResult","toolCallId":"y","content":[],"nestedCalls":"none"}`)
		b.user(long(20))
		p, err := compact.New(b.path, compact.Options{Keep: 10})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, p.Files.Text()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// TestNoID: an entry without an id cannot be named as the first one kept.
func TestNoID(t *testing.T) {
	t.Parallel()
	b := &builder{t: t}
	b.user("a")
	e, err := session.ParseEntry(`{"type":"message","message":{"role":"user","content":"` + long(20) + `"}}`)
	if err != nil {
		t.Fatal(err)
	}
	if p, err := compact.New(append(b.path, e), compact.Options{Keep: 10}); !errors.Is(err, compact.ErrNothing) {
		t.Errorf("plan %+v, error %v; want ErrNothing", p, err)
	}
}

func TestMinGain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in            string
		want          compact.MinGain
		before, after int64 // just enough; one token more after is not
	}{
		{"0", compact.MinGain{}, 10, 9},
		{"1", compact.MinGain{Tokens: 1}, 10, 9},
		{"500", compact.MinGain{Tokens: 500}, 1000, 500},
		{"0%", compact.MinGain{}, 1000, 999},
		{"10%", compact.MinGain{Percent: 10}, 1000, 900},
		{"10%", compact.MinGain{Percent: 10}, 1001, 900},
		{"2.5%", compact.MinGain{Percent: 2.5}, 1000, 975},
		{"0.01%", compact.MinGain{Percent: 0.01}, 100, 99},
		{"100%", compact.MinGain{Percent: 100}, 1000, 0},
	} {
		m, err := compact.ParseMinGain(c.in)
		if err != nil || m != c.want {
			t.Errorf("%q: %+v, %v", c.in, m, err)
		}
		if !m.Enough(c.before, c.after) || m.Enough(c.before, c.after+1) {
			t.Errorf("%q: from %d to %d or more", c.in, c.before, c.after)
		}
	}
	both := compact.MinGain{Tokens: 50, Percent: 10}
	if both.Enough(100, 60) || both.Enough(1000, 910) || !both.Enough(1000, 900) || !both.Enough(100, 50) {
		t.Error("both members count")
	}
	if (compact.MinGain{}).Enough(9, 10) || (compact.MinGain{}).Enough(0, 0) {
		t.Error("no gain is enough")
	}
	for _, in := range []string{
		"", "%", " 5", "5 ", "5 %", "-5", "+5", "-5%", "+5%", "1e3", "1e3%", "0x10", "0x1p-2%", "1_000", "101%", "100.01%", "NaN%", "Inf%",
		"..%", "1.2.3%", "10%%", "%10", "ten", "9223372036854775808", "1.5",
	} {
		if m, err := compact.ParseMinGain(in); err == nil || m != (compact.MinGain{}) || strings.Contains(err.Error(), "strconv") {
			t.Errorf("%q: %+v, %v", in, m, err)
		}
	}
}

// TestMoved: what may follow on the path (see steps) while a summary is written.
func TestMoved(t *testing.T) {
	t.Parallel()
	all := []compact.Strategy{compact.KeepRecent, compact.KeepUser, compact.LastTurn}
	for then, fits := range map[string][]compact.Strategy{
		"": all, "l": all, "u": {compact.KeepRecent, compact.LastTurn}, "s3": nil, "s3 u": nil, "-1": nil,
	} {
		for _, strategy := range all {
			b := &builder{t: t}
			b.steps("u100 a2 u2 a2")
			plan, err := compact.New(b.path, compact.Options{Keep: 5, Strategy: strategy})
			if err != nil {
				t.Fatal(err)
			}
			b.steps(then)
			moved, err := plan.Moved(b.path)
			if slices.Contains(fits, strategy) != (err == nil) || err != nil && !errors.Is(err, compact.ErrMoved) {
				t.Errorf("%q, %v: %v", then, strategy, err)
			}
			if err == nil && (moved.FirstKept != plan.FirstKept || moved.Leaf != b.path[len(b.path)-1].ID()) {
				t.Errorf("%q, %v: cut at %s, leaf %s", then, strategy, moved.FirstKept, moved.Leaf)
			}
		}
	}
}

// TestMovedLaws states for any path that has grown since it was planned for: if
// the plan moves, then nothing is lost or doubled (see checkContext), and no call
// is parted from its result. A message that was summarized may have been edited
// meanwhile, as --prune does: then the summary speaks of the message as it was.
// And a summary comes back from its Reply as it was.
func TestMovedLaws(t *testing.T) {
	t.Parallel()
	moves := 0
	rapid.Check(t, func(r *rapid.T) {
		all := fromBytes(r, rapid.SliceOfN(rapid.Byte(), 2, 80).Draw(r, "operations"))
		n := rapid.IntRange(0, len(all)).Draw(r, "planned")
		o := compact.Options{Keep: rapid.Int64Range(1, 400).Draw(r, "keep")}
		plan, err := compact.New(all[:n], o)
		if err != nil {
			return
		}
		s := compact.Summary{History: "## Goal\nhistory", TurnPrefix: "## Original Request\nprefix"}
		if got := plan.Text(plan.Answer(plan.Reply(s))); got != plan.Text(s) {
			r.Fatalf("came back as %q, was %q", got, plan.Text(s))
		}
		moved, err := plan.Moved(all)
		if err != nil {
			return
		}
		moves++
		checkPairs(r, moved)
		o.FirstKept = moved.FirstKept
		now, err := compact.New(all, o)
		if err != nil || !slices.Equal(ids(now.Summarize), ids(moved.Summarize)) || !slices.Equal(ids(now.TurnPrefix), ids(moved.TurnPrefix)) {
			r.Fatalf("%v: the summary speaks of other entries", err)
		}
		checkContext(r, all, now, moved.After(added(r, moved, summaryOf(moved))...))
	})
	if moves == 0 {
		t.Error("no plan moved")
	}
}
