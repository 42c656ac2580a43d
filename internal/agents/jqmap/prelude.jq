def text($text): {type: "text", text: $text};
def thinking($text): {type: "thinking", thinking: $text};
def image($media; $data): {type: "image", data: $data, mimeType: $media};
def call($id; $name; $arguments):
  {type: "toolCall", id: ($id // "" | str), name: ($name // "unknown" | str), arguments:
    ($arguments | if type == "object" then . elif type == "string" then (parsed | objects) // {input: .} elif . == null then {} else {input: .} end)};
def message($role; $blocks; $more): {type: "message", message: ({role: $role, content: $blocks} + $more)};
def user($blocks): message("user"; $blocks; {});
def assistant($blocks; $more): message("assistant"; $blocks; $more);
def result($id; $blocks; $failed): message("toolResult"; $blocks; {toolCallId: ($id // "" | str), isError: $failed});
def beside($what; $blocks): {type: "custom_message", customType: "\($name):context", content: $blocks, display: false, details: {kind: $what}};
def title($text): {type: "session_info", name: $text};
def compaction($summary; $first; $tokens): {type: "compaction", summary: $summary, firstKeptEntryId: $first, tokensBefore: ($tokens // 0)};
def counted: if type == "number" and . > 0 then . else 0 end;
def usage($input; $output; $read; $write; $reasoning):
  {input: ([($input | counted) - ($read | counted) - ($write | counted), 0] | max), output: ($output | counted),
   cacheRead: ($read | counted), cacheWrite: ($write | counted), reasoning: ($reasoning | counted)};
def costing($usd): if $usd > 0 then .cost = {total: $usd} else . end;
def reporting($usage): . + {reported: $usage};
def add_usage: reduce .[] as $u ({}; reduce ($u | keys[]) as $k (.; if $k == "cost" then .cost.total += $u.cost.total else .[$k] += $u[$k] end));
def lose($kind; $text): {lose: $text, kind: $kind};
def set($members): {set: $members};
def push($members): {push: $members};
def skip: {skip: true};
def keep: {keep: true};
def gemini_block:
  if (.text | type) == "string" then (if .thought == true then thinking(.text) else text(.text) end)
  elif .inlineData then image(.inlineData.mimeType; .inlineData.data)
  elif .functionCall then call(.functionCall | .id // .name; .functionCall.name; .functionCall.args)
  elif .functionResponse then empty else text(str) end;
def gemini_parts: if type == "string" then (if . == "" then [] else [{text: .}] end) elif type == "array" then map(if type == "string" then {text: .} else . end) elif type == "object" then [.] else [] end;
def gemini_results: reduce .[] as $p ([]; if $p.functionResponse then . + [[$p]] elif . == [] then . else .[-1] += [$p] end)
  | map(.[0].functionResponse as $r | {id: ($r.id // $r.name), blocks: (
      [$r.response | if type == "object" then .output // .error // . else . // "" end | text(str)] + [(.[1:][], $r.parts[]?) | select(.inlineData) | gemini_block])});
def signed($signature): if ($signature | type) == "string" and $signature != "" then .thinkingSignature = $signature else . end;
def ended($code): if ($code | type) == "number" then .message.details = {exitCode: $code} | .message.isError = (.message.isError or $code != 0) else . end;
def subagent: {type: "session_init", systemPrompt: "", task: "", tools: []};
def anthropic_block: . as $b
  | if .type == "text" then text(.text // "" | str) elif .type == "tool_use" or .type == "tool_call" then call(.id; .name; .input // .arguments)
    elif .type == "thinking" then thinking(.thinking // .text // "" | str) | signed($b.signature)
    elif .type == "redacted_thinking" then {type: "redactedThinking", data: (.data // "" | str)}
    elif .type == "image" and .source.data then image(.source.media_type // .source.mediaType; .source.data)
    elif .type == "tool_result" then empty else text(str) end;
def anthropic_blocks: if type == "array" then [.[] | anthropic_block] elif type == "string" then [text(.)] elif . == null then [] else [text(str)] end;
