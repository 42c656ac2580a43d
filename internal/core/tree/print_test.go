package tree

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/core/row"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// printed returns what a renderer prints.
func printed(t testing.TB, render func(w io.Writer) error) string {
	t.Helper()
	var b strings.Builder
	must.Do(t, render(&b))
	return b.String()
}

// sample has two branches, labels (one of an entry that is not there), a
// compaction and an orphan.
func sample(t testing.TB) *Tree {
	return grow(read(t,
		`{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-02T03:04:01.000Z","message":{"role":"user","content":"Fix <it>"}}`,
		`{"type":"message","id":"b","parentId":"a","timestamp":"2026-01-02T03:04:02.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"ls","arguments":{}}]}}`,
		`{"type":"compaction","id":"c","parentId":"b","timestamp":"2026-01-02T03:04:03.000Z","summary":"so far","firstKeptEntryId":"a","tokensBefore":9}`,
		`{"type":"message","id":"d","parentId":"b","timestamp":"x","message":{"role":"assistant","content":"other\nway"}}`,
		label("e", "c", "b", "mid dle"), label("f", "e", "gone", "lost"),
		`{"type":"message","id":"g","parentId":"zz","timestamp":"2026-01-02T03:04:04.000Z","message":{"role":"user","content":"lone"}}`,
		`{"type":"message","id":"h","parentId":"f","timestamp":"2026-01-02T03:04:05.000Z","message":{"role":"user","content":"end"}}`))
}

// from is where the sessions of tests are.
var from = row.Place{Address: "s.jsonl", Path: "s.jsonl", Session: "s"}

func TestJSON(t *testing.T) {
	t.Parallel()
	tr := sample(t)
	got := printed(t, func(w io.Writer) error { return JSON(w, tr, from) })
	want := `{"kind":"entry","address":"s.jsonl","path":"s.jsonl","session":"s","entry":"a","parent":null,"timestamp":"2026-01-02T03:04:01.000Z","type":"message","role":"user","line":2,"depth":0,"children":1,"active":true,"head":false,"label":null,"estimate":2,"text":"Fix <it>","note":null}
{"kind":"entry","address":"s.jsonl","path":"s.jsonl","session":"s","entry":"b","parent":"a","timestamp":"2026-01-02T03:04:02.000Z","type":"message","role":"assistant","line":3,"depth":1,"children":2,"active":true,"head":false,"label":"mid dle","estimate":1,"text":"ls {}","note":null}
{"kind":"entry","address":"s.jsonl","path":"s.jsonl","session":"s","entry":"c","parent":"b","timestamp":"2026-01-02T03:04:03.000Z","type":"compaction","role":null,"line":4,"depth":2,"children":1,"active":true,"head":false,"label":null,"estimate":2,"text":"so far","note":null}
{"kind":"entry","address":"s.jsonl","path":"s.jsonl","session":"s","entry":"e","parent":"c","timestamp":"2026-01-02T03:05:00.000Z","type":"label","role":null,"line":6,"depth":3,"children":1,"active":true,"head":false,"label":null,"estimate":0,"text":"mid dle","note":null}
{"kind":"entry","address":"s.jsonl","path":"s.jsonl","session":"s","entry":"f","parent":"e","timestamp":"2026-01-02T03:05:00.000Z","type":"label","role":null,"line":7,"depth":4,"children":1,"active":true,"head":false,"label":null,"estimate":0,"text":"lost","note":null}
{"kind":"entry","address":"s.jsonl","path":"s.jsonl","session":"s","entry":"h","parent":"f","timestamp":"2026-01-02T03:04:05.000Z","type":"message","role":"user","line":9,"depth":5,"children":0,"active":true,"head":true,"label":null,"estimate":1,"text":"end","note":null}
{"kind":"entry","address":"s.jsonl","path":"s.jsonl","session":"s","entry":"d","parent":"b","timestamp":null,"type":"message","role":"assistant","line":5,"depth":2,"children":0,"active":false,"head":true,"label":null,"estimate":3,"text":"other\nway","note":null}
{"kind":"entry","address":"s.jsonl","path":"s.jsonl","session":"s","entry":"g","parent":"zz","timestamp":"2026-01-02T03:04:04.000Z","type":"message","role":"user","line":8,"depth":0,"children":0,"active":false,"head":true,"label":null,"estimate":1,"text":"lone","note":"parent zz is missing"}
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDot(t *testing.T) {
	t.Parallel()
	s := read(t,
		`{"type":"message","id":"a\"\\","parentId":null,"message":{"role":"user","content":"x \\n \"&amp;\" \u001b[1m"}}`,
		`{"type":"custom","customType":"k","id":"b","parentId":"a\"\\"}`,
		`{"type":"message","id":"c","parentId":"b","message":{"role":"user","content":"12345"}}`,
		`{"type":"custom","customType":"k","id":"d","parentId":"c"}`,
		`{"type":"compaction","id":"e","parentId":"d","summary":"s","firstKeptEntryId":"b"}`,
		label("f", "d", "e", `a"b`))
	tr := grow(s)
	want := `digraph session {
	node [shape=box, fontname="sans-serif"];
	n2 [label="a\"\\ user\lx \\n \"&amp;amp;\" \\x1b[1m\l5 tokens\l", penwidth=2];
	n3 [label="b custom\lk\l", penwidth=2];
	n2 -> n3 [penwidth=2];
	n4 [label="c user\l12345\l2 tokens\l", penwidth=2];
	n3 -> n4 [penwidth=2];
	n5 [label="d custom\lk\l", penwidth=2];
	n4 -> n5 [penwidth=2];
	n6 [label="e compaction\ls\l@a\"b\l1 token\l", shape=folder];
	n5 -> n6;
	n7 [label="f label\la\"b\l", penwidth=2];
	n5 -> n7 [penwidth=2];
}
`
	if diff := cmp.Diff(want, printed(t, func(w io.Writer) error { return Dot(w, tr, Options{Full: true}) })); diff != "" {
		t.Error(diff)
	}
	chain := grow(shape(t, "a b<a c<b d<c e<d f<x"))
	want = `digraph session {
	node [shape=box, fontname="sans-serif"];
	n2 [label="a user\lsay a\l2 tokens\l"];
	f3 [label="2 entries\l4 tokens\l", style=dashed];
	n2 -> f3;
	n5 [label="d user\lsay d\l2 tokens\l"];
	f3 -> n5;
	n6 [label="e user\lsay e\l2 tokens\l"];
	n5 -> n6;
	n7 [label="f user\lsay f\l2 tokens\lparent x is missing\l", penwidth=2];
}
`
	if diff := cmp.Diff(want, printed(t, func(w io.Writer) error { return Dot(w, chain, Options{}) })); diff != "" {
		t.Error(diff)
	}
}

