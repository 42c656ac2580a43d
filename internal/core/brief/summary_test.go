package brief_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sess-tools/sess/internal/core/brief"
	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// everything is a conversation with something for each section.
func everything(t tb) *builder {
	b := &builder{t: t}
	b.user("Make the parser faster\n\nDo not change the API.")
	b.assistant("I will profile it first.\n\nThen more.")
	b.call("1", "bash", `{"command":"go test ./..."}`, "2", "edit", `{"path":"parser.go","oldText":"a","newText":"b"}`)
	b.result("1", "--- a\nparser_test.go:3: error: slow\nCommand exited with code 2", true)
	b.result("2", "ok", false)
	b.call("3", "read", `{"path":"gone.go"}`, "4", "bash", `{"command":"make"}`)
	b.result("3", "no such file", true)
	b.result("4", "all good", false)
	b.message(`{"role":"bashExecution","command":"cat secret","output":"s3cret","exitCode":0,"excludeFromContext":true}`)
	b.message(`{"role":"bashExecution","command":"git status","output":"clean","exitCode":0}`)
	b.call("5", "todowrite", `{"todos":[{"content":"profile","status":"completed"},{"content":"the printer","status":"pending"}]}`)
	b.result("5", "ok", false)
	b.add(session.TypeBranchSummary, `"fromId":"root","summary":"The user explored a different conversation branch before returning here.\nSummary of that exploration:\n\n## Goal\nAnother way"`)
	b.message(`{"role":"assistant","content":[],"stopReason":"error","errorMessage":"overloaded"}`)
	return b
}

const summary = `## Goal
- Make the parser faster Do not change the API. [00000001]

## Constraints & Preferences
- (none)

## Progress
### Done
- [x] changed parser.go [00000003]

### In Progress
- [ ] I will profile it first. [00000002]

### Blocked
- ` + "`go test ./...`" + `: status 2: parser_test.go:3: error: slow [00000003]
- read gone.go: failed: no such file [00000006]
- the model failed: overloaded [0000000e]

## Key Decisions
- (none)

## Next Steps
1. the printer (pending) [0000000b]

## Critical Context
- ` + "`make`" + `: status 0 [00000006]
- ` + "`git status`" + `: status 0 [0000000a]
- a branch was left: ## Goal Another way [0000000d]`

func TestSummary(t *testing.T) {
	t.Parallel()
	b := everything(t)
	d := brief.Of(b.path, "/w")
	if diff := cmp.Diff(summary, d.Summary(brief.History, "")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	of := d.Summary(brief.Turn, "")
	if lines := strings.Split(of, "\n"); lines[0] != "## Original Request" || lines[3] != "## Progress So Far" || !strings.Contains(of, "\n- changed parser.go [00000003]\n- I will profile it first. [00000002]\n\n## Context Needed to Continue\n- `go test") {
		t.Errorf("of a turn:\n%s", of)
	}
	without, _, _ := strings.Cut(summary, "\n\n## Critical Context")
	if branch := d.Summary(brief.Branch, ""); branch != without {
		t.Errorf("of a branch:\n%s", branch)
	}
}

// The headings are those that a model is asked for, in their order.
func TestSummaryHeadings(t *testing.T) {
	t.Parallel()
	b := everything(t)
	b.user("and then?")
	plan, err := compact.New(b.path, compact.Options{Strategy: compact.LastTurn})
	if err != nil {
		t.Fatal(err)
	}
	prompt := plan.PromptWith(compact.PromptOptions{})
	for line := range strings.Lines(summary) {
		if !strings.HasPrefix(line, "#") {
			continue
		}
		_, rest, ok := strings.Cut(prompt, "\n"+line)
		if !ok {
			t.Errorf("%q is not in the prompt, or not in its place", line)
		}
		prompt = "\n" + rest
	}
}

// The newest run of a command counts, and the newest change of a file.
func TestSummaryNewest(t *testing.T) {
	t.Parallel()
	b := &builder{t: t}
	b.call("1", "bash", `{"command":"go test"}`, "2", "edit", `{"path":"a.go","oldText":"a","newText":"b"}`)
	b.result("1", "FAIL\nCommand exited with code 1", true)
	b.result("2", "ok", false)
	b.call("3", "bash", `{"command":"go test"}`, "4", "edit", `{"path":"/w/a.go","oldText":"b","newText":"c"}`)
	b.result("3", "ok", false)
	b.result("4", "ok", false)
	got := brief.Of(b.path, "/w").Summary(brief.History, "")
	for _, want := range []string{"### Blocked\n- (none)", "### Done\n- [x] changed a.go [00000004]\n\n", "- `go test`: status 0 [00000004]"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}

// The summary before stands in front, as it is, without its lists of files; what it says is not said again.
func TestSummaryBefore(t *testing.T) {
	t.Parallel()
	b := &builder{t: t}
	b.user("Fix the menu")
	b.user("Now the title")
	b.assistant("Done.")
	const before = "## Goal\n- Fix the menu [0a1b2c3d]\n\n* odd  <b>"
	got := brief.Of(b.path, "/w").Summary(brief.History, before+"\n\n<read-files>\nx\n</read-files>\n\n<modified-files>\na.go\n</modified-files>")
	if rest, ok := strings.CutPrefix(got, before+"\n\n---\n\n**Since then:**\n\n## Goal\n"); !ok || rest != "- Now the title [00000002]\n\n### In Progress\n- [ ] Done. [00000003]" {
		t.Errorf("%s", got)
	}
}

// What a context_edit took out of the context is not quoted.
func TestSummaryOfParts(t *testing.T) {
	t.Parallel()
	b := &builder{t: t}
	key := b.user("the key is hunter2")
	b.user("Fix the menu")
	again := b.user("hunter2 again")
	b.call("1", "bash", `{"command":"false"}`)
	b.result("1", "hunter2\nCommand exited with code 1", true)
	for _, id := range []string{key, again} {
		b.add(session.TypeContextEdit, `"targetId":"`+id+`","replacement":null`)
	}
	b.add(session.TypeContextEdit, `"targetId":"00000005","replacement":{"content":"gone"}`)
	b.user("go on")
	plan, err := compact.New(b.path, compact.Options{Strategy: compact.LastTurn})
	if err != nil {
		t.Fatal(err)
	}
	got := brief.OfParts(b.path, plan.Summarize, "/w").Summary(brief.History, "")
	if strings.Contains(got, "hunter2") || !strings.Contains(got, "- Fix the menu [00000002]") || !strings.Contains(got, "`false`: failed: gone [00000004]") {
		t.Errorf("%s", got)
	}
}

// Laws: whatever is said, a summary has its headings once each and in their order, no line of its own that a text began, and
// its bounds; with the summary before as well, however often it is made.
func TestSummaryLaws(t *testing.T) {
	t.Parallel()
	evil := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{
			"x", "\n## Goal\n", "\n- [x] ", "</summary>", "<read-files>", "\x1b[31m", "\u202e", "\r", "[00000001]", strings.Repeat("long ", 400), "漢字", "`",
		}), 0, 12).Draw(t, "text"), "")
	})
	rapid.Check(t, func(r *rapid.T) {
		previous := ""
		for range rapid.IntRange(1, 4).Draw(r, "compactions") {
			b := &builder{t: r}
			for i := range rapid.IntRange(0, 15).Draw(r, "entries") {
				text := evil.Draw(r, "text")
				b.operation(rapid.IntRange(0, 11).Draw(r, "operation"), i%7, i)
				b.user(text)
				b.call("c", "bash", js.Object(js.StringField("command", text)))
				b.result("c", text, i%2 == 0)
			}
			got := brief.Of(b.path, "/w").Summary(brief.History, previous)
			parts, headings := strings.Split(got, "\n\n---\n\n**Since then:**\n\n"), 0
			since := strings.TrimSuffix(parts[len(parts)-1], "\n\n[Some parts that came next are left out.]") // nothing was added
			for _, part := range parts[1 : max(len(parts), 2)-1] {
				if js.Len(part) > 2000 {
					r.Fatalf("a part of %d units is carried", js.Len(part))
				}
			}
			for line := range strings.Lines(since) {
				switch line = strings.TrimSuffix(line, "\n"); {
				case strings.HasPrefix(line, "#"):
					headings++
				case line != "" && !strings.HasPrefix(line, "- ") && !strings.HasPrefix(line, "1") && !strings.Contains(line[:min(len(line), 4)], ". "):
					r.Fatalf("a line of its own: %q", line)
				}
			}
			if previous == "" && headings != 9 || headings > 9 || strings.ContainsAny(since, "\x1b\u202e\r") || strings.Contains(since, "</summary>") || js.Len(got) > 40_000 {
				r.Fatalf("%d headings, %d units:\n%s", headings, js.Len(got), since)
			}
			previous = got
		}
	})
}

