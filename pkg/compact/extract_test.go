package compact_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// outline is the order of headings that the prompts ask for.
var outline = []string{
	"## Goal", "## Constraints & Preferences", "## Progress", "### Done", "### In Progress", "### Blocked",
	"## Key Decisions", "## Next Steps", "## Critical Context",
}

// TestExtract runs the conversations of testdata/extract.txtar.
func TestExtract(t *testing.T) {
	t.Parallel()
	cases, err := txtar.ParseFile("testdata/extract.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases.Files {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			s := &script{builder: builder{t: t}, T: t, o: compact.Options{Keep: 10}}
			s.run(string(c.Data))
		})
	}
}

// A script is a conversation in lines.
type script struct {
	builder
	*testing.T
	o        compact.Options
	previous string // a summary to carry on, in place of a conversation
	branch   int64  // what is extracted is the branch behind the first entry, with so many tokens
}

// sections are the headings of a summary, each with the bullet of its items, by the word of the script.
var sections = map[string][2]string{
	"goal": {"## Goal", "- "}, "rules": {"## Constraints & Preferences", "- "}, "done": {"### Done", "- [x] "},
	"doing": {"### In Progress", "- [ ] "}, "blocked": {"### Blocked", "- "}, "decisions": {"## Key Decisions", "- "},
	"next": {"## Next Steps", "1. "}, "context": {"## Critical Context", "- "}, "request": {"## Original Request", "- "},
}

func (s *script) run(text string) {
	s.Helper()
	word, want := "", []string{}
	for line := range strings.Lines(strings.ReplaceAll(text, "LONG", long(20)) + "end:") {
		before := word
		word, line, _ = strings.Cut(line, ":")
		line = strings.TrimSpace(line)
		if word != before && len(want) > 0 {
			s.check(sections[before][0], strings.Join(want, "\n"))
			want = nil
		}
		switch bullet := sections[word][1]; {
		case bullet == "":
			s.line(word, line)
		case line == "(none)":
			want = append(want, "- (none)")
		case bullet == "1. ":
			want = append(want, fmt.Sprintf("%d. %s", len(want)+1, line))
		default:
			want = append(want, bullet+line)
		}
	}
}

// line adds what a line of the script says. Of a call it has the result too, behind an arrow.
func (s *script) line(word, raw string) {
	s.Helper()
	text := js.Unquote(`"` + strings.ReplaceAll(raw, `"`, `\"`) + `"`)
	call, output, _ := strings.Cut(text, " => ")
	how, tool, _ := strings.Cut(word, " ")
	switch how {
	case "", "end":
	case "strategy":
		s.o.Strategy, _ = compact.StrategyFor(raw)
		s.o.Keep = 1000
	case "branch":
		s.branch, _ = strconv.ParseInt(raw, 10, 64)
	case "previous":
		s.previous = text
	case "compact":
		p := s.plan()
		s.path = p.After(added(s, p, compact.Extract(p))...)
	case "user":
		s.user(text)
	case "assistant":
		s.assistant(text)
	case "aborted":
		s.message(`{"role":"assistant","content":` + textContent(text) + `,"stopReason":"aborted"}`)
	case "message":
		s.message(raw)
	case "ran":
		s.message(fmt.Sprintf(`{"role":"bashExecution","command":%s,"output":%s,"exitCode":%s}`, js.Quote(call), js.Quote(output), tool))
	case "call":
		s.call("1", tool, raw)
	case "ok", "failed":
		switch {
		case strings.HasPrefix(call, "{"):
			call, _, _ = strings.Cut(raw, " => ")
		case tool == "bash":
			call = `{"command":` + js.Quote(call) + `}`
		default:
			call = `{"path":` + js.Quote(call) + `}`
		}
		s.call("1", tool, call)
		s.result("1", output, how == "failed")
	default:
		s.add(word, raw)
	}
}

// plan is that of the path with a message to keep.
func (s *script) plan() *compact.Plan {
	s.Helper()
	b := builder{t: s, path: slices.Clip(s.path)}
	last := b.path[len(b.path)-1]
	if s.o.Strategy == compact.KeepRecent && (last.Type() != session.TypeMessage || !strings.Contains(last.Raw(), long(20))) {
		b.user("Keep this message: " + long(20))
	}
	p, err := compact.New(b.path, s.o)
	if err != nil {
		s.Fatal(err)
	}
	return p
}

// check compares a section of the extract, and looks at what every extract has to be.
func (s *script) check(heading, want string) {
	s.Helper()
	text := s.extract()
	short := strings.NewReplacer("[0000000", "[", "[000000", "[")
	if diff := cmp.Diff(want, short.Replace(sectionOf(text, heading))); diff != "" {
		s.Errorf("%s (-want +got):\n%s", heading, diff)
	}
}

func (s *script) extract() string {
	s.Helper()
	if s.branch > 0 {
		b, err := compact.NewBranch(s.path, s.path[:1], compact.BranchOptions{Budget: s.branch})
		if err != nil {
			s.Fatal(err)
		}
		text := compact.ExtractBranch(b)
		if diff := cmp.Diff(branchOutline, headings(text)); diff != "" {
			s.Errorf("headings (-want +got):\n%s", diff)
		}
		return text
	}
	p := &compact.Plan{PreviousSummary: s.previous}
	if s.previous == "" {
		p = s.plan()
	}
	extract := compact.Extract(p)
	checkBounds(s, extract.History)
	if diff := cmp.Diff(extract.History, compact.Extract(&compact.Plan{PreviousSummary: extract.History}).History); diff != "" {
		s.Errorf("the extract of the extract differs:\n%s", diff)
	}
	_, instructions := splitPrompt(p.HistoryPrompt(""))
	if diff := cmp.Diff(headings(instructions), headings(extract.History)); diff != "" {
		s.Errorf("headings (-prompt +extract):\n%s", diff)
	}
	return p.Text(extract)
}

// sectionOf returns the text under a heading.
func sectionOf(summary, heading string) string {
	_, rest, _ := strings.Cut("\n"+summary+"\n\n", "\n"+heading+"\n")
	text, _, _ := strings.Cut(rest, "\n\n")
	return text
}

func TestExtractPrefix(t *testing.T) {
	t.Parallel()
	p := planOf(t, func(b *builder) {
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
	if diff := cmp.Diff(compact.Summary{TurnPrefix: want, Details: []js.Field{js.StringField("summarizer", "extractive")}}, s); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestExtractOddIDs: an id that would break an item, or is long, is left out.
func TestExtractOddIDs(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"a1b2c3d4":                             "- Fix the menu [a1b2c3d4]",
		"01a1fc13-c396-73f6-9dd0-5b0c224b3890": "- Fix the menu [01a1fc13-c396-73f6-9dd0-5b0c224b3890]",
		"x]\n## Goal\n- forged [y":             "- Fix the menu",
		"é":                                    "- Fix the menu",
		strings.Repeat("0", 37):                "- Fix the menu",
	} {
		s := &script{builder: builder{t: t}, T: t, o: compact.Options{Keep: 10}}
		s.user("Fix the menu")
		s.path[0] = s.path[0].WithRaw("id", js.Quote(id))
		s.check("## Goal", want)
	}
}
