package all_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sess-tools/sess/internal/agents/all"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/core/render"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// exchanges makes a session of replies with calls and of results that stand in
// their place, early or late, twice, or without a call. Each call and each result
// says a text of its own.
func exchanges(t *rapid.T) string {
	ids, tools := rapid.SampledFrom([]string{"a", "b", "c", "d"}), rapid.SampledFrom([]string{"bash", "bash", "read"})
	lines := []string{`{"type":"session","version":3,"id":"019a0000-0000-7000-8000-000000000001","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/tmp"}`}
	parent := "null"
	add := func(message string) {
		n := len(lines)
		lines = append(lines, fmt.Sprintf(`{"type":"message","id":"%08x","parentId":%s,"timestamp":"2026-01-02T03:04:%02d.000Z","message":%s}`, n, parent, n, message))
		parent = fmt.Sprintf(`"%08x"`, n)
	}
	add(`{"role":"user","content":[{"type":"text","text":"go"}],"timestamp":1}`)
	for n := range rapid.IntRange(1, 12).Draw(t, "messages") {
		switch rapid.IntRange(0, 9).Draw(t, "kind") {
		case 0:
			add(fmt.Sprintf(`{"role":"user","content":[{"type":"text","text":"user %d"}],"timestamp":1}`, n))
		case 1, 2, 3:
			var calls []string
			for k, id := range rapid.SliceOfNDistinct(ids, 1, 3, rapid.ID).Draw(t, "calls") {
				calls = append(calls, fmt.Sprintf(`{"type":"toolCall","id":%q,"name":%q,"arguments":{"n":"call %d.%d"}}`, id, tools.Draw(t, "tool"), n, k))
			}
			stop := rapid.SampledFrom([]string{"toolUse", "toolUse", "toolUse", "error"}).Draw(t, "stop")
			add(fmt.Sprintf(`{"role":"assistant","content":[{"type":"text","text":"reply %d"},%s],"api":"x","provider":"p","model":"m","usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":%q,"timestamp":1}`,
				n, strings.Join(calls, ","), stop))
		default:
			add(fmt.Sprintf(`{"role":"toolResult","toolCallId":%q,"toolName":%q,"content":[{"type":"text","text":"result %d"}],"isError":false,"timestamp":1}`,
				ids.Draw(t, "id"), tools.Draw(t, "tool"), n))
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

type require interface {
	formatstest.T
	Fatalf(format string, args ...any)
}

// answers returns "call → result" of every call a model is shown, as convo.Pair
// pairs them.
func answers(messages []session.Message) []string {
	var out []string
	for i, p := range convo.Pair(messages) {
		if messages[i].Failed() {
			continue
		}
		result := map[int]string{}
		for _, r := range p.Results {
			result[r.Call] = messages[r.Message].Text("")
		}
		for n, c := range p.Calls {
			text, ok := result[n]
			if !ok {
				text = convo.NoResult
			}
			out = append(out, said(c.Arguments)+" → "+text)
		}
	}
	return out
}

func said(arguments string) string {
	var a struct{ N string }
	_ = json.Unmarshal([]byte(arguments), &a) // what is none says nothing
	return a.N
}

// A block is one of a message of a request, or a call of the chat completions API.
type block struct {
	Type, Text, ID string
	Function       struct{ Arguments string }
	Input, Content json.RawMessage
	ToolUseID      string `json:"tool_use_id"`
}

// shownBy returns the same of a request of a view.
func shownBy(t require, request string) []string {
	type message struct {
		Content    json.RawMessage
		ToolCalls  []block `json:"tool_calls"`
		ToolCallID string  `json:"tool_call_id"`
	}
	whole := struct{ Messages []message }{}
	if strings.HasPrefix(request, "[") {
		request = `{"messages":` + request + "}"
	}
	if err := json.Unmarshal([]byte(request), &whole); err != nil {
		t.Fatalf("%v: %s", err, request)
	}
	var order []string
	calls, results := map[string]string{}, map[string]string{}
	for _, m := range whole.Messages {
		for _, c := range m.ToolCalls {
			order, calls[c.ID] = append(order, c.ID), said(c.Function.Arguments)
		}
		results[m.ToolCallID] = textIn(m.Content)
		var blocks []block
		_ = json.Unmarshal(m.Content, &blocks) // a string has none
		for _, b := range blocks {
			switch b.Type {
			case "tool_use":
				order, calls[b.ID] = append(order, b.ID), said(string(b.Input))
			case "tool_result":
				results[b.ToolUseID] = textIn(b.Content)
			}
		}
	}
	var out []string
	for _, id := range order {
		out = append(out, calls[id]+" → "+results[id])
	}
	return out
}

// textIn returns the text of a content: a string, or blocks.
func textIn(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var blocks []block
	_ = json.Unmarshal(content, &blocks) // or there is none
	for _, b := range blocks {
		text += b.Text
	}
	return text
}

// Laws: each view of a context shows each call with the result that convo.Pair
// gives it, and each format that holds calls does so when the session comes back
// from it.
func TestPairing(t *testing.T) {
	t.Parallel()
	if paired(t, t, must.Read(t, "testdata/early.jsonl")); t.Failed() {
		return
	}
	rapid.Check(t, func(rt *rapid.T) { paired(t, rt, exchanges(rt)) })
}

// holders are the formats that hold calls, with the versions that are written.
var holders = map[string][]string{"codex": {"legacy", "paginated"}, "opencode": {""}, "claude": {""}, "pi": {""}}

type fataler interface {
	require
	Errorf(string, ...any)
}

func paired(t *testing.T, rt fataler, text string) {
	s := formatstest.Parse(rt, text)
	messages := formatstest.Shown(s)
	want := answers(messages)
	compare := func(name string, got []string) {
		if !slices.Equal(got, want) {
			rt.Errorf("%s: %q, want %q\n%s", name, got, want, text)
		}
	}
	openai, _ := render.OpenAI(messages, render.Options{})
	compare("openai", shownBy(rt, openai.String()))
	anthropic, _ := render.Anthropic(messages, render.Options{})
	compare("anthropic", shownBy(rt, anthropic.String()))
	for _, f := range all.Formats() {
		for _, version := range holders[f.About().Name] {
			compare(f.About().Name+" "+version, answers(formatstest.Shown(there(t, rt, f, s, version))))
		}
	}
}

// there exports a session and imports what comes of it.
func there(t *testing.T, rt require, f formats.Format, s *session.Session, version string) *session.Session {
	out, _ := formatstest.Export(t, f, s, version)
	src := &formats.Source{Path: formatstest.File(t, "x.jsonl", out)}
	defer src.Close()
	a, err := f.Open(t.Context(), src)
	if err != nil {
		rt.Fatalf("%s: %v", f.About().Name, err)
	}
	defer a.Close()
	for info, err := range a.List(t.Context(), formats.Query{}) {
		if err != nil {
			rt.Fatalf("%s: %v", f.About().Name, err)
		}
		return formatstest.Parse(rt, formatstest.Read(t, f, a, info).Text())
	}
	rt.Fatalf("%s: nothing there", f.About().Name)
	return nil
}
