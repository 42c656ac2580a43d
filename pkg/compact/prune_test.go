package compact_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// everything is what prunes all there is.
var everything = compact.PruneOptions{Turns: -1, Protect: -1, Minimum: -1}

// output adds a tool result with content as JSON text and further members.
func (b *builder) output(call, content, members string) string {
	b.t.Helper()
	return b.message(fmt.Sprintf(`{"role":"toolResult","toolCallId":%q,"content":%s%s}`, call, content, members))
}

func textContent(s string) string { return `[{"type":"text","text":` + js.Quote(s) + `}]` }

const image = `{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}`

// edits adds the entries of edits to the path.
func (b *builder) edits(edits []compact.Edit) {
	b.t.Helper()
	for _, e := range edits {
		members := ""
		for i, f := range e.Fields() {
			if i > 0 {
				members += ","
			}
			members += js.Quote(f.Name) + ":" + f.Raw
		}
		b.add(session.TypeContextEdit, members)
	}
}

// prune prunes and appends the edits. It returns the ids of the results.
func (b *builder) prune(o compact.PruneOptions) (ids []string) {
	b.t.Helper()
	p, err := compact.PruneLimited(b.path, o)
	if errors.Is(err, compact.ErrNothing) {
		return nil
	}
	if err != nil {
		b.t.Fatal(err)
	}
	for _, e := range p.Edits {
		ids = append(ids, e.TargetID)
	}
	b.edits(p.Edits)
	return ids
}

func (b *builder) context() (out []string) {
	for _, m := range convo.MessagesOf(convo.Project(b.path)) {
		out = append(out, m.Raw())
	}
	return out
}

func TestPruneLimits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		options compact.PruneOptions
		want    string // the results pruned, each of 100 tokens; two turns of two, one of one
	}{
		{"defaults", compact.PruneOptions{}, ""},
		{"everything", everything, "abcde"},
		{"two turns by default", compact.PruneOptions{Protect: -1, Minimum: -1}, "ab"},
		{"one turn", compact.PruneOptions{Turns: 1, Protect: -1, Minimum: -1}, "abcd"},
		{"more turns than there are", compact.PruneOptions{Turns: 4, Protect: -1, Minimum: -1}, ""},
		{"up to the protected", compact.PruneOptions{Turns: -1, Protect: 200, Minimum: -1}, "abc"},
		{"one more than the protected", compact.PruneOptions{Turns: -1, Protect: 199, Minimum: -1}, "abcd"},
		{"the minimum", compact.PruneOptions{Turns: -1, Protect: 200, Minimum: 300}, ""},
		{"more than the minimum", compact.PruneOptions{Turns: -1, Protect: 200, Minimum: 299}, "abc"},
		{"a tool excluded", compact.PruneOptions{Turns: -1, Protect: 200, Minimum: -1, Tools: []string{"bash"}}, "ac"},
	} {
		b := &builder{t: t}
		names := map[string]string{}
		add := func(name, tool string) {
			b.call(name, tool, `{}`)
			names[b.output(name, textContent(long(100)), `,"isError":false`)] = name
		}
		b.user("one")
		add("a", "read")
		add("b", "bash")
		b.user("two")
		add("c", "read")
		add("d", "read")
		b.user("three")
		add("e", "read")
		got := ""
		for _, id := range b.prune(c.options) {
			got += names[id]
		}
		if got != c.want {
			t.Errorf("%s: prunes %q, want %q", c.name, got, c.want)
		}
	}
}

// Half of what is protected has to be old enough to be pruned, as in opencode.
func TestPruneProtect(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		old, protect int64 // tokens; the newer result has 300
		want         int
	}{
		{100, 0, 2}, {100, 299, 2}, {100, 300, 0}, {150, 300, 0}, {151, 300, 1}, {225, 450, 0}, {226, 450, 1}, {151, compact.DefaultPruneProtect, 0},
	} {
		b := &builder{t: t}
		b.user("one")
		b.output("old", textContent(long(int(c.old))), "")
		b.output("newer", textContent(long(300)), "")
		b.user("two")
		b.user("three")
		p, err := compact.Prune(b.path, c.protect)
		if errors.Is(err, compact.ErrNothing) {
			p, err = &compact.Pruned{}, nil
		}
		if err != nil || len(p.Edits) != c.want {
			t.Errorf("%+v: %d results pruned, %v", c, len(p.Edits), err)
		}
	}
}

