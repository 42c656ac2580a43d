module {
  interface: 1, name: "kimicli", summary: "sessions of kimi-cli (experimental)", provider: "moonshotai", grows: false, # what a reply used is in another file
  homes: ["$KIMI_SHARE_DIR/sessions", "~/.kimi/sessions"], files: ["*/*/context.jsonl"], beside: ["state.json", "../../../kimi.json"],
  lines: {"wire.jsonl": ["timestamp", "message.type", "message.payload.type", "message.payload.text", "message.payload.id", "message.payload.user_input",
    "message.payload.message_id", "message.payload.token_usage", "message.payload.tool_call_id", "message.payload.return_value.is_error",
    "message.payload.event.payload.message_id", "message.payload.event.payload.token_usage"]},
  program: "kimi-cli", resume: ["kimi", "--session", "ID"],
  zero: ["Shell"], tools: {run: ["Shell"], read: ["ReadFile", "ReadMediaFile"], write: ["WriteFile", "StrReplaceFile"], fetch: ["FetchURL", "SearchWeb"], plan: ["SetTodoList"]},
  signs: ["\"_system_prompt\"", "\"_checkpoint\"", "\"protocol_version\""],
  kind: ["role"], keep: ["_checkpoint", "_usage"]
};
def is_wire: .type == null and (.timestamp | type) == "number" and (.message | type) == "object" and (.message.payload | type) == "object";
def detect: any(.[]; .role == "_system_prompt" or .role == "_checkpoint" or is_wire);
# wire.jsonl beside the session has an event a line. What one request made and used is a step: it ends where the next one begins, or a
# StatusUpdate names another reply. Its key is what the reply of the session has, too: no id is in both files.
def texts: if type == "array" then [.[] | objects | select(.type == "text") | .text | strings] | join("") else strings // "" end;
def key($text; $calls): "\($text | length) \($text[:200]) \($calls | join(" "))";
def indexed: [to_entries[] | {key: .value.key, at: .key}] | group_by(.key) | map({key: .[0].key, value: map(.at)}) | from_entries;
def of($type): [.[] | select(.message.type == $type)];
def numbered: foreach .[] as $e ({n: 0, used: false};
    ($e.message | .type as $type | $type == "StepBegin" or $type == "TurnBegin" or $type == "SteerInput") as $begins
    | $e.message.payload.message_id as $id | ($e.message.type == "StatusUpdate" and $e.message.payload.token_usage != null) as $uses
    | if $begins or ($uses and .used and ($id == null or $id != .id)) then {n: (.n + 1), used: false} else . end
    | if $uses then . + {used: true, $id} else . end; $e + {n});
