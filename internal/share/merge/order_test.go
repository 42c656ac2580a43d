package merge

import (
	"slices"
	"strings"
	"testing"
)

// lines reads "id<parent@time" words; "~x" is a line that is no entry, and "id<parent@time!x"
// has other bytes.
func words(s string) (out []text) {
	for w := range strings.FieldsSeq(s) {
		if strings.HasPrefix(w, "~") {
			out = append(out, text{bytes: w})
			continue
		}
		x := text{bytes: w, time: noTime}
		rest, _, _ := strings.Cut(w, "!")
		rest, at, timed := strings.Cut(rest, "@")
		if timed {
			x.time = 0
			for _, c := range at {
				x.time = 10*x.time + int64(c-'0')
			}
		}
		x.id, x.parent, _ = strings.Cut(rest, "<")
		out = append(out, x)
	}
	return out
}

// A pair is two copies of a set.
type pair struct {
	set   *set
	texts []text
	a, b  *sequence
}

func newPair(a, b string) *pair {
	p := &pair{set: newSet()}
	p.a, p.b = p.copy(a), p.copy(b)
	return p
}

func (p *pair) copy(s string) *sequence {
	c := p.set.newSequence()
	for _, x := range words(s) {
		if _, fresh := c.add(x.line()); fresh {
			p.texts = append(p.texts, x)
		}
	}
	return c
}

func (p *pair) text(c *sequence) string {
	var out []string
	for n := range c.lines() {
		out = append(out, p.texts[n].bytes)
	}
	return strings.Join(out, " ")
}

func TestMerge(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, a, b, want, ownLast string }{
		{"empty", "", "", "", ""},
		{"one is empty", "a@1", "", "a@1", "a@1"},
		{"equal", "a@1 b<a@2", "a@1 b<a@2", "a@1 b<a@2", "a@1 b<a@2"},
		{"one goes on", "a@1", "a@1 b<a@2", "a@1 b<a@2", "a@1 b<a@2"},
		{"both go on: by time", "r@1 a<r@5 c<a@7", "r@1 b<r@6", "r@1 a<r@5 b<r@6 c<a@7", "r@1 b<r@6 a<r@5 c<a@7"},
		{"the newer side has the leaf", "r@1 a<r@5", "r@1 b<r@4 d<b@9", "r@1 b<r@4 a<r@5 d<b@9", "r@1 b<r@4 d<b@9 a<r@5"},
		{"a clock that is behind: a parent's time counts", "r@9 a<r@1", "r@9 b<r@8", "r@9 a<r@1 b<r@8", "r@9 b<r@8 a<r@1"},
		{"a clock that is behind: nor does it overtake", "r@9 z<r@1", "r@9 b<r@8", "r@9 b<r@8 z<r@1", "r@9 b<r@8 z<r@1"},
		{"one time, deeper though of a smaller id", "r@1 z<r@1", "r@1 b<r@1 a<b@1", "r@1 b<r@1 z<r@1 a<b@1", "r@1 b<r@1 a<b@1 z<r@1"},
		{"a line of both waits, whatever its time", "r@1 a<r@9 s<r@2", "r@1 s<r@2 b<s@3", "r@1 a<r@9 s<r@2 b<s@3", "r@1 a<r@9 s<r@2 b<s@3"},
		{"a clock that is far ahead", "r@1 a<r@99 c<a@2", "r@1 b<r@3", "r@1 b<r@3 a<r@99 c<a@2", "r@1 b<r@3 a<r@99 c<a@2"},
		{"one time: by depth, then id", "r@1 b<r@1", "r@1 a<r@1 c<a@1", "r@1 a<r@1 b<r@1 c<a@1", "r@1 a<r@1 c<a@1 b<r@1"},
		{"no time: the parent's", "r@5 a<r", "r@5 b<r@4 c<b@6", "r@5 a<r b<r@4 c<b@6", "r@5 b<r@4 c<b@6 a<r"},
		{"a line of both waits", "r@1 a<r@9 s<r@10", "r@1 s<r@10 b<s@11", "r@1 a<r@9 s<r@10 b<s@11", "r@1 a<r@9 s<r@10 b<s@11"},
		{"not an entry: behind the one above", "r@1 ~x a<r@2", "r@1 b<r@1 ~y", "r@1 ~x b<r@1 ~y a<r@2", "r@1 ~x b<r@1 ~y a<r@2"},
		{"not an entry: once", "~h r@1 ~x", "~h r@1 ~x ~x", "~h r@1 ~x ~x", "~h r@1 ~x ~x"},
		{"twice in one copy", "r@1 r@1 a<r@2", "r@1 b<r@1", "r@1 r@1 b<r@1 a<r@2", "r@1 b<r@1 r@1 a<r@2"},
		{"twice in both", "r@1 r@1", "r@1 r@1", "r@1 r@1", "r@1 r@1"},
		{"a cycle", "a<b@1 b<a@2", "c<a@1", "a<b@1 c<a@1 b<a@2", "c<a@1 a<b@1 b<a@2"},
		{"its own parent", "a<a@3", "b@2", "b@2 a<a@3", "b@2 a<a@3"},
		{"a missing parent", "a<zz@3", "b<zz@2", "b<zz@2 a<zz@3", "b<zz@2 a<zz@3"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := newPair(test.a, test.b)
			if got := p.text(merged(p.a, p.b, false)); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			if got := p.text(merged(p.b, p.a, false)); got != test.want {
				t.Errorf("the other way round: %s\nwant %s", got, test.want)
			}
			if got := p.text(merged(p.a, p.b, true)); got != test.ownLast {
				t.Errorf("own last: %s\nwant      %s", got, test.ownLast)
			}
		})
	}
}

