package tree_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sess-tools/sess/internal/core/tree"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/pkg/session"
)

// What nobody said is no part of the tree: what hangs from it hangs from what is above it.
func TestQuietEntries(t *testing.T) {
	t.Parallel()
	lines := strings.Join([]string{
		`{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}`,
		`{"type":"custom","id":"k1","parentId":null,"customType":"claude:line","data":{}}`,
		`{"type":"custom_message","id":"h1","parentId":"k1","customType":"claude:context","content":"be brief","display":false}`,
		`{"type":"message","id":"u1","parentId":"h1","message":{"role":"user","content":[{"type":"text","text":"noise","harness":"claude"},{"type":"text","text":"fix it"}]}}`,
		`{"type":"custom","id":"k2","parentId":"u1","customType":"claude:line","data":{}}`,
		`{"type":"message","id":"a1","parentId":"k2","message":{"role":"assistant","content":"done"}}`,
		`{"type":"custom","id":"k3","parentId":"a1","customType":"claude:line","data":{}}`,
		`{"type":"message","id":"a2","parentId":"k2","message":{"role":"assistant","content":"or so"}}`,
		`{"type":"custom","id":"x1","parentId":"a2","customType":"todo:list","data":{}}`,
		`{"type":"custom_message","id":"h2","parentId":"x1","customType":"claude:context","content":"marked","display":false}`,
		`{"type":"label","id":"l1","parentId":"h2","targetId":"h2","label":"here"}`,
	}, "\n")
	s, err := session.Read(strings.NewReader(lines + "\n"))
	must.Do(t, err)
	path := func(id string) []int {
		i, _ := s.Index(id)
		p, _ := s.PathIndex(i)
		return p
	}
	drawn := func(tr *tree.Tree) string {
		var b strings.Builder
		must.Do(t, tree.Draw(&b, tr, tree.Options{ASCII: true}))
		return b.String()
	}
	got := drawn(tree.New(s, path("k3")))
	want := `* u1 user: fix it  3 tokens
* |- a1 assistant: done  1 token
  ` + "`- " + `a2 assistant: or so  2 tokens
     x1 custom: todo:list
     h2 custom_message: marked  @here  2 tokens
     l1 label: here
`
	if got != want {
		t.Errorf("drawn\n%swant\n%s", got, want)
	}
	whole := drawn(tree.Whole(s, path("k3")))
	if n := strings.Count(whole, "claude:line"); n != 3 {
		t.Errorf("the whole tree has %d lines of what is kept, want 3:\n%s", n, whole)
	}
	var heads []string
	for _, h := range tree.Whole(s, path("k3")).Heads() {
		heads = append(heads, s.Entries[h.Pos].ID()+" "+string(rune('0'+h.Entries)))
	}
	if got := strings.Join(heads, ", "); got != "k3 2, l1 5" {
		t.Errorf("heads %s", got)
	}
}

// The tree of a conversation is the whole tree without quiet entries: the others hang from
// the nearest entry above them that is not quiet, and nothing else is left out.
func TestQuietEntriesLaw(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(t, "entries")
		var lines strings.Builder
		lines.WriteString(`{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}` + "\n")
		quiet, parent := make([]bool, n), make([]int, n)
		for i := range n {
			quiet[i] = rapid.Bool().Draw(t, "quiet")
			parent[i] = rapid.IntRange(-1, n).Draw(t, "parent") // itself, behind it, or missing too
			up := "null"
			if parent[i] >= 0 {
				up = fmt.Sprintf(`"e%d"`, parent[i])
			}
			what := `"type":"message","message":{"role":"user","content":"x"}`
			if quiet[i] {
				what = `"type":"custom","customType":"claude:line"`
			}
			fmt.Fprintf(&lines, "{%s,\"id\":\"e%d\",\"parentId\":%s}\n", what, i, up)
		}
		s, err := session.Read(strings.NewReader(lines.String()))
		must.Do(t, err)
		whole := map[int]int{} // parents in the whole tree
		for r := range tree.Whole(s, nil).Rows(true) {
			whole[r.Pos] = r.Above
		}
		got := map[int]int{}
		for r := range tree.New(s, nil).Rows(true) {
			got[r.Pos] = r.Above
		}
		for i, above := range whole {
			for above >= 0 && quiet[above] {
				above = whole[above]
			}
			have, there := got[i]
			if there == quiet[i] || there && have != above {
				t.Errorf("entry %d: there %v, above %d, want %d\n%s", i, there, have, above, lines.String())
			}
		}
	})
}
