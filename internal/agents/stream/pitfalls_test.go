package stream_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/agents/stream"
	"github.com/sess-tools/sess/internal/core/calls"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// sse makes server-sent events of values, a line each.
func sse(values ...string) string {
	return "data: " + strings.Join(values, "\n\ndata: ") + "\n\n"
}

// chunk is a piece of a chat completion with a delta, and more after its choices.
func chunk(id, delta, more string) string {
	return `{"id":"` + id + `","object":"chat.completion.chunk","created":1795324032,"model":"m","choices":[{"index":0,"delta":` + delta + `}]` + more + `}`
}

func call(members string) string { return chunk("c1", `{"tool_calls":[{`+members+`}]}`, "") }

const (
	hi       = `{"role":"assistant","content":"Hi"}`
	finished = `{"id":"c1","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
	created  = `{"type":"response.created","response":{"id":"r1","object":"response","status":"in_progress","model":"m","output":[]}}`
	spoken   = `{"type":"response.output_text.delta","item_id":"m1","output_index":0,"content_index":0,"delta":"Hi"}`
	itemDone = `{"type":"response.output_item.done","output_index":0,"item":{"id":"m1","type":"message","role":"assistant","content":[{"type":"output_text","text":"Hi!"}]}}`
	started  = `{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":5,"output_tokens":1}}}`
	textOpen = `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`
	textHi   = `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}`
	textStop = `{"type":"content_block_stop","index":0}`
	toolOpen = `{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t1","name":"read","input":{}}}`
	toolPart = `{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"a\":"}}`
	toolStop = `{"type":"content_block_stop","index":1}`
	msgStop  = `{"type":"message_stop"}`
)

// part is a piece of Gemini's with parts, and more in its candidate.
func part(parts, more string) string {
	return `{"candidates":[{"content":{"role":"model","parts":[` + parts + `]}` + more + `}],"modelVersion":"g","responseId":"g1"}`
}

// What streams are known to do. Each row is a stream, what is recorded of it, and the warning
// that it is cause for; a row of a problem has one with an exclamation mark.
func TestPitfalls(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ stream, want, warn string }{
		// chat completions
		"an end and nothing else":     {sse(chunk("c1", hi, ""), finished), `"Hi" stop`, ""},
		"no reason, but an end":       {sse(chunk("c1", hi, ""), "[DONE]"), `"Hi" stop`, ""},
		"cut":                         {sse(chunk("c1", hi, "")), `"Hi" aborted`, ""},
		"cut in front of any text":    {sse(chunk("c1", `{"role":"assistant","content":""}`, "")), ``, "cut before anything was said"},
		"usage on each, growing":      {sse(chunk("c1", hi, `,"usage":{"prompt_tokens":9,"completion_tokens":1}`), finished, `{"id":"c1","object":"chat.completion.chunk","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":4}}`), `"Hi" stop 9/4/0/0`, ""},
		"an error behind text":        {sse(chunk("c1", hi, ""), `{"error":{"message":"overloaded"}}`, "[DONE]"), `"Hi" error <overloaded>`, ""},
		"an error in a piece":         {sse(chunk("c1", hi, ""), chunk("c1", `{"content":"!"}`, `,"error":{"code":502,"message":"upstream"}`)), `"Hi!" error <upstream>`, ""},
		"filtered":                    {sse(chunk("c1", hi, ""), strings.Replace(finished, `"stop"`, `"content_filter"`, 1)), `"Hi" error <content_filter>`, ""},
		"calls of one index":          {sse(call(`"index":0,"id":"a","function":{"name":"f","arguments":"{}"}`), call(`"index":0,"id":"b","function":{"name":"g","arguments":"{}"}`), "[DONE]"), `a=f{} b=g{} toolUse`, ""},
		"an id in each piece":         {sse(call(`"index":0,"id":"a","function":{"name":"f","arguments":"{\"a\""}`), call(`"index":0,"id":"a","function":{"arguments":":1}"}`), "[DONE]"), `a=f{"a":1} toolUse`, ""},
		"calls between each other":    {sse(call(`"index":0,"id":"a","function":{"name":"f","arguments":"{"}},{"index":1,"id":"b","function":{"name":"g","arguments":"{"}`), call(`"index":0,"function":{"arguments":"}"}},{"index":1,"function":{"arguments":"}"}`), "[DONE]"), `a=f{} b=g{} toolUse`, ""},
		"calls without ids":           {sse(call(`"index":0,"function":{"name":"f","arguments":"{}"}`), call(`"index":0,"function":{"name":"g","arguments":"{}"}`), "[DONE]"), `openai:c1:1=f{} openai:c1:2=g{} toolUse`, ""},
		"arguments that are objects":  {sse(call(`"index":0,"id":"a","function":{"name":"f","arguments":{"a":1}}`), "[DONE]"), `a=f{"a":1} toolUse`, ""},
		"arguments that are nonsense": {sse(call(`"index":0,"id":"a","function":{"name":"f","arguments":"oops"}`), "[DONE]"), `a=f{"input":"oops"} toolUse`, `!arguments of "f" are no JSON object`},
		"cut in a call":               {sse(chunk("c1", hi, ""), call(`"index":0,"id":"a","function":{"name":"f","arguments":"{\"a\":"}`)), `"Hi" aborted`, `a call of "f" is left out`},
		"a function call":             {sse(chunk("c1", `{"function_call":{"name":"f","arguments":"{\"a\":"}}`, ""), chunk("c1", `{"function_call":{"arguments":"1}"}}`, ""), strings.Replace(finished, `"stop"`, `"function_call"`, 1)), `openai:c1:1=f{"a":1} toolUse`, ""},
		"another choice":              {sse(chunk("c1", hi, ""), strings.Replace(chunk("c1", `{"content":"no"}`, ""), `"index":0`, `"index":1`, 1), finished), `"Hi" stop`, "all choices but the first"},
		"a piece that is no JSON":     {sse(chunk("c1", hi, ""), `{"id":"c1","object":"chat.completion.chunk","choices":[`, chunk("c1", `{"content":"!"}`, ""), "[DONE]"), `"Hi!" stop`, "!is not JSON"},
		"content in parts":            {sse(chunk("c1", `{"content":[{"type":"text","text":"Hi"}]}`, ""), "[DONE]"), `"Hi" stop`, ""},
		"Azure's filter in front":     {sse(`{"choices":[],"created":0,"id":"","model":"m","object":"","prompt_filter_results":[]}`, chunk("c1", hi, ""), "[DONE]"), `"Hi" stop`, ""},
		"two responses":               {sse(chunk("c1", hi, ""), finished, chunk("c2", `{"content":"Yo"}`, ""), "[DONE]"), "\"Hi\" stop\n\"Yo\" stop", ""},
		"a second one, the first cut": {sse(chunk("c1", hi, ""), chunk("c2", `{"content":"Yo"}`, ""), "[DONE]", "[DONE]"), "\"Hi\" aborted\n\"Yo\" stop", ""},
		"pieces as lines":             {chunk("c1", hi, "") + "\n" + finished + "\n", `"Hi" stop`, ""},
		"halves of a character":       {sse(chunk("c1", `{"content":"\ud83d"}`, ""), chunk("c1", `{"content":"\ude00"}`, ""), finished), `"😀" stop`, ""},

		// responses
		"output in the end alone":          {sse(created, `{"type":"response.completed","response":{"id":"r1","status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"Hi."}]}]}}`), `"Hi." stop`, ""},
		"no output at the end":             {sse(created, spoken, itemDone, `{"type":"response.completed","response":{"id":"r1","status":"completed","output":[]}}`), `"Hi!" stop`, ""},
		"items that did not end":           {sse(created, spoken), `"Hi" aborted`, ""},
		"an error of a response":           {sse(created, spoken, `{"type":"error","code":"x","message":"broke"}`), `"Hi" error <broke>`, ""},
		"output that is behind its events": {sse(strings.Replace(created, `"output":[]`, `"output":[{"type":"message","content":[]}]`, 1), spoken), `"Hi" aborted`, ""},
		"failed behind text":               {sse(created, spoken, `{"type":"response.failed","response":{"id":"r1","status":"failed","error":{"code":"x","message":"broke"},"output":[]}}`), `"Hi" error <broke>`, ""},
		"a call that is cut":               {sse(created, spoken, `{"type":"response.output_item.added","output_index":1,"item":{"type":"function_call","call_id":"a","name":"f","arguments":""}}`, `{"type":"response.function_call_arguments.delta","output_index":1,"delta":"{\"a\""}`), `"Hi" aborted`, `a call of "f" is left out`},
		"a search of the server's":         {sse(created, `{"type":"response.completed","response":{"id":"r1","output":[{"type":"web_search_call","id":"w"},{"type":"message","content":[{"type":"output_text","text":"Hi."}]}]}}`), `by itself web_search{} "Hi." stop`, ""},
		"a tool with a text":               {sse(created, `{"type":"response.completed","response":{"id":"r1","output":[{"type":"custom_tool_call","call_id":"a","name":"f","input":"+x"}]}}`), `a=f{"input":"+x"} toolUse`, ""},
		"the middle of a response":         {sse(spoken), ``, "!middle of a stream"},
		"two responses, no [DONE]":         {sse(created, spoken, itemDone, `{"type":"response.completed","response":{"id":"r1","output":[]}}`, strings.ReplaceAll(created, "r1", "r2"), spoken), "\"Hi!\" stop\n\"Hi\" aborted", ""},
		"filtered, as a response":          {sse(created, `{"type":"response.incomplete","response":{"id":"r1","status":"incomplete","incomplete_details":{"reason":"content_filter"},"output":[]}}`), `error <content_filter>`, ""},
		"cancelled":                        {sse(created, spoken, `{"type":"response.cancelled","response":{"id":"r1","status":"cancelled","output":[]}}`), `"Hi" aborted`, ""},

		// messages
		"no input at all":         {sse(started, toolOpen, toolStop, `{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}}`, msgStop), `t1=read{} toolUse 5/9/0/0`, ""},
		"input that is cut":       {sse(started, textOpen, textHi, textStop, toolOpen, toolPart), `"Hi" aborted 5/1/0/0`, `a call of "read" is left out`},
		"input that did not come": {sse(started, textOpen, textHi, textStop, toolOpen), `"Hi" aborted 5/1/0/0`, `a call of "read" is left out`},
		"input that is nonsense":  {sse(started, toolOpen, toolPart, toolStop, `{"type":"message_delta","delta":{"stop_reason":"tool_use"}}`, msgStop), `t1=read{"input":"{\"a\":"} toolUse 5/1/0/0`, `!arguments of "read" are no JSON object`},
		"cut behind its reason":   {sse(started, textOpen, textHi, textStop, `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9}}`), `"Hi" stop 5/9/0/0`, ""},
		"usage twice":             {sse(started, textOpen, textHi, `{"type":"message_delta","delta":{},"usage":{"output_tokens":3,"cache_read_input_tokens":2}}`, `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":null,"output_tokens":9}}`, msgStop), `"Hi" stop 5/9/2/0`, ""},
		"a search while it streams": {
			sse(started, `{"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use","id":"s1","name":"web_search","input":{}}}`,
				`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"query\":"}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"\"x\"}"}}`, textStop,
				`{"type":"content_block_start","index":1,"content_block":{"type":"web_search_tool_result","tool_use_id":"s1","content":[{"url":"https://e.org"}]}}`, `{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`, msgStop),
			`by itself web_search{"query":"x"}=<https://e.org> stop 5/1/0/0`, "",
		},
		"a block of a new type": {sse(started, `{"type":"content_block_start","index":0,"content_block":{"type":"hologram"}}`, `{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`, msgStop), `stop 5/1/0/0`, `!content of type "hologram"`},
		"a pause":               {sse(started, textOpen, textHi, `{"type":"message_delta","delta":{"stop_reason":"pause_turn"}}`, msgStop), `"Hi" stop 5/1/0/0`, ""},
		"a window that is full": {sse(started, textOpen, textHi, `{"type":"message_delta","delta":{"stop_reason":"model_context_window_exceeded"}}`, msgStop), `"Hi" length 5/1/0/0`, ""},
		"pings around":          {sse(`{"type":"ping"}`, started, `{"type":"ping"}`, textOpen, textHi, `{"type":"ping"}`, `{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`, msgStop, `{"type":"ping"}`), `"Hi" stop 5/1/0/0`, ""},
		"redacted":              {sse(started, `{"type":"content_block_start","index":0,"content_block":{"type":"redacted_thinking","data":"x"}}`, textStop, `{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`, msgStop), `() stop 5/1/0/0`, ""},

		// Gemini
		"signatures":            {sse(part(`{"text":"hm","thought":true}`, ""), part(`{"text":"Hi"}`, ""), part(`{"text":"","thoughtSignature":"s"}`, `,"finishReason":"STOP"`)), `(hm) "Hi" stop`, ""},
		"calls of a name":       {sse(part(`{"functionCall":{"name":"f","args":{"a":1}}},{"functionCall":{"name":"f"}}`, `,"finishReason":"STOP"`)), `gemini:g1:1=f{"a":1} gemini:g1:2=f{} toolUse`, ""},
		"a prompt that is bad":  {`{"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{"promptTokenCount":4}}` + "\n", `error <the prompt was blocked: SAFETY> 4/0/0/0`, ""},
		"unsafe":                {sse(part(`{"text":"Hi"}`, `,"finishReason":"SAFETY"`)), `"Hi" error <SAFETY>`, ""},
		"cut, as Gemini":        {sse(part(`{"text":"Hi"}`, "")), `"Hi" aborted`, ""},
		"an error of Gemini's":  {sse(part(`{"text":"Hi"}`, ""), `{"error":{"code":503,"message":"busy"}}`), `"Hi" error <busy>`, ""},
		"an array that is bad":  {`[{"error":{"code":429,"message":"slow down"}}]`, ``, "!not an answer: slow down"},
		"what Gemini ran":       {sse(part(`{"text":"Hi"},{"executableCode":{"code":"1"}}`, `,"finishReason":"STOP"`)), `"Hi" by itself code_execution{"code":"1"} stop`, ""},
		"another candidate":     {`{"candidates":[{"content":{"parts":[{"text":"Hi"}]},"finishReason":"STOP"},{"index":1,"content":{"parts":[{"text":"no"}]}}]}` + "\n", `"Hi" stop`, "all candidates but the first"},
		"another one of Gemini": {sse(part(`{"text":"Hi"}`, `,"finishReason":"STOP"`), strings.Replace(part(`{"text":"Yo"}`, `,"finishReason":"STOP"`), "g1", "g2", 1)), "\"Hi\" stop\n\"Yo\" stop", ""},

		// Ollama
		"calls in several lines": {`{"model":"m","created_at":"T","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"f","arguments":{"a":1}}}]},"done":false}` + "\n" + `{"model":"m","created_at":"T","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"g","arguments":{}}}]},"done":false}` + "\n" + `{"model":"m","created_at":"T","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","eval_count":3}` + "\n", `ollama:T:1=f{"a":1} ollama:T:2=g{} toolUse 0/3/0/0`, ""},
		"cut, as Ollama":         {`{"model":"m","created_at":"T","message":{"role":"assistant","content":"Hi"},"done":false}` + "\n", `"Hi" aborted`, ""},
		"two answers of Ollama":  {strings.Repeat(`{"model":"m","created_at":"T","message":{"role":"assistant","content":"Hi"},"done":true,"done_reason":"stop","eval_count":1}`+"\n", 2), "\"Hi\" stop 0/1/0/0\n\"Hi\" stop 0/1/0/0", ""},
		"of /api/generate":       {`{"model":"m","created_at":"T","response":"Hi","done":false}` + "\n", ``, "!ask /api/chat"},

		// all
		"an error alone":          {`{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}`, ``, "!not an answer: slow down"},
		"an error as an event":    {"event: error\n" + sse(`{"type":"error","error":{"type":"overloaded_error","message":"busy"}}`), ``, "!not an answer: busy"},
		"the head of a response":  {"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nid: 7\r\n\r\n" + `{"choices":[{"message":{"role":"assistant","content":"Hi"}}]}`, ``, "!call curl without -i"},
		"completions of old":      {`{"object":"text_completion","choices":[{"text":"Hi"}]}`, ``, "!no stream that is known"},
		"an embedding":            {`{"object":"list","data":[{"embedding":[1]}]}`, ``, "!no stream that is known"},
		"nothing but an end":      {sse("[DONE]"), ``, "!no stream that is known"},
		"answers of several APIs": {sse(chunk("c1", hi, ""), finished, "[DONE]", started, textOpen, textHi, `{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`, msgStop, part(`{"text":"Yo"}`, `,"finishReason":"STOP"`)), "\"Hi\" stop\n\"Hi\" stop 5/1/0/0\n\"Yo\" stop", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := decode([]byte(tt.stream), 0, stream.Options{Now: at})
			if diff := cmp.Diff(tt.want, briefs(got.items)); diff != "" {
				t.Errorf("%q\n%s", got.warns, diff)
			}
			warn, problem := strings.CutPrefix(tt.warn, "!")
			told := strings.Join(got.warns, "\n")
			if problem != (got.err != nil) || (warn == "") != (told == "") || !strings.Contains(told, warn) {
				t.Errorf("%v: %q", got.err, got.warns)
			}
			laws(t, []byte(tt.stream), stream.Options{Now: at})
		})
	}
}

