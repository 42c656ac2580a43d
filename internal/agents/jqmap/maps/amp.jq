module {
  interface: 1, name: "amp", summary: "threads of Amp (experimental)", provider: "amp", grows: false, # a thread is written anew
  homes: ["$AMP_DATA_HOME/threads", "$XDG_DATA_HOME/amp/threads", "~/.local/share/amp/threads"], files: ["T-*.json"], each: "messages",
  program: "Amp", resume: ["amp", "threads", "continue", "ID"],
  tools: {write: ["undo_edit"], search: ["list_directory", "finder"], fetch: ["read_web_page"], agent: ["oracle", "librarian"], plan: ["todo_write", "todo_read"]},
  signs: ["\"T-"], kind: ["role"], time: ["meta.sentAt", "usage.timestamp"], skip: ["info"]
};
def detect: .[0] | (.id | type) == "string" and (.id | startswith("T-")) and has("created") and has("v");
def path: if type == "string" then sub("^file://"; "") | @urid else null end;
def info: .values[0] as $s | {id: $s.id, title: $s.title, created: $s.created, cwd: ($s.env.initial.cwd // ($s.env.initial.trees[0].uri? | path)),
  parent: (first($s.relationships[]? | select(.type == "handoff" and .role == "child") | .threadID) // null)};
def out: .result // .error // .progress // (if .status == "rejected-by-user" then "The user rejected this tool call" else "" end) | if type == "object" then .output // .content // .message // str else . end | [text(str)];
def answer: (.run | objects) // {} | . as $run
  | {output: out, failed: ($run.status | . == "error" or . == "cancelled" or . == "rejected-by-user"), code: ([$run.result | objects | .exitCode][0])};
def tokens: . as $u | usage((.inputTokens // 0) + (.cacheReadInputTokens // 0) + (.cacheCreationInputTokens // 0); .outputTokens; .cacheReadInputTokens;
  .cacheCreationInputTokens; null) | reporting($u | del(.model, .timestamp));
def stop: if .state.type? == "cancelled" then {stopReason: "aborted"} elif .state.type? == "error" then {stopReason: "error", errorMessage: (.state.error.message? // "error" | str)} else {} end;
def value:
  if $kind == "user" then
    (.content[]? | select(.type == "tool_result") | .toolUseID as $id | answer | . as $a | result($id; $a.output; $a.failed) | ended($a.code)),
    (.content | anthropic_blocks | if . == [] then empty else user(.) end)
  elif $kind == "assistant" then
    assistant(.content | anthropic_blocks; {model: (.usage.model? // "unknown")} + (if .usage then {usage: (.usage | tokens)} else {} end) + stop)
  elif .id or $kind == "end" then skip
  else empty end;
