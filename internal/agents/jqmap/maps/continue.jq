module {
  interface: 1, name: "continue", summary: "sessions of Continue (experimental)", provider: "continue", grows: false, # a session is written anew
  homes: ["$CONTINUE_GLOBAL_DIR/sessions", "~/.continue/sessions"], files: ["*-*-*-*-*.json"], each: "history", beside: ["sessions.json"],
  program: "Continue", tools: {read: ["ReadFile"], search: ["Search", "List"], fetch: ["Fetch"], plan: ["Checklist"], agent: ["Subagent"]},
  signs: ["\"workspaceDirectory\""], kind: ["message.role"]
};
def detect: .[0] | (.sessionId | type) == "string" and (.workspaceDirectory | type) == "string";
def info: .values[0] as $s
  | {id: $s.sessionId, cwd: $s.workspaceDirectory, title: ($s.title | if . == "Untitled Session" then null else . end),
     created: (.beside["sessions.json"] | arrays | first(.[] | objects | select(.sessionId == $s.sessionId) | .dateCreated | tonumber)) // null};
def blocks: if type == "array" then [.[] | if .type == "text" then text(.text // "" | str) elif .imageUrl.url? then (.imageUrl.url as $u | [$u | dataurl][0] // text($u)) else text(str) end]
  elif . == null or . == "" then [] else [text(str)] end;
def used: . as $u | usage(.prompt_tokens; .completion_tokens; .prompt_tokens_details.cached_tokens?; .prompt_tokens_details.cache_write_tokens?; .completion_tokens_details.reasoning_tokens?)
  | costing((.cost_cents // 0 | counted) / 100) | reporting($u | del(.cost_cents?, .model?));
def code: [.[].text | capture("^(Error executing tool [A-Za-z]+: )?Error \\(exit code (?<n>[0-9]{1,9})\\)") | .n | tonumber][0];
def value:
  if $kind == "user" then user(.message.content | blocks)
  elif $kind == "assistant" then
    assistant([$state.thoughts[]? | thinking(.)] + (.message.content | blocks) + [.message.toolCalls[]? | call(.id; .function.name; .function.arguments)];
      if .message.usage then {model: .message.usage.model, usage: (.message.usage | used)} else {} end),
    (.toolCallStates[]? | (.status | . == "errored" or . == "canceled") as $failed | [.output[]? | text(.content // "" | str)] as $out
      | result(.toolCallId; $out; $failed) | ended(if $failed then $out | code else null end)),
    set({thoughts: null})
  elif $kind == "thinking" then push({thoughts: (.message.content | str)}) # of the reply behind it
  elif $kind == "system" then message("system"; .message.content | blocks; {})
  elif .sessionId then skip
  elif $kind == "end" then skip, (if $state.thoughts then assistant([$state.thoughts[] | thinking(.)]; {}) else empty end)
  else empty end;
