package session_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/pkg/session"
)

func TestTree(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		lines    string // see drawn
		path     string // of the leaf
		problems string // of that path
		heads    string
		longest  string
	}{
		{"empty", "", "", "", "", ""},
		{"chain", "a b<a c<b", "a b c", "", "c", "c"},
		{"fork", "a b<a c<b d<a", "a d", "", "c d", "c"},
		{"tie", "a b<a c<a", "a c", "", "b c", "c"},
		{"several roots", "a b<a r", "r", "", "b r", "b"},
		{"orphan", "a b<gone c<b", "b c", "3 missing-parent", "a c", "c"},
		{"parent after child", "b<a a c<b", "a b c", "", "c", "c"},
		{"self parent", "a<a b<a", "a b", "2 cycle", "b", "b"},
		{"self parent alone", "a<a", "a", "2 cycle", "a", "a"},
		{"cycle", "a<c b<a c<b", "a b c", "2 cycle", "", "c"},
		{"cycle with tails", "x y<x a<b b<a c<b d<a", "b a d", "5 cycle", "y c d", "d"},
		{"longer tail on a cycle", "a<b b<a c<a d<c e<b", "a b e", "2 cycle", "d e", "d"},
		{"cycle against a chain as long", "p q<p r<q a<b b<a c<b", "a b c", "5 cycle", "r c", "c"},
		{"the last of one id counts", "a b<a b c<b", "b c", "", "a c", "c"},
		{"an entry that no id reaches hides no head", "a <a", "a", "", "a", "a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := parse(t, drawn(c.lines)...)
			leaf, ok := s.Leaf()
			if ok != (c.path != "") {
				t.Fatalf("leaf %d, %v", leaf, ok)
			}
			path, problems := s.Path(leaf)
			if got := strings.Join(ids(path), " "); got != c.path {
				t.Errorf("path %q, want %q", got, c.path)
			}
			if got := kinds(problems); got != c.problems {
				t.Errorf("problems %q, want %q", got, c.problems)
			}
			for _, p := range problems {
				if i, _ := s.Index(p.ID); s.Entries[i].Line() != p.Line || s.Entries[i].Offset() != p.Offset {
					t.Errorf("%+v is said of entry %s", p, s.Entries[i].Raw())
				}
			}
			var heads []string
			for _, h := range s.Heads() {
				heads = append(heads, s.Entries[h].ID())
			}
			if got := strings.Join(heads, " "); got != c.heads {
				t.Errorf("heads %q, want %q", got, c.heads)
			}
			if i, ok := s.Longest(); ok != (c.longest != "") || ok && s.Entries[i].ID() != c.longest {
				t.Errorf("longest %d, want %q", i, c.longest)
			}
		})
	}
}

// A path has as many steps as a long session has entries: nothing may recurse
// along it or be quadratic in it.
func TestTreeLong(t *testing.T) {
	t.Parallel()
	const n = chain
	var b strings.Builder
	b.WriteString(head + "\n")
	parent := "null"
	for i := range n {
		fmt.Fprintf(&b, `{"type":"custom","id":"%08x","parentId":%s}`+"\n", i, parent)
		parent = fmt.Sprintf(`"%08x"`, i)
	}
	s := parseText(t, b.String())
	leaf, _ := s.Leaf()
	if path, problems := s.PathIndex(leaf); len(path) != n || path[0] != 0 || path[n-1] != n-1 || problems != nil {
		t.Errorf("%d entries, %v", len(path), problems)
	}
	if i, _ := s.Longest(); i != n-1 {
		t.Errorf("longest %d", i)
	}
	if heads := s.Heads(); len(heads) != 1 {
		t.Errorf("%d heads", len(heads))
	}
	if i, err := s.Resolve(fmt.Sprintf(".~%d", n-1), leaf); i != 0 || err != nil {
		t.Errorf("%d, %v", i, err)
	}
}

