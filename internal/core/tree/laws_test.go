package tree

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// grown makes a session of fuzz input: one entry a byte. The low bits choose
// the parent, anywhere in the file, missing, or none; the high bits a label, a
// duplicate id, a missing id or a special type.
func grown(t testing.TB, shape []byte) *session.Session {
	t.Helper()
	var lines []string
	for i, b := range shape {
		id := fmt.Sprintf("e%d", i)
		parent := fmt.Sprintf(`"e%d"`, i-1)
		switch b & 7 {
		case 0:
			parent = "null"
		case 1:
			parent = `"gone"`
		case 2, 3:
			parent = fmt.Sprintf(`"e%d"`, int(b>>3)%(len(shape)+1))
		}
		switch b >> 5 {
		case 1:
			id = fmt.Sprintf("e%d", i/2)
		case 2:
			id = ""
		case 3:
			lines = append(lines, fmt.Sprintf(`{"type":"label","id":"l%d","parentId":"e%d","targetId":"e%d","label":"x"}`, i, i, i/2))
		}
		lines = append(lines, fmt.Sprintf(
			`{"type":"message","id":%q,"parentId":%s,"timestamp":"2026-01-02T03:04:%02d.000Z","message":{"role":"user","content":"%d"}}`,
			id, parent, int(b)%60, i))
	}
	return read(t, lines...)
}

// FuzzRows: whatever the parents are,
//   - every entry that an id names is a row, once, behind the one it hangs from;
//   - its depth is one more, it follows its only sibling on the same level, and
//     siblings are in the order of their times;
//   - a folded walk is the same walk with some rows hidden, and their number and
//     tokens are told; nothing special is hidden;
//   - the heads are the entries without children, and the lengths of their paths
//     and the active path are those of package session.
func FuzzRows(f *testing.F) {
	for _, s := range []string{"", "\x00", "\x00\x04\x04\x04\x04\x04\x04", "\x00\x04\x0a\x12\x02", "\x1a\x02\x0a\x12\x22\x44\x64", "\x2b\x04\x04\x04\x04\x04\x64\x04\x04"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, shape []byte) {
		if len(shape) > 64 {
			return
		}
		s := grown(t, shape)
		leaf, _ := s.Leaf()
		path, _ := s.PathIndex(leaf)
		tr := New(s, path)
		full := checkRows(t, tr)
		checkFolded(t, tr, full)
		checkHeads(t, tr)
		for i := range s.Entries {
			if tr.Active(i) != slices.Contains(path, i) {
				t.Errorf("entry %d active: %t", i, tr.Active(i))
			}
		}
		for k, i := range path[min(1, len(path)):] {
			if tr.parent[i] != path[k] {
				t.Errorf("the active path is not drawn in one piece at %d", i)
			}
		}
	})
}

// checkRows checks the walk that hides nothing, and returns its entries.
func checkRows(t *testing.T, tr *Tree) []int {
	t.Helper()
	s := tr.Session
	depth, level := map[int]int{}, map[int]int{-1: 0}
	var order []int
	for r := range tr.Rows(true) {
		if _, again := depth[r.Pos]; again || r.Hidden != 0 {
			t.Errorf("entry %d is drawn again", r.Pos)
		}
		siblings := tr.Roots
		want := 0
		if r.Above >= 0 {
			above, seen := depth[r.Above]
			if want = above + 1; !seen {
				t.Errorf("entry %d stands before its parent %d", r.Pos, r.Above)
			}
			siblings = tr.Children(r.Above)
			if p, _ := s.Parent(r.Pos); p != r.Above {
				t.Errorf("entry %d hangs from %d, not from its parent %d", r.Pos, r.Above, p)
			}
		} else if p, ok := s.Parent(r.Pos); ok && tr.Note(r.Pos) == "" {
			t.Errorf("entry %d is a root without a note in spite of its parent %d", r.Pos, p)
		}
		branch := len(siblings) > 1
		wantLevel := level[r.Above]
		if branch {
			wantLevel++
		}
		if r.Depth != want || len(r.Last) != wantLevel || r.Opens != branch {
			t.Errorf("entry %d: depth %d, want %d; level %d, want %d; opens %t", r.Pos, r.Depth, want, len(r.Last), wantLevel, r.Opens)
		}
		if branch && r.Last[wantLevel-1] != (siblings[len(siblings)-1] == r.Pos) {
			t.Errorf("entry %d: last is %t", r.Pos, r.Last[wantLevel-1])
		}
		depth[r.Pos], level[r.Pos] = r.Depth, len(r.Last)
		order = append(order, r.Pos)
	}
	for i, e := range s.Entries {
		at, ok := s.Index(e.ID())
		if _, drawn := depth[i]; drawn != (ok && e.ID() != "" && at == i) {
			t.Errorf("entry %d drawn: %t", i, drawn)
		}
		times := tr.Children(i)
		if !slices.IsSortedFunc(times, func(a, b int) int {
			return strings.Compare(s.Entries[a].Str("timestamp"), s.Entries[b].Str("timestamp"))
		}) && !slices.ContainsFunc(times, func(i int) bool { return s.Entries[i].Str("timestamp") == "" }) {
			t.Errorf("children %v of %d are not in the order of their times", times, i)
		}
	}
	return order
}

// checkFolded compares the walk that folds with the one that does not.
func checkFolded(t *testing.T, tr *Tree, full []int) {
	t.Helper()
	at := 0
	for r := range tr.Rows(false) {
		if at >= len(full) || full[at] != r.Pos {
			t.Fatalf("row for %d, want %v", r.Pos, full[at:])
		}
		n, sum := max(r.Hidden, 1), int64(0)
		for _, i := range full[at : at+n] {
			e := tr.Session.Entries[i]
			sum += convo.EntryTokens(e)
			if r.Hidden > 0 && (tr.Label(i) != "" || tr.Head(i) || tr.Active(i) != tr.Active(r.Pos) || tr.Note(i) != "" || len(tr.Children(i)) != 1) {
				t.Errorf("entry %d is hidden", i)
			}
		}
		if r.Hidden == 1 || sum != r.Tokens {
			t.Errorf("row for %d hides %d entries, %d tokens, want %d", r.Pos, r.Hidden, r.Tokens, sum)
		}
		at += n
	}
	if at != len(full) {
		t.Errorf("%d entries of %d drawn", at, len(full))
	}
}

func checkHeads(t *testing.T, tr *Tree) {
	t.Helper()
	var got []int
	for _, h := range tr.Heads() {
		got = append(got, h.Pos)
		path, _ := tr.Session.PathIndex(h.Pos)
		if h.Entries != len(path) {
			t.Errorf("head %d has %d entries on its path, want %d", h.Pos, h.Entries, len(path))
		}
	}
	if want := heads(tr.Session); !slices.Equal(got, want) {
		t.Errorf("heads %v, want %v", got, want)
	}
}

// heads returns the entries that an id names and that are the parent of no
// other such entry.
func heads(s *session.Session) []int {
	named := func(i int) bool {
		at, ok := s.Index(s.Entries[i].ID())
		return ok && at == i
	}
	var out []int
	for i := range s.Entries {
		parent := slices.ContainsFunc(s.Entries, func(e session.Entry) bool {
			return e.ParentID() == s.Entries[i].ID() && e.ID() != e.ParentID() && named(slices.IndexFunc(s.Entries, func(o session.Entry) bool { return o.Line() == e.Line() }))
		})
		if named(i) && !parent {
			out = append(out, i)
		}
	}
	return out
}
