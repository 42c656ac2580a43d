package chat_test

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/agents/chat"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/core/render"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// read imports text, which comes on standard input.
func read(t *testing.T, f formats.Format, text string) []formatstest.Result {
	t.Helper()
	return formatstest.Import(t, f, &formats.Source{Stdin: strings.NewReader(text)}, false)
}

func decoded(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return v
}

// messages are what a model sees of a session.
func messages(t *testing.T, r formatstest.Result) []session.Message {
	t.Helper()
	s := r.Session(t)
	return convo.ToLLM(formatstest.Shown(s))
}

const openAI = `[
 {"role":"system","content":"be brief"},
 {"role":"user","content":"look \u2028 \ud83d\ude00"},
 {"role":"assistant","content":"I read it","tool_calls":[{"id":"call_1","type":"function","function":{"name":"read","arguments":"{\"path\":\"a\",\"n\":1.5}"}},{"id":"call_2","type":"function","function":{"name":"ls","arguments":"{}"}}]},
 {"role":"tool","tool_call_id":"call_1","content":"text"},
 {"role":"tool","tool_call_id":"call_2","content":"none"},
 {"role":"assistant","content":"done"},
 {"role":"user","content":[{"type":"text","text":"and this"},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo="}}]},
 {"role":"assistant","content":"nice"}
]`

const anthropic = `{"model":"claude-x","max_tokens":5,"system":"be brief","messages":[
 {"role":"user","content":"look"},
 {"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"c2ln"},{"type":"text","text":"I read it"},{"type":"tool_use","id":"toolu_1","name":"read","input":{"path":"a"}},{"type":"tool_use","id":"toolu_2","name":"ls","input":{}}]},
 {"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"text"}]},{"type":"tool_result","tool_use_id":"toolu_2","content":"failed","is_error":true},{"type":"text","text":"and this"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}]},
 {"role":"assistant","content":[{"type":"text","text":"nice"}]}
]}`

// What was sent to an API is what sess-path prints for it.
func TestThereAndBack(t *testing.T) {
	t.Parallel()
	o := read(t, chat.OpenAI, openAI)
	got, repairs := render.OpenAI(messages(t, o[0]), render.Options{System: true})
	if diff := cmp.Diff(decoded(t, openAI), decoded(t, got.String())); diff != "" || len(repairs)+len(o[0].Losses) > 0 {
		t.Errorf("openai: %v, %v\n%s", repairs, o[0].Losses, diff)
	}
	a := read(t, chat.Anthropic, anthropic)
	got, repairs = render.Anthropic(messages(t, a[0]), render.Options{System: true})
	want := decoded(t, anthropic).(map[string]any)
	back := decoded(t, got.String()).(map[string]any)
	for _, m := range []map[string]any{want, back} {
		m["messages"] = blocks(m["messages"])
		delete(m, "model")
		delete(m, "max_tokens")
	}
	if diff := cmp.Diff(want, back); diff != "" || len(repairs)+len(a[0].Losses) > 0 {
		t.Errorf("anthropic: %v, %v\n%s", repairs, a[0].Losses, diff)
	}
	if text := a[0].Text(); !strings.Contains(text, `"customType":"anthropic:request","data":{"model":"claude-x","max_tokens":5,"system":"be brief"}`) {
		t.Errorf("the request was not kept: %s", text)
	}
}

// blocks spells contents that are strings as blocks, which are the same.
func blocks(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = blocks(v[i])
		}
	case map[string]any:
		for key, value := range v {
			if text, ok := value.(string); ok && key == "content" {
				v[key] = []any{map[string]any{"type": "text", "text": text}}
			} else {
				v[key] = blocks(value)
			}
		}
	}
	return v
}

