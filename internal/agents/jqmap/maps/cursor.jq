module {
  interface: 1, name: "cursor", summary: "transcripts of Cursor's agent (experimental)", provider: "cursor",
  homes: ["$CURSOR_CONFIG_DIR/projects", "~/.cursor/projects"],
  files: ["*/agent-transcripts/*/*.jsonl", "*/agent-transcripts/*/subagents/*.jsonl", "*/agent-transcripts/*.jsonl"],
  beside: ["../../../../chats/?/%/meta.json", "../../../chats/?/*/meta.json"],
  program: "Cursor", resume: ["cursor-agent", "--resume", "ID"], tools: {run: ["Shell"], write: ["StrReplace", "Delete"], search: ["SemanticSearch"]},
  signs: ["<user_query>"], kind: ["type", "role"], time: ["timestamp", "message.timestamp"], skip: ["turn_id", "message_id"]
};
def detect: .[0] | .role == "user" and (.message.content | type) == "array" and (has("uuid") or has("sessionId") or has("id") or (.message | has("role")) | not);
def stated: [.values[].message?.content?[]? | .text? // empty | strings | capture("Workspace Path: (?<p>[^\\n]+)") | .p][0];
def info: ([.beside[] | objects][0] // {}) as $m | (.path | split("/")) as $p | ($p[-2] == "subagents") as $helper
  | {id: (($p[-1] | rtrimstr(".jsonl")) | if $helper then "agent-" + . else . end), parent: (if $helper then $p[-3] else null end), cwd: ($m.cwd // stated), title: $m.title,
     created: $m.createdAtMs, modified: $m.updatedAtMs};
def plain: [capture("(?s)<user_query>\\n?(?<q>.*?)\\n?</user_query>").q][0] // .;
def value:
  if $kind == "user" then
    (.message.content | arrays | .[] | select(.type == "tool_result") | (.is_error == true) as $failed | result(.tool_use_id; .content | anthropic_blocks; $failed)),
    (.message.content | anthropic_blocks | map(if .type == "text" then .text |= plain else . end) | if . == [] then empty else user(.) end)
  elif $kind == "assistant" then ($state.n // 0) as $n # its calls have no ids
    | assistant([.message.content | if type == "array" then to_entries[] | .key as $at | .value | if .type == "tool_use" or .type == "tool_call" then .id = (.id // "call \($n).\($at)") else . end else . end] | if .[0] | type == "string" then .[0] else . end | anthropic_blocks;
        {model: "unknown"}), set({n: ($n + 1)})
  elif $kind == "turn_ended" then
    if .status == "aborted" then assistant([]; {model: "unknown", stopReason: "aborted"})
    elif .status == "error" then assistant([]; {model: "unknown", stopReason: "error", errorMessage: (.error // "error" | str)})
    else skip end
  elif $kind == "end" then skip
  else empty end;
