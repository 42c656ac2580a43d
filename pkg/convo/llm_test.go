package convo_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

func TestToLLM(t *testing.T) {
	t.Parallel()
	const gone = ""
	says := func(text string) string {
		return `{"role":"user","content":[{"type":"text","text":` + text + `}],"timestamp":5}`
	}
	for _, c := range []struct{ name, in, want string }{
		{"user", `{ "role":"user","content":"x","n":1.0}`, `{ "role":"user","content":"x","n":1.0}`},
		{"assistant", `{"role":"assistant","content":[]}`, `{"role":"assistant","content":[]}`},
		{"tool result", `{"role":"toolResult"}`, `{"role":"toolResult"}`},
		{"system", `{"role":"system","content":"x"}`, `{"role":"system","content":"x"}`},
		{"developer", `{"role":"developer","content":"x"}`, `{"role":"developer","content":"x"}`},
		{"custom, string", `{"role":"custom","customType":"c","content":"x","display":false,"details":1,"timestamp":5}`, says(`"x"`)},
		{"custom, blocks", `{"role":"custom","content":[{"type":"image"}],"timestamp":5}`, `{"role":"user","content":[{"type":"image"}],"timestamp":5}`},
		{"custom, escapes stay", `{"role":"custom","content":"\u0041\ud800","timestamp":5}`, says(`"\u0041\ud800"`)},
		{"hook message", `{"role":"hookMessage","content":"x","timestamp":5}`, says(`"x"`)},
		{
			"branch summary", `{"role":"branchSummary","summary":"s","fromId":"a","timestamp":5}`,
			says(`"The following is a summary of a branch that this conversation came back from:\n\n<summary>\ns</summary>"`),
		},
		{
			"compaction summary", `{"role":"compactionSummary","summary":"s","timestamp":5}`,
			says(`"The conversation history before this point was compacted into the following summary:\n\n<summary>\ns\n</summary>"`),
		},
		{"bash", `{"role":"bashExecution","command":"ls","output":"a\nb","exitCode":0,"timestamp":5}`, says("\"Ran `ls`\\n```\\na\\nb\\n```\"")},
		{"bash, silent", `{"role":"bashExecution","command":"ls","output":"","timestamp":5}`, says("\"Ran `ls`\\n(no output)\"")},
		{"bash, code", `{"role":"bashExecution","command":"ls","exitCode":2,"timestamp":5}`, says("\"Ran `ls`\\n(no output)\\n\\nCommand exited with code 2\"")},
		{"bash, code as a float", `{"role":"bashExecution","command":"ls","exitCode":1.50,"timestamp":5}`, says("\"Ran `ls`\\n(no output)\\n\\nCommand exited with code 1.5\"")},
		{"bash, kinds of zero", `{"role":"bashExecution","command":"ls","exitCode":-0.0,"timestamp":5}`, says("\"Ran `ls`\\n(no output)\"")},
		{"bash, null code", `{"role":"bashExecution","command":"ls","exitCode":null,"timestamp":5}`, says("\"Ran `ls`\\n(no output)\"")},
		{"bash, cancelled wins over the code", `{"role":"bashExecution","command":"ls","exitCode":2,"cancelled":true,"timestamp":5}`, says("\"Ran `ls`\\n(no output)\\n\\n(command cancelled)\"")},
		{"bash, truncated", `{"role":"bashExecution","command":"ls","output":"o","truncated":true,"fullOutputPath":"/f","timestamp":5}`, says("\"Ran `ls`\\n```\\no\\n```\\n\\n[Output truncated. Full output: /f]\"")},
		{"bash, truncated, no path", `{"role":"bashExecution","command":"ls","output":"o","truncated":true,"timestamp":5}`, says("\"Ran `ls`\\n```\\no\\n```\"")},
		{"bash, excluded", `{"role":"bashExecution","command":"ls","excludeFromContext":true}`, gone},
		{"bash, not excluded", `{"role":"bashExecution","command":"ls","excludeFromContext":false,"timestamp":5}`, says("\"Ran `ls`\\n(no output)\"")},
		{"python", `{"role":"pythonExecution","code":"1+1","output":"2","timestamp":5}`, says("\"Ran Python:\\n```python\\n1+1\\n```\\nOutput:\\n```\\n2\\n```\"")},
		{"python, failed", `{"role":"pythonExecution","code":"1","output":"o","exitCode":1,"timestamp":5}`, says("\"Ran Python:\\n```python\\n1\\n```\\nOutput:\\n```\\no\\n```\\n\\nExecution failed with code 1\"")},
		{"python, cancelled", `{"role":"pythonExecution","code":"1","output":"","cancelled":true,"timestamp":5}`, says("\"Ran Python:\\n```python\\n1\\n```\\n(no output)\\n\\n(execution cancelled)\"")},
		{"python, excluded", `{"role":"pythonExecution","code":"1","excludeFromContext":1}`, gone},
		{
			"file mention", `{"role":"fileMention","files":[{"path":"a\"b","content":"x\n"},7,{"path":"c","content":"y"}],"timestamp":5}`,
			says(`"<file path=\"a\\\"b\">\nx\n</file>\n\n<file path=\"c\">\ny\n</file>"`),
		},
		{
			"file mention with images", `{"role":"fileMention","files":[{"path":"a.go","content":"package a"},{"path":"b.png","content":"","image":{"type":"image","data":"AAAA","mimeType":"image/png"}},{"path":"c.png","image":{"data":"BBBB"}},{"path":"d","image":7}],"timestamp":5}`,
			`{"role":"user","content":[{"type":"text","text":"<file path=\"a.go\">\npackage a\n</file>\n\n<file path=\"b.png\">\n</file>\n\n<file path=\"c.png\">\n</file>\n\n<file path=\"d\">\n</file>"},{"type":"image","data":"AAAA","mimeType":"image/png"}],"timestamp":5}`,
		},
		{"file mention without files", `{"role":"fileMention","timestamp":5}`, says(`""`)},
		{"no timestamp", `{"role":"custom","content":[]}`, `{"role":"user","content":[]}`},
		{"unknown", `{"role":"odd","content":"x"}`, gone},
		{"no role", `{"content":"x"}`, gone},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			want := []string{}
			if c.want != gone {
				want = []string{c.want}
			}
			if diff := cmp.Diff(want, texts(convo.ToLLM([]session.Message{session.NewMessage(c.in)}))); diff != "" {
				t.Error(diff)
			}
		})
	}
	if out := convo.ToLLM(nil); out != nil {
		t.Errorf("%v", out)
	}
	if got := array(nil); got != "[]" {
		t.Errorf("no messages are %s", got)
	}
}

