package usage_test

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sess-tools/sess/internal/readers/usage"
	"github.com/sess-tools/sess/pkg/js"
)

// TestMain takes the number of random forests from SESS_FORESTS, such as 10000.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("rapid.checks", cmp.Or(os.Getenv("SESS_FORESTS"), "1000")); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// A call of the reference: its lines are what truth is known of.
type event struct {
	line    string
	creator int // the session that made it
	tokens  int64
}

// A tree is a session of a forest: its header, and the lines behind it.
type tree struct {
	id, parent string
	time       int64
	events     []event
	dir        string
	gone       bool
}

// grow makes a random forest: roots, forks of a path or of a whole file, forks of forks,
// forks of what a fork left, files that were moved, copied or deleted since.
func grow(t *rapid.T) []*tree {
	var forest []*tree
	now, n := int64(1_790_000_000_000), 0
	for s := range rapid.IntRange(1, 9).Draw(t, "sessions") {
		now += int64(rapid.IntRange(0, 3).Draw(t, "pause"))
		f := &tree{id: fmt.Sprintf("%08x-0000-7000-8000-000000000000", s), time: now, dir: "/a"}
		if s > 0 && rapid.IntRange(0, 3).Draw(t, "fork") > 0 {
			from := forest[rapid.IntRange(0, s-1).Draw(t, "of")]
			f.parent = fmt.Sprintf("%s/%s_%s.jsonl", from.dir, "2026", from.id)
			switch n := len(from.events); rapid.IntRange(0, 2).Draw(t, "how") {
			case 0: // the whole file, branches and all
				f.events = slices.Clone(from.events)
			case 1: // a path
				f.events = slices.Clone(from.events[:rapid.IntRange(0, n).Draw(t, "at")])
			default: // a path that leaves out what is on another branch
				for _, e := range from.events {
					if rapid.Bool().Draw(t, "on") {
						f.events = append(f.events, e)
					}
				}
			}
		}
		for range rapid.IntRange(0, 5).Draw(t, "calls") {
			n++
			least := 0 // calls of one millisecond have ids of their own
			if n%4 == 0 {
				least = 1
			}
			now += int64(rapid.IntRange(least, 2).Draw(t, "tick"))
			tokens := int64(rapid.IntRange(0, 3).Draw(t, "tokens"))
			f.events = append(f.events, event{fmt.Sprintf(
				`{"type":"message","id":"%08x","parentId":null,"timestamp":%s,"message":{"role":"assistant","content":[],"usage":{"input":%d,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":%d}}}`,
				0x10000000+n%4, js.Quote(js.FormatTime(now)), tokens, tokens+1), s, tokens})
		}
		now++
		forest = append(forest, f)
	}
	whole := rapid.Bool().Draw(t, "whole")
	for _, f := range forest {
		f.dir = rapid.SampledFrom([]string{"/a", "/moved", "/link"}).Draw(t, "dir")
		if whole { // the parents tell, so the clock of the machine may be wrong
			f.time += int64(rapid.SampledFrom([]int{0, 0, -1000, 1000}).Draw(t, "skew"))
		} else {
			f.gone = rapid.IntRange(0, 4).Draw(t, "gone") == 0
		}
	}
	return forest
}

// truth is what each session was charged, and all of them: an event counts once, for the
// session that made it if that is still there.
func truth(forest []*tree) (own map[string]int64, calls, tokens int64) {
	own = map[string]int64{}
	seen := map[string]bool{}
	for _, f := range forest {
		if f.gone {
			continue
		}
		for _, e := range f.events {
			if !seen[e.line] {
				seen[e.line] = true
				calls++
				tokens += e.tokens
			}
		}
		for _, e := range f.events {
			if forest[e.creator] == f {
				own[f.id]++
			}
		}
	}
	return own, calls, tokens
}

func (f *tree) text() string {
	header := fmt.Sprintf(`{"type":"session","version":3,"id":"%s","timestamp":%s,"cwd":"/w","parentSession":%s}`+"\n", f.id, js.Quote(js.FormatTime(f.time)), js.Quote(f.parent))
	var b strings.Builder
	for _, e := range f.events {
		b.WriteString(e.line + "\n")
	}
	return header + b.String()
}

// Totals are those of the reference whatever the forest, and each call is charged to the
// session that made it, in whichever order and how often the files are read.
func TestForests(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		forest := grow(t)
		own, calls, tokens := truth(forest)
		order := rapid.Permutation(forest).Draw(t, "order")
		l := &usage.Ledger{}
		for _, f := range order {
			for range rapid.IntRange(1, 2).Draw(t, "times") { // a second time by a symbolic link
				if !f.gone {
					add(t, l, fmt.Sprintf("%s/2026_%s.jsonl", f.dir, f.id), "", f.text())
				}
			}
		}
		l.Settle()
		table := usage.Grouping{By: []string{"session"}, Zone: time.UTC, Costing: &usage.Costing{Mode: usage.Stored}}.Group(l)
		if table.Total.Calls != calls || table.Total.Tokens.Input != tokens {
			t.Fatalf("%d calls with %d tokens, want %d with %d", table.Total.Calls, table.Total.Tokens.Input, calls, tokens)
		}
		charged := map[string]int64{}
		for _, row := range table.Rows {
			charged[row.Key[0]] = row.Calls
		}
		for id, n := range own {
			if charged[id] < n {
				t.Errorf("session %s: %d calls, it made %d", id, charged[id], n)
			}
		}
		for id, n := range charged {
			if n != own[id] && !slices.ContainsFunc(forest, func(f *tree) bool { return f.gone }) {
				t.Errorf("session %s: %d calls, it made %d", id, n, own[id])
			}
		}
	})
}

// fataler is a test, or a case of one.
type fataler interface{ Fatal(args ...any) }

// add reads a session and adds it to a ledger.
func add(t fataler, l *usage.Ledger, name, agent, text string) usage.Content {
	got, err := usage.Read(strings.NewReader(text), usage.Options{Agent: agent, Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	h := got.Header
	s := usage.Session{Name: name, Agent: agent, ID: h.ID, Parent: h.ParentSession, CWD: h.CWD}
	s.Time, s.Timed = js.ParseTime(h.Timestamp)
	l.Add(s, got.Calls)
	return got
}
