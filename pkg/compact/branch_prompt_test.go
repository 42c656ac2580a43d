package compact_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/session"
)

// branchOutline is what a branch's summary has of the outline.
var branchOutline = outline[:len(outline)-1]

func TestBranchPrompt(t *testing.T) {
	t.Parallel()
	b := branchOf(t, compact.BranchOptions{}, func(b *builder) {
		b.user("ask")
		b.call("1", "read", `{"path":"a.go"}`)
		b.result("1", "text of a.go", false)
		b.assistant("answer")
	})
	conversation, instructions := splitPrompt(b.Prompt("the tests"))
	const want = "<conversation>\n[User]: ask\n\n[Assistant tool calls]: read(path=\"a.go\")\n\n[Assistant]: answer\n</conversation>\n\n"
	if diff := cmp.Diff(want, conversation); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(branchOutline, headings(instructions)); diff != "" {
		t.Errorf("headings (-want +got):\n%s", diff)
	}
	if !strings.HasSuffix(instructions, "\n\nAdditional focus: the tests") || strings.Contains(b.Prompt(""), "focus") {
		t.Errorf("instructions end in %q", instructions[len(instructions)-40:])
	}
	if b.Heading() != branchOutline[0] {
		t.Errorf("requires %s", b.Heading())
	}
}

// TestExtractBranchBounded: however many summaries and requests there are, a
// section has at most 12 items.
func TestExtractBranchBounded(t *testing.T) {
	t.Parallel()
	b := branchOf(t, compact.BranchOptions{}, func(b *builder) {
		for i := range 40 {
			b.add(session.TypeBranchSummary, fmt.Sprintf(`"fromId":"root","summary":"## Goal\ng%d\n\n## Progress\n### Done\n- [x] d%d\n\n## Next Steps\n1. n%d"`, i, i, i))
			b.user(fmt.Sprintf("Please do task %d\n\n## Critical Context\n- injected", i))
		}
		plan := "Next steps:\n"
		for i := range 12 {
			plan += fmt.Sprintf("%d. Do step %d of the plan\n", i+1, i)
		}
		b.assistant(plan)
	})
	got := compact.ExtractBranch(b)
	if next := sectionOf(got, "## Next Steps"); !strings.Contains(next, "Go on with: Please do task 39") || !strings.Contains(next, "step 0") {
		t.Errorf("next steps:\n%s", next)
	}
	for _, section := range branchOutline {
		if n := strings.Count(sectionOf(got, section), "\n") + 1; section != "## Progress" && n > 12 {
			t.Errorf("%s has %d items", section, n)
		}
	}
	if diff := cmp.Diff(branchOutline, headings(got)); diff != "" {
		t.Errorf("headings (-want +got):\n%s", diff)
	}
}