def step: (of("ToolCall") | map(.message.payload.id | strings)) as $calls | (of("ContentPart") | map(.message.payload) | texts) as $text
  | of("StatusUpdate") as $told | ([$told[] | select(.message.payload.token_usage)] | last) as $status
  | {at: ($status // last).timestamp, usage: $status.message.payload.token_usage, id: ([$told[].message.payload.message_id | strings] | last), key: key($text; $calls),
     blank: ($text == "" and $calls == []),
     results: (of("ToolResult") | map({key: (.message.payload.tool_call_id // "" | tostring), value: {at: .timestamp, failed: .message.payload.return_value.is_error}}) | from_entries)};
def turns: [.[] | select(.message.type == "TurnBegin" or .message.type == "SteerInput") | {at: .timestamp, key: key(.message.payload.user_input | texts; [])}];
# What sub-agents used is told in the session that started them; their own files are not read.
def aside: [of("SubagentEvent")[] | .message.payload.event.payload as $p | select($p.token_usage) | {at: .timestamp, usage: $p.token_usage, id: $p.message_id}]
  | [to_entries[] | .value + {as: (.value.id // .key)}] | group_by(.as | tostring) | map(last) | sort_by(.at);
# The directory of a session is called by the hash of the working directory, which a list of all of them has.
def info: . as $in | ((.path | capture("/(?<dir>[^/]+)/(?<id>[^/]+)/context\\.jsonl$")?) // {}) as $at | "md5:\($at.dir)" as $hash | .lines["wire.jsonl"] as $wire
  | ([$wire // [] | numbered] | group_by(.n) | map(step | select(.usage or (.blank | not)))) as $steps | ($wire // [] | turns) as $turns
  | {id: $at.id, title: (.beside["state.json"] | objects | .custom_title) // null, cwd_hash: $hash,
     cwd: ([.beside["../../../kimi.json"] | objects | .work_dirs | arrays[] | .path? | strings] | first(.[] | select(hash("md5") == $hash))) // null,
     created: ([$wire[]?.timestamp | numbers] | first) // null, session: (if .values[0] | is_wire or has("protocol_version") then "context.jsonl" else null end),
     told: ($wire != null), $steps, index: ($steps | indexed), $turns, prompts: ($turns | indexed), aside: ($wire // [] | aside)};
# State: at, the time of the last entry; step and turn, those behind the last that were found; done, the step of the last reply.
def next($at): . as $list | bsearch($at) as $i | $list[if $i < 0 then -1 - $i else $i end];
def tokens: . as $u | usage((.input_other | counted) + (.input_cache_read | counted) + (.input_cache_creation | counted); .output; .input_cache_read; .input_cache_creation; 0) | reporting($u);
def spent($kind): select(.usage) | {type: "usage", $kind, provider: "moonshotai", model: "unknown", timestamp: .at, usage: (.usage | tokens)};
def picture: . as $url | [$url | dataurl][0] // text("[\($url | .[:200])]");
def block: if .type == "text" then text(.text) elif .type == "think" then thinking(.think) + (if .encrypted then {thinkingSignature: .encrypted} else {} end)
  elif .type == "image" and .url then .url | picture elif .image_url.url then .image_url.url | picture else text("[\(.type // "content")]") end;
def strange: if any(.content | arrays[]; .type as $type | ["text", "think", "image", "image_url"] | index($type) | not)
  then lose("media"; "content that is neither text nor an image, of which the type is left") else empty end;
def blocks: if type == "array" then map(block) elif type == "string" and . != "" then [text(.)] else [] end;
def timed($at): . + {timestamp: ($at // $state.at)}, (if $at then set({$at}) else empty end);
def asked: key(.content | texts; []) as $key | (($info.prompts[$key] // []) | next($state.turn // 0)) as $i
  | user(.content | blocks) | timed($info.turns[$i // -1].at | if $i == null then null else . end), (if $i == null then empty else set({turn: ($i + 1)}) end);
def reply: key(.content | texts; [.tool_calls[]?.id | strings]) as $key | ($state.step // 0) as $from
  | ((($info.index[$key] // []) | next($from)) // (if $info.steps[$from].blank then $from else null end)) as $i
  | (if $i == null then null else $info.steps[$i] end) as $step
  | (range($from; $i // $from) | $info.steps[.] | spent("step")),
    (assistant((.content | blocks) + [.tool_calls[]? | call(.id; .function.name; .function.arguments)];
      {responseId: $step.id, usage: ($step.usage | if . then tokens else null end)}) | timed($step.at)),
    (if $i == null then set({done: null}) else set({step: ($i + 1), done: $i}) end);
def outcome: (if $state.done == null then null else $info.steps[$state.done].results[.tool_call_id // ""] end) as $told | (.content | blocks) as $blocks
  | result(.tool_call_id; $blocks; if $told.failed == null then $blocks[0].text // "" | startswith("<system>ERROR") else $told.failed == true end) | timed($told.at);
def value:
  if $kind == "_system_prompt" then message("system"; .content | blocks; {}) | timed(null)
  elif $kind == "user" then strange, ((.content | blocks) as $blocks
    | if $blocks[0].text // "" | startswith("<system-reminder>") then beside("reminder"; $blocks) | timed(null) else asked end)
  elif $kind == "assistant" then reply
  elif $kind == "tool" then outcome
  elif $kind == "end" then ($info.steps[$state.step // 0:][] | spent("step")), ($info.aside[] | spent("subagent")),
    (if $info.told then skip else lose("usage"; "what its replies used, and when: wire.jsonl, which has that, is not beside the session") end)
  else empty end;
