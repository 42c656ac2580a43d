module {
  interface: 1, name: "qwen", summary: "sessions of Qwen Code (experimental)", provider: "qwen",
  homes: ["$QWEN_RUNTIME_DIR/projects", "$QWEN_HOME/projects", "~/.qwen/projects"],
  files: ["*/chats/*.jsonl", "*/subagents/*/agent-*.jsonl"], beside: ["*.meta.json"],
  program: "Qwen Code", resume: ["qwen", "--resume", "ID"], running: "QWEN_CODE_SESSION_ID",
  zero: ["run_shell_command"], tools: {run: ["run_shell_command"], read: ["read_many_files"], plan: ["todo_write"]},
  signs: ["\"parts\":["],
  kind: ["type", "subtype"], id: "uuid", parent: "parentUuid", time: ["timestamp"],
  keep: ["system/attribution_snapshot", "system/at_command", "system/session_context", "system/session_artifact_snapshot", "system/rewind"]
};
def detect: any(.[]; (.uuid | type) == "string" and has("parentUuid") and (.message.parts | type) == "array");
def info: .values[0] as $first
  | (.path | capture("/subagents/[^/]+/(?<n>[^/]+)\\.jsonl$")? | .n) // (if $first.agentId then "agent-\($first.agentId)" else null end) | . as $agent
  | {id: (if $agent then "\($first.sessionId)-\($agent)" else $first.sessionId end), created: $first.timestamp, cwd: $first.cwd,
     parent: (if $agent then $first.sessionId else null end)};
def blocks: [.message | .parts | gemini_parts[] | gemini_block | if .type == "text" and (.text | startswith("<qwen:")) then . + {harness: $name} else . end];
def tokens: . as $u | usage(.promptTokenCount; .candidatesTokenCount; .cachedContentTokenCount; 0; .thoughtsTokenCount) | reporting($u); # thoughts are among the candidates or not: the total tells
def results: . as $v | (.message.parts | gemini_parts | gemini_results) as $results | ((.toolCallResult.status // "success") != "success") as $failed
  | if $results == [] then result(.toolCallResult.callId; blocks; $failed) else $results[] | result(.id; .blocks; $failed) end;
def helper: select(.["event.name"] == "qwen-code.api_response" and (.prompt_id // "" | contains("managed-")))
  | {type: "usage", kind: "helper", provider: "qwen", model: (.model // "unknown"),
     usage: usage(.input_token_count; .output_token_count; .cached_content_token_count; 0; .thoughts_token_count)};
def past: if .role == "model" then {message: .} | assistant(blocks; {})
  elif any(.parts | gemini_parts[]; .functionResponse != null) then {message: .} | results
  else {message: .} | user(blocks) end;
def value:
  if $kind == "user" or $kind == "user/mid_turn_user_message" then user(blocks)
  elif $kind == "user/notification" or $kind == "user/cron" or $kind == "user/goal_runtime" then beside($kind | ltrimstr("user/"); blocks)
  elif $kind == "assistant" then assistant(blocks; {model: .model, usage: (.usageMetadata | if . then tokens else null end)})
  elif $kind == "tool_result" then results
  elif $kind == "system/ui_telemetry" then keep, (.systemPayload.uiEvent | objects | helper)
  elif $kind == "system/custom_title" then title(.systemPayload.customTitle // "")
  elif $kind == "system/chat_compression" and (.systemPayload.compressedHistory | type) == "array" then
    (.systemPayload | compaction([.compressedHistory[0].parts[]?.text // empty] | first // ""; null; .info.originalTokenCount), (.compressedHistory[1:][] | past))
  elif $kind | startswith("system/") then keep
  elif $kind == "end" then skip
  else empty end;