func TestParent(t *testing.T) {
	t.Parallel()
	s := parse(t, user("a", "", ""), user("b", "a", ""), user("c", "gone", ""))
	for i, want := range []int{-1, 0, -1} {
		p, ok := s.Parent(i)
		if ok != (want >= 0) || ok && p != want {
			t.Errorf("parent of %d: %d, %v", i, p, ok)
		}
	}
}

func TestNewestMessage(t *testing.T) {
	t.Parallel()
	message := func(id, role, stamp string) string {
		return line("message", id, "", `"message":{"role":"`+role+`","content":[]`+stamp+`}`)
	}
	for _, c := range []struct {
		name  string
		lines []string
		want  int
	}{
		{"none", nil, -1},
		{"no messages", []string{line("custom", "a", "")}, -1},
		{"newest, not last", []string{message("a", "user", `,"timestamp":9`), message("b", "user", `,"timestamp":5`)}, 0},
		{"tie", []string{message("a", "user", `,"timestamp":9`), message("b", "toolResult", `,"timestamp":9.0`)}, 1},
		{"other roles", []string{message("a", "assistant", `,"timestamp":1`), message("b", "bashExecution", `,"timestamp":9`)}, 0},
		{"the entry's time", []string{message("a", "user", ``), message("b", "user", `,"timestamp":1767323045999`)}, 0},
		{"a time that is no number", []string{message("a", "user", `,"timestamp":"x"`), message("b", "user", `,"timestamp":5`)}, 0},
		{"before the epoch", []string{message("a", "user", `,"timestamp":-5`), message("b", "user", `,"timestamp":-9`)}, 0},
		{"beyond integers", []string{message("a", "user", `,"timestamp":1e400`), message("b", "user", `,"timestamp":9e15`)}, 0},
		{"not an object", []string{line("message", "a", "", `"message":"x"`)}, -1},
		{"hidden by a later entry of its id", []string{message("a", "user", `,"timestamp":9`), message("b", "user", `,"timestamp":5`), line("custom", "a", "")}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got, ok := parse(t, c.lines...).NewestMessage(); got != c.want || ok != (got >= 0) {
				t.Errorf("%d, %v; want %d", got, ok, c.want)
			}
		})
	}
}