// One message each: what becomes of it, what is lost, whether the whole is kept.
func TestMessages(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, message, want, kind string
		whole                     bool
	}{
		{"author", `{"role":"user","name":"ann","content":"x"}`, `"content":[{"type":"text","text":"x"}]`, "", true},
		{"null members", `{"role":"assistant","content":"x","refusal":null,"tool_calls":null}`, `"text":"x"`, "", false},
		{"refusal", `{"role":"assistant","content":null,"refusal":"no"}`, `[{"type":"text","text":"no"}],"details":{"refusal":true}`, "", false},
		{"reasoning of OpenRouter", `{"role":"assistant","content":"x","reasoning":"hm","reasoning_details":[{"type":"reasoning.text","text":"hm"}]}`, `[{"type":"thinking","thinking":"hm"},{"type":"text","text":"x"}]`, "", false},
		{"an item of a tool", `{"type":"function_call_output","call_id":"c","output":"x"}`, `"role":"toolResult","toolCallId":"c","toolName":"unknown","content":[{"type":"text","text":"x"}]`, "", false},
		{"an item of another tool", `{"type":"computer_call_output","call_id":"c","output":{}}`, ``, "context", true},
		{"reasoning", `{"role":"assistant","content":"x","reasoning_content":"hm"}`, `{"type":"thinking","thinking":"hm"}`, "", false},
		{"address", `{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://example.org/x.png"}}]}`, `"content":[]`, "media", true},
		{"audio", `{"role":"user","content":[{"type":"input_audio","input_audio":{}}]}`, `"content":[]`, "media", true},
		{"detail", `{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AA==","detail":"low"}}]}`, `"data":"AA==","mimeType":"image/png"`, "", true},
		{"no arguments", `{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":""}}]}`, `"arguments":{}`, "", false},
		{"odd arguments", `{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{oops"}}]}`, `"arguments":{"input":"{oops"}`, "tool", true},
		{"custom tool", `{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"custom","custom":{"name":"f","input":"x"}}]}`, `"arguments":{"input":"x"}`, "", true},
		{"old call", `{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{\"a\":1}"}}`, `"name":"f","arguments":{"a":1}`, "", false},
		{"orphan result", `{"role":"tool","tool_call_id":"nobody","content":"x"}`, `"toolCallId":"nobody","toolName":"unknown"`, "", false},
		{"developer", `{"role":"developer","content":"x"}`, `"role":"developer"`, "", false},
		{"stranger", `{"role":"oracle","content":"x"}`, ``, "role", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := read(t, chat.OpenAI, "["+tt.message+"]")[0]
			kind := ""
			for _, l := range r.Losses {
				kind += l.Kind
				if !strings.HasPrefix(l.Where, "standard input: message 1") {
					t.Errorf("lost at %q", l.Where)
				}
			}
			text := r.Text()
			whole := strings.Contains(text, `"customType":"openai:message","data":`+tt.message+`,`)
			if !strings.Contains(text, tt.want) || kind != tt.kind || whole != tt.whole {
				t.Errorf("lost %q, whole %t: %s", kind, whole, text)
			}
		})
	}
}

func TestReply(t *testing.T) {
	t.Parallel()
	r := read(t, chat.Anthropic, `[{"role":"user","content":"x"},{"id":"msg_1","type":"message","role":"assistant","model":"claude-x","content":[{"type":"redacted_thinking","data":"Zm9v"},{"type":"text","text":"y"}],"stop_reason":"max_tokens","stop_sequence":null,"usage":{"input_tokens":3,"output_tokens":4,"cache_read_input_tokens":5}}]`)[0]
	for _, want := range []string{
		`"model":"claude-x","responseId":"msg_1"`, `"stopReason":"length"`, `"provider":"anthropic"`,
		`"usage":{"input":3,"output":4,"cacheRead":5,"cacheWrite":0,"totalTokens":12,`, `"thinkingSignature":"Zm9v","redacted":true`,
	} {
		if !strings.Contains(r.Text(), want) {
			t.Errorf("no %s in %s", want, r.Text())
		}
	}
	if len(r.Lines) != 3 || len(r.Losses) > 0 {
		t.Errorf("%v: %s", r.Losses, r.Text())
	}
}

