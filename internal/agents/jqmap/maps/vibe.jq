module {
  interface: 1, name: "vibe", summary: "sessions of Mistral Vibe (experimental)", provider: "mistral", grows: false, # the model and the times are in another file
  homes: ["$VIBE_HOME/logs/session", "~/.vibe/logs/session"], files: ["*/messages.jsonl"], beside: ["meta.json"],
  program: "Mistral Vibe", resume: ["vibe", "--resume", "ID"], tools: {write: ["search_replace"]},
  signs: ["\"injected\""], kind: ["role"]
};
def detect: .[0] | .role == "user" and (.message_id | type) == "string" and has("injected");
def utc: if type == "string" and test("T[0-9:.]+$") then . + "Z" else . end; # its times are without a zone
def info: (.beside["meta.json"] | objects) // {} | . as $m
  | {id: $m.session_id, cwd: $m.environment.working_directory?, title: $m.title, created: ($m.start_time | utc), modified: ($m.end_time | utc), parent: $m.parent_session_id,
     model: ($m.config.active_model? // "unknown"), used: ($m.stats | objects) // null};
def content: if type == "array" then [.[] | if .type == "text" then text(.text // "" | str) else text(str) end] elif . == null or . == "" then [] else [text(str)] end;
def tokens: . as $u | usage(.session_prompt_tokens; .session_completion_tokens; null; null; null) | costing(.session_cost // 0 | counted);
def value:
  if $kind == "user" then (if .injected == true then beside("injected"; .content | content) else user(.content | content) end) + {id: .message_id}
  elif $kind == "assistant" then
    assistant([.reasoning_content // "" | str | select(. != "") | thinking(.)] + (.content | content) + [.tool_calls[]? | call(.id; .function.name; .function.arguments)]; {model: $info.model}) + {id: .message_id}
  elif $kind == "tool" then (.content // "" | str | test("^<(tool_error|user_cancellation)>")) as $failed | result(.tool_call_id; .content | content; $failed)
  elif $kind == "system" then message("system"; .content | content; {})
  elif $kind == "end" then skip, (if $info.used.session_prompt_tokens? then {total: ($info.used | tokens), model: $info.model} else empty end)
  else empty end;