// An error in the format that was asked for is told as one, too.
func TestErrorOfNamedFormat(t *testing.T) {
	t.Parallel()
	for _, from := range []string{"openai", "anthropic", "gemini-api", "ollama"} {
		for _, text := range []string{`{"error":{"message":"slow down"}}`, `{"error":"slow down"}`} {
			got := decode([]byte(text), 0, stream.Options{From: from, Now: at})
			if len(got.items) > 0 || got.err == nil || !strings.Contains(strings.Join(got.warns, ""), "not an answer: slow down") {
				t.Errorf("%s: %v %q %s", from, got.err, got.warns, briefs(got.items))
			}
		}
	}
}

// Signatures of Gemini's are kept at the blocks they are of, behind whose text they may come.
func TestSignaturesOfGemini(t *testing.T) {
	t.Parallel()
	got := decode([]byte(sse(
		part(`{"text":"h","thought":true},{"text":"m","thought":true}`, ""), part(`{"thoughtSignature":"a"}`, ""), part(`{"text":"Hi","thoughtSignature":"b"}`, ""),
		part(`{"text":"","thoughtSignature":"c"}`, ""), part(`{"functionCall":{"id":"x","name":"f","args":{}},"thoughtSignature":"d"},{"text":"","thoughtSignature":"e"}`, `,"finishReason":"STOP"`),
	)), 0, stream.Options{Now: at})
	want := `[{"type":"thinking","thinking":"hm","thinkingSignature":"a"},{"type":"text","text":"Hi","textSignature":"c"},` +
		`{"type":"toolCall","id":"x","name":"f","arguments":{},"thoughtSignature":"d"}]`
	if len(got.items) != 1 || got.items[0].Message.Get("content") != want || got.err != nil {
		t.Errorf("%v %q\n%q, want\n%s", got.err, got.warns, lines(got.items), want)
	}
}

