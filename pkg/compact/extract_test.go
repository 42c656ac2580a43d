package compact_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// outline is the order of headings that the prompts ask for.
var outline = []string{
	"## Goal", "## Constraints & Preferences", "## Progress", "### Done", "### In Progress", "### Blocked",
	"## Key Decisions", "## Next Steps", "## Critical Context",
}

// work is a session with something for each section.
func work(b *builder) {
	b.user("Make the parser faster\n\nDo not change the API.\n```\nyou must not read this\n```\nThanks")
	b.assistant("I will profile it first.\nThen more.")
	b.call("1", "bash", `{"command":"go test ./...\necho done"}`)
	b.result("1", "--- a\nparser_test.go:3: error: slow\nCommand exited with code 2", true)
	b.call("2", "edit", `{"path":"parser.go"}`, "3", "write", `{"path":"denied.go"}`, "4", "read", `{"path":"gone.go"}`, "5", "note", `[]`)
	b.result("2", "ok", false)
	b.result("3", "permission denied", true)
	b.result("4", "no such file", true)
	b.message(`{"role":"assistant","content":[],"stopReason":"error","errorMessage":"overloaded"}`)
	b.message(`{"role":"bashExecution","command":"make","output":"all good","exitCode":0}`)
	b.message(`{"role":"bashExecution","command":"cat secret","output":"s3cret","exitCode":0,"excludeFromContext":true}`)
	b.user("Now the printer")
	b.user("And the docs " + long(10))
}

func TestExtract(t *testing.T) {
	t.Parallel()
	p := planOf(t, compact.Pi15, work)
	want := `## Goal
- Make the parser faster [00000001]
- Now the printer [0000000c]

## Constraints & Preferences
- Do not change the API. [00000001]

## Progress
### Done
- [x] changed parser.go [00000006]

### In Progress
- [ ] I will profile it first. [00000002]

### Blocked
- ` + "`go test ./...`" + ` failed: parser_test.go:3: error: slow (exit status 2) [00000004]
- write denied.go failed: permission denied [00000007]
- read gone.go failed: no such file [00000008]
- the model failed: overloaded [00000009]

## Key Decisions
- (none)

## Next Steps
1. Go on with: And the docs fourfourfourfourfourfourfourfourfourfour [0000000d]

## Critical Context
- ` + "`make`" + `: exit status 0 [0000000a]`
	s := compact.Extract(p)
	if diff := cmp.Diff(want, s.History); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]js.Field{{Name: "summarizer", Raw: `"extractive"`}}, s.Details); diff != "" {
		t.Errorf("details (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(s, compact.Extract(p)); diff != "" {
		t.Errorf("the second extract differs:\n%s", diff)
	}
	if diff := cmp.Diff(headings(p.HistoryPrompt("")), headings(s.History)); diff != "" {
		t.Errorf("headings (-prompt +extract):\n%s", diff)
	}
}

func TestExtractPrefix(t *testing.T) {
	t.Parallel()
	for _, rules := range bothRules {
		p := planOf(t, rules, func(b *builder) {
			b.user("Fix the build, never force push")
			b.assistant("Looking.")
			b.call("1", "write", `{"path":"a.go"}`, "2", "shell", `{"command":["go","vet"]}`)
			b.result("1", "", false)
			b.result("2", "bad", true)
			b.assistant(long(20))
		})
		h := headings(p.PrefixPrompt(""))
		h = h[len(h)-3:]
		want := fmt.Sprintf("%s\n- Fix the build, never force push [00000001]\n\n%s\n- [x] changed a.go [00000004]\n- [ ] Looking. [00000002]\n\n"+
			"%s\n- `go vet` failed: bad [00000005]", h[0], h[1], h[2])
		s := compact.Extract(p)
		if diff := cmp.Diff(compact.Summary{TurnPrefix: want, Details: s.Details}, s); diff != "" {
			t.Errorf("rules %d (-want +got):\n%s", rules, diff)
		}
	}
}

// TestExtractResolved: what failed and then worked is no longer blocked, and a
// command has its last status.
func TestExtractResolved(t *testing.T) {
	t.Parallel()
	p := planOf(t, compact.Pi15, func(b *builder) {
		b.user("a")
		b.call("1", "bash", `{"command":"go test"}`, "2", "edit", `{"path":"x"}`)
		b.result("1", "Exit code: 1", true)
		b.result("2", "no match", true)
		b.message(`{"role":"bashExecution","command":"make","output":"","exitCode":2}`)
		b.message(`{"role":"assistant","content":[],"stopReason":"error","errorMessage":"overloaded"}`)
		b.call("1", "bash", `{"command":"go test"}`, "2", "edit", `{"path":"x"}`)
		b.result("1", "ok", false)
		b.result("2", "ok", false)
		b.message(`{"role":"bashExecution","command":"make","output":"","exitCode":0}`)
		b.message(`{"role":"bashExecution","command":"sleep","output":"","cancelled":true}`)
		b.message(`{"role":"bashExecution","command":"odd","output":"","exitCode":null}`)
		b.result("stray", "boom", true)
		b.add(session.TypeBranchSummary, `"fromId":"x","summary":"Preamble.\n\n## Goal\nTry the other way\n"`)
		b.user(long(20))
	})
	got := compact.Extract(p).History
	for section, want := range map[string]string{
		"### Blocked": "- tool failed: boom [0000000d]",
		"### Done":    "- [x] changed x [00000009]",
		"## Critical Context": "- `go test`: exit status 0 [00000008]\n- `make`: exit status 0 [0000000a]\n- `sleep`: cancelled [0000000b]\n" +
			"- `odd`: no exit status [0000000c]\n- another branch was explored: Try the other way [0000000e]",
	} {
		if diff := cmp.Diff(want, sectionOf(got, section)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", section, diff)
		}
	}
}

