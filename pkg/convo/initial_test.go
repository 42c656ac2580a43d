package convo_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// The entries below are children of nothing: threaded joins them.

func marked(id, text string) string {
	return line("custom_message", id, "", `"customType":"initial-context"`, `"content":`+quote(text), `"display":true`)
}

func detailed(id, text, details string) string {
	return line("custom_message", id, "", `"customType":"rules"`, `"content":`+quote(text), `"display":true`, `"details":`+details)
}

func system(id, text string, more ...string) string {
	members := append([]string{`"role":"system","content":` + quote(text)}, more...)
	return line("message", id, "", `"message":{`+strings.Join(members, ",")+`}`)
}

func result(id string) string {
	return line("message", id, "", `"message":{"role":"toolResult","toolCallId":"c","content":"r"}`)
}

func sessionInit(id, prompt, task string) string {
	return line("session_init", id, "", `"systemPrompt":`+quote(prompt), `"task":`+quote(task), `"tools":[]`)
}

func carrying(id, first, text string) string {
	return line("compaction", id, "", `"summary":"s"`, `"firstKeptEntryId":`+quote(first), `"tokensBefore":1`, `"systemMessage":{"role":"system","content":`+quote(text)+`}`)
}

func reset(id string) string { return line("reset_boundary", id, "") }

// threaded makes each entry the child of the one before it and returns the path
// to the last one.
func threaded(t testing.TB, lines []string) []session.Entry {
	t.Helper()
	parent := "null"
	var joined []string
	for _, l := range lines {
		joined = append(joined, strings.Replace(l, `"parentId":null`, `"parentId":`+parent, 1))
		parent = quote(entry(t, l).ID())
	}
	s := parse(t, joined...)
	leaf, _ := s.Leaf()
	path, problems := s.Path(leaf)
	if len(path) != len(lines) {
		t.Fatalf("a path of %d entries of %d, %v", len(path), len(lines), problems)
	}
	return path
}

// words returns a projection's messages, each as the id of its entry, its role
// and its text.
func words(projection []convo.Projected) string {
	var out []string
	for _, p := range projection {
		for _, m := range p.Messages {
			text := m.Text("|")
			if m.Role() == session.RoleCompactionSummary {
				text = m.Str("summary")
			}
			out = append(out, p.Entry.ID()+" "+m.Role()+":"+text)
		}
	}
	return strings.Join(out, ", ")
}