// A response that is indented is an entry of one line, to the last of what it passes on.
func TestIndented(t *testing.T) {
	t.Parallel()
	const response = `{"id":"c1","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":{"a":
	1}}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":1,"cost":{"total":
	0.5}}}`
	laws(t, []byte(response), stream.Options{Now: at})
	got := decode([]byte(response), 0, stream.Options{Now: at})
	if want := `a=f{"a":1} toolUse 1/0/0/0`; briefs(got.items) != want {
		t.Errorf("%q, want %q", briefs(got.items), want)
	}
}

// A stream that begins as one program's does and is of another has words in events that mean nothing here: the recording
// is not whole. Events without words, such as those of a newer release, change nothing.
func TestWordsOfAnotherProgram(t *testing.T) {
	t.Parallel()
	begun := `{"type":"system","subtype":"init","cwd":"/w","session_id":"s1","tools":["Read"],"model":"m"}` + "\n"
	reply := `{"type":"assistant","session_id":"s1","message":{"id":"m1","role":"assistant","model":"m","content":[{"type":"text","text":"Yes."}],"usage":{"input_tokens":1,"output_tokens":1}}}` + "\n"
	for name, tt := range map[string]struct{ text, want string }{
		"another program's":         {begun + `{"type":"message","role":"assistant","text":"I did."}` + "\n", "no answer is recorded, and 1 event with words is not known"},
		"of a newer release":        {begun + reply + `{"type":"weather","content":[{"type":"text","text":"It rains."}]}` + "\n", "1 event with words is not recorded, the first of type \"weather\""},
		"without words":             {begun + reply + `{"type":"weather","degrees":7,"content":[],"text":""}` + "\n", ""},
		"of which words are an aim": {begun + reply + `{"type":"aim","prompt":"Find it"}` + "\n", "1 event with words"},
	} {
		var said []string
		_, err := stream.Decode([]byte(tt.text), stream.Options{Prompt: "go", Warn: func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }})
		if errors.Is(err, stream.ErrUnread) != (tt.want != "") || !strings.Contains(strings.Join(said, "\n"), tt.want) {
			t.Errorf("%s: %v, %q; want %q", name, err, said, tt.want)
		}
		items, err := stream.Decode([]byte(tt.text), stream.Options{Prompt: "go", KeepUnknown: true})
		if err != nil || len(items) == 0 {
			t.Errorf("%s, kept: %v", name, err)
		}
	}
}

