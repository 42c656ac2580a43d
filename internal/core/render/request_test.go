package render_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/core/render"
	"github.com/sess-tools/sess/pkg/session"
)

const pixel = "iVBORw0KGgo="

// parse makes messages of lines of JSON.
func parse(lines ...string) []session.Message {
	var out []session.Message
	for _, line := range lines {
		out = append(out, session.NewMessage(line))
	}
	return out
}

func user(text string) string { return `{"role":"user","content":"` + text + `"}` }

func says(blocks ...string) string {
	return `{"role":"assistant","content":[` + strings.Join(blocks, ",") + `],"stopReason":"stop"}`
}

func text(s string) string { return `{"type":"text","text":"` + s + `"}` }

func calls(id string) string {
	return `{"type":"toolCall","id":"` + id + `","name":"read","arguments":{"path":"a"}}`
}

func result(id, text string) string {
	return `{"role":"toolResult","toolCallId":"` + id + `","toolName":"read","content":[{"type":"text","text":"` + text + `"}]}`
}

func failed(stop string, blocks ...string) string {
	return strings.Replace(says(blocks...), `"stop"`, `"`+stop+`"`, 1)
}

// What the requests of the tables are made of.
func oaUser(text string) string { return `{"role":"user","content":"` + text + `"}` }

func oaCall(id string) string {
	return `{"id":"` + id + `","type":"function","function":{"name":"read","arguments":"{\"path\":\"a\"}"}}`
}

func oaCalls(calls ...string) string {
	return `{"role":"assistant","content":null,"tool_calls":[` + strings.Join(calls, ",") + `]}`
}

func oaTool(id, text string) string {
	return `{"role":"tool","tool_call_id":"` + id + `","content":"` + text + `"}`
}

func anUser(blocks ...string) string {
	return `{"role":"user","content":[` + strings.Join(blocks, ",") + `]}`
}

func anSays(blocks ...string) string {
	return `{"role":"assistant","content":[` + strings.Join(blocks, ",") + `]}`
}

func anUse(id string) string {
	return `{"type":"tool_use","id":"` + id + `","name":"read","input":{"path":"a"}}`
}

func anResult(id, content string) string {
	return `{"type":"tool_result","tool_use_id":"` + id + `","content":[` + text(content) + `]}`
}

const anMissing = `,"content":[{"type":"text","text":"No result provided"}],"is_error":true}`

