module {
  interface: 1, name: "kimi", summary: "sessions of Kimi Code (experimental)", provider: "moonshotai",
  homes: ["$KIMI_CODE_HOME/sessions", "~/.kimi-code/sessions"], files: ["*/*/agents/*/wire.jsonl"], beside: ["../../state.json"],
  program: "Kimi Code", zero: ["Bash", "Shell"], tools: {run: ["Shell"], read: ["ReadFile", "ReadMediaFile"], write: ["WriteFile", "StrReplaceFile"], fetch: ["FetchURL", "SearchWeb"], plan: ["SetTodoList"]},
  signs: ["\"protocol_version\""],
  kind: ["type", "event.type"], time: ["time", "created_at"],
  skip: ["agent.message.appended", "agent.turn.started", "agent.turn.ended", "token_counting.measured", "token_counting.turn_recorded", "token_counting.rebased"],
  keep: ["metadata", "runtime.set_binding", "profile.bind", "config.update", "permission.set_mode", "permission.record_approval_result", "tools.set_active_tools",
    "tools.update_store", "plugin.session_start", "llm.tools_snapshot", "turn.ended", "turn.cancel", "prompt.completed", "full_compaction.begin",
    "full_compaction.complete", "full_compaction.cancel", "plan_mode.enter", "plan_mode.exit", "turn.step.retrying"]
};
def detect: .[0].type == "metadata" and (.[0] | has("protocol_version")) and any(.[1:][]; .time and (.type | type) == "string");
def info: .values[0].created_at as $begun | (.path | capture("/(?<id>[^/]+)/agents/(?<agent>[^/]+)/wire\\.jsonl$")? // null) as $at | .beside["../../state.json"] as $state
  | ($state | objects) // {} | {id: (if $at == null then .id elif $at.agent == "main" then $at.id else "\($at.id)-\($at.agent)" end),
     parent: (if $at and $at.agent != "main" then $at.id else null end), cwd: (.cwd // .workDir), created: (.createdAt // $begun), modified: .updatedAt,
     title: (if $at.agent == "main" then .title else null end)};
# State: model and provider of the last request; names, what it was called in the settings; prompt, one that may not come into the context; prompts, the names of those that did; count, the messages in the
# context; step, the reply under way, with its parts, results and usage; told, the usage of the last reply.
def block: if .type == "text" then text(.text) elif .type == "think" then thinking(.think) + (if .encrypted then {thinkingSignature: .encrypted} else {} end)
  elif .imageUrl.url then (.imageUrl.url as $url | [$url | dataurl][0] // text("[\($url | .[:200])]")) else text("[\(.type // "content")]") end;
def blocks: if type == "array" then map(block) elif type == "string" then (if . == "" then [] else [text(.)] end) else [] end;
def tokens: . as $u | usage((.inputOther // 0) + (.inputCacheRead // 0) + (.inputCacheCreation // 0); .output; .inputCacheRead; .inputCacheCreation; 0) | reporting($u);
# The settings call a model PROVIDER/MODEL, or as the user chose. The provider of a request is the kind of its API, which others speak as well.
def maker: if test("^(kimi|moonshot)") then "moonshotai" else . end;
def named: (capture("^(?<provider>[^/]+)/(?<model>.+)$") | .provider |= maker) // {provider: null, model: .};
def apart($kind; $name): ($state.names[$name // ""] // ($name // "unknown" | named)) as $by
  | {type: "usage", kind: $kind, provider: ($by.provider // "moonshotai"), model: $by.model, usage: tokens};
def by: {model: $state.model, provider: $state.provider};
def gone: if any(.. | strings; startswith("blobref:")) then lose("blob"; "an image that is kept in another file")
  elif any((.content? // .result?.output? // [.part?]) | arrays[] | objects; .type and (.type as $type | ["text", "think", "image_url"] | index($type) | not))
    then lose("media"; "content that is neither text nor an image, of which the type is left") else empty end;
def stop: {end_turn: "stop", tool_use: "toolUse", max_tokens: "length", error: "error", aborted: "aborted", cancelled: "aborted"}[. // ""];
def size($n): set({count: (($state.count // 0) + $n)});
def closed($end): if $state.step == null then empty else
  ($state.parts // []) as $parts | (if $state.step.counted then null else $end.usage // $state.step.usage end) as $usage
  | ($state.step.more and $parts == []) as $none
  | (if $parts == [] and $end == null or $none then ($usage // empty | apart("call"; $state.name))
       else assistant($parts; by + {responseId: $end.messageId, usage: ($usage | if . then tokens else null end), stopReason: ($end.finishReason | stop)})
         + {id: $state.step.uuid} end),
    ($state.results // [])[], size((if $none then 0 else 1 end) + ($state.results // [] | length)),
    set({step: null, parts: null, results: null, told: $end.usage}) end;
def prompt($name): user(.content // .input | blocks) + (if .id then {id: .id} else {as: $name} end), push({prompts: (.id // $name)}), set({prompt: null});
def said: "prompt \($state.count // 0)" as $name |
  if .role == "user" and (.origin.kind // "user") == "user" then prompt($name)
  elif .role == "user" then beside(.origin.kind; .content | blocks)
  elif .role == "assistant" then assistant((.content | blocks) + [.toolCalls[]? | call(.id; .name; .arguments)]; by)
  elif .role == "tool" then result(.toolCallId; .content | blocks; .isError == true)
  else message(.role // "system"; .content | blocks; {}) end;
def value:
  ($kind | ltrimstr("context.append_loop_event/")) as $event |
  if $kind == "context.append_message" then closed(null), (.message | gone, said), size(1)
  elif $kind == "turn.prompt" then set({prompt: {input: .input, id: .promptId}})
  elif $event == "step.begin" then closed(null), ($state.prompt // empty | prompt("prompt \($state.count // 0)")), set({step: {uuid: .event.uuid}})
  elif $event == "content.part" then (.event | gone), push({parts: (.event.part | block)})
  elif $event == "tool.call" then push({parts: (.event | call(.toolCallId; .name; .args))})
  elif $event == "tool.result" then
    (.event | result(.toolCallId; (.result.output | blocks) + (.result.note // "" | blocks); .result.isError == true)) as $result
    | (.event | gone), if $state.step then push({results: $result}) else $result, size(1) end
  elif $event == "step.end" then closed(.event)
  elif $kind == "llm.request" then (.modelAlias // .model // "") as $name
    | {model, provider: (if .provider == "kimi" then "moonshotai" else ($name | named.provider) // .provider end)} as $by
    | set($by + {name: $name, names: (($state.names // {}) + {($name): $by})}), keep
  elif $kind == "usage.record" and .usageScope == "turn" then
    if $state.step then set({step: ($state.step + {usage: .usage})}) elif $state.told == .usage then set({told: null}) else .model as $m | .usage | apart("call"; $m) end
  elif $kind == "usage.record" then .model as $m | .usage | apart("compaction"; $m)
  elif $kind == "context.apply_compaction" then closed(null), compaction(.contextSummary // .summary // ""; null; .tokensBefore),
    (if (.keptUserMessageCount // 0) > 0 or (.compactedCount // 0) < ($state.count // 0) then lose("context"; "messages that a compaction kept, which are out of sight") else empty end),
    set({count: 1})
  elif $kind == "context.undo" then closed(null), ($state.prompts // [])[-(.count // 1):] as $left
    | (if $left == [] then empty else {before: $left[0]}, set({prompts: $state.prompts[:-($left | length)]}) end), keep
  elif $kind == "context.clear" then closed(null), {type: "reset_boundary"}, keep, set({count: 0})
  elif $kind == "end" then closed(null), ($state.step | objects | set({step: {uuid: "\(.uuid)-more", more: true, counted: (.counted or .usage != null)}}))
  elif .kind == "event" then skip
  else empty end;
