# A trajectory of ATIF: Harbor's RFC 0001.
def result: ({source_call_id: .call, content: (.message | text), extra: {sess: ({entry, isError: (if .message.isError == true then true else null end)} | some)}} | some);

def metrics: if (.usage | type) != "object" then null else
  {prompt_tokens: (.usage | prompttokens), completion_tokens: (.usage.output | number), cached_tokens: (.usage.cacheRead | number)}
  + (if (.usage.cost.total | number) > 0 then {cost_usd: .usage.cost.total} else {} end) end; # agents that know no price store 0

def step:
  .message as $m | {timestamp, extra: {sess: ({entry, role: $m.role, stopReason: $m.stopReason, errorMessage: $m.errorMessage} | some)}} +
  (if $m.role == "assistant" then
    {source: "agent", message: ($m | text), model_name: $m.model, reasoning_content: ($m | thinking), llm_call_count: 1, metrics: ($m | metrics),
     tool_calls: [$m | calls[] | {tool_call_id: .id, function_name: .name, arguments: arguments}],
     observation: (if .results == [] then null else {results: [.results[] | result]} end)}
  elif $m.role == "toolResult" then
    {source: "agent", message: "", llm_call_count: 0, observation: {results: [del(.call) | result]}}
  elif $m.role == "user" or $m.role == "bashExecution" then {source: "user", message: ($m | text)}
  else {source: "system", message: ($m | text)} end)
  | some + {message};

def head: $s | if .system != null then {step_id: 1, source: "system", message: .system} else empty end;

def item: {step_id: .number} + step;

def whole: $s | {
  schema_version: "ATIF-v\(.version)", session_id: .session, trajectory_id: "\(.session):\(.leaf)",
  agent: ({name: .agent, version: .agentVersion, model_name: .model, tool_definitions: definitions} | some),
  steps: $list,
  final_metrics: ({
    total_prompt_tokens: (.spent // null | if . then prompttokens else null end), total_completion_tokens: .spent.output,
    total_cached_tokens: .spent.cacheRead, total_cost_usd: (.spent.cost | select(. > 0) // null), total_steps: .count
  } | some),
  extra: {sess: ({cwd, title} | some)}
} | if .extra.sess == {} then del(.extra) else . end;
