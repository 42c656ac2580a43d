package jqmap_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/itchyny/gojq"

	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/pkg/js"
)

// A count is what a sample has, as a program that knows nothing of the map counts it: prompts of the user, calls of tools, results, and the tokens of
// input, with those of the cache, and of output.
type count struct{ Prompts, Calls, Results, Input, Output int64 }

// counts are the second sources: for a sample of JSON an expression of jq over the list of its values, for a database one of SQL, with a number for each of
// the members of count.
var counts = map[string][5]string{
	"amp/made.json": {
		`[.[].messages[] | select(.role == "user" and any(.content[]; .type == "text"))] | length`, `[.[].messages[].content[]? | select(.type == "tool_use")] | length`,
		`[.[].messages[].content[]? | select(.type == "tool_result")] | length`,
		`[.[].messages[].usage // empty | .inputTokens, .cacheReadInputTokens, .cacheCreationInputTokens] | add`, `[.[].messages[].usage.outputTokens // 0] | add`,
	},
	"antigravity/made.jsonl": {`[.[] | select(.source == "USER_EXPLICIT")] | length`, `[.[].tool_calls[]?] | length`, `[.[] | select(.type == "VIEW_FILE" or .type == "RUN_COMMAND")] | length`, `0`, `0`},
	"cline/made.json": {
		`[.[].messages[] | select(.role == "user" and any(.content[]; .type == "text"))] | length`, `[.[].messages[].content[] | select(.type == "tool_use")] | length`,
		`[.[].messages[].content[] | select(.type == "tool_result")] | length`, `[.[].messages[].metrics.inputTokens // 0] | add`, `[.[].messages[].metrics.outputTokens // 0] | add`,
	},
	"continue/made.json": {
		`[.[].history[] | select(.message.role == "user")] | length`, `[.[].history[].message.toolCalls[]?] | length`, `[.[].history[].toolCallStates[]?] | length`,
		`.[0].usage.promptTokens`, `.[0].usage.completionTokens`,
	},
	"cursor/made.jsonl": {`[.[] | select(.role == "user")] | length`, `[.[] | .message.content[]? | select(.type == "tool_use")] | length`, `0`, `0`, `0`},
	"droid/made.jsonl": {
		`[.[] | select(.message.role == "user" and (.id | startswith("context-") | not) and any(.message.content[]; .type == "text"))] | length`,
		`[.[] | .message.content[]? | select(.type == "tool_use")] | length`, `[.[] | .message.content[]? | select(.type == "tool_result")] | length`, `0`, `0`,
	},
	"kiro/made.jsonl": {
		`[.[] | select(.kind == "Prompt")] | length`, `[.[] | .data.content[]? | select(.kind == "toolUse")] | length`, `[.[] | .data.content[]? | select(.kind == "toolResult")] | length`, `0`, `0`,
	},
	"roo/words.json": {
		`[.[][] | select(.role == "user" and (tostring | test("<(task|feedback)>")))] | length`, `[.[][].content[] | select(.type == "tool_use")] | length`,
		`[.[][].content[] | select(.type == "text" and (.text | test("^\\[.*\\] Result:")))] | length`,
		`[.[][].metrics.tokens.prompt // 0] | add`, `[.[][].metrics.tokens.completion // 0] | add`,
	},
	"roo/blocks.json": {
		`1`, `[.[][].content[] | select(.type == "tool_use")] | length`, `[.[][].content[] | select(.type == "tool_result")] | length`, `0`, `0`,
	},
	"roo/xml.json": {`1`, `[.[][].content[] | .text? // "" | scan("</(?:execute_command|attempt_completion)>")] | length`, `[.[][].content[] | .text? // "" | scan("\\] Result:")] | length`, `0`, `0`},
	"vibe/made.jsonl": {
		`[.[] | select(.role == "user" and (.injected | not))] | length`, `[.[] | .tool_calls[]?] | length`, `[.[] | select(.role == "tool")] | length`, `0`, `0`,
	},
	"vscode/document.json": {
		`[.[].requests[] | select(.isSystemInitiated | not)] | length`,
		`[.[].requests[] | .result.metadata.toolCallRounds[]?.toolCalls[]?, (.response[] | select(.kind == "toolInvocationSerialized"))] | length`,
		`[.[].requests[] | (.result.metadata.toolCallResults // {})[], (.response[] | select(.kind == "toolInvocationSerialized"))] | length`, `1700`, `68`,
	},
	"vscode/log.jsonl": {`2`, `3`, `3`, `1000`, `50`},
	"crush/made.sql": {
		`SELECT count(*) FROM messages WHERE role = 'user'`, `SELECT count(*) FROM messages, json_each(parts) AS p WHERE p.value ->> 'type' = 'tool_call'`,
		`SELECT count(*) FROM messages, json_each(parts) AS p WHERE p.value ->> 'type' = 'tool_result'`, `SELECT 0`, `SELECT 0`,
	},
	"goose/made.sql": {
		`SELECT count(*) FROM messages WHERE role = 'user' AND metadata_json ->> 'userVisible' AND content_json LIKE '%"type":"text"%' AND content_json NOT LIKE '%toolResponse%'`,
		`SELECT count(*) FROM messages, json_each(content_json) AS c WHERE c.value ->> 'type' = 'toolRequest'`, `SELECT count(*) FROM messages, json_each(content_json) AS c WHERE c.value ->> 'type' = 'toolResponse'`,
		`SELECT sum(input_tokens) + 70 FROM usage_ledger`, `SELECT sum(output_tokens) + 7 FROM usage_ledger`, // one session has no ledger, and a total
	},
	"hermes/made.sql": {
		`SELECT count(*) FROM messages WHERE role = 'user'`, `SELECT sum(json_array_length(tool_calls)) FROM messages`, `SELECT count(*) FROM messages WHERE role = 'tool'`,
		`SELECT sum(input_tokens + cache_read_tokens) FROM sessions`, `SELECT sum(output_tokens) FROM sessions`,
	},
	"openclaw/made.sql": {
		`SELECT count(*) FROM transcript_events WHERE event_json ->> '$.message.role' = 'user'`,
		`SELECT count(*) FROM transcript_events, json_each(event_json, '$.message.content') AS c WHERE event_json ->> '$.message.role' = 'assistant' AND c.value ->> 'type' = 'toolCall'`,
		`SELECT sum(event_zstd IS NOT NULL OR event_json ->> '$.message.role' = 'toolResult') FROM transcript_events`, // the result that is compressed is one
		`SELECT sum((event_json -> '$.message.usage' ->> 'input') + (event_json -> '$.message.usage' ->> 'cacheRead')) FROM transcript_events`,
		`SELECT sum(event_json -> '$.message.usage' ->> 'output') FROM transcript_events`,
	},
	"cursoride/made.sql": {
		`SELECT 1 + count(*) FROM cursorDiskKV WHERE key LIKE 'bubbleId:%' AND value ->> 'type' = 1`, `SELECT count(*) FROM cursorDiskKV WHERE key LIKE 'bubbleId:%' AND value ->> 'toolFormerData' IS NOT NULL`,
		`SELECT count(*) FROM cursorDiskKV WHERE key LIKE 'bubbleId:%' AND value ->> 'toolFormerData' IS NOT NULL`,
		`SELECT sum(value -> 'tokenCount' ->> 'inputTokens') FROM cursorDiskKV WHERE key LIKE 'bubbleId:%'`, `SELECT sum(value -> 'tokenCount' ->> 'outputTokens') FROM cursorDiskKV WHERE key LIKE 'bubbleId:%'`,
	},
	"zed/made.sql": { // of the thread that is not compressed and the one that is, which say the same, and the old one
		`SELECT 2 * (SELECT count(*) FROM json_each(data, '$.messages') AS m WHERE m.value LIKE '%"User"%') + 1 FROM threads WHERE id LIKE '8888%'`, `SELECT 2 * 1 + 1`, `SELECT 2 * 1 + 1`,
		`SELECT 2 * (CAST(data AS TEXT) -> 'cumulative_token_usage' ->> 'input_tokens' + 20) FROM threads WHERE id LIKE '8888%'`, `SELECT 2 * (CAST(data AS TEXT) -> 'cumulative_token_usage' ->> 'output_tokens') FROM threads WHERE id LIKE '8888%'`,
	},
}

