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

func TestExtractBranch(t *testing.T) {
	t.Parallel()
	b := branchOf(t, compact.BranchOptions{}, work)
	got := compact.ExtractBranch(b)
	if diff := cmp.Diff(branchOutline, headings(got)); diff != "" {
		t.Errorf("headings (-want +got):\n%s", diff)
	}
	if again := compact.ExtractBranch(b); again != got {
		t.Errorf("the second extract differs:\n%s", cmp.Diff(got, again))
	}
	for section, wants := range map[string][]string{
		"## Goal":     {"Make the parser faster", "Now the printer"},
		"### Done":    {"changed parser.go"}, // a result says so
		"### Blocked": {"`go test ./...` failed: parser_test.go:3: error: slow"},
		"## Next Steps": {
			"1. Go on with: And the docs",
		},
	} {
		for _, want := range wants {
			if text := sectionOf(got, section); !strings.Contains(text, want) {
				t.Errorf("%s has no %q:\n%s", section, want, text)
			}
		}
	}
}

// TestExtractBranchCarries: the summaries on a branch speak for what they
// stand for, in whatever form.
func TestExtractBranchCarries(t *testing.T) {
	t.Parallel()
	const preface = `The user explored a different conversation branch before returning here.\nSummary of that exploration:\n\n`
	b := branchOf(t, compact.BranchOptions{Budget: 1000}, func(b *builder) {
		b.user("too old " + long(2000))
		b.result("1", "of a call that is left out", true)
		b.add(session.TypeCompaction, `"summary":"## Goal\nOlder\n","firstKeptEntryId":"x","tokensBefore":9`)
		b.add(session.TypeCompaction, `"summary":"## Goal\nNewer\n\n## Next Steps\n1. stale\n","firstKeptEntryId":"x","tokensBefore":9`)
		b.add(session.TypeBranchSummary, `"fromId":"root","summary":"`+preface+`## Goal\nNested\n\n## Progress\n### Done\n- [x] half of it"`)
		b.add(session.TypeBranchSummary, `"fromId":"root","summary":"`+preface+`Tried it in words."`)
		b.user("Go on")
	})
	want := items{"## Goal": {"Newer", "Nested", "Tried it in words.", "Go on"}, "### Done": {"half of it"}, "## Next Steps": {"Go on with: Go on"}}
	got := compact.ExtractBranch(b)
	for section, list := range want {
		for i, item := range list {
			if lines := strings.Split(sectionOf(got, section), "\n"); len(lines) != len(list) || !strings.Contains(lines[i], item) {
				t.Errorf("%s has no %q:\n%s", section, item, strings.Join(lines, "\n"))
			}
		}
	}
	if text := sectionOf(got, "### Blocked"); text != "- (none)" {
		t.Errorf("quotes a result whose call is left out: %s", text)
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
