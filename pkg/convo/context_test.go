package convo_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/pkg/convo"
)

func edit(id, parent, target, replacement string) string {
	return line("context_edit", id, parent, `"targetId":`+quote(target), `"replacement":`+replacement)
}

// project returns the selected entries, with the number of messages of those
// that have any.
func project(t *testing.T, lines ...string) string {
	t.Helper()
	s := parse(t, lines...)
	leaf, _ := s.Leaf()
	path, _ := s.Path(leaf)
	var out []string
	for _, p := range convo.Project(path) {
		out = append(out, p.Entry.ID()+strings.Repeat("+", len(p.Messages)))
	}
	return strings.Join(out, " ")
}

func TestProject(t *testing.T) {
	t.Parallel()
	system := line("message", "sys", "a", `"message":{"role":"system","content":"x"}`)
	for _, c := range []struct {
		name  string
		lines []string
		want  string
	}{
		{"empty", nil, ""},
		{"no compaction", []string{user("a", "", ""), line("custom", "b", "a"), user("c", "b", "")}, "a+ b c+"},
		{"kept from the first on", []string{user("a", "", ""), user("b", "a", ""), compaction("c", "b", "a"), user("d", "c", "")}, "c+ a+ b+ d+"},
		{"kept from the second on", []string{user("a", "", ""), user("b", "a", ""), compaction("c", "b", "b"), user("d", "c", "")}, "c+ b+ d+"},
		{"nothing kept, unknown id", []string{user("a", "", ""), compaction("c", "a", "gone"), user("d", "c", "")}, "c+ d+"},
		{"nothing kept, own id", []string{user("a", "", ""), compaction("c", "a", "c"), user("d", "c", "")}, "c+ d+"},
		{"nothing kept, a later id", []string{user("a", "", ""), compaction("c", "a", "d"), user("d", "c", "")}, "c+ d+"},
		{
			"two compactions, the older kept without message",
			[]string{user("a", "", ""), compaction("c", "a", "a"), user("d", "c", ""), compaction("e", "d", "a"), user("f", "e", "")},
			"e+ a+ c d+ f+",
		},
		{"system messages before the compaction go", []string{user("a", "", ""), system, user("b", "sys", ""), compaction("c", "b", "a")}, "c+ a+ b+"},
		{
			"system messages after it stay, its own comes first",
			[]string{
				user("a", "", ""), line("compaction", "c", "a", `"summary":"s"`, `"firstKeptEntryId":"c"`, `"tokensBefore":1`, `"systemMessage":{"role":"system","content":"x"}`),
				strings.Replace(system, `"parentId":"a"`, `"parentId":"c"`, 1),
			},
			"c++ sys+",
		},
		{"another branch's compaction", []string{user("a", "", ""), compaction("c", "a", "c"), user("d", "a", "")}, "a+ d+"},
		{"reset", []string{user("a", "", ""), line("reset_boundary", "r", "a"), user("d", "r", "")}, "d+"},
		{"reset at the end", []string{user("a", "", ""), line("reset_boundary", "r", "a")}, ""},
		{"reset before a compaction", []string{user("a", "", ""), line("reset_boundary", "r", "a"), user("b", "r", ""), compaction("c", "b", "a")}, "c+ a+ r b+"},
		{"reset after a compaction", []string{user("a", "", ""), compaction("c", "a", "a"), line("reset_boundary", "r", "c"), user("b", "r", "")}, "b+"},
		{"removed by an edit", []string{user("a", "", ""), user("b", "a", ""), edit("e", "b", "a", "null")}, "a b+ e"},
		{"an edit taken back", []string{user("a", "", ""), edit("e", "a", "a", "null"), edit("f", "e", "a", "{}")}, "a+ e f"},
		{"an edit before the compaction", []string{user("a", "", ""), edit("e", "a", "a", "null"), compaction("c", "e", "a")}, "c+ a e"},
		{"an edit that is not selected", []string{user("z", "", ""), edit("e", "z", "a", "null"), user("a", "e", ""), compaction("c", "a", "a")}, "c+ a+"},
		{"an edit of the compaction", []string{user("a", "", ""), compaction("c", "a", "a"), edit("e", "c", "c", "null")}, "c a+ e"},
		{"an edit of nothing", []string{user("a", "", ""), edit("e", "a", "gone", "null")}, "a+ e"},
		{
			"entries without messages",
			[]string{
				line("branch_summary", "a", "", `"summary":""`), line("branch_summary", "b", "a", `"summary":"s"`), line("message", "c", "b"),
				line("custom_message", "d", "c"), line("label", "e", "d"), line("odd", "f", "e"),
			},
			"a b+ c d+ e f",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := project(t, c.lines...); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestEntryMessages(t *testing.T) {
	t.Parallel()
	const at = `"timestamp":"2026-01-02T03:04:05.678Z"`
	for _, c := range []struct {
		in   string
		want []string
	}{
		{`{"type":"message","message":{ "role":"user","content":"x","n":1.0}}`, []string{`{ "role":"user","content":"x","n":1.0}`}},
		{`{"type":"message","message":{"role":"user","content":null,"n":1}}`, []string{`{"role":"user","content":[],"n":1}`}},
		{`{"type":"message","message":{"role":"assistant"}}`, []string{`{"role":"assistant","content":[]}`}},
		{`{"type":"message","message":{"role":"toolResult"}}`, []string{`{"role":"toolResult","content":[]}`}},
		{`{"type":"message","message":{"role":"system"}}`, []string{`{"role":"system","content":""}`}},
		{`{"type":"message","message":{"role":"bashExecution"}}`, []string{`{"role":"bashExecution"}`}},
		{`{"type":"message","message":"x"}`, nil},
		{
			`{"type":"custom_message","customType":"c","content":"x","display":false,"details":{"a":1.0},"attribution":"user",` + at + `}`,
			[]string{`{"role":"custom","customType":"c","content":"x","display":false,"details":{"a":1.0},"attribution":"user","timestamp":1767323045678}`},
		},
		{`{"type":"custom_message","content":null,"timestamp":"?"}`, []string{`{"role":"custom","content":[],"timestamp":null}`}},
		{`{"type":"branch_summary","summary":"s","fromId":"a",` + at + `}`, []string{`{"role":"branchSummary","summary":"s","fromId":"a","timestamp":1767323045678}`}},
		{`{"type":"branch_summary","summary":null}`, nil},
		{
			`{"type":"compaction","summary":"s","shortSummary":"t","tokensBefore":1.0,"tokensAfter":2,"method":"m","warning":"w",` + at + `}`,
			[]string{`{"role":"compactionSummary","summary":"s","shortSummary":"t","tokensBefore":1.0,"tokensAfter":2,"method":"m","warning":"w","timestamp":1767323045678}`},
		},
		{`{"type":"compaction","systemMessage":{"role":"system"},` + at + `}`, []string{`{"role":"system"}`, `{"role":"compactionSummary","timestamp":1767323045678}`}},
		{`{"type":"compaction","systemMessage":null,` + at + `}`, []string{`{"role":"compactionSummary","timestamp":1767323045678}`}},
		{`{"type":"label"}`, nil},
	} {
		if diff := cmp.Diff(append([]string{}, c.want...), texts(convo.EntryMessages(entry(t, c.in)))); diff != "" {
			t.Errorf("%s: %s", c.in, diff)
		}
	}
}

func TestContextEdit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ role, replacement, want string }{
		{"user", `{"content":"y"}`, `{"role":"user","content":"y","n":1.0}`},
		{"user", `{"content":[{"type":"text","text":"y"}]}`, `{"role":"user","content":[{"type":"text","text":"y"}],"n":1.0}`},
		{"assistant", `{"content":"y"}`, `{"role":"assistant","content":[{"type":"text","text":"y"}],"n":1.0}`},
		{"toolResult", `{"content":"y"}`, `{"role":"toolResult","content":[{"type":"text","text":"y"}],"n":1.0}`},
		{"toolResult", `{"content":[]}`, `{"role":"toolResult","content":[],"n":1.0}`},
		{"toolResult", `{}`, `{"role":"toolResult","content":"x","n":1.0}`},
		{"custom", `{"content":"y"}`, `{"role":"custom","content":"y","n":1.0}`},
		{"system", `{"content":"y"}`, `{"role":"system","content":"x","n":1.0}`},
		{"bashExecution", `{"content":"y"}`, `{"role":"bashExecution","content":"x","n":1.0}`},
		{"user", `"y"`, `{"role":"user","content":"x","n":1.0}`},
		{"user", `false`, `{"role":"user","content":"x","n":1.0}`},
	} {
		s := parse(t, line("message", "a", "", `"message":{"role":"`+c.role+`","content":"x","n":1.0}`), edit("e", "a", "a", c.replacement))
		path, _ := s.Path(1)
		if diff := cmp.Diff([]string{c.want}, texts(convo.MessagesOf(convo.Project(path)))); diff != "" {
			t.Errorf("%s, %s: %s", c.role, c.replacement, diff)
		}
	}
}

func TestBuildContextSettings(t *testing.T) {
	t.Parallel()
	assistant := `"message":{"role":"assistant","content":[],"provider":"ap","model":"am"}`
	for _, c := range []struct {
		name  string
		lines []string
		want  string
	}{
		{"none", nil, `"thinkingLevel":"off","model":null`},
		{"pi", []string{line("model_change", "a", "", `"provider":"p"`, `"modelId":"m"`), line("thinking_level_change", "b", "a", `"thinkingLevel":"high"`)}, `"thinkingLevel":"high","model":{"provider":"p","modelId":"m"}`},
		{"null is off", []string{line("thinking_level_change", "a", "", `"thinkingLevel":"high"`), line("thinking_level_change", "b", "a", `"thinkingLevel":null`)}, `"thinkingLevel":"off","model":null`},
		{"oh-my-pi", []string{line("model_change", "a", "", `"model":"p/m/x"`)}, `"thinkingLevel":"off","model":{"provider":"p","modelId":"m/x"}`},
		{"without provider", []string{line("model_change", "a", "", `"model":"m"`)}, `"thinkingLevel":"off","model":{"provider":"","modelId":"m"}`},
		{"another role", []string{line("model_change", "a", "", `"model":"p/m"`, `"role":"default"`), line("model_change", "b", "a", `"model":"q/n"`, `"role":"smol"`)}, `"thinkingLevel":"off","model":{"provider":"p","modelId":"m"}`},
		{"the assistant's", []string{line("model_change", "a", "", `"model":"p/m"`), line("message", "b", "a", assistant)}, `"thinkingLevel":"off","model":{"provider":"ap","modelId":"am"}`},
		{"before a compaction", []string{line("message", "b", "", assistant), compaction("c", "b", "c"), line("reset_boundary", "d", "c")}, `"thinkingLevel":"off","model":{"provider":"ap","modelId":"am"}`},
	} {
		s := parse(t, c.lines...)
		leaf, _ := s.Leaf()
		path, _ := s.Path(leaf)
		if got := whole(convo.ContextOf(convo.Project(path), path)); !strings.HasSuffix(got, c.want+"}") || !strings.HasPrefix(got, `{"messages":[`) {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestStateOf(t *testing.T) {
	t.Parallel()
	assistant := func(id, parent, model string) string {
		return line("message", id, parent, `"message":{"role":"assistant","content":[],"provider":"ap","model":"`+model+`"}`)
	}
	state := func(lines ...string) convo.State {
		s := parse(t, lines...)
		leaf, _ := s.Leaf()
		path, _ := s.Path(leaf)
		return convo.StateOf(path)
	}
	want := convo.State{ThinkingLevel: `"off"`, Models: map[string]string{}, Mode: "none"}
	if diff := cmp.Diff(want, state()); diff != "" {
		t.Error(diff)
	}
	got := state(
		line("thinking_level_change", "a", "", `"thinkingLevel":"low"`),
		assistant("b", "a", "first"),
		line("model_change", "c", "b", `"provider":"p"`, `"modelId":"m"`),
		line("model_change", "d", "c", `"model":"p/small"`, `"role":"smol"`),
		line("model_change", "d2", "d"),
		assistant("e", "d2", "later"),
		line("mode_change", "f", "e", `"mode":"plan"`, `"data":{"x":1.0}`),
		line("ttsr_injection", "g", "f", `"injectedRules":["r1","r2",7]`), line("ttsr_injection", "h", "g", `"injectedRules":["r2","r3"]`),
		line("ttsr_injection", "h2", "h", `"injectedRules":"r4"`),
		line("service_tier_change", "i", "h2", `"serviceTier":"flex"`),
		line("message", "j", "i", `"message":{"role":"user","provider":"no"}`), line("message", "k", "j"),
	)
	want = convo.State{
		ThinkingLevel: `"low"`, Model: &convo.Model{Provider: "ap", ID: "later"},
		Models: map[string]string{"default": "p/m", "smol": "p/small"}, Mode: "plan", ModeData: `{"x":1.0}`,
		InjectedRules: []string{"r1", "r2", "r3"}, ServiceTier: `"flex"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	got = state(assistant("a", "", "m"), line("mode_change", "b", "a", `"mode":"x"`, `"data":1`), line("mode_change", "c", "b", `"mode":"none"`),
		line("service_tier_change", "d", "c", `"serviceTier":"flex"`), line("service_tier_change", "e", "d", `"serviceTier":null`))
	want = convo.State{ThinkingLevel: `"off"`, Model: &convo.Model{Provider: "ap", ID: "m"}, Models: map[string]string{"default": "ap/m"}, Mode: "none"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
