package session_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// model is what a session should be: entries by position, and the labels in the
// order in which they were set.
type model struct {
	t       *rapid.T
	lines   []string // of the session file
	ids     []string
	parents []int // positions, -1 for a root
	isLabel []bool
	leaf    int
	labels  [][2]string // target and name
	fresh   int
}

func (m *model) read() *session.Session {
	s, err := session.Read(strings.NewReader(join(append([]string{head}, m.lines...)...)))
	if err != nil {
		m.t.Fatal(err)
	}
	return s
}

// newID makes an id that is not in the session, now and then after one that is.
func (m *model) newID(known func(string) bool) (string, error) {
	for {
		m.fresh++
		if id := fmt.Sprintf("id%d", m.fresh); !known(id) {
			return id, nil
		}
	}
}

func (m *model) batch() *session.Batch {
	s := m.read()
	b := &session.Batch{NewID: m.newID, Now: int64(m.fresh), Known: func(id string) bool { _, ok := s.Index(id); return ok }}
	if m.leaf >= 0 {
		b.Leaf = m.ids[m.leaf]
	}
	return b
}

func (m *model) write(b *session.Batch, label bool) {
	for _, e := range b.Entries {
		m.lines = append(m.lines, e.Raw())
		m.ids = append(m.ids, e.ID())
		m.parents = append(m.parents, m.leaf)
		m.isLabel = append(m.isLabel, label)
		m.leaf = len(m.ids) - 1
	}
}

func (m *model) position(what string) int {
	if len(m.ids) == 0 {
		return -1
	}
	return rapid.IntRange(0, len(m.ids)-1).Draw(m.t, what)
}

// path is the positions from the root to the entry at i.
func (m *model) path(i int) []int {
	var out []int
	for ; i >= 0; i = m.parents[i] {
		out = append([]int{i}, out...)
	}
	return out
}

func (m *model) appendEntries(t *rapid.T) {
	b := m.batch()
	for range rapid.IntRange(1, 3).Draw(t, "entries") {
		var err error
		switch rapid.IntRange(0, 2).Draw(t, "kind") {
		case 0:
			_, err = b.AddMessage(session.NewTextMessage("user", rapid.String().Draw(t, "text")))
		case 1:
			_, err = b.AddJSON(`{"type":"custom","customType":"x","n":1.0}`)
		default:
			_, err = b.Add("session_info", js.StringField("name", rapid.String().Draw(t, "name")))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	m.write(b, false)
}

func (m *model) branch(t *rapid.T) {
	m.leaf = m.position("leaf")
	if len(m.ids) > 0 && rapid.IntRange(0, 9).Draw(t, "root") == 0 {
		m.leaf = -1
	}
}

func (m *model) label(t *rapid.T) {
	target := m.position("target")
	if target < 0 {
		return
	}
	name := rapid.SampledFrom([]string{"", "x", "y", "z^"}).Draw(t, "label")
	b := m.batch()
	if _, err := b.AddJSON(`{"type":"label","targetId":` + quote(m.ids[target]) + `,"label":` + quote(name) + `}`); err != nil {
		t.Fatal(err)
	}
	m.write(b, true)
	m.setLabel(m.ids[target], name)
}

func (m *model) setLabel(target, name string) {
	i := slices.IndexFunc(m.labels, func(l [2]string) bool { return l[0] == target })
	switch {
	case i >= 0 && name == "":
		m.labels = slices.Delete(m.labels, i, i+1)
	case i >= 0:
		m.labels[i][1] = name
	case name != "":
		m.labels = append(m.labels, [2]string{target, name})
	}
}

// fork goes on with a fork of the session: the path without its labels, and
// those of the kept entries behind it.
func (m *model) fork(t *rapid.T) {
	leaf := m.position("fork")
	if leaf < 0 {
		return
	}
	entries, err := m.read().Branch(leaf, m.newID)
	if err != nil {
		t.Fatal(err)
	}
	next := model{t: t, leaf: -1, fresh: m.fresh}
	for _, i := range m.path(leaf) {
		if !m.isLabel[i] {
			next.ids = append(next.ids, m.ids[i])
			next.isLabel = append(next.isLabel, false)
		}
	}
	for _, l := range m.labels {
		if slices.Contains(next.ids[:len(next.isLabel)-len(next.labels)], l[0]) {
			next.labels = append(next.labels, l)
			next.isLabel = append(next.isLabel, true)
			next.ids = append(next.ids, "") // fresh
		}
	}
	if len(entries) != len(next.ids) {
		t.Fatalf("fork of %v: %v, want %v", m.ids, ids(entries), next.ids)
	}
	for i, e := range entries {
		if next.ids[i] == "" {
			next.ids[i] = e.ID()
		} else if next.ids[i] != e.ID() {
			t.Fatalf("fork %v, want %v", ids(entries), next.ids)
		}
		next.lines = append(next.lines, e.Raw())
		next.parents = append(next.parents, i-1)
		next.leaf = i
	}
	*m = next
}

func (m *model) check(t *rapid.T) {
	m.t = t
	s := m.read()
	if len(s.Problems) != 0 {
		t.Fatalf("%v", s.Problems)
	}
	if leaf, _ := s.Leaf(); leaf != len(m.ids)-1 {
		t.Fatalf("leaf %d of %d", leaf, len(m.ids))
	}
	for i := range m.ids {
		path, problems := s.PathIndex(i)
		if !slices.Equal(path, m.path(i)) || len(problems) != 0 {
			t.Fatalf("path of %d: %v, %v; want %v", i, path, problems, m.path(i))
		}
	}
	var labels [][2]string
	for _, l := range s.Labels() {
		labels = append(labels, [2]string{l.Target, l.Name})
	}
	if !slices.Equal(labels, m.labels) {
		t.Fatalf("labels %v, want %v", labels, m.labels)
	}
	for _, l := range labels {
		alone := 0
		for _, other := range labels {
			if other[1] == l[1] {
				alone++
			}
		}
		i, err := s.Resolve("@"+l[1], 0)
		if (err == nil) != (alone == 1) || err == nil && m.ids[i] != l[0] {
			t.Fatalf("@%s: %d, %v; labels %v", l[1], i, err, labels)
		}
	}
}

// A session that is appended to, branched, labelled and forked at random is
// what a simple model of it says.
func TestModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := &model{t: t, leaf: -1}
		t.Repeat(map[string]func(*rapid.T){
			"append": m.appendEntries, "branch": m.branch, "label": m.label, "fork": m.fork, "": m.check,
		})
	})
}

