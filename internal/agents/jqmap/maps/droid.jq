module {
  interface: 1, name: "droid", summary: "sessions of Factory's droid (experimental)", provider: "factory",
  homes: ["$FACTORY_HOME_OVERRIDE/.factory/sessions", "~/.factory/sessions"], files: ["*/*.jsonl", "*.jsonl"], beside: ["*.settings.json"],
  program: "droid", resume: ["droid", "--resume", "ID"], tools: {write: ["Create", "ApplyPatch"], fetch: ["FetchUrl"], search: ["ToolSearch"], ask: ["AskUser"]},
  signs: ["\"session_start\""], kind: ["type", "message.role"], id: "id", parent: "parentId", time: ["timestamp"], keep: ["todo_state", "session_end"]
};
def detect: any(.[]; .type == "session_start" and (.id | type) == "string" and (.owner | type) == "string");
def info: (first(.values[] | select(.type == "session_start")) // {}) as $s | (first(.values[] | .timestamp // empty) // null) as $began | (.beside["*.settings.json"] | objects) // {} | . as $more
  | {id: $s.id, created: $began, cwd: $s.cwd, parent: ($s.callingSessionId // $s.parent), helper: ($s.callingSessionId != null), used: ($more.tokenUsage | objects) // null, model: ($more.model // "unknown")};
def framed: (.id // "" | str | startswith("context-")) or ([.message.content | arrays | .[0].text?][0] // "" | str | startswith("<system-reminder>"));
def code: [.[] | .text? // "" | strings | capture("\\(exit code: (?<n>[0-9]{1,9})\\)") | .n | tonumber][0];
def tokens: . as $u | usage((.inputTokens // 0) + (.cacheReadTokens // 0) + (.cacheCreationTokens // 0); .outputTokens; .cacheReadTokens; .cacheCreationTokens; .thinkingTokens) | reporting($u | del(.factoryCredits?));
def value:
  if $kind == "message/user" then
    framed as $framed
    | (.message.content | arrays | .[] | select(.type == "tool_result") | (.is_error == true) as $failed | (.content | anthropic_blocks) as $out | result(.tool_use_id; $out; $failed) | ended($out | code)),
      (.message.content | anthropic_blocks | if . == [] then empty elif $framed then beside("context"; .) else user(.) end)
  elif $kind == "message/assistant" then assistant(.message.content | anthropic_blocks; {model: (.message.modelId // $info.model)})
  elif $kind == "compaction_state" then compaction(.summaryText // .summary // "" | str; null; 0)
  elif $kind == "session_start" then (.sessionTitle // .title | strings | select(. != "") | title(.)), (if $info.helper then subagent else skip end)
  elif $kind == "agent_turn_outcome" then skip
  elif $kind == "end" then skip, (if $info.used then {total: ($info.used | tokens), model: $info.model} else empty end)
  else empty end;
