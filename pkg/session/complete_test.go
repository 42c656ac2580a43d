package session_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

const zeroUsage = `{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,` + zeroCost + `}`

const zeroCost = `"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}`

func TestCompleteMessages(t *testing.T) {
	t.Parallel()
	const now = `,"timestamp":1767323045678}`
	const text = `[{"type":"text","text":"x"}]`
	for _, c := range []struct{ name, in, want string }{
		{"user", `{"role":"user","content":"x"}`, `{"role":"user","content":` + text + now},
		{"user, empty", `{"role":"user","content":""}`, `{"role":"user","content":[{"type":"text","text":""}]` + now},
		{"user, escapes stay", `{"role":"user","content":"\u0041\ud800"}`, `{"role":"user","content":[{"type":"text","text":"\u0041\ud800"}]` + now},
		{"user, complete", `{"role":"user","content":[{"type":"image","data":"","mimeType":"x"}],"timestamp":9}`, `{"role":"user","content":[{"type":"image","data":"","mimeType":"x"}],"timestamp":9}`},
		{"developer", `{"role":"developer","content":"x"}`, `{"role":"developer","content":` + text + now},
		{"system keeps its string", `{"role":"system","content":"x"}`, `{"role":"system","content":"x"` + now},
		{
			"assistant", `{"role":"assistant","content":"x"}`,
			`{"role":"assistant","content":` + text + `,"api":"unknown","provider":"unknown","model":"unknown","usage":` + zeroUsage + `,"stopReason":"stop"` + now,
		},
		{
			"assistant, tool call", `{"role":"assistant","content":[{"type":"toolCall","id":"t","name":"f","arguments":{}}],"model":"m"}`,
			`{"role":"assistant","content":[{"type":"toolCall","id":"t","name":"f","arguments":{}}],"model":"m","api":"unknown","provider":"unknown","usage":` + zeroUsage + `,"stopReason":"toolUse"` + now,
		},
		{
			"assistant, partial usage", `{"role":"assistant","usage":{"output":2,"input":1,"odd":1.0},"content":[],"api":"a","provider":"p","model":"m","stopReason":"length","timestamp":1}`,
			`{"role":"assistant","usage":{"output":2,"input":1,"odd":1.0,"cacheRead":0,"cacheWrite":0,"totalTokens":3,` + zeroCost + `},"content":[],"api":"a","provider":"p","model":"m","stopReason":"length","timestamp":1}`,
		},
		{
			"tool result", `{"role":"toolResult","toolCallId":"t","toolName":"f","content":"x"}`,
			`{"role":"toolResult","toolCallId":"t","toolName":"f","content":` + text + `,"isError":false` + now,
		},
		{
			"bash", `{"role":"bashExecution","command":"ls","truncated":true}`,
			`{"role":"bashExecution","command":"ls","truncated":true,"output":"","cancelled":false` + now,
		},
		{"python", `{"role":"pythonExecution","code":"1"}`, `{"role":"pythonExecution","code":"1"` + now},
		{"files", `{"role":"fileMention","files":[]}`, `{"role":"fileMention","files":[]` + now},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e, err := newBatch().AddMessage(session.NewMessage(c.in))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, e.Get("message")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What another API calls its own would be stored and never seen again.
func TestForeignShapes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, what string }{
		{`{"role":"assistant","content":"x","tool_calls":[{"id":"c"}]}`, "the member tool_calls beside the content"},
		{`{"role":"assistant","content":"x","function_call":{}}`, "the member function_call beside the content"},
		{`{"role":"assistant","content":[{"type":"text","text":"x"},{"type":"tool_use","id":"c","name":"n","input":{}}]}`, "a content block of type tool_use"},
		{`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c"}]}`, "a content block of type tool_result"},
		{`{"role":"user","content":[{"type":"image_url","image_url":{}}]}`, "a content block of type image_url"},
		{`{"role":"user","content":[{"type":"input_text","text":"x"}]}`, "a content block of type input_text"},
		{`{"role":"user","content":[{"type":"a b","text":"x"}]}`, `a content block of type "a b"`},
		{`{"role":"user","content":[{"type":"image","source":{"data":"x"}}]}`, "an image block without data"},
		{`{"role":"assistant","content":[{"type":"thinking","thinking":"x","signature":"s"}]}`, "a thinking block whose signature is not called thinkingSignature"},
		{`{"role":"user","content":[{"text":"x"}]}`, "a content element that is no block with a type"},
		{`{"role":"user","content":["x"]}`, "a content element that is no block with a type"},
		{`{"role":"assistant","content":"x","usage":{"prompt_tokens":3,"completion_tokens":9,"total_tokens":12}}`, "a usage without one counter that is known: input, output, cacheRead, cacheWrite, totalTokens"},
		{`{"role":"assistant","content":"x","usage":{"input_tokens":3}}`, "a usage without one counter that is known: input, output, cacheRead, cacheWrite, totalTokens"},

		{`{"role":"assistant","content":"x","usage":{"prompt_tokens":3,"input":3}}`, ""},
		{`{"role":"assistant","content":"x","usage":{}}`, ""},
		{`{"role":"assistant","content":"x","usage":{"cost":{"total":1}}}`, ""},
		{`{"role":"user","content":"x","tool_calls":[]}`, ""},
		{`{"role":"assistant","content":[{"type":"redactedThinking","data":"x"},{"type":"thinking","thinking":"x","thinkingSignature":"s"},{"type":"toolCall","id":"c","name":"n","arguments":{"type":"tool_use"}}]}`, ""},
		{`{"role":"fileMention","files":[{"path":"x"}]}`, ""},
	} {
		m := session.NewMessage(tt.in)
		if got := m.Foreign(); got != tt.what {
			t.Errorf("%s\nis foreign for %q, want %q", tt.in, got, tt.what)
		}
		_, err := newBatch().AddMessage(m)
		if foreign := errors.Is(err, session.ErrForeign); foreign != (tt.what != "") || foreign && !errors.Is(err, session.ErrRefused) {
			t.Errorf("%s: %v", tt.in, err)
		}
		forced := newBatch()
		forced.Force = true
		if _, err := forced.AddMessage(m); err != nil {
			t.Errorf("%s, forced: %v", tt.in, err)
		}
	}
}

