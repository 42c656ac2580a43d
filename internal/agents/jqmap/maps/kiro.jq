module {
  interface: 1, name: "kiro", summary: "sessions of Kiro CLI (experimental)", provider: "kiro", grows: false, # the model of the replies is in another file
  homes: ["$KIRO_HOME/sessions/cli", "~/.kiro/sessions/cli"], files: ["*.jsonl"], beside: ["*.json"],
  program: "Kiro CLI", resume: ["kiro-cli", "chat", "--resume-id", "ID"], tools: {read: ["fs_read"], write: ["fs_write"], agent: ["use_subagent"]},
  signs: ["\"AssistantMessage\"", "\"Prompt\""], kind: ["kind"], time: ["data.meta.timestamp"]
};
def detect: any(.[]; .kind == "Prompt" and (.data.content? | type) == "array");
def info: (.path | split("/")[-1] | rtrimstr(".jsonl")) as $name | (.beside["*.json"] | objects) // {} | . as $m | $m.session_state.rts_model_state?.model_info?.model_id? as $model
  | {id: ($m.session_id // $name), cwd: $m.cwd, title: $m.title, created: $m.created_at, modified: $m.updated_at, parent: $m.parent_session_id, model: ($model // "auto")};
def block: .data as $d
  | if .kind == "text" then text($d | str) elif .kind == "thinking" then thinking($d.text? // "" | str) | signed($d.signature?)
    elif .kind == "toolUse" then call($d.toolUseId; $d.name; $d.input) elif .kind == "toolResult" then empty
    elif .kind == "image" and ($d.source.data? | type) == "string" then image("image/" + ($d.format // "png"); $d.source.data) else text(str) end;
def code: [.content | arrays | .[] | select(.kind == "json") | .data.exit_status? // empty | str | capture("(?<n>[0-9]{1,9})$") | .n | tonumber][0];
def out: if type == "array" then [.[] | if .kind == "json" and (.data | type) == "object" and (.data | has("stdout")) then text([.data.stdout, .data.stderr] | map(strings | select(. != "")) | join("\n"))
  else text(.data | str) end] else [text(str)] end;
def value:
  if $kind == "Prompt" then user([.data.content[]? | block]) + {id: .data.message_id}
  elif $kind == "AssistantMessage" then assistant([.data.content[]? | block]; {model: $info.model}) + {id: .data.message_id}
  elif $kind == "ToolResults" then .data.content[]? | select(.kind == "toolResult") | .data as $d | ($d | code) as $code | result($d.toolUseId; $d.content | out; $d.status == "error") | ended($code)
  elif $kind == "Compaction" then compaction(.data.summary? // "" | str; null; 0)
  elif $kind == "Clear" then {type: "reset_boundary"}
  elif $kind == "end" then skip
  else empty end;
