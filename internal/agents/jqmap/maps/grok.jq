module {
  interface: 1, name: "grok", summary: "sessions of Grok Build (experimental)", provider: "xai",
  homes: ["$GROK_HOME/sessions", "~/.grok/sessions"], files: ["*/*/updates.jsonl", "*/*/chat_history.jsonl"], beside: ["summary.json"],
  program: "Grok Build", resume: ["grok", "--resume", "ID"],
  tools: {run: ["run_terminal_command"], write: ["search_replace"]},
  signs: ["\"sessionUpdate\"", "\"model_id\"", "\"prompt_index\""],
  kind: ["params.update.sessionUpdate", "type", "role"], time: ["params._meta.agentTimestampMs", "timestamp"],
  keep: ["plan", "available_commands_update", "current_mode_update", "session_info_update"]
};
def detect: any(.[]; (.params.update.sessionUpdate? | type) == "string" and (.params._meta | type) == "object"
  or ((.type // .role) as $who | $who == "user" or $who == "assistant") and (has("model_id") or has("prompt_index") or has("synthetic_reason")));
def info: . as $in | ((.beside["summary.json"] | objects) // {}) as $summary
  | {id: ($summary.info.id // ([$in.values[].params.sessionId? // empty] | first) // null), cwd: ($summary.info.cwd // ($in.path | capture("/(?<cwd>%2F[^/]*)/[^/]+/[^/]+$")? | .cwd | @urid) // null), created: $summary.created_at,
     modified: $summary.updated_at, title: ($summary.generated_title // $summary.session_summary), parent: $summary.parent_session_id};
# State: who speaks, user or agent; index, of the prompt; parts of what is said; thoughts, in front of a reply of chat_history.jsonl.
def tokens: . as $u | usage(.inputTokens; .outputTokens; .cachedReadTokens; .cachedWriteTokens; .reasoningTokens // .thoughtTokens) | reporting($u);
def block: if .type == "text" then text(.text) elif .type == "image" and .data then image(.mimeType; .data)
  elif .type == "image" and .url then (. as $b | [$b.url | dataurl][0] // text("[\($b.url | .[:200])]")) else text(str) end;
def blocks: if type == "array" then map(block) elif type == "string" then (if . == "" then [] else [text(.)] end) elif type == "object" then [block] else [] end;
def joined: .message.join = true;
def flush($end): ($end.usage // $end._meta.usage // null | objects // null) as $usage
  | if $state.parts == null then ($usage // empty | {type: "usage", kind: "turn", provider: "xai", model: ($state.model // "unknown"), usage: tokens})
    elif $state.who == "user" then (user($state.parts) | joined) + (if $state.index == null then {} else {as: "prompt \($state.index)"} end)
    else assistant($state.parts; {model: $state.model, usage: ($usage | if . then tokens else null end)}) | joined end,
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
    | (if $state.who == "user" and $state.index == $index then empty else flush(null), set({who: "user", index: $index}) end),
      ($u._meta.modelId // empty | set({model: .})), push({parts: ($u.content | block)})
  elif $kind == "agent_message_chunk" then speak("agent"; $u.content | block)
  elif $kind == "agent_thought_chunk" then speak("agent"; thinking($u.content.text // ""))
  elif $kind == "tool_call" then speak("agent"; call($u.toolCallId; $u._meta["x.ai/tool"].name // $u.title; $u.rawInput))
  elif $kind == "tool_call_update" then
    if $u.status != "completed" and $u.status != "failed" or known($u.toolCallId).answered then skip
    else (if known($u.toolCallId) | .call and (.answered | not) then empty else flush(null) end), result($u.toolCallId; $u | outcome; $u.status == "failed") end
  elif $kind == "turn_completed" then flush($u), (if $u.usage.costUsdTicks // $u._meta.costUsdTicks then keep else skip end)
  elif $kind == "rewind_marker" then flush(null), {before: "prompt \($u.targetPromptIndex // $u.promptIndex // $u._meta.promptIndex)"}, keep
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
