package compact_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// branchOf leaves the path that build makes for its first entry.
func branchOf(t *testing.T, o compact.BranchOptions, build func(b *builder)) *compact.Branch {
	t.Helper()
	b := &builder{t: t}
	b.user("root")
	build(b)
	branch, err := compact.NewBranch(b.path, b.path[:1], o)
	if err != nil {
		t.Fatal(err)
	}
	return branch
}

// spoken returns the texts of the parts.
func spoken(b *compact.Branch) (out []string) {
	for _, p := range b.Parts {
		text := p.Message.Text("")
		if summary := p.Message.Str("summary"); summary != "" {
			text = summary
		}
		out = append(out, text)
	}
	return out
}

func TestBranchPlaces(t *testing.T) {
	t.Parallel()
	b := &builder{t: t}
	b.steps("u u u u u")
	long := b.path
	other := append(slices.Clone(long[:2]), long[4].WithParent("00000002").WithRaw("id", `"x"`))
	for _, c := range []struct {
		name                  string
		old, target           []session.Entry
		from, hangs, ancestor string
		entries               int
		fromID                string
		nothing               bool
	}{
		{name: "back", old: long, target: long[:2], from: "00000005", hangs: "00000002", ancestor: "00000002", entries: 3, fromID: "00000005"},
		{name: "across", old: long, target: other, from: "00000005", hangs: "x", ancestor: "00000002", entries: 3, fromID: "00000005"},
		{name: "before the first entry", old: long, from: "00000005", entries: 5, fromID: "00000005"},
		{name: "another root", old: long[:2], target: other[2:], from: "00000002", hangs: "x", entries: 2, fromID: "00000002"},
		{name: "the same place", old: long, target: long, nothing: true},
		{name: "forward", old: long[:2], target: long, nothing: true},
		{name: "from nowhere", target: long, nothing: true},
	} {
		b, err := compact.NewBranch(c.old, c.target, compact.BranchOptions{})
		if c.nothing {
			if !errors.Is(err, compact.ErrNothing) {
				t.Errorf("%s: %v, want ErrNothing", c.name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		got := []any{b.From, b.Target, b.Ancestor, len(b.Entries), b.Fields("", nil)[0].Raw}
		if diff := cmp.Diff([]any{c.from, c.hangs, c.ancestor, c.entries, `"` + c.fromID + `"`}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// TestBranchBudget: the newest messages that fit are taken. Each word of these
// is a token.
func TestBranchBudget(t *testing.T) {
	t.Parallel()
	summary := func(kind string, words int) func(b *builder) {
		return func(b *builder) {
			b.user(long(2))
			if kind == session.TypeCompaction {
				b.add(kind, `"summary":"`+long(words)+`","firstKeptEntryId":"00000001","tokensBefore":9,"systemMessage":{"role":"system","content":"s"}`)
			} else {
				b.add(kind, `"summary":"`+long(words)+`","fromId":"root"`)
			}
			b.user(long(8))
			b.result("1", long(1000), false)
		}
	}
	for _, c := range []struct {
		name   string
		build  func(b *builder)
		budget int64
		want   []int // words
		left   int
	}{
		{"no limit", summary(session.TypeCompaction, 9), 0, []int{2, 9, 8}, 0},
		{"a negative limit", summary(session.TypeCompaction, 9), -1, []int{2, 9, 8}, 0},
		{"no limit worth the name", summary(session.TypeCompaction, 9), math.MaxInt64, []int{2, 9, 8}, 0},
		{"all fits", summary(session.TypeBranchSummary, 9), 19, []int{2, 9, 8}, 0},
		{"one too many", summary(session.TypeBranchSummary, 9), 18, []int{9, 8}, 1},
		{"a compaction beyond the budget", summary(session.TypeCompaction, 9), 9, []int{9, 8}, 1},
		{"a branch summary beyond the budget", summary(session.TypeBranchSummary, 900), 9, []int{900, 8}, 1},
		{"nine tenths used", summary(session.TypeCompaction, 9), 8, []int{8}, 2},
		{"the newest is too large", summary(session.TypeCompaction, 9), 7, nil, 3},
	} {
		b := branchOf(t, compact.BranchOptions{Budget: c.budget}, c.build)
		var want []string
		var tokens int64
		for _, words := range c.want {
			want = append(want, long(words))
			tokens += int64(words)
		}
		if diff := cmp.Diff(want, spoken(b)); diff != "" || b.Tokens != tokens || b.Dropped != c.left {
			t.Errorf("%s: %d tokens, %d dropped, (-want +got):\n%s", c.name, b.Tokens, b.Dropped, diff)
		}
		if b.Empty() != (c.want == nil) {
			t.Errorf("%s: empty is %v", c.name, b.Empty())
		}
	}
}

// TestBranchEstimate: an image counts, and a caller may count as it likes.
func TestBranchEstimate(t *testing.T) {
	t.Parallel()
	for want, o := range map[int64]compact.BranchOptions{
		1201: {}, 7: {Estimate: func(session.Message) int64 { return 7 }},
	} {
		b := branchOf(t, o, func(b *builder) {
			b.message(`{"role":"user","content":[{"type":"text","text":"four"},{"type":"image","data":"x","mimeType":"image/png"}]}`)
		})
		if b.Tokens != want {
			t.Errorf("%d tokens, want %d", b.Tokens, want)
		}
	}
}

// TestBranchEdits: what edits took out of the context is not summarized.
func TestBranchEdits(t *testing.T) {
	t.Parallel()
	build := func(b *builder) {
		secret := b.user("secret")
		answer := b.assistant("secret answer")
		call := b.call("1", "read", `{"path":"secret.go"}`)
		was := b.add(session.TypeBranchSummary, `"summary":"secret branch","fromId":"root"`)
		compaction := b.add(session.TypeCompaction, `"summary":"secret history","firstKeptEntryId":"x","tokensBefore":9`)
		b.user("open")
		for _, id := range []string{secret, call, was, compaction} {
			b.add(session.TypeContextEdit, `"targetId":"`+id+`","replacement":null`)
		}
		b.add(session.TypeContextEdit, `"targetId":"`+answer+`","replacement":null`)
		b.add(session.TypeContextEdit, `"targetId":"`+answer+`","replacement":{"content":"edited"}`)
	}
	b := branchOf(t, compact.BranchOptions{}, build)
	if diff := cmp.Diff([]string{"edited", "open"}, spoken(b)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, text := range []string{b.Prompt(""), compact.SerializeParts(b.Heard())} {
		if strings.Contains(text, "secret") {
			t.Errorf("quotes what was taken out:\n%s", text)
		}
	}
}

// TestBranchFiles: files come from the calls that were looked at, also of the
// message that did not fit, and from all branch summaries, but for those of
// extensions.
func TestBranchFiles(t *testing.T) {
	t.Parallel()
	build := func(b *builder) {
		b.add(session.TypeBranchSummary, `"summary":"a","fromId":"root","details":{"readFiles":["r1"],"modifiedFiles":["m1"]},"fromHook":false`)
		b.add(session.TypeBranchSummary, `"summary":"b","fromId":"root","details":{"readFiles":["r2"],"modifiedFiles":["m2"]},"fromHook":true`)
		b.add(session.TypeCompaction, `"summary":"c","firstKeptEntryId":"x","tokensBefore":9,"details":{"readFiles":["r3"],"modifiedFiles":[]}`)
		b.call("1", "write", `{"path":"before"}`)
		b.call("2", "edit", `{"path":"first beyond the budget"}`)
		b.message(`{"role":"toolResult","toolCallId":"2","content":[],"nestedCalls":{"calls":[{"name":"read","arguments":{"path":"nested"}}]}}`)
		b.call("3", "read", `{"path":"within"}`)
	}
	b := branchOf(t, compact.BranchOptions{Budget: 6}, build)
	want := compact.FileOps{Read: []string{"r1", "within"}, Edited: []string{"m1", "first beyond the budget"}}
	if diff := cmp.Diff(want, b.Files); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	const text = "The user explored a different conversation branch before returning here.\nSummary of that exploration:\n\nS\n\n" +
		"<read-files>\nr1\nwithin\n</read-files>\n\n<modified-files>\nfirst beyond the budget\nm1\n</modified-files>"
	fields := []js.Field{
		{Name: "fromId", Raw: `"00000008"`},
		js.StringField("summary", text),
		{Name: "details", Raw: `{"readFiles":["r1","within"],"modifiedFiles":["first beyond the budget","m1"],"summarizer":"x"}`},
		{Name: "fromHook", Raw: "false"},
	}
	if diff := cmp.Diff(fields, b.Fields("S", []js.Field{js.StringField("summarizer", "x")})); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
}

// TestBranchEmpty: where a model would read nothing, pi's text says so, and no
// files are listed.
func TestBranchEmpty(t *testing.T) {
	t.Parallel()
	for name, build := range map[string]func(b *builder){
		"no messages":  func(b *builder) { b.add(session.TypeLabel, `"targetId":"00000001","label":"l"`) },
		"tool results": func(b *builder) { b.result("1", "text", false) },
		"hidden commands": func(b *builder) {
			b.message(`{"role":"bashExecution","command":"ls","output":"","excludeFromContext":true}`)
		},
		"a large message": func(b *builder) { b.call("1", "read", `{"path":"`+long(1000)+`"}`) },
	} {
		b := branchOf(t, compact.BranchOptions{Budget: 100}, build)
		if !b.Empty() || (b.Dropped > 0) != (name == "a large message") {
			t.Errorf("%s: empty is %v, %d dropped", name, b.Empty(), b.Dropped)
		}
		got := b.Fields("S", nil)[1:3]
		want := []js.Field{js.StringField("summary", "No content to summarize"), {Name: "details", Raw: `{"readFiles":[],"modifiedFiles":[]}`}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// genuineConversation is the SHA-256 of what pi 1.5.2 gave its model to
// summarize, up to the instructions.
const genuineConversation = "05fdb0d2061616f7e32467423d30a53f6b566af95b5ba81fde49b7ef2877f720"

// genuineBranch leaves a path for what the user said behind hang, as pi does
// to have it said anew: that is not summarized, and the summary takes its
// place.
func genuineBranch(t *testing.T, s *session.Session, old, hang string) *compact.Branch {
	t.Helper()
	path := pathTo(t, s, old)
	again := slices.IndexFunc(path, func(e session.Entry) bool { return e.ParentID() == hang })
	if again < 0 || path[again].Role() != session.RoleUser {
		t.Fatalf("nothing was said behind %s", hang)
	}
	b, err := compact.NewBranch(path, path[:again+1], compact.BranchOptions{
		Budget: compact.DefaultBranchWindow - compact.DefaultReserve,
	})
	if err != nil {
		t.Fatal(err)
	}
	b.Target = hang
	return b
}

// TestGenuineBranches summarizes again the branches that pi itself summarized,
// in whole conversations, and compares the bytes of the entry. Its mock model
// gave the same reply every time.
func TestGenuineBranches(t *testing.T) {
	t.Parallel()
	compared := 0
	genuine(t, session.TypeBranchSummary, func(s *session.Session, i int) {
		e := s.Entries[i]
		old := e.Str("fromId")
		if _, ok := s.Index(old); !ok || old == e.ParentID() {
			return // a fork that left the branch behind
		}
		b := genuineBranch(t, s, old, e.ParentID())
		compareBranchEntry(t, b, withoutUsage(e.Raw()), "## Goal\nMock history summary\n\n## Progress\n### Done\n- [x] things")
		if conversation, _ := splitPrompt(b.Prompt("")); longOf(conversation) != genuineConversation {
			t.Errorf("prompt before the instructions: %s", conversation)
		}
		compared++
	})
	if compared == 0 {
		t.Error("nothing was compared")
	}
}

func ExampleNewBranch() {
	path := examplePath()
	branch, err := compact.NewBranch(path, path[:1], compact.BranchOptions{Budget: compact.DefaultBranchWindow - compact.DefaultReserve})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(branch.Parts), "messages behind", branch.Ancestor)
	summary := "## Goal\nA working parser" // of a model asked with branch.Prompt
	for _, f := range branch.Fields(summary, nil)[:1] {
		fmt.Println(f.Name, f.Raw)
	}
	fmt.Println(branch.Text(summary))
	// Output:
	// 3 messages behind 00000001
	// fromId "00000005"
	// The user explored a different conversation branch before returning here.
	// Summary of that exploration:
	//
	// ## Goal
	// A working parser
	//
	// <modified-files>
	// parser.go
	// </modified-files>
}
