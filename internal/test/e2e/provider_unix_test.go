//go:build unix

package e2e

import (
	"strings"
	"testing"
)

// What a provider did by itself is shown, searched and listed as a call, whoever wrote the session down, and no request has it;
// what the source says comes back as it was.
func TestProviderCalls(t *testing.T) {
	t.Parallel()
	const claudeHead = `{"parentUuid":null,"isSidechain":false,"cwd":"/w/p","sessionId":"11111111-1111-4111-8111-111111111111","version":"2.1.330","type":"user","message":{"role":"user","content":"look"},"uuid":"00000001-0000-4000-8000-000000000000","timestamp":"2026-09-01T10:00:01.000Z"}` + "\n"
	claude := func(blocks ...string) string {
		text, parent := claudeHead, "00000001-0000-4000-8000-000000000000"
		for i, b := range blocks { // a line for each block, as the program writes them
			uuid := "0000000" + string(rune('2'+i)) + "-0000-4000-8000-000000000000"
			text += `{"parentUuid":"` + parent + `","isSidechain":false,"cwd":"/w/p","sessionId":"11111111-1111-4111-8111-111111111111","version":"2.1.330","type":"assistant","message":{"model":"claude-opus-4-6","id":"m1","type":"message","role":"assistant","content":[` +
				b + `],"stop_reason":"end_turn","usage":{"input_tokens":10,"output_tokens":5}},"uuid":"` + uuid + `","timestamp":"2026-09-01T10:00:02.000Z"}` + "\n"
			parent = uuid
		}
		return text
	}
	codex := `{"timestamp":"2026-09-01T10:00:01.000Z","type":"session_meta","payload":{"id":"019b0000-0000-7000-8000-000000000001","timestamp":"2026-09-01T10:00:01.000Z","cwd":"/w/p","originator":"codex_exec","cli_version":"0.169.0"}}` + "\n" +
		`{"timestamp":"2026-09-01T10:00:02.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"look"}]}}` + "\n"
	item := func(payload string) string {
		return codex + `{"timestamp":"2026-09-01T10:00:03.000Z","type":"response_item","payload":` + payload + `}` + "\n" +
			`{"timestamp":"2026-09-01T10:00:04.000Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"done"}]}}` + "\n"
	}
	const said = `{"type":"text","text":"done"}`
	for name, tt := range map[string]struct {
		from, text string
		call       string // its row
		query      string // is found in the call
		result     string // is found in the result, "" if the source has none
	}{
		"a search": {
			"claude", claude(`{"type":"server_tool_use","id":"srv1","name":"web_search","input":{"query":"parser bug"}}`,
				`{"type":"web_search_tool_result","tool_use_id":"srv1","content":[{"type":"web_search_result","url":"https://example.com/a","title":"A page","encrypted_content":"xx"}]}`, said),
			"fetch:ok:parser bug", "parser bug", "example.com/a",
		},
		"a search that failed": {
			"claude", claude(`{"type":"server_tool_use","id":"srv1","name":"web_search","input":{"query":"parser bug"}}`,
				`{"type":"web_search_tool_result","tool_use_id":"srv1","content":{"type":"web_search_tool_result_error","error_code":"max_uses_exceeded"}}`, said),
			"fetch:fail:parser bug", "parser bug", "max_uses_exceeded",
		},
		"an adviser": {
			"claude", claude(`{"type":"server_tool_use","id":"srv1","name":"advisor","input":{}}`,
				`{"type":"advisor_tool_result","tool_use_id":"srv1","content":{"type":"advisor_result","text":"use a lexer"}}`),
			"other:ok:advisor", "advisor", "use a lexer",
		},
		"a command": {
			"claude", claude(`{"type":"server_tool_use","id":"srv1","name":"bash_code_execution","input":{"command":"make test"}}`,
				`{"type":"bash_code_execution_tool_result","tool_use_id":"srv1","content":{"type":"bash_code_execution_result","stdout":"1 failed","stderr":"","return_code":2,"content":[]}}`, said),
			"run:2:make test", "make test", "1 failed",
		},
		"a connector": {
			"claude", claude(`{"type":"mcp_tool_use","id":"srv1","name":"find","server_name":"wiki","input":{"query":"parser"}}`,
				`{"type":"mcp_tool_result","tool_use_id":"srv1","is_error":false,"content":[{"type":"text","text":"page of the wiki"}]}`, said),
			"search:ok:parser", "parser", "page of the wiki",
		},
		"one that nobody knows, without result": {
			"claude", claude(`{"type":"server_tool_use","id":"srv1","name":"dowse","input":{"query":"water"}}`, said),
			"other:open:water", "water", "",
		},
		"codex searches": {
			"codex", item(`{"type":"web_search_call","status":"completed","action":{"type":"search","query":"parser bug"}}`),
			"fetch:ok:parser bug", "parser bug", "",
		},
		"codex draws": {
			"codex", item(`{"type":"image_generation_call","id":"ig1","status":"completed","revised_prompt":"a red house","result":"iVBORw0KGgo="}`),
			"other:ok:image_generation", "a red house", "",
		},
		"the Responses API": {
			"openai", `{"object":"response","id":"r1","model":"gpt-5.5","status":"completed","usage":{"input_tokens":10,"output_tokens":5},"output":[{"type":"mcp_call","id":"mcp1","server_label":"wiki","name":"find","arguments":"{\"query\":\"parser\"}","output":"page of the wiki","error":null},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"done"}]}]}`,
			"search:ok:parser", "parser", "page of the wiki",
		},
		"code of the Responses API": {
			"openai", `{"object":"response","id":"r1","model":"gpt-5.5","status":"completed","usage":{"input_tokens":10,"output_tokens":5},"output":[{"type":"code_interpreter_call","id":"ci1","status":"failed","code":"print(1/0)","outputs":[{"type":"logs","logs":"ZeroDivisionError"}]}]}`,
			"run:fail:print(1/0)", "print(1", "ZeroDivisionError",
		},
		"Gemini's API": {
			"", `{"candidates":[{"content":{"role":"model","parts":[{"executableCode":{"language":"PYTHON","code":"print(7)"}},{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"seven"}},{"text":"done"}]},"finishReason":"STOP"}],"modelVersion":"gemini-3-pro","usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":5}}`,
			"run:ok:print(7)", "print(7", "seven",
		},
		"grounding of Gemini's API": {
			"", `{"candidates":[{"content":{"role":"model","parts":[{"text":"done"}]},"groundingMetadata":{"webSearchQueries":["parser bug"],"groundingChunks":[{"web":{"uri":"https://example.com/a","title":"A page"}}]},"finishReason":"STOP"}],"modelVersion":"gemini-3-pro","usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":5}}`,
			"fetch:ok:parser bug", "parser bug", "example.com/a",
		},
		"oh-my-pi's spelling": {
			"pi", header + first + `{"type":"message","id":"aaaa0009","parentId":"aaaa0001","timestamp":"2026-01-02T03:05:00.000Z","message":{"role":"assistant","content":[` +
				`{"type":"anthropicServerTool","block":{"type":"server_tool_use","id":"srv1","name":"web_search","input":{"query":"parser bug"}}},{"type":"anthropicServerTool","block":{"type":"web_search_tool_result","tool_use_id":"srv1","content":[{"url":"https://example.com/a"}]}}],"stopReason":"stop"}}` + "\n",
			"fetch:ok:parser bug", "parser bug", "example.com/a",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, dir, "in", tt.text)
			switch tt.from {
			case "pi":
				write(t, dir, "s.jsonl", tt.text)
			case "claude", "codex":
				script(t, dir, "sess-import -q "+tt.from+" in > s.jsonl && sess-export -q "+tt.from+" s.jsonl > back")
				if back := readFile(t, dir+"/back"); back != tt.text {
					t.Errorf("it comes back as\n%s", back)
				}
			default:
				script(t, dir, "sess-new -o s.jsonl && sess-append -q -t look s.jsonl >/dev/null && sess-record -q s.jsonl -- cat in >/dev/null")
			}
			rows := script(t, dir, "sess-calls --plain s.jsonl; sess-calls --json s.jsonl | jq -r .by")
			if rows != tt.call+"\nprovider\n" {
				t.Errorf("calls: %s", rows)
			}
			for _, text := range []string{tt.query, tt.result} {
				for _, tool := range []string{"sess-grep -q -F", "sess-show -q --as markdown s.jsonl | grep -q -F", "sess-path --as text s.jsonl | grep -q -F", "sess-show -q --calls open s.jsonl | grep -q -F"} {
					file := " s.jsonl"
					if strings.Contains(tool, "|") {
						file = ""
					}
					if r := runCommand(t, dir, "", "sh", "-c", tool+" -e '"+text+"'"+file); r.status != 0 {
						t.Errorf("%s does not find %q: %+v", tool, text, r)
					}
				}
				for _, form := range []string{"anthropic", "openai"} {
					if got := script(t, dir, "sess-path -q --as "+form+" s.jsonl"); text != "" && strings.Contains(got, text) {
						t.Errorf("a request of %s has %q: %s", form, text, got)
					}
				}
				for _, form := range []string{"markdown", "text", "html"} {
					if got := script(t, dir, "sess-show -q --calls none --as "+form+" s.jsonl"); text != "" && strings.Contains(got, text) {
						t.Errorf("--calls none as %s has %q", form, text)
					}
				}
			}
		})
	}
}
