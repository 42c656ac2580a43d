module {
  interface: 1, name: "copilot", summary: "sessions of GitHub Copilot CLI (experimental)", provider: "github-copilot",
  homes: ["$COPILOT_HOME/session-state", "~/.copilot/session-state"], files: ["*/events.jsonl", "*.jsonl"], beside: ["workspace.yaml"], ahead: ["session.shutdown"],
  program: "Copilot", resume: ["copilot", "--resume", "ID"], running: "COPILOT_AGENT_SESSION_ID", grows: false, # the usage of replies is at the end of a run
  tools: {run: ["powershell"], plan: ["update_todos"]},
  signs: ["\"copilot-agent\"", "\"copilotVersion\"", "\"session.start\""],
  kind: ["type"], id: "id", time: ["timestamp"], track: "agentId",
  skip: ["assistant.turn_start", "assistant.turn_end", "hook.end", "session.usage_info", "assistant.reasoning", "assistant.usage"],
  keep: ["session.start", "session.info", "session.warning", "session.idle", "session.handoff", "session.import_legacy",
    "session.mode_changed", "session.plan_changed", "session.context_changed", "session.permissions_changed", "session.usage_checkpoint",
    "session.auto_mode_resolved", "session.task_complete", "session.workspace_file_changed", "session.remote_steerable_changed",
    "session.tools_updated", "session.skills_loaded", "session.background_tasks_changed", "permission.requested", "permission.completed",
    "user_input.requested", "user_input.completed", "elicitation.requested", "elicitation.completed", "exit_plan_mode.requested",
    "exit_plan_mode.completed", "subagent.selected", "subagent.started", "subagent.completed", "subagent.failed", "skill.invoked",
    "tool.user_requested", "hook.start", "pending_messages.modified", "command.queued", "command.completed", "abort"]
};
def detect: any(.[]; .type == "session.start" and (.data.sessionId | type) == "string");
def info: first(.values[] | select(.type == "session.start")) as $s
  | {id: $s.data.sessionId, created: ($s.data.startTime // $s.timestamp), cwd: $s.data.context.cwd,
     title: (.beside["workspace.yaml"] | objects | first((.name, .summary) | strings | select(. != ""))) // null,
     runs: [.ahead[]?.data | .currentModel as $current | (.modelMetrics // {} | to_entries) as $of | $of[0].value as $first | if ($of | length) != 1 then {$current}
       else {$current, only: $of[0].key, whole: ($first.usage | if (($first.requests | objects | .count) // 0) == 1 then . else null end)} end]};
def tokens: . as $u | usage(.inputTokens; .outputTokens; .cacheReadTokens; .cacheWriteTokens; .reasoningTokens) | reporting($u | del(.model, .apiCallId, .interactionType));
# State: usage of the call under way; marked: a compaction has begun; first: the message behind its beginning; assets; runs that
# are over; models, of each agent, by the tools that it called.
def agent: .agentId // "main";
# Releases before 1.0.32 do not name the model of a reply: what was chosen, or called a tool, or what the shutdown names.
def model: $info.runs[$state.runs // 0] as $run
  | .data.model // $state.models[agent] // $run.only // (if agent == "main" then $run.current else null end);
def by($model): if $model and $model != $state.models[agent] then agent as $agent | set({models: (($state.models // {}) + {($agent): $model})}) else empty end;
def began($id): if $state.marked and ($state.first | not) then set({first: $id}) else empty end;
def asset: ($state.assets[.assetId // ""] // .) | if .data and (.mimeType // "" | startswith("image/")) then image(.mimeType; .data) else empty end;
def absent: if any(.[]; .assetId and ($state.assets[.assetId] | not) and (.data | not)) then lose("media"; "an image whose bytes are not in the file") else empty end;
def spent($u; $kind): {type: "usage", kind: $kind, provider: "github-copilot", model: ($u.model // "unknown"), usage: ($u | tokens)};
def unsaid: if $state.usage then spent($state.usage; $state.usage.interactionType // "call") else empty end;
def value:
  .id as $id | .data as $d | model as $model |
  if $kind == "user.message" then
    user([text($d.content // "")] + [$d.attachments[]? | if .assetId then asset elif .taggedFilesEntry then text(.taggedFilesEntry) else empty end]),
    ([$d.attachments[]?] | absent),
    (if ($d.transformedContent // $d.content) != $d.content then lose("context"; "a message as it was sent; what was typed stands for it") else empty end),
    began($id)
  elif $kind == "assistant.message" then
    (if $state.usage.apiCallId == $d.apiCallId then $state.usage else null end) as $u
    | ($info.runs[$state.runs // 0].whole | if .outputTokens == $d.outputTokens then . else null end) as $whole # the one call of its run
    | assistant(
        (if ($d.reasoningText // "") != "" or $d.reasoningOpaque
           then [thinking($d.reasoningText // "") + (if $d.reasoningOpaque then {thinkingSignature: $d.reasoningOpaque} else {} end)] else [] end)
        + (if ($d.content // "") != "" then [text($d.content)] else [] end)
        + [$d.toolRequests[]? | call(.toolCallId; .name; .arguments)];
        {model: ($d.model // $u.model // $model), responseId: $d.apiCallId, usage: (if $u then $u | tokens elif $whole then $whole | tokens elif $d.outputTokens then {output: $d.outputTokens} else null end)}),
    (if $u then set({usage: null}) else empty end), began($id)
  elif $kind == "tool.execution_start" then
    if known($d.toolCallId) | .call and (.answered | not) then skip else assistant([call($d.toolCallId; $d.toolName; $d.arguments)]; {model: $model}) end
  elif $kind == "tool.execution_complete" then
    (result($d.toolCallId; [($d.result.content // $d.error.message // empty | text(str))] + [$d.result.binaryResultsForLlm[]? | asset]; $d.success != true)
    | if $d.shellExecution.exitCode then .message.details = {exitCode: $d.shellExecution.exitCode} else . end),
    ([$d.result.binaryResultsForLlm[]?] | absent), by($d.model)
  elif $kind == "system.message" then message("system"; [text($d.content // "")]; {}) + {again: true}
  elif $kind == "system.notification" then beside("notification"; [text($d.content // "")])
  elif $kind == "session.usage_record" then unsaid, set({usage: $d.usage})
  elif $kind == "session.resume" then keep, unsaid, set({usage: null}), {run: true}
  elif $kind == "session.shutdown" then # counts all runs so far, or its own alone; an AI credit is 0.01 USD, and totalNanoAiu 1e-9 of them
    unsaid, set({usage: null, runs: (($state.runs // 0) + 1)}), ($d.modelMetrics // {} | if . == {} then skip else {totals: map_values(. as $m | .usage | tokens | costing(($m.totalNanoAiu | counted) / 1e11))} end)
  elif $kind == "session.model_change" then {type: "model_change", provider: "github-copilot", modelId: $d.newModel}, by($d.newModel)
  elif $kind == "session.title_changed" then title($d.title // "")
  elif $kind == "session.binary_asset" then set({assets: (($state.assets // {}) + {($d.assetId): {mimeType: $d.mimeType, data: $d.data}})})
  elif $kind == "session.compaction_start" then set({marked: true, first: null})
  elif $kind == "session.compaction_complete" then
    (if $d.success and ($d.summaryContent // "") != ""
       then compaction($d.summaryContent; $state.first; $d.preCompactionTokens) + {usage: ($d.compactionTokensUsed // {} | tokens)}
       else ($d.compactionTokensUsed // empty | spent(.; "compaction")), keep end), set({marked: null, first: null})
  elif $kind == "session.error" then assistant([]; {stopReason: "error", errorMessage: ($d.message // "unknown")})
  elif $kind == "session.truncation" then lose("context"; "messages that were left out of the requests from here on, which are shown"), keep
  elif $kind == "session.snapshot_rewind" then {before: $d.upToEventId}, keep
  elif $kind == "session.context_cleared" then {type: "reset_boundary"}, keep
  elif $kind == "end" then unsaid
  else empty end;