// TestSecondSource: what a map reads of a sample is what another program counts in it.
func TestSecondSource(t *testing.T) {
	t.Parallel()
	for name, by := range counts {
		agent, file, _ := strings.Cut(name, "/")
		path := filepath.Join(corpus.Dir(), "agents", agent, file)
		var want count
		into := []*int64{&want.Prompts, &want.Calls, &want.Results, &want.Input, &want.Output}
		if filepath.Ext(path) == ".sql" {
			path = formatstest.Database(t, must.Read(t, path))
			db, err := sql.Open("sqlite", path)
			must.Do(t, err)
			for i, query := range by {
				must.Do(t, db.QueryRowContext(t.Context(), query).Scan(into[i]))
			}
			must.Do(t, db.Close())
		} else {
			values := valuesOf(t, must.Read(t, path))
			for i, expression := range by {
				*into[i] = asked(t, values, expression)
			}
			path = formatstest.File(t, base(agent), must.Read(t, path))
		}
		var got count
		for _, r := range formatstest.Import(t, format(t, agent), source(path), false) {
			for _, e := range r.Session(t).Entries {
				usage := js.Value(e.Get("usage"))
				if m, ok := e.Message(); ok {
					usage = js.Value(m.Get("usage"))
					got.Calls += int64(len(m.ToolCalls()))
					switch m.Role() {
					case "user":
						got.Prompts++
					case "toolResult":
						got.Results++
					}
				}
				got.Input += usage.Get("input").Int() + usage.Get("cacheRead").Int() + usage.Get("cacheWrite").Int()
				got.Output += usage.Get("output").Int()
			}
		}
		if got != want {
			t.Errorf("%s: read %+v, counted %+v", name, got, want)
		}
	}
}

// valuesOf returns the values of a text of JSON.
func valuesOf(t *testing.T, text string) (values []any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	for {
		var v any
		if err := d.Decode(&v); err == io.EOF {
			return values
		} else if err != nil {
			t.Fatal(err)
		}
		values = append(values, v)
	}
}

// asked returns the number that an expression of jq has for values.
func asked(t *testing.T, values []any, expression string) int64 {
	t.Helper()
	q, err := gojq.Parse(expression)
	must.Do(t, err)
	v, _ := q.RunWithContext(t.Context(), values).Next()
	var n int64
	if _, err := fmt.Sscan(fmt.Sprint(v), &n); err != nil {
		t.Fatalf("%s is %v", expression, v)
	}
	return n
}