// The layouts: an array on one line or on many, messages a line, sessions a line.
func TestShapes(t *testing.T) {
	t.Parallel()
	const one, two = `{"role":"user","content":"x"}`, `{"role":"assistant","content":"y"}`
	for name, tt := range map[string]struct {
		text     string
		sessions int
		lost     int
	}{
		"array":          {"[" + one + "," + two + "]", 1, 0},
		"pretty":         {"\xef\xbb\xbf[\n\n" + one + ",\n" + two + "\n]\n\n", 1, 0},
		"lines":          {one + "\n\n" + two + "\n", 1, 0},
		"no line feed":   {one + "\n" + two, 1, 0},
		"one line":       {one, 1, 0},
		"CRLF":           {one + "\r\n" + two + "\r\n", 1, 0},
		"a bad line":     {one + "\nnonsense\n" + two + "\n{\"a\":1}\n" + `{"role":"us`, 1, 3},
		"arrays":         {"[" + one + "]\n[" + one + "]\n[" + two + "]\n", 3, 0},
		"requests":       {`{"messages":[` + one + "]}\n" + `{"messages":[` + two + "]}\n", 2, 0},
		"request":        {`{"model":"m","messages":[` + one + "," + two + "]}", 1, 0},
		"pretty request": {"{\n\"messages\":\n[" + one + "]}", 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			results := read(t, chat.OpenAI, tt.text)
			ids, lost := map[string]bool{}, 0
			for _, r := range results {
				ids[r.Info.ID] = true
				lost += len(r.Losses)
				if r.Info.Messages == 0 {
					t.Errorf("%s: no messages counted", r.Info.ID)
				}
			}
			if len(ids) != tt.sessions || lost != tt.lost {
				t.Errorf("%d sessions, %d losses", len(ids), lost)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                          "no messages: it is empty",
		"\n \n":                     "no messages: it is empty",
		"[":                         "standard input: not JSON, at byte 1: unexpected end of JSON input",
		"[1,\n2,\nx]":               `standard input: not JSON, at byte 8: invalid character 'x' looking for beginning of value`,
		"[]":                        "standard input: no messages",
		"3":                         "standard input: neither messages nor a request",
		`{"messages":3}`:            "standard input: neither messages nor a request",
		"[[" + `{"role":"user"}]]`:  "standard input: no messages",
		strings.Repeat("[", 20_000): "standard input: not JSON, at byte",
	} {
		src := &formats.Source{Stdin: strings.NewReader(text)}
		defer src.Close()
		a, err := chat.OpenAI.Open(t.Context(), src)
		if err == nil {
			for info := range a.List(t.Context(), formats.Query{}) {
				var r formatstest.Result
				if r, err = formatstest.Try(t.Context(), chat.OpenAI, a, info); len(r.Lines) > 0 {
					t.Errorf("%.20q: it made %q", text, r.Lines)
				}
			}
		}
		if err == nil || !strings.Contains(err.Error(), want) || !errors.Is(err, session.ErrMalformed) {
			t.Errorf("%.20q: %v, want %s", text, err, want)
		}
	}
}

func TestDetect(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		openAI: "openai", anthropic: "anthropic", openAI[:300]: "openai", anthropic[:500]: "anthropic",
		`{"role":"user","content":"x"}` + "\n{": "openai", `[[{"role":"user","content":"x"}]]`: "openai",
		`{"messages":[{"role":"user","content":"x"`: "openai", `{"messages":[]}`: "", `[{"role":"boss","content":"x"}]`: "",
		`{"type":"session","id":"x"}`: "", `{"role":"user"}`: "", `[1]`: "", `{"info":{},"messages":[{"info":{"role":"user"},"parts":[]}]}`: "",
	} {
		got := ""
		for _, f := range []formats.Format{chat.Anthropic, chat.OpenAI} {
			if f.Detect("x", []byte(text)) {
				got += f.About().Name
			}
		}
		if got != want {
			t.Errorf("%.60s: %q, want %q", text, got, want)
		}
	}
}

func TestInvalidUTF8(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"[{\"role\":\"user\",\"content\":\"a\xffb\"}]", "{\"role\":\"user\",\"content\":\"a\xffb\"}\n"} {
		r := read(t, chat.OpenAI, text)[0]
		if len(r.Losses) != 1 || r.Losses[0].Kind != formats.KindText || !strings.Contains(r.Text(), "a\ufffdb") {
			t.Errorf("%v: %s", r.Losses, r.Text())
		}
	}
}

// A session is as old as its file, and called after its bytes.
func TestFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"a", "b"} {
		formatstest.Put(t, filepath.Join(dir, name), openAI)
	}
	a := formatstest.Import(t, chat.OpenAI, &formats.Source{Path: filepath.Join(dir, "a")}, false)[0]
	b := formatstest.Import(t, chat.OpenAI, &formats.Source{Path: filepath.Join(dir, "b")}, false)[0]
	if a.Info.ID != b.Info.ID || a.Info.Created.IsZero() || a.Info.FirstMessage != "look \u2028 😀" {
		t.Errorf("%+v\n%+v", a.Info, b.Info)
	}
}