// Grok Build tells a reply's usage in front of its calls, and the cost of a run at its end, which pays for all replies.
func TestGrok(t *testing.T) {
	t.Parallel()
	text := strings.Join([]string{
		`{"type":"available_commands","tools":["run_terminal_command"],"commands":["compact"]}`,
		`{"type":"thought","data":"Think"}`, `{"type":"thought","data":"ing."}`, `{"type":"text","data":"I run "}`, `{"type":"text","data":"it."}`,
		`{"type":"usage","usage":{"input_tokens":97,"output_tokens":24,"cache_read_input_tokens":7,"cache_creation_input_tokens":0,"reasoning_tokens":3}}`,
		`{"type":"tool_call","toolCallId":"c1","title":"run","toolName":"run_terminal_command","rawInput":{"command":"make"}}`,
		`{"type":"tool_call_update","toolCallId":"c1","status":"in_progress","content":[],"rawOutput":{"type":"Bash","exit_code":0}}`,
		`{"type":"tool_call_update","toolCallId":"c1","status":"completed","content":[{"type":"content","content":{"type":"text","text":"out"}}],"rawOutput":{"type":"Bash","exit_code":2,"signal":null,"timed_out":false}}`,
		`{"type":"usage","usage":{"input_tokens":98,"output_tokens":25,"cache_read_input_tokens":0}}`,
		`{"type":"tool_call","toolCallId":"c2","title":"run","toolName":"run_terminal_command","rawInput":{"command":"sleep 9"}}`,
		`{"type":"tool_call_update","toolCallId":"c2","status":"completed","content":[],"rawOutput":{"type":"BackgroundTaskStarted","task_id":"t1"}}`,
		`{"type":"text","data":"Done."}`, `{"type":"usage","usage":{"input_tokens":1,"output_tokens":1}}`,
		`{"type":"end","stopReason":"end_turn","sessionId":"s1","total_cost_usd":0.5,"num_turns":3}`,
	}, "\n") + "\n"
	items, err := stream.Decode([]byte(text), stream.Options{Prompt: "go"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, i := range items {
		m := i.Message
		switch {
		case i.Type != session.TypeMessage || m.Role() == session.RoleUser:
		case m.Role() == session.RoleToolResult:
			got = append(got, fmt.Sprint("result ", m.Text(""), m.IsError(), m.Get("details")))
		default:
			u := js.Value(m.Get("usage"))
			got = append(got, fmt.Sprint("reply ", m.Text(""), m.Get("stopReason"), u.Get("input"), "+", u.Get("cacheRead"), "/", u.Get("output"), " ", u.Get("cost", "total"), len(m.ToolCalls())))
		}
	}
	want := []string{
		`reply I run it."toolUse"97+7/24 1`, `result outtrue{"exitCode":2}`, `reply "toolUse"98+0/25 1`, `result false{"backgroundTaskId":"t1"}`, `reply Done."stop"1+0/1 0.50`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for name, tt := range map[string]struct{ behind, want string }{
		"failed":    {`{"type":"error","message":"no key"}`, "error"},
		"cancelled": {`{"type":"text","data":"half"}` + "\n" + `{"type":"end","stopReason":"cancelled"}`, "aborted"},
		"cut":       {`{"type":"text","data":"half"}`, "aborted"},
	} {
		items, err := stream.Decode([]byte(text[:strings.IndexByte(text, '\n')+1]+tt.behind+"\n"), stream.Options{Prompt: "go"})
		if err != nil || items[len(items)-1].Message.Str("stopReason") != tt.want {
			t.Errorf("%s: %v, %v", name, items[len(items)-1].Message, err)
		}
	}
}

// A command that Gemini CLI prints a result of has no exit code, since one that failed is printed as a success.
func TestGeminiTellsNoExitCode(t *testing.T) {
	t.Parallel()
	var results []session.Message
	d := stream.New(stream.Options{Now: at, Emit: func(group []*stream.Item) error {
		for _, i := range group {
			if i.Message.Role() == session.RoleToolResult {
				results = append(results, i.Message)
			}
		}
		return nil
	}})
	_, _ = d.Write([]byte(`{"type":"init","timestamp":"2026-01-01T00:00:00.000Z","session_id":"g","model":"gm"}` + "\n" +
		`{"type":"tool_use","tool_name":"run_shell_command","tool_id":"c1","parameters":{"command":"exit 3"}}` + "\n" +
		`{"type":"tool_result","tool_id":"c1","status":"success","output":"out"}` + "\n"))
	must.Do(t, d.Close())
	if len(results) != 1 || calls.End(results[0]).Known {
		t.Errorf("recorded is %v", results)
	}
}