func TestConflicts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, a, b, want string }{
		{"none", "r@1 a<r@2", "r@1 b<r@2", ""},
		{"other bytes", "r@1 a<r@2", "r@1 a<r@2!", "a: a<r@2 | a<r@2!"},
		{"by rank", "r@1 b<r@3 a<r@2", "r@1 b<r@3! a<r@2!", "a: a<r@2 | a<r@2!; b: b<r@3 | b<r@3!"},
		{"appended by one", "r@1 a<r@2", "r@1 a<r@2 a<r@2!", ""},
		{"the same once more", "r@1 a<r@2", "r@1 a<r@2 a<r@2", ""},
		{"appended by both", "r@1 a<r@2 a<r@2!x", "r@1 a<r@2 a<r@2!", "a: a<r@2!x | a<r@2!"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := newPair(test.a, test.b)
			var got []string
			for _, c := range conflicts(p.a, p.b) {
				var sides [2][]string
				for i, lines := range c.lines {
					for _, n := range lines {
						sides[i] = append(sides[i], p.texts[n].bytes)
					}
				}
				got = append(got, c.ID+": "+strings.Join(sides[0], " ")+" | "+strings.Join(sides[1], " "))
			}
			if got := strings.Join(got, "; "); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestReplace(t *testing.T) {
	t.Parallel()
	p := newPair("r@1 ~x a<r@2 b<a@3", "r@1 a<r@2! c<r@4")
	number := func(bytes string) int {
		return slices.IndexFunc(p.texts, func(x text) bool { return x.bytes == bytes })
	}
	a, other, b, x := number("a<r@2"), number("a<r@2!"), number("b<a@3"), number("~x")
	for _, test := range []struct {
		name string
		with map[int][]int
		want string
	}{
		{"nothing", nil, "r@1 ~x a<r@2 b<a@3"},
		{"by the other's", map[int][]int{a: {other}}, "r@1 ~x a<r@2! b<a@3"},
		{"left out", map[int][]int{a: nil, x: nil}, "r@1 b<a@3"},
		{"by what is there", map[int][]int{a: {b}}, "r@1 ~x b<a@3"},
	} {
		if got := p.text(p.a.replace(test.with)); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

func TestCopy(t *testing.T) {
	t.Parallel()
	p := newPair("~h r@1 ~x a<r@2 b<r@3", "~h r@1 ~x a<r@2 c<r@3")
	if n := p.a.length(); n != 5 {
		t.Errorf("%d lines", n)
	}
	if n := p.a.heads(); n != 2 {
		t.Errorf("%d heads", n)
	}
	if n, ok := p.a.leaf(); !ok || p.set.idOf(n) != "b" {
		t.Errorf("the leaf is %q", p.set.idOf(n))
	}
	m := merged(p.a, p.b, false)
	if !m.beginsWith(p.a) || m.beginsWith(p.b) || p.a.beginsWith(m) {
		t.Error("beginsWith")
	}
	c := p.set.newSequence()
	for n := range p.a.lines() {
		if c.keep(n); c.length() == 3 {
			break
		}
	}
	if got := p.text(c); got != "~h r@1 ~x" {
		t.Errorf("kept %s", got)
	}
	if n, fresh := c.add(words("r@1")[0].line()); !fresh || n != len(p.texts) {
		t.Error("what was kept does not count as seen")
	}
}

// A line that stands many times is found at once each time: its repetitions are not counted
// from the first one on.
func TestRepeatedLinesAreLinear(t *testing.T) {
	t.Parallel()
	const lines = 100_000 // counted from the first one each time, they would take hours
	s := newSet()
	var copies []*sequence
	for range 3 {
		c := s.newSequence()
		for range lines {
			c.add(line{Sum: sumOf([]byte("same"))})
		}
		copies = append(copies, c)
	}
	if s.length() != lines || merged(copies[0], copies[1], false).length() != lines {
		t.Errorf("%d lines", s.length())
	}
}