func FuzzChat(f *testing.F) {
	for _, text := range []string{openAI, anthropic, "[]", `{"role":"user","content":[{"type":"image_url","image_url":7}]}` + "\n" + `{"role":"tool"}`, "[[]]\n[[]]"} {
		f.Add([]byte(text), true)
		f.Add([]byte(text), false)
	}
	// Laws: any input is refused or becomes sessions, each the same twice, of which
	// nothing is skipped.
	f.Fuzz(func(t *testing.T, data []byte, first bool) {
		format := chat.OpenAI
		if first {
			format = chat.Anthropic
		}
		results, _ := formatstest.Twice(t, format, &formats.Source{Stdin: strings.NewReader(string(data))}) // or it is none
		for _, r := range results {
			if s := r.Session(t); len(s.Problems) > 0 {
				t.Errorf("%v in %s", s.Problems, r.Text())
			}
		}
	})
}

// A whole response of the chat completions API is taken as Anthropic's is: its message, with
// the model, the usage and why it ended.
func TestCompletion(t *testing.T) {
	t.Parallel()
	const response = `{"id":"chatcmpl-1","object":"chat.completion","created":1767323045,"model":"gpt-x","choices":[{"index":0,"message":{"role":"assistant","content":"LGTM","tool_calls":[{"id":"c1","type":"function","function":{"name":"bash","arguments":"{}"}}]},"finish_reason":"tool_calls"}],` +
		`"usage":{"prompt_tokens":10,"completion_tokens":4,"total_tokens":14,"prompt_tokens_details":{"cached_tokens":3}}}`
	for name, text := range map[string]string{"one": response, "indented": strings.ReplaceAll(response, ",", ",\n  "), "lines": response + "\n" + response} {
		got := read(t, chat.OpenAI, text)[0].Text()
		for _, want := range []string{
			`"text":"LGTM"`, `"type":"toolCall","id":"c1","name":"bash"`, `"model":"gpt-x"`, `"responseId":"chatcmpl-1"`, `"stopReason":"toolUse"`,
			`"usage":{"input":7,"output":4,"cacheRead":3,"cacheWrite":0,"totalTokens":14,`,
		} {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %s in\n%s", name, want, got)
			}
		}
		if !chat.OpenAI.Detect("x", []byte(text)) || chat.Anthropic.Detect("x", []byte(text)) {
			t.Errorf("%s: not detected", name)
		}
	}
	more := strings.Replace(response, `],"usage"`, `,{"index":1,"message":{"role":"assistant","content":"no"}}],"usage"`, 1)
	r := read(t, chat.OpenAI, more)[0]
	if len(r.Losses) != 1 || !strings.Contains(r.Losses[0].What, "all choices but the first") || !strings.Contains(r.Text(), `"content":"no"`) {
		t.Errorf("%v\n%s", r.Losses, r.Text())
	}
}

// Whole responses, as the APIs print them, are known by themselves and are one message each. What of them is read, the tests of
// streams say.
func TestResponses(t *testing.T) {
	t.Parallel()
	const chatUsage = `"usage":{"input":93,"output":11,"cacheRead":7,"cacheWrite":0,`
	for name, tt := range map[string]struct {
		format formats.Format
		want   []string
	}{
		"api-openai-chat/02-thinking": {chat.OpenAI, []string{
			`[{"type":"thinking","thinking":"Keep it short."},{"type":"text","text":"Hello."}]`, `"api":"openai-completions","provider":"openai"`, chatUsage + `"reasoning":4,`,
		}},
		"api-openai-responses/02-thinking": {chat.OpenAI, []string{
			`{"type":"thinking","thinking":"Keep it short.","thinkingSignature":"{\"id\":\"rs_mock_001\",`, `"api":"openai-responses","provider":"openai","model":"mock-model","responseId":"resp_mock_001","stopReason":"stop"`, chatUsage,
		}},
		"api-anthropic/03-tool": {chat.Anthropic, []string{
			`"type":"toolCall","id":"toolu_mock_001","name":"read","arguments":{"path":"/home/u/proj/a.txt"}`, `"stopReason":"toolUse"`, `"usage":{"input":100,"output":11,"cacheRead":7,"cacheWrite":3,`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := must.Read(t, filepath.Join("..", "stream", "testdata", filepath.FromSlash(name), "stdout.json"))
			for _, f := range []formats.Format{chat.OpenAI, chat.Anthropic} {
				if f.Detect("x", []byte(data)) != (f == tt.format) {
					t.Errorf("%s: %t", f.About().Name, f != tt.format)
				}
			}
			r := read(t, tt.format, data)[0]
			for _, want := range tt.want {
				if !strings.Contains(r.Text(), want) {
					t.Errorf("no %s in\n%s", want, r.Text())
				}
			}
			if len(r.Losses) > 0 || len(messages(t, r)) > 1 {
				t.Errorf("%v\n%s", r.Losses, r.Text())
			}
		})
	}
}

