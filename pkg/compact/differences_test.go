package compact_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/session"
)

// pi 0.73 shows its summarizer an empty summary of a branch; here, as in the
// context, it says nothing, under its rules too.
func TestPi073EmptyBranchSummary(t *testing.T) {
	t.Parallel()
	b := &builder{t: t}
	b.add(session.TypeBranchSummary, `"summary":"","fromId":"root"`)
	b.user("hello hello hello")
	b.user("again again again")
	p, err := compact.New(b.path, compact.Options{Keep: 2, Rules: compact.Pi073})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"2"}, partIDs(p.Summarize)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
