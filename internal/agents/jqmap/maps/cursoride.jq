module {
  interface: 1, name: "cursoride", summary: "chats of Cursor's editor (experimental)", provider: "cursor", grows: false, # a bubble is written anew while a reply comes in
  homes: ["$CURSOR_USER_DATA_DIR/User/globalStorage", "~/.config/Cursor/User/globalStorage", "~/Library/Application Support/Cursor/User/globalStorage", "~/AppData/Roaming/Cursor/User/globalStorage"],
  files: ["state.vscdb"], program: "Cursor's editor",
  tools: {run: ["run_terminal_command_v2", "run_terminal_command"], read: ["read_file_v2"], write: ["edit_file_v2", "search_replace"], search: ["list_dir_v2", "ripgrep", "ripgrep_raw_search", "semantic_search_full", "glob_file_search"], fetch: ["web_search"], plan: ["todo_write"], agent: ["task_v2"]},
  signs: ["cursorDiskKV"], kind: ["kind"], id: "bubbleId", time: ["createdAt"],
  sqlite: {
    tables: {cursorDiskKV: ["key", "value"]},
    sessions: "SELECT substr(key, 14) AS key, json_extract(value, '$.name') AS name, json_extract(value, '$.createdAt') AS created, json_extract(value, '$.lastUpdatedAt') AS updated, json_extract(value, '$.modelConfig.modelName') AS model, json_extract(value, '$.workspaceIdentifier.uri.fsPath') AS cwd, json_extract(value, '$.subagentInfo.parentComposerId') AS parent FROM (SELECT key, CASE WHEN json_valid(value) THEN value END AS value FROM cursorDiskKV WHERE key >= 'composerData:' AND key < 'composerData;') WHERE json_array_length(value, '$.fullConversationHeadersOnly') > 0 OR json_array_length(value, '$.conversation') > 0 ORDER BY updated DESC, key",
    values: "SELECT CASE coalesce(json_extract(h.value, '$.type'), CASE WHEN json_valid(b.value) THEN json_extract(b.value, '$.type') END) WHEN 1 THEN 'user' ELSE 'assistant' END AS kind, b.value AS \"bubble:json\", h.key AS n, 0 AS part FROM (SELECT CASE WHEN json_valid(value) THEN value ELSE '{}' END AS value FROM cursorDiskKV WHERE key = 'composerData:' || ?1) AS c, json_each(c.value, '$.fullConversationHeadersOnly') AS h LEFT JOIN cursorDiskKV AS b ON b.key = 'bubbleId:' || ?1 || ':' || json_extract(h.value, '$.bubbleId') UNION ALL SELECT CASE json_extract(h.value, '$.type') WHEN 1 THEN 'user' ELSE 'assistant' END, h.value, h.key, 1 FROM (SELECT CASE WHEN json_valid(value) THEN value ELSE '{}' END AS value FROM cursorDiskKV WHERE key = 'composerData:' || ?1) AS c, json_each(c.value, '$.conversation') AS h ORDER BY part, n"
  }
};
def detect: true;
def info: .values[0] as $s | {id: $s.key, title: $s.name, created: $s.created, modified: $s.updated, cwd: $s.cwd, parent: $s.parent, model: ($s.model // "unknown")};
def place: {timestamp: (.createdAt // .timestamp // .timingInfo.clientStartTime? // null), id: .bubbleId};
def tokens: [.tokenCount | objects | select((.inputTokens // 0 | counted) + (.outputTokens // 0 | counted) > 0)][0] as $u | if $u then {usage: ($u | usage(.inputTokens; .outputTokens; null; null; null) | reporting($u))} else {} end;
def value:
  if $kind == "user" then .bubble | objects | . as $b
    | user([text($b.text // $b.rawText // "" | str)] + [$b.images[]? | objects | select(.data) | image(.mimeType // "image/png"; .data)]) + place
  elif $kind == "assistant" then .bubble | objects | . as $b | ([.toolFormerData | objects][0]) as $t | ($t.toolCallId? // $b.bubbleId) as $id
    | (assistant([$b.thinking.text? // "" | strings | select(. != "") | thinking(.)] + [$b.text // "" | strings | select(. != "") | text(.)]
        + (if $t then [call($id; $t.name; $t.rawArgs // $t.params)] else [] end); {model: ($b.modelInfo.modelName? // $info.model)} + ($b | tokens)) + place),
      (if $t and ($t.result // $t.error) then result($id; [text($t.result // $t.error | str)]; $t.status == "error" or $t.status == "cancelled") + {timestamp: ($b | place.timestamp)} else empty end)
  elif has("key")? then if $info.parent then subagent else skip end
  elif $kind == "end" then skip
  else empty end;