func TestFoldSystem(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		in   []string
		want string // "" for none
	}{
		{"none", []string{`{"role":"user","content":"x"}`}, ""},
		{"one", []string{`{"role":"system","content":"a","timestamp":5}`}, `{"role":"system","content":"a","timestamp":5}`},
		{
			"contents of any form, blank ones left out, the first time",
			[]string{`{"role":"system","content":"a"}`, `{"role":"user","content":"x"}`, `{"role":"system","content":"","timestamp":6}`, `{"role":"system","content":[{"type":"text","text":"b"},{"type":"text","text":"c"}],"timestamp":7}`},
			`{"role":"system","content":"a\n\nbc","timestamp":0}`,
		},
		{
			"sections: the last text at the first place, null removes",
			[]string{`{"role":"system","sections":{"s":"1","t":"2","u":"3"},"timestamp":5}`, `{"role":"system","sections":{"s":"9","t":null,"gone":null}}`, `{"role":"system","sections":{"t":"4"}}`},
			`{"role":"system","content":"","sections":{"s":"9","u":"3","t":"4"},"timestamp":5}`,
		},
		{
			"tools: removed before added, a new one of a name at its place",
			[]string{
				`{"role":"system","toolsAdded":[{"name":"a","v":1},{"name":"b","v":1}],"timestamp":5}`,
				`{"role":"system","toolsRemoved":[{"name":"a"},{"name":"gone"}],"toolsAdded":[{"name":"b","v":2},{"name":"a","v":3.0}]}`,
			},
			`{"role":"system","content":"","toolsAdded":[{"name":"b","v":2},{"name":"a","v":3.0}],"timestamp":5}`,
		},
		{
			"all removed",
			[]string{`{"role":"system","sections":{"s":"1"},"toolsAdded":[{"name":"a"}],"timestamp":5}`, `{"role":"system","sections":{"s":null},"toolsRemoved":[{"name":"a"}]}`},
			`{"role":"system","content":"","timestamp":5}`,
		},
		{"other forms", []string{`{"role":"system","content":7,"sections":[],"toolsAdded":"x","toolsRemoved":null,"timestamp":5}`}, `{"role":"system","content":"","timestamp":5}`},
	} {
		var messages []session.Message
		for _, raw := range c.in {
			messages = append(messages, session.NewMessage(raw))
		}
		m, ok := convo.FoldSystem(messages)
		if ok != (c.want != "") || m.Raw() != c.want {
			t.Errorf("%s: %v\n%s, want\n%s", c.name, ok, m.Raw(), c.want)
		}
		if again, ok := convo.FoldSystem([]session.Message{m}); ok && again.Raw() != m.Raw() {
			t.Errorf("%s: folded again it is %s", c.name, again.Raw())
		}
	}
}
