package compact_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/pkg/compact"
)

// branchOutline is the order of headings that the prompt for a branch asks for.
var branchOutline = []string{
	"## Goal", "## Constraints & Preferences", "## Progress", "### Done", "### In Progress", "### Blocked", "## Key Decisions", "## Next Steps",
}

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