func TestPruneResults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, content, members, want string }{
		{"no call, no name", textContent(long(50)), "", "200 characters"},
		{"UTF-16 units", textContent(strings.Repeat("😀", 50)), "", "100 characters"},
		{"two texts", `[{"type":"text","text":"` + long(30) + `"},{"type":"text","text":"` + long(30) + `"}]`, "", "240 characters"},
		{"images", `[` + image + `,` + image + `]`, "", "0 characters, 2 images"},
		{"text and image", `[{"type":"text","text":"x"},` + image + `]`, "", "1 character, 1 image"},
		{"an error", textContent(long(50)), `,"isError":true`, ""},
		{"a skill", textContent(long(50)), `,"toolName":"skill"`, ""},
		{"small", textContent("0123456789012345678901234567890123"), "", ""},
		{"not small", textContent("01234567890123456789012345678901234567"), "", "38 characters"},
		{"a placeholder of its own", textContent(compact.PrunedPrefix + "99 characters]"), "", ""},
		{"none", `[]`, "", ""},
		{"null", `null`, "", ""},
		{"a string", js.Quote(long(50)), "", ""},
	} {
		b := &builder{t: t}
		b.output("x", c.content, c.members)
		want := b.context()
		if c.want != "" {
			want[0] = strings.Replace(want[0], c.content, textContent("[Tool output pruned: "+c.want+"]"), 1)
		}
		b.prune(everything)
		if diff := cmp.Diff(want, b.context()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestPruneEdit(t *testing.T) {
	t.Parallel()
	b := &builder{t: t}
	b.call("c", "read", "{}")
	id := b.output("c", textContent(long(100)), "")
	p, err := compact.PruneLimited(b.path, everything)
	if err != nil {
		t.Fatal(err)
	}
	e := p.Edits[0]
	if len(p.Edits) != 1 || e.TargetID != id || e.Tokens != 100 || e.Tool != "read" || e.ToolCallID != "c" {
		t.Errorf("edits %+v", p.Edits)
	}
	want := []js.Field{js.StringField("targetId", id), {Name: "replacement", Raw: `{"content":"[Tool output pruned: 400 characters]"}`}}
	if diff := cmp.Diff(want, e.Fields()); diff != "" {
		t.Error(diff)
	}
	if p.Tokens != 100 || p.Before != 102 || p.After != 11 { // call: read{}, result: 36 characters
		t.Errorf("%d tokens, %d before, %d after", p.Tokens, p.Before, p.After)
	}
}

// TestPruneToolOfCall: the name comes from the call where the result has none.
func TestPruneToolOfCall(t *testing.T) {
	t.Parallel()
	b := &builder{t: t}
	b.call("c", "skill", "{}", "d", "bash", "{}")
	b.output("c", textContent(long(50)), "")
	pruned := b.output("d", textContent(long(50)), "")
	if diff := cmp.Diff([]string{pruned}, b.prune(everything)); diff != "" {
		t.Error(diff)
	}
}

// TestPruneEnds: the walk ends at a result pruned before, except in the turns
// that are left alone and among the tools and errors that do not count.
func TestPruneEnds(t *testing.T) {
	t.Parallel()
	o := compact.PruneOptions{Turns: 1, Protect: -1, Minimum: -1}
	for _, c := range []struct {
		name, members string
		after         bool // a turn after it
		edit          string
		ends          bool
	}{
		{"pruned", "", true, `{"content":"[Tool output pruned: 400 characters]"}`, true},
		{"as blocks", "", true, `{"content":` + textContent("[Tool output pruned: 4 characters, 2 images]") + `}`, true},
		{"in the last turn", "", false, `{"content":"[Tool output pruned: 400 characters]"}`, false},
		{"of a skill", `,"toolName":"skill"`, true, `{"content":"[Tool output pruned: 400 characters]"}`, false},
		{"an error", `,"isError":true`, true, `{"content":"[Tool output pruned: 400 characters]"}`, false},
		{"edited by somebody else", "", true, `{"content":"short"}`, false},
		{"begins like one", "", true, `{"content":"[Tool output pruned: 400 characters] and more"}`, false},
		{"taken out", "", true, `null`, false},
		{"without content", "", true, `{}`, false},
	} {
		b := &builder{t: t}
		b.user("one")
		old := b.output("a", textContent(long(100)), "")
		b.user("two")
		id := b.output("b", textContent(long(7)), c.members)
		if c.after {
			b.user("three")
		}
		b.add(session.TypeContextEdit, `"targetId":"`+id+`","replacement":`+c.edit)
		if ids := b.prune(o); slices.Contains(ids, old) == c.ends {
			t.Errorf("%s: prunes %q, the oldest result is %s", c.name, ids, old)
		}
	}
}

// TestPruneNoID: an edit cannot name an entry that has no id.
func TestPruneNoID(t *testing.T) {
	t.Parallel()
	e, err := session.ParseEntry(`{"type":"message","message":{"role":"toolResult","content":` + textContent(long(100)) + `}}`)
	if err != nil {
		t.Fatal(err)
	}
	if p, err := compact.PruneLimited([]session.Entry{e}, everything); !errors.Is(err, compact.ErrNothing) {
		t.Errorf("%+v, %v", p, err)
	}
}