// requests are conversations with the request each API gets for it. Repairs
// are those of both, unless anRepairs gives Anthropic's.
var requests = []struct {
	name              string
	in                []string
	openAI, anthropic []string
	repairs           []string
	anRepairs         []string
}{
	{name: "empty"},
	{
		name:      "plain",
		in:        []string{user("hi"), says(text("ho")), user("on")},
		openAI:    []string{oaUser("hi"), `{"role":"assistant","content":"ho"}`, oaUser("on")},
		anthropic: []string{anUser(text("hi")), anSays(text("ho")), anUser(text("on"))},
	},
	{
		name:      "call and result",
		in:        []string{user("hi"), says(text("so"), calls("c1")), result("c1", "out"), user("on")},
		openAI:    []string{oaUser("hi"), strings.Replace(oaCalls(oaCall("c1")), "null", `"so"`, 1), oaTool("c1", "out"), oaUser("on")},
		anthropic: []string{anUser(text("hi")), anSays(text("so"), anUse("c1")), anUser(anResult("c1", "out"), text("on"))},
	},
	{
		name:      "results in the order they came",
		in:        []string{user("hi"), says(calls("c1"), calls("c2")), result("c2", "two"), result("c1", "one")},
		openAI:    []string{oaUser("hi"), oaCalls(oaCall("c1"), oaCall("c2")), oaTool("c2", "two"), oaTool("c1", "one")},
		anthropic: []string{anUser(text("hi")), anSays(anUse("c1"), anUse("c2")), anUser(anResult("c2", "two"), anResult("c1", "one"))},
	},
	{
		name:      "failed attempts are left out",
		in:        []string{user("hi"), failed("error", text("x"), calls("c1")), result("c1", "out"), failed("aborted"), says(text("ho"))},
		openAI:    []string{oaUser("hi"), `{"role":"assistant","content":"ho"}`},
		anthropic: []string{anUser(text("hi")), anSays(text("ho"))},
		repairs: []string{
			"message 2: assistant message with stopReason error left out, and the result of its call",
			"message 4: assistant message with stopReason aborted left out",
		},
	},
	{
		name:      "failed attempt with several results between a call and its result",
		in:        []string{user("hi"), says(calls("c1")), failed("aborted", calls("c2"), calls("c3")), result("c1", "one"), result("c2", "two"), result("c3", "three")},
		openAI:    []string{oaUser("hi"), oaCalls(oaCall("c1")), oaTool("c1", "one")},
		anthropic: []string{anUser(text("hi")), anSays(anUse("c1")), anUser(anResult("c1", "one"))},
		repairs:   []string{"message 3: assistant message with stopReason aborted left out, and 2 results of its calls"},
	},
	{
		name:      "call without result before a user message and at the end",
		in:        []string{user("hi"), says(calls("c1")), user("on"), says(calls("c2"))},
		openAI:    []string{oaUser("hi"), oaCalls(oaCall("c1")), oaTool("c1", "No result provided"), oaUser("on"), oaCalls(oaCall("c2")), oaTool("c2", "No result provided")},
		anthropic: []string{anUser(text("hi")), anSays(anUse("c1")), anUser(`{"type":"tool_result","tool_use_id":"c1"`+anMissing, text("on")), anSays(anUse("c2")), anUser(`{"type":"tool_result","tool_use_id":"c2"` + anMissing)},
		repairs: []string{
			`message 2: call "c1" has no result: "No result provided" put in`,
			`message 4: call "c2" has no result: "No result provided" put in`,
		},
	},
	{
		name:      "result without call",
		in:        []string{result("c0", "lost"), user("hi")},
		openAI:    []string{oaUser("hi")},
		anthropic: []string{anUser(text("hi"))},
		repairs:   []string{`message 1: tool result dropped: no call "c0" before it`},
	},
	{
		name:      "duplicate result",
		in:        []string{user("hi"), says(calls("c1")), result("c1", "one"), result("c1", "again")},
		openAI:    []string{oaUser("hi"), oaCalls(oaCall("c1")), oaTool("c1", "one")},
		anthropic: []string{anUser(text("hi")), anSays(anUse("c1")), anUser(anResult("c1", "one"))},
		repairs:   []string{`message 4: tool result dropped: call "c1" already has one`},
	},
	{
		name:      "late result",
		in:        []string{user("hi"), says(calls("c1")), user("on"), result("c1", "late")},
		openAI:    []string{oaUser("hi"), oaCalls(oaCall("c1")), oaTool("c1", "late"), oaUser("on")},
		anthropic: []string{anUser(text("hi")), anSays(anUse("c1")), anUser(anResult("c1", "late"), text("on"))},
		repairs:   []string{`message 4: tool result moved behind its call "c1" in message 2`},
	},
	{
		name:      "early result",
		in:        []string{user("hi"), result("c1", "early"), says(calls("c1"))},
		openAI:    []string{oaUser("hi"), oaCalls(oaCall("c1")), oaTool("c1", "early")},
		anthropic: []string{anUser(text("hi")), anSays(anUse("c1")), anUser(anResult("c1", "early"))},
		repairs:   []string{`message 2: tool result moved behind its call "c1" in message 3`},
	},
	{
		name:      "two early results of one call",
		in:        []string{user("hi"), result("c1", "early"), result("c1", "again"), says(calls("c1"))},
		openAI:    []string{oaUser("hi"), oaCalls(oaCall("c1")), oaTool("c1", "early")},
		anthropic: []string{anUser(text("hi")), anSays(anUse("c1")), anUser(anResult("c1", "early"))},
		repairs: []string{
			`message 2: tool result moved behind its call "c1" in message 4`,
			`message 3: tool result dropped: no call "c1" before it`,
		},
	},
	{
		name:      "early result of the second call",
		in:        []string{user("hi"), result("c2", "early"), says(calls("c1"), calls("c2"))},
		openAI:    []string{oaUser("hi"), oaCalls(oaCall("c1"), oaCall("c2")), oaTool("c2", "early"), oaTool("c1", "No result provided")},
		anthropic: []string{anUser(text("hi")), anSays(anUse("c1"), anUse("c2")), anUser(anResult("c2", "early"), `{"type":"tool_result","tool_use_id":"c1"`+anMissing)},
		repairs: []string{
			`message 2: tool result moved behind its call "c2" in message 3`,
			`message 3: call "c1" has no result: "No result provided" put in`,
		},
	},
	{
		name:      "early result of a call that has its own",
		in:        []string{user("hi"), result("c1", "early"), says(calls("c1")), result("c1", "own")},
		openAI:    []string{oaUser("hi"), oaCalls(oaCall("c1")), oaTool("c1", "own")},
		anthropic: []string{anUser(text("hi")), anSays(anUse("c1")), anUser(anResult("c1", "own"))},
		repairs:   []string{`message 2: tool result dropped: no call "c1" before it`},
	},
	{
		name:      "early result of another tool, call without result",
		in:        []string{user("hi"), strings.Replace(result("c1", "early"), `"read"`, `"ls"`, 1), says(calls("c1"))},
		openAI:    []string{oaUser("hi"), oaCalls(oaCall("c1")), oaTool("c1", "No result provided")},
		anthropic: []string{anUser(text("hi")), anSays(anUse("c1")), anUser(`{"type":"tool_result","tool_use_id":"c1"` + anMissing)},
		repairs: []string{
			`message 2: tool result dropped: no call "c1" before it`,
			`message 3: call "c1" has no result: "No result provided" put in`,
		},
	},
	{
		name:      "repairs in the order of the messages",
		in:        []string{`{"role":"user","content":[{"type":"audio"},` + text("hi") + `]}`, says(calls("c1"))},
		openAI:    []string{oaUser("hi"), oaCalls(oaCall("c1")), oaTool("c1", "No result provided")},
		anthropic: []string{anUser(text("hi")), anSays(anUse("c1")), anUser(`{"type":"tool_result","tool_use_id":"c1"` + anMissing)},
		repairs: []string{
			`message 1: block of type "audio" left out`,
			`message 2: call "c1" has no result: "No result provided" put in`,
		},
	},
	{
		name:      "early result of another tool",
		in:        []string{user("hi"), strings.Replace(result("c1", "early"), `"read"`, `"ls"`, 1), says(calls("c1")), result("c1", "own")},
		openAI:    []string{oaUser("hi"), oaCalls(oaCall("c1")), oaTool("c1", "own")},
		anthropic: []string{anUser(text("hi")), anSays(anUse("c1")), anUser(anResult("c1", "own"))},
		repairs:   []string{`message 2: tool result dropped: no call "c1" before it`},
	},
	{
		name:      "early result of a failed call",
		in:        []string{user("hi"), result("c1", "early"), failed("error", calls("c1"))},
		openAI:    []string{oaUser("hi")},
		anthropic: []string{anUser(text("hi"))},
		repairs:   []string{"message 3: assistant message with stopReason error left out, and the result of its call"},
	},
	{
		name: "ids that begin anew",
		in:   []string{user("hi"), says(calls("c1")), result("c1", "one"), says(calls("c1")), result("c1", "two")},
		openAI: []string{
			oaUser("hi"), oaCalls(oaCall("c1")), oaTool("c1", "one"),
			oaCalls(oaCall("c1_5e14f601")), oaTool("c1_5e14f601", "two"),
		},
		anthropic: []string{
			anUser(text("hi")), anSays(anUse("c1")), anUser(anResult("c1", "one")),
			anSays(anUse("c1_5e14f601")), anUser(anResult("c1_5e14f601", "two")),
		},
		repairs: []string{"tool call ids replaced because they occur twice or are not what the API takes: 1"},
	},
	{
		name:      "one id twice in one message",
		in:        []string{user("hi"), says(calls("c1"), calls("c1")), result("c1", "one"), result("c1", "two")},
		openAI:    []string{oaUser("hi"), oaCalls(oaCall("c1"), oaCall("c1_5e14f601")), oaTool("c1", "one"), oaTool("c1_5e14f601", "two")},
		anthropic: []string{anUser(text("hi")), anSays(anUse("c1"), anUse("c1_5e14f601")), anUser(anResult("c1", "one"), anResult("c1_5e14f601", "two"))},
		repairs:   []string{"tool call ids replaced because they occur twice or are not what the API takes: 1"},
	},
	{
		name:      "id that only Anthropic refuses",
		in:        []string{user("hi"), says(calls("c|1")), result("c|1", "one")},
		openAI:    []string{oaUser("hi"), oaCalls(oaCall("c|1")), oaTool("c|1", "one")},
		anthropic: []string{anUser(text("hi")), anSays(anUse("c_1_801e1512")), anUser(anResult("c_1_801e1512", "one"))},
		anRepairs: []string{"tool call ids replaced because they occur twice or are not what the API takes: 1"},
	},
	{
		name:      "assistant first",
		in:        []string{says(text("ho")), user("on")},
		openAI:    []string{`{"role":"assistant","content":"ho"}`, oaUser("on")},
		anthropic: []string{anUser(text("(the beginning of the conversation is left out)")), anSays(text("ho")), anUser(text("on"))},
		anRepairs: []string{"conversation begins with an assistant message: a user message put before it"},
	},
	{
		name:      "neighbours",
		in:        []string{user("a"), user("b"), says(text("c")), says(text("d"))},
		openAI:    []string{oaUser("a"), oaUser("b"), `{"role":"assistant","content":"c"}`, `{"role":"assistant","content":"d"}`},
		anthropic: []string{anUser(text("a"), text("b")), anSays(text("c"), text("d"))},
	},
	{
		name:      "developer messages, a role that Anthropic's API does not have",
		in:        []string{`{"role":"developer","content":[{"type":"text","text":"mind"}]}`},
		openAI:    []string{`{"role":"developer","content":"mind"}`},
		anthropic: []string{anUser(text("mind"))},
	},
	{
		name:      "an image of a developer message: the API takes text alone there",
		in:        []string{`{"role":"developer","content":[{"type":"text","text":"mind"},{"type":"text","text":"this"},{"type":"image","mimeType":"image/png","data":"` + pixel + `"}]}`},
		openAI:    []string{`{"role":"developer","content":[` + text("mind") + "," + text("this") + `]}`, `{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,` + pixel + `"}}]}`},
		anthropic: []string{anUser(text("mind"), text("this"), `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"`+pixel+`"}}`)},
	},
	{
		name:      "messages of other roles become what a model reads",
		in:        []string{`{"role":"bashExecution","command":"ls","output":"","exitCode":0}`, `{"role":"bashExecution","command":"x","excludeFromContext":true}`},
		openAI:    []string{oaUser("Ran `ls`\\n(no output)")},
		anthropic: []string{anUser(text("Ran `ls`\\n(no output)"))},
	},
	{
		name:    "messages without content",
		in:      []string{`{"role":"user","content":[]}`, says(), says(`{"type":"thinking","thinking":"x"}`), user("")},
		repairs: []string{"message 1: user message without content left out", "message 2: assistant message without content left out", "message 3: assistant message without content left out", "message 4: user message without content left out"},
	},
	{
		name:      "blank text",
		in:        []string{user(" "), user("hi"), says(text(" \\n"), text("ho"))},
		openAI:    []string{oaUser(" "), oaUser("hi"), `{"role":"assistant","content":" \nho"}`},
		anthropic: []string{anUser(text("hi")), anSays(text("ho"))},
		anRepairs: []string{"message 1: user message without content left out"},
	},
	{
		name:      "text behind calls",
		in:        []string{user("hi"), says(text("a"), calls("c1"), text("b")), result("c1", "out")},
		openAI:    []string{oaUser("hi"), strings.Replace(oaCalls(oaCall("c1")), "null", `"ab"`, 1), oaTool("c1", "out")},
		anthropic: []string{anUser(text("hi")), anSays(text("a"), text("b"), anUse("c1")), anUser(anResult("c1", "out"))},
		anRepairs: []string{"message 2: text behind calls moved in front of them"},
	},
	{
		name:      "blocks of other types",
		in:        []string{`{"role":"user","content":[{"type":"audio"},` + text("hi") + `]}`, says(text("ho"), `{"type":"image","data":"x"}`)},
		openAI:    []string{oaUser("hi"), `{"role":"assistant","content":"ho"}`},
		anthropic: []string{anUser(text("hi")), anSays(text("ho"))},
		repairs:   []string{`message 1: block of type "audio" left out`, `message 2: block of type "image" left out`},
	},
	{
		name:      "name that is none",
		in:        []string{user("hi"), says(strings.Replace(calls("c1"), `"read"`, `"my tool"`, 1)), result("c1", "out")},
		openAI:    []string{oaUser("hi"), oaCalls(strings.Replace(oaCall("c1"), `"read"`, `"my_tool"`, 1)), oaTool("c1", "out")},
		anthropic: []string{anUser(text("hi")), anSays(strings.Replace(anUse("c1"), `"read"`, `"my_tool"`, 1)), anUser(anResult("c1", "out"))},
		repairs:   []string{`message 2: tool name "my tool" replaced by "my_tool"`},
	},
	{
		name:      "lone surrogates and bytes that are not UTF-8",
		in:        []string{user("a\\ud800b\xffc")},
		openAI:    []string{oaUser("a\uFFFDb\uFFFDc")},
		anthropic: []string{anUser(text("a\uFFFDb\uFFFDc"))},
	},
	{
		name:      "halves of a pair in two blocks",
		in:        []string{user("hi"), says(text("\\ud83d"), text("\\ude00"))},
		openAI:    []string{oaUser("hi"), `{"role":"assistant","content":"😀"}`},
		anthropic: []string{anUser(text("hi")), anSays(text("\uFFFD"), text("\uFFFD"))},
	},
}

