module {
  interface: 1, name: "grok", summary: "sessions of Grok Build (experimental)", provider: "xai",
  homes: ["$GROK_HOME/sessions", "~/.grok/sessions"], files: ["*/*/updates.jsonl", "*/*/chat_history.jsonl"], beside: ["summary.json"],
  program: "Grok Build", resume: ["grok", "--resume", "ID"],
  tools: {run: ["run_terminal_command"], write: ["search_replace"], search: ["list_dir"], agent: ["spawn_subagent"], plan: ["todo_write"]},
  signs: ["\"sessionUpdate\"", "\"model_id\"", "\"prompt_index\""],
  kind: ["params.update.sessionUpdate", "type", "role"], time: ["params._meta.agentTimestampMs", "timestamp"],
  keep: ["plan", "available_commands_update", "current_mode_update", "session_info_update", "retry_state", "task_backgrounded", "background_tasks",
    "subagent_spawned"]
};
def detect: any(.[]; (.params.update.sessionUpdate? | type) == "string" and (.params._meta | type) == "object"
  or ((.type // .role) as $who | $who == "user" or $who == "assistant") and (has("model_id") or has("prompt_index") or has("synthetic_reason")));
def info: . as $in | ((.beside["summary.json"] | objects) // {}) as $summary
  | {id: ($summary.info.id // ([$in.values[].params.sessionId? // empty] | first) // null), cwd: ($summary.info.cwd // ($in.path | capture("/(?<cwd>%2F[^/]*)/[^/]+/[^/]+$")? | .cwd | @urid) // null), created: $summary.created_at,
     modified: $summary.updated_at, title: ($summary.generated_title // $summary.session_summary), parent: $summary.parent_session_id};
# State: who speaks, user, agent or hidden, the program in the user's name; index, of the prompt; parts of what is said; ends, why the
# reply ended; thoughts, in front of a reply of chat_history.jsonl.
# A tick of a cost is 1e-10 USD.
def tokens: . as $u | usage(.inputTokens; .outputTokens; .cachedReadTokens; .cachedWriteTokens // .cacheCreationTokens; .reasoningTokens // .thoughtTokens)
  | if $u.costIsPartial == true then . else costing(($u.costUsdTicks | counted) / 1e10) end | reporting($u | del(.costUsdTicks));
# What each model of a turn used: a cost that is told of the whole turn alone is not divided.
def spent: . as $u | [.modelUsage | objects | to_entries[] | select(.value | type == "object")] as $of
  | if ($of | length) == 1 then [{model: $of[0].key, usage: ($u | del(.modelUsage))}]
    elif $of == [] or (.costUsdTicks | counted) > 0 and any($of[]; .value.costUsdTicks | counted == 0) then [{model: ($state.model // "unknown"), usage: del(.modelUsage)}]
    else [$of[] | {model: .key, usage: .value}] end;
def used: {type: "usage", kind: "turn", provider: "xai", model, usage: (.usage | tokens)};
def block: if .type == "text" then text(.text) elif .type == "image" and .data then image(.mimeType; .data)
  elif .type == "image" and .url then (. as $b | [$b.url | dataurl][0] // text("[\($b.url | .[:200])]")) else text(str) end;
def blocks: if type == "array" then map(block) elif type == "string" then (if . == "" then [] else [text(.)] end) elif type == "object" then [block] else [] end;
def joined: .message.join = true;
def flush($end): [$end.usage // $end._meta.usage // empty | objects | .costUsdTicks //= $end._meta.costUsdTicks | spent[]] as $of
  | (if ($of | length) == 1 then $of[0] else first($of[] | select(.model == $state.model)) // null end) as $own
  | if $state.parts == null then $of[] | used
    elif $state.who == "user" then (user($state.parts) | joined) + (if $state.index == null then {} else {as: "prompt \($state.index)"} end), ($of[] | used)
    elif $state.who == "hidden" then beside("reminder"; $state.parts) + (if $state.index == null then {} else {as: "prompt \($state.index)"} end), ($of[] | used)
    else (assistant($state.parts; {model: ($own.model // $state.model), usage: ($own | if . then .usage | tokens else null end)}
        + (if $end.stop_reason == "cancelled" then {stopReason: "aborted"} else {} end)) | joined),
      ($of[] | select(. != $own) | used) end,
    set({parts: null, who: null});
def speak($who; $part): if $state.who == $who then empty else flush(null), set({who: $who}) end, push({parts: $part});
def outcome: [.content[]? | if .content then .content | block elif .type == "diff" then text("\(.path)") else text(str) end] as $blocks
  | if $blocks == [] and .rawOutput != null then [.rawOutput | text(str)] else $blocks end;
def thoughts: [.summary[]? | .text // empty] | join("\n\n") | thinking(.);
def provided: .kind as $made | call($made.id; $made.tool_type; $made.action | if type == "object" then del(.sources) else . end) | .type = "providerCall"
  | if $made.status == "completed" or $made.status == "failed" then
      .content = ([$made.action.sources[]? | .url // empty | str] | if . == [] then [] else [text(join("\n"))] end) | .isError = ($made.status == "failed") else . end;
def calls: [.tool_calls[]? | call(.id; .name // .function.name; .arguments // .function.arguments)];
def alone: if $state.thoughts then assistant($state.thoughts; {}), set({thoughts: null}) else empty end;
def reply: assistant(($state.thoughts // []) + (if (.reasoning_content // "") != "" then [thinking(.reasoning_content)] else [] end) + (.content | blocks) + calls;
  {model: .model_id}), set({thoughts: null});
def value:
  .params.update as $u |
  if $kind == "user_message_chunk" then $u._meta.promptIndex as $index
    | (if $u._meta.hideFromScrollback == true or $index == null and ($u.content.text // "" | test("^/[a-z-]+( |$)")) then "hidden" else "user" end) as $who # a command for the program
    | (if $state.who == $who and $state.index == $index then empty else flush(null), set({who: $who, index: $index}) end),
      ($u._meta.modelId // empty | set({model: .})), push({parts: ($u.content | block)})
  elif $kind == "agent_message_chunk" then speak("agent"; $u.content | block)
  elif $kind == "agent_thought_chunk" then speak("agent"; thinking($u.content.text // ""))
  elif $kind == "tool_call" then speak("agent"; call($u.toolCallId; $u._meta["x.ai/tool"].name // $u.title; $u.rawInput))
  elif $kind == "tool_call_update" then
    if $u.status != "completed" and $u.status != "failed" or known($u.toolCallId).answered then skip
    else (if known($u.toolCallId) | .call and (.answered | not) then empty else flush(null) end), ($u
      | .rawOutput.type? as $type | (.rawOutput | objects) // {}
      | if $type == "BackgroundTaskStarted" then {backgroundTaskId: .task_id}
        elif $type == "Bash" then {exitCode: .exit_code, signal, timedOut: .timed_out}
        elif $type == "TaskOutput" then {task: {status: .Result.status, exitCode: .Result.exit_code}}
        else ((.text? | strings | capture("^Subagent started in background\\.\nsubagent_id: (?<id>\\S+)")) // null) | if . then {backgroundTaskId: .id, sessionId: .id} else {} end end
      | with_entries(select(.value != null and .value != false)) as $details
      | result($u.toolCallId; $u | outcome; $u.status == "failed" or ($details.exitCode // 0) != 0 or $details.signal != null or $details.timedOut == true)
      | if $details == {} then . else .message.details = $details end) end
  elif $kind == "task_completed" and $u.task_snapshot then $u.task_snapshot as $task
    | flush(null), {type: "custom", customType: "\($name):task_completed", data: {subtype: "task_notification", task_id: $task.task_id,
      status: (if $task.explicitly_killed then "killed" elif $task.signal != null or ($task.exit_code // 0) != 0 then "failed" else "completed" end),
      exit_code: $task.exit_code, signal: $task.signal, output: $task.output}}
  elif $kind == "subagent_finished" then flush(null), {type: "custom", customType: "\($name):subagent_finished",
      data: {subtype: "task_notification", task_id: $u.subagent_id, status: $u.status, output: $u.output}}
  elif $kind == "turn_completed" then flush($u),
    (if $u.stop_reason == "error" then assistant([]; {model: $state.model, stopReason: "error", errorMessage: ($u.agent_result // $u.error // "unknown" | str)})
     elif $u.stop_reason == "cancelled" and $state.who != "agent" then assistant([]; {model: $state.model, stopReason: "aborted"}) else skip end)
  elif $kind == "rewind_marker" then flush(null), {before: "prompt \($u.target_prompt_index // $u.targetPromptIndex // $u.promptIndex // $u._meta.promptIndex)"}, keep
  elif $kind == "auto_compact_completed" or $kind == "compaction_checkpoint" then
    flush(null), lose("context"; "a compaction whose summary is in another file: what it took out of sight is shown"), keep
  elif $kind == "backend_tool_call" then if (.kind | type) == "object" then push({thoughts: provided}) else keep end
  elif $kind == "reasoning" then push({thoughts: thoughts})
  elif $kind == "system" then message("system"; .content | blocks; {})
  elif $kind == "user" then alone, if .synthetic_reason and .synthetic_reason != "interjection" then beside(.synthetic_reason; .content | blocks) else user(.content | blocks) end
  elif $kind == "assistant" then reply
  elif $kind == "tool_result" or $kind == "tool" then result(.tool_call_id; .content | blocks; false)
  elif $kind == "end" then flush(null), alone
  else empty end;
