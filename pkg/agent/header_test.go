package agent_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/sess-tools/sess/pkg/agent"
)

const made = `# a map
module {
  interface: 1, name: "made", program: "Made # up", "summary": "sessions of \"Made\"", # a comment with "quotes", and true: 1
  homes: "~/.made", signs: ["\"a\": 1", "\\"], weight: 1.5e3, true: false, null: null,
  tools: {run: "zap", read: ["look", "see"]}, resume: ["made", "--go-on", "ID"], running: ["MADE_ID", "MADE_OLD"], zero: "zap", mark: "MADE", grows: false, # the last
};
def value: "};";
`

func TestParseHeader(t *testing.T) {
	t.Parallel()
	got, err := agent.ParseHeader(made)
	want := agent.Agent{
		Name: "made", Program: "Made # up", Summary: `sessions of "Made"`, Homes: []string{"~/.made"}, Signs: []string{`"a": 1`, `\`},
		Zero: []string{"zap"}, Tools: []agent.Tools{{"read", []string{"look", "see"}}, {"run", []string{"zap"}}},
		Resume: []string{"made", "--go-on", "ID"}, Running: []string{"MADE_ID", "MADE_OLD"}, Mark: "MADE", Map: true,
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v\n%+v\nwant\n%+v", err, got, want)
	}
	if got, err := agent.ParseHeader("module {name: \"x\"}; def value: {}; # one line"); err != nil || !got.Grows || got.Name != "x" {
		t.Errorf("%v %+v", err, got)
	}
	for text, want := range map[string]string{
		"def value: 1;":                     "a map begins with module",
		"module {name: };":                  "the header: ",
		"module {name: 1};":                 "the member name of the header is not a string",
		"module {homes: [1]};":              "the member homes of the header is not a list of strings",
		"module {zero: {}};":                "the member zero of the header is not a list of strings",
		"module {grows: \"yes\"};":          "the member grows of the header is not true or false",
		"module {tools: [\"run\"]};":        "the member tools of the header is not an object of lists of strings",
		"module {tools: {run: {a: \"b\"}}}": "the member tools of the header is not an object of lists of strings",
	} {
		if _, err := agent.ParseHeader(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