func TestLabels(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		set  [][2]string // target and name
		want []string
	}{
		{"none", nil, nil},
		{"two", [][2]string{{"a", "x"}, {"b", "y"}}, []string{"a=x", "b=y"}},
		{"set again keeps its place", [][2]string{{"a", "x"}, {"b", "y"}, {"a", "z"}}, []string{"a=z", "b=y"}},
		{"cleared", [][2]string{{"a", "x"}, {"b", "y"}, {"a", ""}}, []string{"b=y"}},
		{"cleared and set moves to the end", [][2]string{{"a", "x"}, {"b", "y"}, {"a", ""}, {"a", "x"}}, []string{"b=y", "a=x"}},
		{"clearing what is not set", [][2]string{{"a", ""}, {"a", ""}, {"b", "y"}}, []string{"b=y"}},
		{"an unknown target", [][2]string{{"gone", "x"}}, []string{"gone=x"}},
		{"one name twice", [][2]string{{"a", "x"}, {"b", "x"}}, []string{"a=x", "b=x"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			lines := []string{user("a", "", ""), user("b", "a", "")}
			for i, l := range c.set {
				lines = append(lines, label(fmt.Sprint("l", i), "b", l[0], l[1]))
			}
			var got []string
			for _, l := range parse(t, lines...).Labels() {
				got = append(got, l.Target+"="+l.Name)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A label's time is that of the entry that set it last; a label entry without a
// label clears.
func TestLabelEntries(t *testing.T) {
	t.Parallel()
	l := func(id, at, rest string) string {
		return `{"type":"label","id":"` + id + `","timestamp":"` + at + `","targetId":"a"` + rest + `}`
	}
	s := parse(t, user("a", "", ""), l("1", "t1", `,"label":"x"`), l("2", "t2", `,"label":"y"`))
	if diff := cmp.Diff([]session.Label{{Target: "a", Name: "y", Timestamp: "t2"}}, s.Labels()); diff != "" {
		t.Error(diff)
	}
	for _, clear := range []string{``, `,"label":null`, `,"label":""`} {
		s := parse(t, user("a", "", ""), l("1", "t1", `,"label":"x"`), l("2", "t2", clear))
		if got := s.Labels(); len(got) != 0 {
			t.Errorf("%q: %v", clear, got)
		}
	}
}

func TestName(t *testing.T) {
	t.Parallel()
	titled := strings.Replace(head, `"cwd"`, `"title":" of the header ","cwd"`, 1)
	info := func(id, name string) string { return line("session_info", id, "", `"name":`+quote(name)) }
	for _, c := range []struct {
		name, in, want string
	}{
		{"none", join(head), ""},
		{"info", join(head, info("a", "x"), user("b", "", "")), "x"},
		{"last info", join(head, info("a", "x"), info("b", "y")), "y"},
		{"cleared", join(head, info("a", "x"), info("b", "  ")), ""},
		{"trimmed as JavaScript trims", join(head, info("a", "\ufeff\u00a0 x\u2028")), "x"},
		{"title", join(titled), "of the header"},
		{"info before title", join(titled, info("a", "x")), "x"},
		{"cleared info hides the title", join(titled, info("a", "")), ""},
		{"slot before title", join(slot, titled), "slot"},
		{"empty slot hides the title", join(strings.Replace(slot, `"slot"`, `""`, 1), titled), ""},
		{"slot of another version", join(head, strings.Replace(slot, `"v":1`, `"v":2`, 1)), ""},
		{"info without a name", join(titled, line("session_info", "a", "")), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := parseText(t, c.in).Name; got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
			if info, err := session.ScanInfo(strings.NewReader(c.in)); err != nil || info.Name != c.want {
				t.Errorf("ScanInfo: %q, %v; want %q", info.Name, err, c.want)
			}
		})
	}
	// A slot that is not one is no session's first line.
	for _, bad := range []string{
		strings.Replace(slot, `"v":1`, `"v":2`, 1), strings.Replace(slot, `"pad":"   "`, `"pad":3`, 1),
		strings.Replace(slot, `"updatedAt":"",`, ``, 1),
	} {
		if _, err := session.Read(strings.NewReader(join(bad, head))); err == nil {
			t.Errorf("%s is taken for a title slot", bad)
		}
	}
}

func TestOneLine(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"": "", "x": "x", " x ": "x", "a\nb": "a b", "a\r\n\r\nb": "a b", "\na\n": "a", "a \n b": "a   b", "\r\n": "",
	} {
		if got := session.OneLine(in); got != want {
			t.Errorf("OneLine(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestDescent compares with the walk from an entry to its root, also over cycles and parents behind their children.
func TestDescent(t *testing.T) {
	t.Parallel()
	for n := range 500 {
		r := rand.New(rand.NewPCG(1, uint64(n)))
		parents := make([]int32, 1+r.IntN(12))
		for i := range parents {
			parents[i] = int32(r.IntN(len(parents)+2)) - 2
			parents[i] = max(parents[i], -1)
		}
		d := session.NewDescent(parents)
		for j := range parents {
			path, root := map[int]bool{}, -1
			for at := j; !path[at]; at = int(parents[at]) {
				if path[at] = true; parents[at] < 0 {
					root = at
					break
				}
			}
			if root < 0 { // a cycle
				path = map[int]bool{j: true}
			}
			if d.Root(j) != root {
				t.Errorf("%v: the root of %d is %d, want %d", parents, j, d.Root(j), root)
			}
			for i := range parents {
				if d.Above(i, j) != path[i] {
					t.Errorf("%v: %d above %d: %v", parents, i, j, d.Above(i, j))
				}
			}
		}
	}
}
