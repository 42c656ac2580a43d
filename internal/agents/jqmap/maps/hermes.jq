module {
  interface: 1, name: "hermes", summary: "sessions of Hermes Agent (experimental)", provider: "hermes", grows: false, # rows are taken back in place
  homes: ["$HERMES_HOME", "~/.hermes"], files: ["state.db", "profiles/*/state.db"],
  program: "Hermes Agent", resume: ["hermes", "--resume", "ID"], tools: {run: ["process", "execute_code"], write: ["patch_file"], fetch: ["web_extract", "browser_navigate"], agent: ["delegate_task"], ask: ["clarify"]},
  signs: ["schema_version", "CREATE TABLE sessions", "end_reason"], kind: ["role"], id: "id", time: ["timestamp"], skip: ["session_meta"],
  sqlite: {
    tables: {
      sessions: ["id", "source", "started_at", "?ended_at", "?model", "?parent_session_id", "?title", "?cwd", "?input_tokens", "?output_tokens", "?cache_read_tokens", "?cache_write_tokens",
        "?reasoning_tokens", "?billing_provider", "?actual_cost_usd", "?estimated_cost_usd"],
      messages: ["id", "session_id", "role", "content", "timestamp", "?tool_call_id", "?tool_calls", "?finish_reason", "?reasoning", "?reasoning_content", "?active"]
    },
    sessions: "SELECT s.id AS key, s.source, s.started_at, coalesce((SELECT max(timestamp) FROM messages WHERE session_id = s.id), s.ended_at, s.started_at) AS updated, s.model, s.parent_session_id, s.title, s.cwd, s.input_tokens, s.output_tokens, s.cache_read_tokens, s.cache_write_tokens, s.reasoning_tokens, s.billing_provider, coalesce(s.actual_cost_usd, s.estimated_cost_usd) AS cost FROM sessions AS s ORDER BY updated DESC, s.id",
    values: "SELECT 'm' || id AS id, role, content AS \"content:json\", timestamp, tool_call_id, tool_calls AS \"calls:json\", finish_reason, coalesce(reasoning, reasoning_content) AS reasoning, active FROM messages WHERE session_id = ?1 ORDER BY timestamp, id"
  }
};
def detect: true;
def info: .values[0] as $s
  | {id: $s.key, title: $s.title, created: $s.started_at, modified: $s.updated, parent: $s.parent_session_id, cwd: $s.cwd, model: ($s.model // "unknown"), provider: ($s.billing_provider // "hermes"), given: $s};
def blocks: if type == "array" then [.[] | if (type == "object") and .type == "text" then text(.text // "" | str) elif .image_url?.url? then (.image_url.url as $u | [$u | dataurl][0] // text($u | str)) else text(str) end]
  elif . == null or . == "" then [] else [text(str)] end;
# A result is a text that is JSON for most tools.
def answer: ([.content | objects][0] // {}) as $c
  | result(.tool_call_id; if ($c.output | type) == "string" then [text($c.output)] else (.content | blocks) end; ($c.error // null) != null) | ended($c.exit_code);
def spent: . as $u | usage((.input_tokens // 0) + (.cache_read_tokens // 0) + (.cache_write_tokens // 0); .output_tokens; .cache_read_tokens; .cache_write_tokens; .reasoning_tokens) | costing($u.cost | counted);
def said:
  if $kind == "user" then user(.content | blocks)
  elif $kind == "assistant" then
    assistant([.reasoning // "" | str | select(. != "") | thinking(.)] + (.content | blocks) + [.calls | arrays | .[] | objects | call(.id // .call_id; .function.name?; .function.arguments?)];
      {model: $info.model, provider: $info.provider} + (if .finish_reason == "length" then {stopReason: "length"} else {} end))
  elif $kind == "tool" then answer
  elif $kind == "system" then message("system"; .content | blocks; {})
  elif has("key")? then skip
  elif $kind == "end" then skip, {total: ($info.given | spent), model: $info.model}
  else empty end;
# State: undone, how many rows in a row were taken back by now: such a row is on a branch of its own, which begins in front of the first of them.
def value:
  if $kind != "end" and .active == 0 then ("undone \($state.undone // "\(.id)")") as $branch | (said | if .type then .track = $branch else . end), (if $state.undone then empty else set({undone: .id}) end)
  else said, (if $state.undone then set({undone: null}) else empty end) end;