// jsonText draws a JSON value in spellings that programs rarely write and that
// have to survive.
func jsonText() *rapid.Generator[string] {
	scalar := rapid.SampledFrom([]string{
		`1.0`, `-0`, `1E+2`, `12345678901234567890`, `0.10`, `1e400`, `null`, `true`, `""`, `"\ud800"`, `"\udc00\ud800"`, `"\u0041"`, `"\/"`,
		"\"\u2028\u2029\u0085\"", `"<&>"`, "\"\x7f\"", `"é"`, `"{\"type\":\"message\"}"`, "\"\xff\"", `"😀"`,
	})
	return rapid.Custom(func(t *rapid.T) string {
		switch rapid.IntRange(0, 4).Draw(t, "form") {
		case 0:
			return "[" + strings.Join(rapid.SliceOfN(scalar, 0, 3).Draw(t, "elements"), " , ") + "]"
		case 1:
			return `{"2":` + scalar.Draw(t, "2") + `,"1" : ` + scalar.Draw(t, "1") + `,"1":0}`
		}
		return scalar.Draw(t, "scalar")
	})
}

// sessionLines draws a linear version 3 session.
func sessionLines(t *rapid.T) []string {
	key := rapid.SampledFrom([]string{`"x"`, `"a.b"`, `"\u0061"`, `"#"`, `""`, `"message"`, `"summary"`, `"targetId"`, `"ID"`, `"é"`})
	space := rapid.SampledFrom([]string{"", "", "", " ", "\t"})
	lines := []string{strings.TrimSuffix(head, "}") + `,"odd":` + jsonText().Draw(t, "odd") + "}"}
	parent := "null"
	for i := range rapid.IntRange(0, 8).Draw(t, "entries") {
		members := []string{
			`"type":` + quote(rapid.SampledFrom([]string{"message", "custom", "compaction", "label", "context_edit", "unheard_of"}).Draw(t, "type")),
			`"id":"e` + fmt.Sprint(i) + `"`, `"parentId":` + parent,
		}
		for range rapid.IntRange(0, 4).Draw(t, "members") {
			members = append(members, key.Draw(t, "key")+space.Draw(t, "space")+":"+space.Draw(t, "space")+jsonText().Draw(t, "value"))
		}
		members = rapid.Permutation(members).Draw(t, "order")
		sep := space.Draw(t, "space") + "," + space.Draw(t, "space")
		lines = append(lines, space.Draw(t, "space")+"{"+strings.Join(members, sep)+"}"+rapid.SampledFrom([]string{"", "", "\r"}).Draw(t, "end"))
		parent = fmt.Sprintf(`"e%d"`, i)
	}
	return lines
}

// Law: the lead and the path to the leaf of a linear version 3 session are its
// lines, byte for byte.
func bytesSurvive(t *rapid.T) {
	lines := sessionLines(t)
	s, err := session.Read(strings.NewReader(join(lines...)))
	if err != nil {
		t.Fatal(err)
	}
	leaf, _ := s.Leaf()
	path, problems := s.Path(leaf)
	if got := append(s.Lead(), raws(path)...); !slices.Equal(got, lines) || len(problems) != 0 {
		t.Fatalf("%q, want %q", got, lines)
	}
}

func TestBytesSurvive(t *testing.T) {
	t.Parallel()
	rapid.Check(t, bytesSurvive)
}

func FuzzBytesSurvive(f *testing.F) { f.Fuzz(rapid.MakeFuzz(bytesSurvive)) }