// A request to the Responses API: what the model said in one go is one message.
func TestResponsesRequest(t *testing.T) {
	t.Parallel()
	const request = `{"model":"gpt-x","instructions":"be brief","input":[
	 {"role":"user","content":[{"type":"input_text","text":"look"},{"type":"input_image","image_url":"data:image/png;base64,AA=="}]},
	 {"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"hm"},{"type":"summary_text","text":"well"}],"encrypted_content":"x"},
	 {"role":"assistant","content":"I read it"},
	 {"type":"function_call","call_id":"c1","name":"read","arguments":"{\"path\":\"a\"}"},
	 {"type":"custom_tool_call","call_id":"c2","name":"patch","input":"+x"},
	 {"type":"function_call_output","call_id":"c1","output":"text"},
	 {"type":"custom_tool_call_output","call_id":"c2","output":[{"type":"input_text","text":"done"}]},
	 {"type":"web_search_call","id":"ws_1","status":"completed"},
	 {"type":"message","role":"assistant","content":[{"type":"output_text","text":"fine","annotations":[]}]}]}`
	if !chat.OpenAI.Detect("x", []byte(request)) || chat.Anthropic.Detect("x", []byte(request)) {
		t.Error("not detected")
	}
	r := read(t, chat.OpenAI, request)[0]
	var got []string
	for _, m := range messages(t, r) {
		line := m.Role()
		for b := range m.Blocks() {
			line += " " + b.Type + ":" + b.Str("text") + b.Str("thinking") + b.Str("id") + b.Get("arguments")
		}
		got = append(got, line)
	}
	want := []string{
		"system text:be brief", "user text:look image:", "assistant thinking:hm\n\nwell text:I read it toolCall:c1{\"path\":\"a\"} toolCall:c2{\"input\":\"+x\"}",
		"toolResult text:text", "toolResult text:done", "assistant providerCall:ws_1{} text:fine",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if text := r.Text(); len(r.Losses) != 0 || !strings.Contains(text, `"toolName":"patch"`) ||
		!strings.Contains(text, `"customType":"openai:request","data":{"model":"gpt-x","instructions":"be brief"}`) {
		t.Errorf("%v\n%s", r.Losses, text)
	}
	for text, want := range map[string]int{
		`{"model":"gpt-x","input":"hi"}`: 1, `{"instructions":"x","input":"hi"}`: 2, `[{"role":"user","content":"x"},{"type":"function_call","call_id":"c","name":"f","arguments":""}]`: 2,
		`{"role":"user","content":"x"}` + "\n" + `{"type":"function_call","call_id":"c","name":"f","arguments":""}`: 2,
	} {
		if r := read(t, chat.OpenAI, text)[0]; r.Info.Messages != want || len(r.Losses) > 0 {
			t.Errorf("%s: %v\n%s", text, r.Losses, r.Text())
		}
	}
}

// A call that the output limit cut is left out, since its arguments are no JSON.
func TestCutCall(t *testing.T) {
	t.Parallel()
	for text, f := range map[string]formats.Format{
		`{"id":"r","choices":[{"message":{"role":"assistant","content":"x","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":"}}]},"finish_reason":"length"}]}`:                                                            chat.OpenAI,
		`{"object":"response","status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[{"type":"message","content":[{"type":"output_text","text":"x"}]},{"type":"function_call","call_id":"c","name":"f","arguments":"{\"a\":"}]}`: chat.OpenAI,
		`[{"type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"x"},{"type":"tool_use","id":"c","name":"f","input":"{\"a\":"}],"stop_reason":"max_tokens"}]`:                                                                     chat.Anthropic,
	} {
		r := read(t, f, text)[0]
		if len(r.Losses) != 1 || !strings.Contains(r.Losses[0].What, `a call of "f" is left out`) || strings.Contains(r.Text(), "toolCall") ||
			!strings.Contains(r.Text(), `"text":"x"`) || !strings.Contains(r.Text(), `"stopReason":"length"`) {
			t.Errorf("%v\n%s", r.Losses, r.Text())
		}
	}
}
