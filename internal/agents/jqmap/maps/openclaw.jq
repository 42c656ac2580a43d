module {
  interface: 1, name: "openclaw", summary: "sessions of OpenClaw (experimental)", provider: "openclaw", grows: false, # rows are rewritten and put into archives
  homes: ["$OPENCLAW_STATE_DIR/agents", "~/.openclaw/agents"], files: ["*/agent/openclaw-agent.sqlite"],
  program: "OpenClaw", tools: {write: ["apply_patch"], agent: ["sessions_spawn"]},
  signs: ["schema_meta", "CREATE TABLE session_nodes"], kind: ["event.type"], id: "event.id", parent: "event.parentId", time: ["event.timestamp"], skip: ["session"],
  sqlite: {
    tables: {
      transcript_events: ["session_id", "seq", "event_json", "?event_zstd", "created_at"],
      "?session_windows": ["session_id", "session_key", "previous_session_id", "parent_session_key", "spawned_by", "display_name", "updated_at"],
      "?session_nodes": ["session_key", "current_session_id", "label", "display_name"],
      "?session_transcript_cold_archives": ["session_id", "event_count", "archived_at"]
    },
    sessions: "SELECT s.session_id AS key, (SELECT coalesce(event_zstd, event_json) FROM transcript_events WHERE session_id = s.session_id ORDER BY seq LIMIT 1) AS \"head:zstd:json\", coalesce(n.label, n.display_name, w.display_name) AS title, w.previous_session_id AS previous, (SELECT current_session_id FROM session_nodes WHERE session_key = coalesce(w.spawned_by, w.parent_session_key)) AS parent, w.spawned_by AS spawned, (SELECT event_count FROM session_transcript_cold_archives WHERE session_id = s.session_id) AS cold, coalesce((SELECT created_at FROM transcript_events WHERE session_id = s.session_id ORDER BY seq DESC LIMIT 1), w.updated_at) AS updated FROM (SELECT session_id FROM transcript_events UNION SELECT session_id FROM session_transcript_cold_archives) AS s LEFT JOIN session_windows AS w ON w.session_id = s.session_id LEFT JOIN session_nodes AS n ON n.session_key = w.session_key ORDER BY updated DESC, s.session_id",
    values: "SELECT coalesce(event_zstd, event_json) AS \"event:zstd:json\" FROM transcript_events WHERE session_id = ?1 ORDER BY seq"
  }
};
def detect: true;
def info: .values[0] as $s
  | {id: $s.key, cwd: $s.head.cwd?, title: $s.title, created: $s.head.timestamp?, modified: $s.updated, parent: ($s.parent // $s.previous), helper: ($s.spawned != null)};
# An event is a line of pi's sessions. A leaf is the place from which the session goes on, and behind a reset nothing in front of it is seen.
def top: if $info.helper then "top" else null end;
def value:
  if has("key")? then
    (if $info.helper then subagent | .as = "top" else skip end),
    (if .cold then lose("entry"; "\(.cold) events are in a cold archive of the database, which is not read") else empty end)
  elif $kind == "leaf" then .event | {type: "custom", customType: "openclaw:leaf", data: {targetId}, parentId: (.targetId // top)}
  elif $kind == "reset" then .event | if .firstKeptEntryId then compaction(""; .firstKeptEntryId; 0) else {type: "custom", customType: "openclaw:reset", parentId: top} end
  elif ["message", "thinking_level_change", "model_change", "compaction", "branch_summary", "custom", "custom_message", "label", "session_info"] | index($kind) then
    .event | (.parentId // top) as $behind | del(.id, .timestamp, .appendMode) | .parentId = $behind
  elif $kind == "end" then skip
  else empty end;