// sectionOf returns the text under a heading.
func sectionOf(summary, heading string) string {
	_, rest, _ := strings.Cut("\n"+summary+"\n\n", "\n"+heading+"\n")
	text, _, _ := strings.Cut(rest, "\n\n")
	return text
}

// TestExtractCarries: a previous summary of any kind is carried on, once.
func TestExtractCarries(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, previous, want string }{
		{"an extract", extractOf(items{"## Goal": {"g1 [0a1b2c3d]", "- g2 [x"}, "### Done": {"changed a.go"}, "## Next Steps": {"n1", "n2"}}), ""},
		{
			"a model's", "# Summary\n\nIntro.\n\n## Goal\nBuild it\n\n## Progress\n### Done\n- [x] one\n* two\n- [ ] half\n\n## Key Decisions\n- **Go**: fast\n\n## Other\n1. odd\n\n<modified-files>\na.go\n</modified-files>",
			extractOf(items{"## Goal": {"Build it"}, "### Done": {"one", "two"}, "### In Progress": {"half"}, "## Key Decisions": {"**Go**: fast"}, "## Critical Context": {"Intro.", "odd"}}),
		},
		{
			"one with a split turn", "No prior history.\n\n---\n\n**Turn Context (split turn):**\n\n## Original Request\n- Fix it\n\n## Progress So Far\n- [x] changed a.go\n- [ ] Looking.\n\n## Context Needed to Continue\n- (none)",
			extractOf(items{"## Goal": {"Fix it"}, "### Done": {"changed a.go"}, "### In Progress": {"Looking."}}),
		},
		{"free text", "We did things.\nMore.", extractOf(items{"## Critical Context": {"We did things.", "More."}})},
		{"a list within the text", "See\n\n<read-files>\nx\n</read-files>\nend", extractOf(items{"## Critical Context": {"See", "‹read-files>", "x", "‹/read-files>", "end"}})},
	} {
		want := c.want
		if want == "" {
			want = c.previous
		}
		got := compact.Extract(&compact.Plan{PreviousSummary: c.previous}).History
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		if diff := cmp.Diff(got, compact.Extract(&compact.Plan{PreviousSummary: got}).History); diff != "" {
			t.Errorf("%s: the extract of the extract differs:\n%s", c.name, diff)
		}
	}
}

type items map[string][]string

// extractOf writes a summary down.
func extractOf(content items) string {
	bullet := map[string]string{"### Done": "- [x] ", "### In Progress": "- [ ] "}
	out := ""
	for _, heading := range outline {
		if heading != "### Done" {
			out += "\n"
		}
		out += heading + "\n"
		for i, item := range content[heading] {
			switch {
			case heading == "## Next Steps":
				out += fmt.Sprintf("%d. %s\n", i+1, item)
			case bullet[heading] != "":
				out += bullet[heading] + item + "\n"
			default:
				out += "- " + item + "\n"
			}
		}
		if len(content[heading]) == 0 && heading != "## Progress" {
			out += "- (none)\n"
		}
	}
	return strings.TrimSpace(out)
}

// TestExtractPrefixWithPrevious: what would be the previous summary and that of
// the turn is one.
func TestExtractPrefixWithPrevious(t *testing.T) {
	t.Parallel()
	for _, rules := range bothRules {
		p := planOf(t, rules, prefixWithPrevious)
		s := compact.Extract(p)
		want := extractOf(items{"## Goal": {"before"}, "### In Progress": {"begin [00000003]"}, "## Next Steps": {"Go on with: first [00000002]"}})
		if diff := cmp.Diff(want, p.Text(s)); diff != "" {
			t.Errorf("rules %d (-want +got):\n%s", rules, diff)
		}
	}
}

// TestExtractHidden: what a context_edit took out is not quoted.
func TestExtractHidden(t *testing.T) {
	t.Parallel()
	b := &builder{t: t}
	secret := b.user("the key is hunter2")
	b.assistant("noted")
	b.user(long(20))
	last := b.user("hunter2 again")
	b.assistant(long(20))
	for _, id := range []string{secret, last} {
		b.add(session.TypeContextEdit, `"targetId":"`+id+`","replacement":null`)
	}
	p, err := compact.New(b.path, compact.Options{Keep: 10})
	if err != nil {
		t.Fatal(err)
	}
	if text := p.Text(compact.Extract(p)); strings.Contains(text, "hunter2") {
		t.Errorf("quoted what was taken out:\n%s", text)
	}
}