// A part that is added has the sections with something new; of parts that were added before the newest stay, and the
// beginning does.
func TestSummaryParts(t *testing.T) {
	t.Parallel()
	got := "## Goal\n- the first goal"
	for i := range 30 {
		b := &builder{t: t}
		b.user(fmt.Sprintf("request %d %s", i, strings.Repeat(" four", 50)))
		got = brief.Of(b.path, "/w").Summary(brief.History, got)
	}
	parts := strings.Split(got, "\n\n---\n\n**Since then:**\n\n")
	if n := len(parts); n > 12 || n < 8 || parts[0] != "## Goal\n- the first goal\n\n[Some parts that came next are left out.]" {
		t.Errorf("%d parts, %q", n, parts[0])
	}
	if last := parts[len(parts)-1]; !strings.HasPrefix(last, "## Goal\n- request 29 ") || strings.Contains(last, "\n\n") {
		t.Errorf("the last part: %s", last)
	}
	once := (brief.Deeds{}).Summary(brief.History, got)
	if again := (brief.Deeds{}).Summary(brief.History, once); again != once {
		t.Errorf("nothing new makes of it\n%s", again)
	}
}

// Of a summary before that has grown too long the beginning and the end stay.
func TestSummaryMiddle(t *testing.T) {
	t.Parallel()
	b := &builder{t: t}
	b.user("go on")
	got := brief.Of(b.path, "/w").Summary(brief.History, "begin "+strings.Repeat("😀", 20_000)+" end")
	if n := js.Len(got); !strings.HasPrefix(got, "begin ") || !strings.Contains(got, " end\n\n---\n\n") || !strings.Contains(got, " characters left out]\n\n😀") || n > 21_000 || n < 19_000 {
		t.Errorf("%d units: %.80s", n, got)
	}
}

func ExampleDeeds_Summary() {
	var entries []session.Entry
	for i, message := range []string{`{"role":"user","content":"Fix the parser"}`, `{"role":"assistant","content":[{"type":"text","text":"Done."}]}`} {
		e, _ := session.ParseEntry(fmt.Sprintf(`{"type":"message","id":"%08x","parentId":null,"message":%s}`, i+1, message))
		entries = append(entries, e)
	}
	fmt.Println(brief.Of(entries, "/w").Summary(brief.Turn, ""))
	// Output:
	// ## Original Request
	// - Fix the parser [00000001]
	//
	// ## Progress So Far
	// - Done. [00000002]
	//
	// ## Context Needed to Continue
	// - (none)
}
