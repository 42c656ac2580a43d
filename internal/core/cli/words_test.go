package cli

import (
	"slices"
	"strings"
	"testing"
)

// The table is sorted, and none of its words is one that was given up everywhere. Two words have two
// texts, and a word with two lines sets what it selects.
func TestTable(t *testing.T) {
	t.Parallel()
	texts := map[string]string{}
	for i, w := range words {
		if i > 0 && words[i-1].name >= w.name {
			t.Errorf("%s stands behind %s", w.name, words[i-1].name)
		}
		if strings.HasSuffix(w.name, "!") {
			continue
		}
		if other := texts[plain(w.text)]; other != "" {
			t.Errorf("--%s and --%s: %s", other, w.name, w.text)
		}
		texts[plain(w.text)] = w.name
		if strings.HasSuffix(w.name, "=") && slices.ContainsFunc(words, func(o word) bool { return o.name == w.bare() && !strings.HasPrefix(o.text, "only ") }) {
			t.Errorf("--%s sets something and does not select by it", w.bare())
		}
	}
	for letter, name := range letters {
		if !slices.ContainsFunc(words, func(w word) bool { return w.bare() == name }) {
			t.Errorf("-%s is --%s, which is no word", letter, name)
		}
	}
	for _, r := range gone {
		if name := strings.Fields(strings.TrimPrefix(r.now, "--"))[0]; r.tool == "" && strings.HasPrefix(r.now, "--") && !slices.ContainsFunc(words, func(w word) bool { return w.bare() == name }) {
			t.Errorf("instead of --%s there is --%s, which is no word", r.flag, name)
		}
	}
}

// What tools could do wrong is seen.
func TestDrift(t *testing.T) {
	t.Parallel()
	var b bool
	var s string
	tool := func(name string, flags ...Flag) Description {
		return Describe(Tool{Name: name, New: func() ([]Flag, Action) { return flags, nil }})
	}
	own := tool("sess-a", Bool(&b, "strict", "a loss"), String(&s, "leaf, l", "", ""), String(&s, "mine", "", "keep `N`"))
	tests := []struct {
		name  string
		other Description
		want  string // in the one complaint, none if it is ""
	}{
		{"the same", tool("sess-b", Bool(&b, "strict", "damage"), String(&s, "leaf", "", ", or by a rule")), ""},
		{"a second meaning", tool("sess-b", declaredAs("leaf", "throw away `LEAF`")), "--leaf has another meaning"},
		{"another value", tool("sess-b", declaredAs("leaf", "the path ends at `N`")), "--leaf has another meaning"},
		{"a switch of a word with a value", tool("sess-b", Bool(&b, "output", "")), "--output has another meaning"},
		{"a synonym of a word", tool("sess-b", String(&s, "tip", "", "the path ends at `REF`")), "--tip means what --leaf does"},
		{"a synonym of a tool's own", tool("sess-b", String(&s, "yours", "", "Keep `N`.")), "--mine and --yours mean the same"},
		{"a flag of two tools", tool("sess-b", String(&s, "mine", "", "dig `N`")), "--mine is a flag of sess-a and of sess-b"},
		{"a letter of another", tool("sess-b", String(&s, "limb, l", "", "saw off `N`")), "-l is --limb"},
		{"a letter alone", tool("sess-b", Bool(&b, "z", "sleep")), "-z has no name"},
		{"a word that was given up", tool("sess-b", String(&s, "older-than", "", "be `WHEN`")), "--older-than was given up, for --until"},
		{"a dialect of others", tool("sess-b", Bool(&b, "quiet!, q", "")), "--quiet has another meaning"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := Drift([]Description{own, tt.other})
			switch {
			case tt.want == "" && len(got) > 0, tt.want != "" && (len(got) != 1 || !strings.Contains(got[0], tt.want)):
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// declaredAs is a flag as a tool would declare it without the table.
func declaredAs(name, usage string) Flag {
	var s string
	f := String(&s, "x", "", usage).(declared)
	f.names = []string{name}
	return f
}

// A flag that was given up is an error that says what there is now, if the tool has that.
func TestGivenUp(t *testing.T) {
	t.Parallel()
	var s string
	for args, want := range map[string]string{
		"--older-than=3d": "now it is --until", "--top 3": "see sess-demo --help", "--unti 3d": "did you mean --until?",
	} {
		var out, errs strings.Builder
		tool := Tool{Name: "sess-demo", New: func() ([]Flag, Action) { return []Flag{String(&s, "until", "", "rows")}, nil }}
		if status := Run(t.Context(), tool, strings.NewReader(""), &out, &errs, strings.Fields(args)); status != ExitUsage || !strings.Contains(errs.String(), "hint: "+want) {
			t.Errorf("%s: %d, %s", args, status, errs.String())
		}
	}
}

func TestClosest(t *testing.T) {
	t.Parallel()
	words := []string{"user", "assistant", "system", "toolResult", "label", "leaf"}
	for word, want := range map[string]string{
		"usr": "user", "assistent": "assistant", "lable": "label", "toolresult": "toolResult", "level": "", "x": "", "": "", "zebra": "",
	} {
		if got, ok := Closest(word, words); got != want || ok != (want != "") {
			t.Errorf("%q is like %q, want %q", word, got, want)
		}
	}
}
