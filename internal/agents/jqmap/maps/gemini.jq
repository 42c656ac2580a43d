module {
  interface: 1, name: "gemini", summary: "sessions of Gemini CLI (experimental)", provider: "google", api: "google-generative-ai",
  homes: ["$GEMINI_CLI_HOME/.gemini/tmp", "~/.gemini/tmp"],
  files: ["*/chats/session-*.jsonl", "*/chats/session-*.json", "*/chats/*/*.jsonl"], beside: ["../.project_root", "../../.project_root", "../../../projects.json", "../../../../projects.json"],
  program: "Gemini CLI", mark: "GEMINI_CLI",
  zero: ["run_shell_command"], tools: {run: ["run_shell_command"], read: ["read_many_files"], write: ["replace"], search: ["search_file_content"], fetch: ["google_web_search"], plan: ["write_todos"]},
  signs: ["\"projectHash\""], each: "messages",
  kind: ["type", "?$set", "?$rewindTo", "?sessionId"], id: "id", time: ["timestamp", "startTime"]
};
def detect: .[0] | (.sessionId | type) == "string" and (.projectHash | type) == "string";
def info: .values[0] as $h
  | {id: $h.sessionId, created: $h.startTime, cwd: (.beside["../.project_root"] // .beside["../../.project_root"] // null | if type == "string" then rtrimstr("\n") else null end),
     cwd_hash: "sha256:\($h.projectHash)"} as $said
  | $said + {cwd: ($said.cwd // ([.beside["../../../projects.json"], .beside["../../../../projects.json"] | objects | .projects | objects | keys[]]
       | first(.[] | select(hash("sha256") == $said.cwd_hash))) // null),
     parent: (.path | capture("/chats/(?<p>[^/]+)/[^/]+$")? | .p) // null};
# State: begun, the header was there; held, the message under way, since its id again replaces it; calls, the last ones; told, what was
# made of the last message at an end behind which it went on.
def thoughts: [.thoughts[]? | (if (.subject // "") == "" then "" else "\n\n" + .subject + "\n" end) + (.description // "")] | add // "" | ltrimstr("\n\n");
def parts: .content | gemini_parts;
def answers: any(.content | gemini_parts[]; .functionResponse != null);
def reply: thoughts as $thoughts | assistant(
  (if $thoughts == "" then [] else [thinking($thoughts)] end)
    + [parts[] | select(.functionCall | not) | gemini_block] + [.toolCalls[]? | call(.id; .name; .args)];
  {model: .model, usage: (.tokens | if . then . as $u | usage((.input // 0) + (.tool // 0); (.output // 0) + (.thoughts // 0); .cached; 0; .thoughts) | reporting($u) else null end)});
def numbered($id; $mark): to_entries[] | .value + {id: (if .key == 0 and $mark == "" then $id else "\($id)-\($mark)\(.key)" end)};
def failed($calls): .id as $id | any($calls[]?; .id == $id and (.status // "success") != "success");
def results($calls): .id as $id | [parts | gemini_results[] | result(.id; .blocks; failed($calls))] | numbered($id; "");
def own_results: .id as $id | .toolCalls as $calls
  | [$calls[]? | .result | if type == "array" then gemini_results[] | result(.id; .blocks; failed($calls)) else empty end] | numbered($id; "r");
def untold: select(.message.toolCallId as $id | $state.told.results // [] | index([$id]) | not);
# What a message has behind an end at which it was told.
def more: if .id != $state.told.id or .id == null then . else $state.told as $told
  | .toolCalls = [.toolCalls[]? | select(.id as $id | $told.calls | index([$id]) | not)] | .thoughts = null
  | if .content == $told.content then .content = "" else . end | if $told.tokens then .tokens = null else . end end;
def telling: . as $m | {id, content, tokens, n: (if .id == $state.told.id then $state.told.n + 1 else 1 end),
  calls: [.toolCalls[]?.id], results: [own_results.message.toolCallId]};
# Files that a prompt names are put behind it, between two lines of Gemini CLI, which also asks by itself for what did not come.
def line: .text // "" | tostring | ltrimstr("\n");
def framed: . as $all
  | ([range(length) | select($all[.] | line == "--- Content from referenced files ---")][0] // length) as $from
  | ([range($from; length) | select($all[.] | line == "--- End of content ---")][0] // length) as $to
  | [to_entries[] | .key as $i | .value | if .type == "text" and ($i >= $from and $i <= $to or .text == "System: Please continue.") then . + {harness: $name} else . end];
def said($parts): [$parts[] | gemini_block] | framed as $blocks
  | if $parts[0].text // "" | tostring | startswith("<session_context>") then beside("session"; $blocks) else user($blocks) end;
# What a message becomes: the one behind it may bring its results, and those of $calls may be in it.
def entries($next; $calls): .timestamp as $time | (
  if .type == "gemini" then
    (if .id != $state.told.id then reply + {id: .id}
      else (more | if .toolCalls == [] and .content == "" then empty else reply + {id: "\(.id)-more\($state.told.n)"} end) end),
    (if $next.type? == "user" and ($next | answers) then empty else own_results | untold end)
  elif answers then (results($calls) | untold), ("\(.id)-said" as $id | [parts[] | select(.text)] | if . == [] then empty else said(.) + {id: $id} end)
  else said(parts) + {id: .id} end) | . + {timestamp: $time};
def flush($next): if $state.held then ($state.held | entries($next; $state.calls)), set({calls: ($state.held.toolCalls // null)}) else empty end;
def anew: . as $list | [range(length) as $i | $list[$i] | entries($list[$i + 1]; if $i > 0 then $list[$i - 1].toolCalls else null end)]
  | to_entries[] | .value + {again: true} + (if .key == 0 then {parentId: "begun"} else {} end);
def value:
  . as $v |
  if $kind == "sessionId" then (if $state.begun then skip else {keep: "begun"}, set({begun: true}) end), (.summary // empty | title(.))
  elif $kind == "user" and .id != null and .id == $state.told.id then skip
  elif $kind == "user" or $kind == "gemini" then (if $state.held.id == $v.id then empty else flush($v) end), set({held: $v})
  elif $kind == "info" or $kind == "warning" or $kind == "error" then keep
  elif $kind == "$set" then
    (.["$set"] | if .messages then flush(null), (.messages | anew), set({held: null, calls: (.messages[-1].toolCalls // null)}) else skip end,
      (.summary // empty | title(.)))
  elif $kind == "$rewindTo" then
    flush(null), set({held: null, calls: null}), (.["$rewindTo"] | if known(.).node then {before: .} else {leaf: "begun"} end)
  elif $kind == "end" then flush(null), ($state.held | objects | set({told: telling, held: null, calls: .toolCalls}))
  else empty end;
