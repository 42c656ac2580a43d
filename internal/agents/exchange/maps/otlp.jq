# Spans of OpenTelemetry, by its conventions for generative AI: a run of the agent, its calls of models, and those of tools.
def attribute($key): {key: $key, value: (if type == "string" then {stringValue: .} elif type == "boolean" then {boolValue: .} elif type == "array" then {arrayValue: {values: [.[] | {stringValue: .}]}} else {intValue: tostring} end)};
def attributes: [to_entries[] | select(.value != null and .value != "" and .value != []) | .key as $k | .value | attribute($k)];
def nanos: if . == null then "0" else "\(.)000000" end;

def part: if .type == "text" then {type: "text", content: (.text // "")} elif .type == "thinking" then {type: "reasoning", content: (.thinking // "")}
  elif .type == "toolCall" then {type: "tool_call", id: .id, name: .name, arguments: arguments} else {type: .type} end;
def said: {role: (.role | apirole), parts: (
  if .role == "toolResult" then [{type: "tool_call_response", id: .toolCallId, response: text}]
  elif (.content | type) == "array" then [.content[] | part] else [{type: "text", content: text}] end)};

def span($id; $up; $name; $kind; $from; $to; $more):
  {traceId: $s.trace, spanId: $id, parentSpanId: $up, name: $name, kind: $kind, startTimeUnixNano: ($from | nanos), endTimeUnixNano: ($to | nanos),
   attributes: ({"gen_ai.conversation.id": $s.session} + $more | attributes)} | some;

def head: $s
  | span(.span; ""; "invoke_agent \(.agent)"; 1; .first; .last;
    {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": .agent, "gen_ai.agent.id": .session, "gen_ai.provider.name": .provider}
    + if .content and .system != null then {"gen_ai.system_instructions": ([{type: "text", content: .system}] | tojson)} else {} end);

def item: select(.message.role == "assistant") | .message as $m | . as $one
  | span(.span; $s.span; "chat \($m.model // "")"; 3; (.before // .ms); .ms; {
      "gen_ai.operation.name": "chat", "gen_ai.provider.name": $m.provider, "gen_ai.request.model": $m.model, "gen_ai.response.model": $m.model, "gen_ai.response.id": $m.responseId,
      "gen_ai.response.finish_reasons": (if $m.stopReason == null then null else [$m.stopReason] end)
    } + (if ($m.usage | type) != "object" then {} else {
      "gen_ai.usage.input_tokens": ($m.usage | prompttokens), "gen_ai.usage.output_tokens": ($m.usage.output | number),
      "gen_ai.usage.cache_read.input_tokens": ($m.usage.cacheRead | number), "gen_ai.usage.cache_creation.input_tokens": ($m.usage.cacheWrite | number)
    } end) + (if $m.stopReason == "error" then {"error.type": "error"} else {} end)
    + (if $s.content then {
      "gen_ai.input.messages": ([.earlier | if . == null then empty elif .results == [] then .message else .results[].message end | said] | tojson),
      "gen_ai.output.messages": ([$m | said + {finish_reason: .stopReason}] | tojson)
    } else {} end)),
  ($one.results[] | span(.span; $one.span; "execute_tool \(.name)"; 1; $one.ms; .ms; {
      "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": .name, "gen_ai.tool.call.id": .call
    } + (if .message.isError == true then {"error.type": "tool_error"} else {} end)
    + (if $s.content then {"gen_ai.tool.call.arguments": (.arguments | tojson), "gen_ai.tool.call.result": (.message | text)} else {} end)));

def whole: {resourceSpans: [{
  resource: {attributes: ({"service.name": $s.agent} | attributes)},
  scopeSpans: [{scope: {name: "sess"}, schemaUrl: "https://opentelemetry.io/schemas/1.36.0", spans: $list}]
}]};