func TestHeads(t *testing.T) {
	t.Parallel()
	tr := sample(t)
	tests := []struct {
		name, want string
		render     func(w io.Writer) error
	}{
		{
			"text", "d\t3\t-\t-\tFix <it>\tother way\n" +
				"g\t1\t2026-01-02T03:04:04Z\t-\tlone\tlone\n" +
				"h\t6\t2026-01-02T03:04:05Z\t*\tFix <it>\tend\n",
			func(w io.Writer) error { return WriteHeads(w, tr, tr.Heads(), Options{}) },
		},
		{"terminal", `
ID  ENTRIES  TIME                     FIRST     LAST
d   3        -                     -  Fix <it>  other way
g   1        2026-01-02T03:04:04Z  -  lone      lone
h   6        2026-01-02T03:04:05Z  *  Fix <it>  end
`, func(w io.Writer) error { return WriteHeads(w, tr, tr.Heads(), Options{Width: 80}) }},
		{"narrow terminal", `
ID  ENTRIES  TIME                  FIRST     LAST
d   3        -                  -  Fix <it>  other w…
g   1        2026-01-02T03:04…  -  lone      lone
h   6        2026-01-02T03:04…  *  Fix <it>  end
`, func(w io.Writer) error { return WriteHeads(w, tr, tr.Heads(), Options{Width: 53}) }},
		{"JSON", `
{"kind":"head","address":"s.jsonl","path":"s.jsonl","session":"s","entry":"d","timestamp":null,"line":5,"entries":3,"active":false,"label":null,"fork":"b","first":"Fix <it>","last":"other\nway"}
{"kind":"head","address":"s.jsonl","path":"s.jsonl","session":"s","entry":"g","timestamp":"2026-01-02T03:04:04.000Z","line":8,"entries":1,"active":false,"label":null,"fork":null,"first":"lone","last":"lone"}
{"kind":"head","address":"s.jsonl","path":"s.jsonl","session":"s","entry":"h","timestamp":"2026-01-02T03:04:05.000Z","line":9,"entries":6,"active":true,"label":null,"fork":"b","first":"Fix <it>","last":"end"}
`, func(w io.Writer) error { return HeadsJSON(w, tr, tr.Heads(), from) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(strings.TrimPrefix(tt.want, "\n"), printed(t, tt.render)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLabels(t *testing.T) {
	t.Parallel()
	tr := sample(t)
	labels := tr.Session.Labels()
	tests := []struct {
		name, want string
		render     func(w io.Writer) error
	}{
		{
			"text", "mid dle\tb\tassistant\tls {}\nlost\tgone\t-\t\n",
			func(w io.Writer) error { return WriteLabels(w, tr, labels, Options{}) },
		},
		{
			"terminal", "LABEL    ID    ENTRY      TEXT\nmid dle  b     assistant  ls {}\nlost     gone  -\n",
			func(w io.Writer) error { return WriteLabels(w, tr, labels, Options{Width: 80}) },
		},
		{"JSON", `{"kind":"label","address":"s.jsonl","path":"s.jsonl","session":"s","entry":"b","timestamp":"2026-01-02T03:05:00.000Z","label":"mid dle","type":"message","role":"assistant","line":3,"active":true,"text":"ls {}"}
{"kind":"label","address":"s.jsonl","path":"s.jsonl","session":"s","entry":"gone","timestamp":"2026-01-02T03:05:00.000Z","label":"lost","type":null,"role":null,"line":null,"active":false,"text":null}
`, func(w io.Writer) error { return LabelsJSON(w, tr, labels, from) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, printed(t, tt.render)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// hostile is a session whose every text tries to act.
func hostile(t testing.TB) *Tree {
	bad := js.Quote("\x1b]0;owned\x07\r\n\t\u202e\u2066\u0085\u009b31m\u2028\x7f " + strings.Repeat("z", 1<<20))
	id := js.Quote("i\nd\x1b[2J\u202e\"\\")
	raw := "\xff\xfe\xed\xa0\x80"
	return grow(read(t,
		`{"type":"message","id":`+id+`,"parentId":`+bad+`,"timestamp":`+bad+`,"message":{"role":`+bad+`,"content":`+bad+`}}`,
		`{"type":`+bad+`,"id":"b","parentId":`+id+`,"timestamp":"t"}`,
		`{"type":"message","id":"c`+raw+`","parentId":`+id+`,"message":{"role":"user","content":"`+raw+` \ud800 x"}}`,
		`{"type":"label","id":"d","parentId":"b","targetId":`+id+`,"label":`+bad+`}`,
		`{"type":"label","id":"e","parentId":"d","targetId":`+bad+`,"label":"x"}`,
		`{"type":"custom","id":`+js.Quote("tip\n\t\x1b[2J\u202e")+`,"parentId":"e"}`))
}

// Nothing that could act on a terminal gets through, whatever is printed, and
// all of it is UTF-8.
func TestHostile(t *testing.T) {
	t.Parallel()
	tr := hostile(t)
	heads, labels := tr.Heads(), tr.Session.Labels()
	renderers := map[string]func(w io.Writer) error{
		"draw":            func(w io.Writer) error { return Draw(w, tr, Options{}) },
		"draw tty":        func(w io.Writer) error { return Draw(w, tr, Options{Width: 80}) },
		"dot":             func(w io.Writer) error { return Dot(w, tr, Options{}) },
		"heads":           func(w io.Writer) error { return WriteHeads(w, tr, heads, Options{}) },
		"heads tty":       func(w io.Writer) error { return WriteHeads(w, tr, heads, Options{Width: 80}) },
		"labels":          func(w io.Writer) error { return WriteLabels(w, tr, labels, Options{}) },
		"labels tty":      func(w io.Writer) error { return WriteLabels(w, tr, labels, Options{Width: 80}) },
		"draw wide ASCII": func(w io.Writer) error { return Draw(w, tr, Options{Width: 1 << 30, ASCII: true}) },
	}
	lines := map[string]int{
		"draw": 6, "draw tty": 6, "draw wide ASCII": 6, "heads": 2, "heads tty": 3, "labels": 2, "labels tty": 3,
		"dot": 3 + 6 + 5,
	}
	for name, render := range renderers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := printed(t, render)
			if n := strings.Count(got, "\n"); n != lines[name] {
				t.Errorf("%d lines, want %d", n, lines[name])
			}
			if !strings.HasPrefix(name, "labels") && len(got) > 2000 { // which have a label and an id of 1 MB
				t.Errorf("%d bytes", len(got))
			}
			for _, r := range js.ValidText(got) {
				if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
					t.Fatalf("%q in %.200q", r, got)
				}
			}
			if js.ValidText(got) != got {
				t.Errorf("not UTF-8: %.200q", got)
			}
		})
	}
}

// In JSON texts are whole, and control characters are escaped.
func TestHostileJSON(t *testing.T) {
	t.Parallel()
	tr := hostile(t)
	got := printed(t, func(w io.Writer) error { return JSON(w, tr, from) })
	var first struct{ Text string }
	line, _, _ := strings.Cut(got, "\n")
	must.Do(t, json.Unmarshal([]byte(line), &first))
	if want := convo.Say(tr.Session.Entries[0]); first.Text != want || len(want) < 1<<20 {
		t.Errorf("text of %d bytes, want %d", len(first.Text), len(want))
	}
	if strings.ContainsAny(got, "\x1b\x07\r\t") || strings.Count(got, "\n") != 6 {
		t.Errorf("control characters in %.200q", got)
	}
}

// A session may be one chain of a million entries, or have a branch at each.
func TestLarge(t *testing.T) {
	t.Parallel()
	many := 1_000_000
	if testing.Short() || raceEnabled {
		many = 20_000
	}
	// where entry i hangs
	shapes := map[string]func(i int) int{
		"chain": func(i int) int { return i - 1 },
		"comb":  func(i int) int { return (i - 1) / 2 * 2 },
		"star":  func(int) int { return 0 },
	}
	for name, parent := range shapes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := many
			if name != "chain" {
				n = min(n, 50_000)
			}
			var b strings.Builder
			b.WriteString(header)
			for i := range n {
				b.WriteString(`{"type":"custom","id":"` + session.PositionID(i) + `","parentId":`)
				if i == 0 {
					b.WriteString("null}\n")
				} else {
					b.WriteString(`"` + session.PositionID(parent(i)) + "\"}\n")
				}
			}
			s, err := session.Read(strings.NewReader(b.String()))
			must.Do(t, err)
			b.Reset()
			tr := grow(s)
			w := &measured{}
			must.Do(t, Draw(w, tr, Options{Full: true}))
			if w.lines != n || w.longest > 200 {
				t.Errorf("%d lines of at most %d bytes, want %d lines", w.lines, w.longest, n)
			}
			if got := len(tr.Heads()); got != len(s.Heads()) {
				t.Errorf("%d heads, want %d", got, len(s.Heads()))
			}
		})
	}
}

// measured counts what is written to it, a line a write.
type measured struct{ lines, longest int }

func (m *measured) Write(p []byte) (int, error) {
	m.lines++
	m.longest = max(m.longest, len(p))
	return len(p), nil
}

// Siblings of one time stay in the order of the file, however many there are.
func TestChildrenStable(t *testing.T) {
	t.Parallel()
	sketch := "r@0"
	for i := range 40 {
		sketch += fmt.Sprintf(" c%d<r@%d", i, 2-i%2) // the odd ones a second earlier
	}
	got := grow(shape(t, sketch)).Children(0)
	var want []int
	for _, odd := range []int{1, 0} {
		for i := odd; i < 40; i += 2 {
			want = append(want, i+1)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("children %v, want %v", got, want)
	}
}

// A head's path is as long as package session says, also where it leaves a
// cycle half way round, and a cycle has no head of its own.
func TestHeadsOfDamage(t *testing.T) {
	t.Parallel()
	tests := []struct{ sketch, want string }{
		{"", ""},
		{"a", "a:1"},
		{"a<a", "a:1"},
		{"a<x b<a", "b:2"},
		{"a<b b<a", ""},
		{"a<c b<a c<b h<a", "h:4"},
		{"a<c b<a c<b g<b h<g r", "h:5 r:1"},
		{"r a<c b<a c<b h<c", "r:1 h:4"},
		{"a b<a b<x", "a:1 b:1"}, // the b below a is not addressable: a is an end
	}
	for _, tt := range tests {
		s := shape(t, tt.sketch)
		tr := grow(s)
		var got []string
		for _, h := range tr.Heads() {
			got = append(got, fmt.Sprintf("%s:%d", s.Entries[h.Pos].ID(), h.Entries))
			if path, _ := s.PathIndex(h.Pos); len(path) != h.Entries {
				t.Errorf("%q: %d entries on the path of %d, want %d", tt.sketch, h.Entries, h.Pos, len(path))
			}
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%q: heads %v, want %s", tt.sketch, got, tt.want)
		}
	}
}
