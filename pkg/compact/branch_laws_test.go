package compact_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// checkBranchLaws: for any two paths that part after the first shared entries,
//
//  1. the entries are those of the old path that are not on the other, and the
//     ancestor is the last shared one;
//  2. the parts are the newest of the messages there are without a limit, in
//     order; the others are counted;
//  3. the parts fit the budget, except that the oldest may be a summary if
//     less than nine tenths were used before it;
//  4. the next message would not have fitted;
//  5. every file the parts name is listed, none that the branch does not name;
//  6. the entry can be appended, and the same paths give the same entry.
func checkBranchLaws(t tb, old, target []session.Entry, shared int, o compact.BranchOptions) {
	t.Helper()
	b, err := compact.NewBranch(old, target, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(b.Entries) != len(old)-shared || b.Entries[0].Raw() != old[shared].Raw() {
		t.Fatalf("%d entries of %d, %d are shared", len(b.Entries), len(old), shared)
	}
	if shared > 0 && b.Ancestor != old[shared-1].ID() || shared == 0 && b.Ancestor != "" {
		t.Fatalf("ancestor %q", b.Ancestor)
	}
	unlimited := o
	unlimited.Budget = 0
	all, err := compact.NewBranch(old, target, unlimited)
	if err != nil {
		t.Fatal(err)
	}
	checkParts(t, b, all, o)
	checkBranchFiles(t, b, all)
	again, _ := compact.NewBranch(old, target, o)
	if first, second := branchLine(t, b), branchLine(t, again); first != second {
		t.Fatalf("the second entry differs:\n%s\n%s", first, second)
	}
}

func checkParts(t tb, b, all *compact.Branch, o compact.BranchOptions) {
	t.Helper()
	at := 0
	for _, p := range all.Parts {
		i := slices.IndexFunc(b.Entries[at:], func(e session.Entry) bool { return e.ID() == p.EntryID })
		if i < 0 || p.Message.Role() == session.RoleToolResult {
			t.Fatalf("%s message of %s", p.Message.Role(), p.EntryID)
		}
		at += i + 1
	}
	if all.Dropped != 0 || b.Dropped+len(b.Parts) != len(all.Parts) {
		t.Fatalf("%d parts and %d dropped, there are %d and %d", len(b.Parts), b.Dropped, len(all.Parts), all.Dropped)
	}
	if diff := cmp.Diff(ids(all.Parts[b.Dropped:]), ids(b.Parts)); diff != "" {
		t.Fatalf("not the newest (-newest +parts):\n%s", diff)
	}
	estimate := convo.Estimate
	var sum, oldest int64
	for i, p := range b.Parts {
		if sum += estimate(p.Message); i == 0 {
			oldest = sum
		}
	}
	if sum != b.Tokens {
		t.Fatalf("%d tokens, the parts have %d", b.Tokens, sum)
	}
	exception := o.Budget > 0 && sum > o.Budget
	if exception {
		role := b.Parts[0].Message.Role()
		if role != session.RoleCompactionSummary && role != session.RoleBranchSummary || (sum-oldest)*10 >= o.Budget*9 {
			t.Fatalf("%d tokens of %d, the oldest is a %s of %d", sum, o.Budget, role, oldest)
		}
	}
	if b.Dropped > 0 && !exception && sum+estimate(all.Parts[b.Dropped-1].Message) <= o.Budget {
		t.Fatalf("%d tokens of %d, and the next would fit", sum, o.Budget)
	}
}

func ids(parts []compact.Part) (out []string) {
	for _, p := range parts {
		out = append(out, p.EntryID)
	}
	return out
}

func checkBranchFiles(t tb, b, all *compact.Branch) {
	t.Helper()
	named := func(b *compact.Branch) []string { return slices.Concat(b.Files.Read, b.Files.Written, b.Files.Edited) }
	listed, every := named(b), named(all)
	for _, p := range b.Parts {
		for _, call := range p.Message.ToolCalls() {
			path := session.NewMessage(call.Arguments).Str("path")
			if path != "" && !slices.Contains(listed, path) {
				t.Fatalf("%s is not listed", path)
			}
		}
	}
	for _, path := range listed {
		if !slices.Contains(every, path) {
			t.Fatalf("%s is not on the branch", path)
		}
	}
}

func branchLine(t tb, b *compact.Branch) string {
	t.Helper()
	batch := session.Batch{Leaf: b.Target, NewID: func(func(string) bool) (string, error) { return "new", nil }}
	e, err := batch.Add(session.TypeBranchSummary, b.Fields("## Goal\n- what was tried", nil)...)
	if err != nil {
		t.Fatal(err)
	}
	return e.Raw()
}

// parted returns a path that shares the first entries of old, and goes on with
// others.
func parted(t tb, old []session.Entry, shared, others int) []session.Entry {
	t.Helper()
	b := &builder{t: t, path: slices.Clone(old[:shared])}
	for i := range others {
		b.user(fmt.Sprint("other ", i))
		last := &b.path[len(b.path)-1]
		*last = last.WithRaw("id", fmt.Sprintf(`"other%d"`, i))
	}
	return b.path
}

func TestBranchLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		old := fromBytes(r, rapid.SliceOfN(rapid.Byte(), 1, 80).Draw(r, "operations"))
		shared := rapid.IntRange(0, len(old)-1).Draw(r, "shared")
		target := parted(r, old, shared, rapid.IntRange(0, 3).Draw(r, "others"))
		checkBranchLaws(r, old, target, shared, compact.BranchOptions{
			Budget: rapid.Int64Range(0, 200).Draw(r, "budget"),
		})
	})
}

func BenchmarkNewBranch(b *testing.B) {
	path := sized(b, 10_000)
	b.SetBytes(size(path))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := compact.NewBranch(path, path[:1], compact.BranchOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}
