module {
  interface: 1, name: "zed", summary: "threads of Zed's agent (experimental)", provider: "zed", grows: false, # a thread is written anew
  homes: ["$XDG_DATA_HOME/zed/threads", "~/.local/share/zed/threads", "~/Library/Application Support/Zed/threads"], files: ["threads.db"],
  program: "Zed", tools: {search: ["find_path", "diagnostics"], read: ["open"], write: ["copy_path", "move_path", "delete_path", "create_directory"], agent: ["spawn_agent"]},
  signs: ["CREATE TABLE", "threads", "data_type"], kind: ["kind"],
  sqlite: {
    tables: {threads: ["id", "summary", "updated_at", "data_type", "data", "?parent_id", "?folder_paths", "?created_at"]},
    sessions: "SELECT id AS key, summary, updated_at, created_at, parent_id, folder_paths FROM threads ORDER BY updated_at DESC, id",
    values: "SELECT 'thread' AS kind, data AS \"data:zstd:json\" FROM threads WHERE id = ?1"
  }
};
def detect: true;
def info: .values[0] as $s | {id: $s.key, title: $s.summary, created: ($s.created_at // $s.updated_at), modified: $s.updated_at, parent: $s.parent_id, cwd: ([$s.folder_paths // "" | str | split("\n")[] | select(. != "")][0])};
def block: if type == "string" then text(.) elif type != "object" then text(str) elif has("Text") then text(.Text | str) elif .Mention then text(.Mention.content? // "" | str)
  elif .Image then image("image/png"; .Image.source?) elif .Thinking then .Thinking as $t | thinking($t.text? // "" | str) | signed($t.signature?) elif has("RedactedThinking") then {type: "redactedThinking", data: (.RedactedThinking | str)}
  elif .ToolUse then .ToolUse | call(.id; .name; .input | if type == "object" and .type == "json" then .value else . end) else text(str) end;
def blocks: if type == "array" then [.[] | block] elif . == null then [] else [text(str)] end;
def used: . as $u | usage((.input_tokens // 0) + (.cache_read_input_tokens // 0) + (.cache_creation_input_tokens // 0); .output_tokens; .cache_read_input_tokens; .cache_creation_input_tokens; null) | reporting($u);
# Of a message of the user what its last request used is known. The first reply behind it has that.
def replies($d): foreach .[] as $m ({}; (if ($m | type) == "object" and $m.User then {asked: $m.User.id} elif ($m | type) == "object" and $m.Agent then .first = (.at != .asked) | .at = .asked else .first = false end) | .m = $m; .);
def before: # threads of old versions
  if .role == "user" then user([.segments[]? | text(.text // "" | str)])
  else assistant([.segments[]? | text(.text // "" | str)] + [.tool_uses[]? | call(.id; .name; .input)]; {}), (.tool_results[]? | (.is_error == true) as $failed | result(.tool_use_id; [text(.content | if type == "object" then .Text // str else str end)]; $failed)) end;
def value:
  if $kind == "thread" and (.data | type) == "object" and (.data.messages | type) == "array" then .data as $d | {model: ($d.model.model? // "unknown"), provider: ($d.model.provider? // "zed")} as $of
    | ($d.messages | replies($d) | .first as $first | .asked as $asked | .m
       | if type != "object" then skip
         elif .User then user(.User.content | blocks) + {id: .User.id}
         elif .Agent then
           assistant(.Agent.content | blocks; $of + (if $first then [$d.request_token_usage | objects | .[$asked // "" | str] | objects | {usage: used}][0] // {} else {} end)),
           (.Agent.tool_results | objects | .[] | objects | (.is_error == true) as $failed | result(.tool_use_id; .content | blocks; $failed))
         elif .Compaction then compaction(.Compaction.Summary? // "" | str; null; 0)
         elif .role then before
         else lose("entry"; "a message of an unknown kind"), keep end),
      ($d.cumulative_token_usage | objects | {total: used, model: $of.model}), skip
  elif has("key")? then if $info.parent then subagent else skip end
  elif $kind == "end" then skip
  else empty end;
