module {
  interface: 1, name: "crush", summary: "sessions of Crush (experimental)", provider: "crush", grows: false, # a row is written anew while a reply comes in
  homes: ["$CRUSH_GLOBAL_DATA", "$XDG_DATA_HOME/crush", "~/.local/share/crush"], registry: ["projects.json", "projects", "data_dir"], files: ["crush.db"],
  program: "Crush", resume: ["crush", "--session", "ID"], tools: {read: ["job_output"], fetch: ["download", "sourcegraph"], agent: ["agentic_fetch"], plan: ["todos"]},
  signs: ["CREATE TABLE sessions", "prompt_tokens", "summary_message_id"], kind: ["role"], id: "id", time: ["created_at"],
  sqlite: {
    tables: {
      sessions: ["id", "title", "?parent_session_id", "?cost", "created_at", "updated_at"],
      messages: ["id", "session_id", "role", "parts", "rowid", "?model", "?provider", "?is_summary_message", "created_at"]
    },
    sessions: "SELECT id AS key, id, title, parent_session_id, cost, created_at, updated_at FROM sessions ORDER BY updated_at DESC, id",
    values: "SELECT id, role, parts AS \"parts:json\", model, provider, is_summary_message, created_at FROM messages WHERE session_id = ?1 ORDER BY created_at, rowid"
  }
};
def detect: true;
def info: .values[0] as $s
  | {id: $s.id, title: $s.title, created: $s.created_at, modified: $s.updated_at, parent: $s.parent_session_id, cost: $s.cost, cwd: ([.path | capture("^(?<dir>.*)/\\.crush/[^/]*$").dir][0])};
def parts($type): .parts | arrays | .[] | objects | select(.type == $type) | .data | objects;
def block: .data as $d
  | if .type == "text" then text($d.text // "" | str)
    elif .type == "reasoning" then $d.thinking // "" | select(. != "") | thinking(str) | signed($d.signature)
    elif .type == "image_url" then ([$d.url | dataurl][0] // text($d.url | str))
    elif .type == "binary" then (if $d.MIMEType // "" | str | startswith("image/") then image($d.MIMEType; $d.Data) else text($d.Data | try @base64d catch "") end)
    elif .type == "tool_call" then call($d.id; $d.name; $d.input)
    elif .type == "shell_command" then text("$ \($d.command)\n\($d.output)\n(exit code \($d.exit_code))")
    elif .type == "finish" or .type == "tool_result" then empty else text(str) end;
def blocks: [.parts | arrays | .[] | objects | block];
def stop: [parts("finish")][0] // {} | .reason as $r
  | if $r == "error" or $r == "content_filter" then {stopReason: "error", errorMessage: ([.message, .details] | map(strings | select(. != "")) | join(": ") | if . == "" then $r else . end)}
    elif $r == "canceled" then {stopReason: "aborted"} elif $r == "max_tokens" then {stopReason: "length"} elif $r == "tool_use" then {stopReason: "toolUse"} elif $r then {stopReason: "stop"} else {} end;
# A command that failed is no error: its status is the end of its output, which has none for 0. One that goes on in the background has none yet.
def answer: . as $r | ([.metadata | strings | fromjson? | objects][0] // {}) as $m
  | result(.tool_call_id; [text($r.content // "" | str)] + [$r.data | strings | select(. != "") | image($r.mime_type; .)]; $r.is_error == true)
  | if $r.name != "bash" or $r.is_error == true then .
    elif $m.background == true then .message.details = {backgroundTaskId: ($m.shell_id // $r.tool_call_id | str)}
    elif ($m.output | type) == "string" then ended([$m.output | capture("Exit code (?<n>[0-9]{1,9})\\s*$") | .n | tonumber][0] // 0)
    else . end;
def value:
  if $kind == "user" then user(blocks)
  elif $kind == "assistant" and .is_summary_message == 1 then compaction([parts("text") | .text] | join("\n"); null; 0)
  elif $kind == "assistant" then assistant(blocks; {model: (.model // "unknown"), provider: (.provider // "crush")} + stop)
  elif $kind == "tool" then parts("tool_result") | answer
  elif $kind == "system" then message("system"; blocks; {})
  elif has("key")? then if $info.parent then subagent else skip end
  elif $kind == "end" then skip, # what its helpers cost is in the cost of a session
    (if $info.parent == null and ($info.cost // 0) > 0 then {total: (usage(0; 0; 0; 0; 0) | costing($info.cost)), model: "unknown"} else empty end)
  else empty end;