func TestInitialContext(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		lines []string
		want  string
	}{
		{"empty", nil, ""},
		{"no compaction", []string{sessionInit("i", "p", "t"), system("s", "x"), marked("m", "x"), user("u", "", "")}, ""},
		{"nothing to bring back", []string{user("u", "", "a"), compaction("c", "", "c")}, ""},
		{"all kinds, in this order", []string{marked("m", "rules"), sessionInit("i", "p", "do it"), system("s", "be brief"), compaction("c", "", "c")}, "s system:be brief, i user:do it, m custom:rules"},
		{"behind an entry of another kind", []string{user("u", "", ""), label("l", "", "u", "x"), marked("m", "rules"), compaction("c", "", "c"), user("v", "", "")}, "m custom:rules"},

		{"marked in details", []string{detailed("m", "rules", `{"a":1,"initialContext":true}`), compaction("c", "", "c")}, "m custom:rules"},
		{"unmarked", []string{
			detailed("m", "a", `{"initialContext":false}`), detailed("n", "b", `{"initialContext":"true"}`), detailed("o", "c", `"initialContext"`),
			detailed("p", "d", `["initialContext",true]`), detailed("q", "e", `{"x":{"initialContext":true}}`), detailed("r", "f", `null`),
			line("custom", "s", "", `"customType":"initial-context"`), compaction("c", "", "c"),
		}, ""},
		{"several, in path order", []string{marked("n", "b"), user("u", "", ""), detailed("m", "a", `{"initialContext":true}`), compaction("c", "", "c")}, "n custom:b, m custom:a"},
		{"kept", []string{marked("m", "gone"), user("u", "", ""), marked("n", "kept"), compaction("c", "", "u")}, "m custom:gone"},
		{"nothing removed", []string{sessionInit("i", "p", "t"), marked("m", "rules"), user("u", "", ""), compaction("c", "", "i")}, ""},
		{"after the compaction", []string{user("u", "", ""), compaction("c", "", "c"), marked("m", "rules"), sessionInit("i", "p", "t")}, ""},
		{"said again since", []string{marked("m", "rules"), marked("n", "others"), compaction("c", "", "c"), marked("o", "rules")}, "n custom:others"},
		{"said twice before", []string{marked("m", "rules"), marked("n", "rules"), compaction("c", "", "c")}, "m custom:rules"},
		{"of another type since", []string{marked("m", "rules"), compaction("c", "", "c"), detailed("n", "rules", "{}")}, "m custom:rules"},

		{"two compactions", []string{marked("m", "a"), compaction("c", "", "c"), marked("n", "b"), user("u", "", ""), compaction("d", "", "u"), user("v", "", "")}, "m custom:a, n custom:b"},
		{"what the older kept", []string{user("u", "", ""), marked("m", "a"), compaction("c", "", "m"), user("v", "", ""), compaction("d", "", "v")}, "m custom:a"},
		{"what the newer keeps behind the older", []string{marked("m", "a"), compaction("c", "", "c"), marked("n", "b"), compaction("d", "", "c")}, "m custom:a"},

		{"system messages in order", []string{system("s", "a"), user("u", "", ""), system("r", "b"), compaction("c", "", "u")}, "s system:a, r system:b"},
		{"system message in what is kept", []string{user("u", "", ""), system("s", "a"), compaction("c", "", "u")}, "s system:a"},
		{"carried by the compaction", []string{system("s", "a"), sessionInit("i", "p", "t"), carrying("c", "c", "a")}, "i user:t"},
		{"carried by the older one", []string{system("s", "a"), carrying("c", "c", "A"), system("r", "b"), compaction("d", "", "d")}, "c system:A, r system:b"},
		{"carried by the older one, which is kept", []string{system("s", "a"), carrying("c", "c", "A"), user("u", "", ""), compaction("d", "", "c")}, "c system:A"},
		{"the older one's carrier removed", []string{system("s", "a"), carrying("c", "c", "A"), edit("e", "", "c", "null"), compaction("d", "", "d")}, ""},
		{"system message said again since", []string{system("s", "a"), system("r", "b"), compaction("c", "", "c"), system("q", "a")}, "r system:b"},
		{"other sections since", []string{system("s", "a", `"sections":{"k":"1"}`), compaction("c", "", "c"), system("q", "a", `"sections":{"k":"2"}`)}, "s system:a"},

		{"prompt and task", []string{sessionInit("i", "you are", "do it"), compaction("c", "", "c")}, "i system:you are, i user:do it"},
		{"prompt where a system message stands", []string{sessionInit("i", "you are", ""), compaction("c", "", "c"), system("s", "a")}, ""},
		{"empty prompt and task", []string{sessionInit("i", "", " "), compaction("c", "", "c")}, ""},
		{"the newest session_init", []string{sessionInit("i", "old", "old task"), sessionInit("j", "new", "new task"), compaction("c", "", "c")}, "j system:new, j user:new task"},
		{"the newest that has it", []string{sessionInit("i", "old", "old task"), sessionInit("j", "new", ""), compaction("c", "", "c")}, "j system:new, i user:old task"},
		{"a newer session_init in the context", []string{sessionInit("i", "old", "old task"), compaction("c", "", "c"), sessionInit("j", "new", "new task")}, ""},
		{"task still in the context", []string{sessionInit("i", "", "do it\n"), user("u", "", "do it"), compaction("c", "", "u")}, ""},
		{"task said by one that is gone", []string{sessionInit("i", "", "do it"), user("u", "", "do it"), user("v", "", "go on"), compaction("c", "", "v")}, "i user:do it"},
		{"task as part of another message", []string{sessionInit("i", "", "go"), user("v", "", "go on"), compaction("c", "", "v")}, "i user:go"},

		{"edited", []string{marked("m", "a"), edit("e", "", "m", `{"content":"b"}`), compaction("c", "", "c")}, "m custom:b"},
		{"edited since", []string{marked("m", "a"), compaction("c", "", "c"), edit("e", "", "m", `{"content":"b"}`)}, "m custom:b"},
		{"removed by an edit", []string{marked("m", "a"), system("s", "x"), edit("e", "", "m", "null"), edit("f", "", "s", "null"), compaction("c", "", "c")}, ""},
		{"one of two removed by an edit", []string{marked("m", "a"), marked("n", "a"), edit("e", "", "m", "null"), compaction("c", "", "c")}, "n custom:a"},
		{"in the context otherwise, by an edit", []string{sessionInit("i", "", "do it"), user("u", "", "do it"), compaction("c", "", "u"), edit("e", "", "u", `{"content":"x"}`)}, "i user:do it"},

		{"kept, and edited by what is not", []string{edit("e", "", "m", `{"content":"b"}`), marked("m", "a"), compaction("c", "", "m")}, ""},
		{"no prompt for a system message removed by an edit", []string{sessionInit("i", "p", "t"), system("s", "x"), edit("e", "", "s", "null"), compaction("c", "", "c")}, "i user:t"},

		{"before a reset", []string{sessionInit("i", "p", "t"), system("s", "a"), marked("m", "a"), reset("r"), marked("n", "b"), compaction("c", "", "c")}, "n custom:b"},
		{"two resets", []string{marked("m", "a"), reset("r"), marked("n", "b"), reset("q"), marked("o", "c"), compaction("c", "", "c")}, "o custom:c"},
		{"reset after the compaction", []string{marked("m", "a"), compaction("c", "", "c"), reset("r"), user("u", "", "")}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := words(convo.InitialContext(threaded(t, c.lines))); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// What other branches have is neither initial context nor said.
func TestInitialContextBranch(t *testing.T) {
	t.Parallel()
	child := func(raw, parent string) string {
		return strings.Replace(raw, `"parentId":null`, `"parentId":`+quote(parent), 1)
	}
	s := parse(t, marked("m", "a"), user("u", "m", ""), child(marked("x", "other"), "u"), compaction("y", "x", "y"),
		child(marked("n", "b"), "u"), compaction("c", "n", "c"), user("v", "c", ""), child(marked("z", "a"), "c"))
	for leaf, want := range map[string]string{
		"u": "", "y": "m custom:a, x custom:other", "v": "m custom:a, n custom:b", "z": "n custom:b",
	} {
		i, _ := s.Index(leaf)
		path, _ := s.Path(i)
		if got := words(convo.InitialContext(path)); got != want {
			t.Errorf("%s: %q, want %q", leaf, got, want)
		}
	}
}

// Messages made of a session_init have its time.
func TestInitialContextTime(t *testing.T) {
	t.Parallel()
	var got []string
	for _, p := range convo.InitialContext(threaded(t, []string{sessionInit("i", "p", "t"), compaction("c", "", "c")})) {
		got = append(got, texts(p.Messages)...)
	}
	want := []string{
		`{"role":"system","content":"p","timestamp":1767323046000}`,
		`{"role":"user","content":[{"type":"text","text":"t"}],"timestamp":1767323046000}`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
}
