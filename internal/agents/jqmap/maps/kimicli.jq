module {
  interface: 1, name: "kimicli", summary: "sessions of kimi-cli (experimental)", provider: "moonshotai",
  homes: ["$KIMI_SHARE_DIR/sessions", "~/.kimi/sessions"], files: ["*/*/context.jsonl"], beside: ["state.json", "../../../kimi.json"],
  program: "kimi-cli", resume: ["kimi", "--session", "ID"],
  tools: {run: ["Shell"], read: ["ReadFile", "ReadMediaFile"], write: ["WriteFile", "StrReplaceFile"], fetch: ["FetchURL", "SearchWeb"], plan: ["SetTodoList"]},
  signs: ["\"_system_prompt\"", "\"_checkpoint\""],
  kind: ["role"], keep: ["_checkpoint", "_usage"]
};
def detect: any(.[]; .role == "_system_prompt" or .role == "_checkpoint");
# The directory of a session is called by the hash of the working directory, which a list of all of them has.
def info: . as $in | ((.path | capture("/(?<dir>[^/]+)/(?<id>[^/]+)/context\\.jsonl$")?) // {}) as $at | "md5:\($at.dir)" as $hash
  | {id: $at.id, title: (.beside["state.json"] | objects | .custom_title) // null, cwd_hash: $hash,
     cwd: ([.beside["../../../kimi.json"] | objects | .work_dirs | arrays[] | .path? | strings] | first(.[] | select(hash("md5") == $hash))) // null};
def picture: . as $url | [$url | dataurl][0] // text("[\($url | .[:200])]");
def block: if .type == "text" then text(.text) elif .type == "think" then thinking(.think) + (if .encrypted then {thinkingSignature: .encrypted} else {} end)
  elif .type == "image" and .url then .url | picture elif .image_url.url then .image_url.url | picture else text("[\(.type // "content")]") end;
def strange: if any(.content | arrays[]; .type as $type | ["text", "think", "image", "image_url"] | index($type) | not)
  then lose("media"; "content that is neither text nor an image, of which the type is left") else empty end;
def blocks: if type == "array" then map(block) elif type == "string" and . != "" then [text(.)] else [] end;
def value:
  if $kind == "_system_prompt" then message("system"; .content | blocks; {})
  elif $kind == "user" then strange, ((.content | blocks) as $blocks
    | if $blocks[0].text // "" | startswith("<system-reminder>") then beside("reminder"; $blocks) else user($blocks) end)
  elif $kind == "assistant" then assistant((.content | blocks) + [.tool_calls[]? | call(.id; .function.name; .function.arguments)]; {})
  elif $kind == "tool" then (.content | blocks) as $blocks | result(.tool_call_id; $blocks; $blocks[0].text // "" | startswith("<system>ERROR"))
  elif $kind == "end" then skip
  else empty end;