func TestRequests(t *testing.T) {
	t.Parallel()
	for _, tt := range requests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, repairs := openAIText(parse(tt.in...), render.Options{})
			check(t, "OpenAI", got, "["+strings.Join(tt.openAI, ",")+"]", repairs, tt.repairs)
			if _, err := validOpenAI(got); err != nil {
				t.Error(err)
			}
			want := tt.repairs
			if tt.anRepairs != nil {
				want = tt.anRepairs
			}
			got, repairs = anthropicText(parse(tt.in...), render.Options{})
			check(t, "Anthropic", got, `{"messages":[`+strings.Join(tt.anthropic, ",")+"]}", repairs, want)
			if _, err := validAnthropic(got); err != nil {
				t.Error(err)
			}
		})
	}
}

func check(t *testing.T, api, got, want string, repairs, wantRepairs []string) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s: -want +got\n%s", api, d)
	}
	if d := cmp.Diff(wantRepairs, repairs); d != "" {
		t.Errorf("%s repairs: -want +got\n%s", api, d)
	}
}

func openAIText(messages []session.Message, o render.Options) (string, []string) {
	json, repairs := render.OpenAI(messages, o)
	return json.String(), repairs
}

func anthropicText(messages []session.Message, o render.Options) (string, []string) {
	json, repairs := render.Anthropic(messages, o)
	return json.String(), repairs
}
