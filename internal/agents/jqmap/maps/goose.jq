module {
  interface: 1, name: "goose", summary: "sessions of goose (experimental)", provider: "goose", grows: false, # rows are hidden when they are summed up
  homes: ["$GOOSE_PATH_ROOT/data/sessions", "$XDG_DATA_HOME/goose/sessions", "~/.local/share/goose/sessions", "~/AppData/Roaming/Block/goose/data/sessions"], files: ["sessions.db"],
  program: "goose", resume: ["goose", "session", "--resume", "--session-id", "ID"], tools: {write: ["developer__text_editor", "text_editor"], agent: ["subagent__execute_task", "delegate"], plan: ["todo__todo_write"]},
  signs: ["CREATE TABLE sessions", "working_dir", "session_type"], kind: ["role"], id: "id", time: ["created_timestamp"],
  sqlite: {
    tables: {
      sessions: ["id", "working_dir", "created_at", "updated_at", "?name", "?description", "?session_type", "?provider_name", "?model_config_json", "?parent_session_id",
        "?accumulated_input_tokens", "?accumulated_output_tokens", "?accumulated_cache_read_tokens", "?accumulated_cache_write_tokens", "?accumulated_cost"],
      messages: ["id", "session_id", "role", "content_json", "created_timestamp", "?message_id", "?metadata_json"],
      "?usage_ledger": ["id", "session_id", "created_timestamp", "model", "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "cost", "is_compaction"]
    },
    sessions: "SELECT id AS key, id, working_dir, strftime('%Y-%m-%dT%H:%M:%SZ', created_at) AS created, strftime('%Y-%m-%dT%H:%M:%SZ', updated_at) AS updated, name, description, session_type, provider_name, model_config_json AS \"config:json\", parent_session_id, accumulated_input_tokens AS input, accumulated_output_tokens AS output, accumulated_cache_read_tokens AS read, accumulated_cache_write_tokens AS write, accumulated_cost AS cost FROM sessions ORDER BY updated_at DESC, id",
    values: "SELECT coalesce(message_id, 'm' || id) AS id, role, content_json AS \"content:json\", created_timestamp, metadata_json AS \"metadata:json\", id AS n, 0 AS last FROM messages WHERE session_id = ?1 UNION ALL SELECT 'u' || id, 'usage', json_object('input', input_tokens, 'output', output_tokens, 'read', cache_read_tokens, 'write', cache_write_tokens, 'cost', cost, 'model', model, 'compaction', is_compaction), created_timestamp, NULL, id, 1 FROM usage_ledger WHERE session_id = ?1 ORDER BY last, n"
  }
};
def detect: true;
def info: .values[0] as $s
  | {id: $s.id, cwd: $s.working_dir, title: (if ($s.name // "") != "" then $s.name else $s.description end), created: $s.created, modified: $s.updated, parent: $s.parent_session_id,
     model: ([$s.config | objects | .model_name][0] // "unknown"), provider: ($s.provider_name // "goose"), given: $s};
def model: [.metadata | objects | .inference | objects | .resolvedModel // .requestedModel | strings][0] // $info.model;
def block: . as $b
  | if .type == "text" then text(.text // "" | str) elif .type == "thinking" then thinking(.thinking // "" | str) | signed($b.signature)
    elif .type == "redactedThinking" then {type: "redactedThinking", data: (.data // "" | str)} elif .type == "image" and .data then image(.mimeType; .data)
    elif .type == "toolRequest" or .type == "frontendToolRequest" then call(.id; .toolCall.value.name? // "unknown"; .toolCall.value.arguments?)
    elif .type == "toolResponse" or .type == "systemNotification" or .type == "error" then empty else text(str) end;
def blocks: [.content | arrays | .[] | objects | block];
def answer: .toolResult as $r | ([$r.value | if type == "array" then . else .content? end | arrays][0] // []) as $c
  | result(.id; [$c[] | objects | if .type == "image" and .data then image(.mimeType; .data) else text(.text // .resource.text? // str | str) end] + [$r.error // empty | text(.message? // str)]; $r.status == "error" or $r.value.isError? == true);
def unseen: [.metadata | objects | .agentVisible][0] == false;
def hidden: [.metadata | objects | .userVisible][0] == false;
def summary: [.content | arrays | .[] | objects | select(.type == "text") | .text] | join("\n");
# State: gone, there was a row that the model no longer sees; compacted, what stands for those; ledger, the calls of the model are told.
def value: . as $v
  | if $kind == "user" and $state.gone and hidden and (unseen | not) and ($state.compacted | not) then compaction(summary; null; 0), set({compacted: true})
    elif $kind == "user" then hidden as $hidden
      | (.content | arrays | .[] | objects | select(.type == "toolResponse") | answer),
        (blocks as $b | if $b == [] then skip elif $hidden then beside("turn-context"; $b) else user($b) end)
    elif $kind == "assistant" and hidden then beside("compaction"; blocks)
    elif $kind == "assistant" then
      assistant(blocks; {model: model, provider: $info.provider} + ([.content | arrays | .[] | objects | select(.type == "error")][0] as $f | if $f then {stopReason: "error", errorMessage: ($f.message // $f.kind // "error" | str)} else {} end))
    elif $kind == "usage" then .content as $u
      | {type: "usage", kind: (if $u.compaction == 1 then "compaction" else "call" end), provider: $info.provider, model: ($u.model // $info.model), usage: ($u | usage(.input; .output; .read; .write; null) | costing($u.cost | counted))}, set({ledger: true})
    elif has("key")? then if $info.given.session_type == "sub_agent" then subagent else skip end
    elif $kind == "end" then skip,
      (if $state.ledger then empty else $info.given as $g | {total: ($g | usage(.input; .output; .read; .write; null) | costing($g.cost | counted)), model: $info.model} end)
    else empty end,
    (if $kind != "end" and unseen then set({gone: true}) else empty end);