// The roles that are listed are those that a batch takes.
func TestRoles(t *testing.T) {
	t.Parallel()
	for _, role := range append(session.Roles(), "boss") {
		_, err := newBatch().AddMessage(session.NewTextMessage(role, "x"))
		if unknown := err != nil && strings.Contains(err.Error(), "unknown role"); unknown != (role == "boss") {
			t.Errorf("%s: %v", role, err)
		}
	}
}

func TestCompleteDefaults(t *testing.T) {
	t.Parallel()
	b := newBatch()
	b.Defaults = session.Defaults{API: "a", Provider: "p", Model: "m", StopReason: "length", Usage: `{"input":5}`}
	e, err := b.AddMessage(session.NewTextMessage("assistant", "x", js.StringField("model", "own")))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"role":"assistant","content":[{"type":"text","text":"x"}],"model":"own","api":"a","provider":"p",` +
		`"usage":{"input":5,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":5,` + zeroCost + `},"stopReason":"length","timestamp":1767323045678}`
	if diff := cmp.Diff(want, e.Get("message")); diff != "" {
		t.Error(diff)
	}
	b.Defaults.Usage = "7"
	if _, err := b.AddMessage(session.NewTextMessage("assistant", "x")); !errors.Is(err, session.ErrRefused) {
		t.Errorf("a usage of 7: %v", err)
	}
	custom, err := newBatch().AddMessage(session.NewTextMessage("custom", "x", js.StringField("customType", "c"), js.Field{Name: "display", Raw: "false"}))
	if want := `{"type":"custom_message","customType":"c","content":"x","display":false,` + base + `}`; err != nil || custom.Raw() != want {
		t.Errorf("%v, %s", err, custom.Raw())
	}
}
