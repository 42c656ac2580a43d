package jqmap_test

import (
	"encoding/json"
	"testing"

	"github.com/itchyny/gojq"

	"github.com/sess-tools/sess/pkg/agent"
)

// What jq takes for the header of a map has the members for package agent that it has for jq.
func FuzzHeader(f *testing.F) {
	f.Add("# a map\nmodule {\n  name: \"a\", \"summary\": \"s\", # why\n  homes: \"~/.a\", weight: 1.5e3, true: false, null: null, tools: {run: [\"b\"]}\n};\ndef value: 1;")
	f.Add("module {name: \"a\", homes: []\n};")
	f.Add(`module {name: "\u00e9\n", grows: true};`)
	f.Fuzz(func(t *testing.T, text string) {
		got, err := agent.ParseHeader(text)
		q, jerr := gojq.Parse(agent.HeaderText(text))
		if jerr != nil || q.Meta == nil {
			return
		}
		want := q.Meta.ToValue()
		if err != nil {
			for _, name := range agent.HeaderMembers() { // one of them is not what it has to be
				if want[name] != nil {
					return
				}
			}
			t.Fatalf("%s\n%v, and jq takes it", text, err)
		}
		for name, text := range map[string]string{"name": got.Name, "program": got.Program, "summary": got.Summary, "mark": got.Mark} {
			if w, _ := want[name].(string); w != text {
				t.Errorf("%s is %q, and %q for jq", name, text, w)
			}
		}
		if w, ok := want["homes"].([]any); ok {
			a, _ := json.Marshal(w)
			b, _ := json.Marshal(append([]string{}, got.Homes...))
			if string(a) != string(b) {
				t.Errorf("homes are %s, and %s for jq", b, a)
			}
		}
	})
}
