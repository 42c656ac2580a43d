module {
  interface: 1, name: "vscode", summary: "Copilot Chat of Visual Studio Code (experimental)", provider: "github-copilot", grows: false, # a change of any part may follow
  homes: ["~"],
  files: [".config/*/User/workspaceStorage/*/chatSessions/*.jsonl", ".config/*/User/workspaceStorage/*/chatSessions/*.json",
    ".config/*/User/globalStorage/emptyWindowChatSessions/*.jsonl", ".config/*/User/globalStorage/emptyWindowChatSessions/*.json",
    "Library/Application Support/*/User/workspaceStorage/*/chatSessions/*.jsonl", "Library/Application Support/*/User/workspaceStorage/*/chatSessions/*.json",
    "Library/Application Support/*/User/globalStorage/emptyWindowChatSessions/*.jsonl", "Library/Application Support/*/User/globalStorage/emptyWindowChatSessions/*.json",
    "AppData/Roaming/*/User/workspaceStorage/*/chatSessions/*.jsonl", "AppData/Roaming/*/User/workspaceStorage/*/chatSessions/*.json",
    ".vscode-server*/data/User/workspaceStorage/*/chatSessions/*.jsonl", ".vscode-server*/data/User/workspaceStorage/*/chatSessions/*.json"],
  each: "requests", beside: ["../workspace.json"], program: "VS Code",
  tools: {read: ["copilot_readFile"], write: ["copilot_applyPatch", "copilot_replaceString", "copilot_createFile", "copilot_insertEdit"], search: ["copilot_findFiles", "copilot_findTextInFiles", "copilot_listDirectory", "file_search", "semantic_search", "list_dir"],
    fetch: ["copilot_fetchWebPage", "fetch_webpage"], agent: ["runSubagent"], plan: ["manage_todo_list"]},
  signs: ["\"requesterUsername\"", "\"responderUsername\"", "\"creationDate\""]
};
def begins: if .kind == 0 then .v else . end | objects;
def detect: [.[0] | begins][0] | (.sessionId? | type) == "string" and (.creationDate? | type) == "number" and (has("requesterUsername") or has("responderUsername") or has("version"));
def path: if type == "string" then sub("^file://"; "") | @urid else null end;
def info: ([.values[0] | begins][0] // {}) as $s
  | {id: $s.sessionId, title: $s.customTitle, created: $s.creationDate, modified: $s.lastMessageDate,
     cwd: (.beside["../workspace.json"] | objects | .folder | path) // null};
def said: if type == "object" then .value // "" else . // "" end | str;
def joined: if type == "array" then map(str) | join("") else . // "" | str end;
def args: .toolSpecificData as $d
  | if ($d | type) != "object" then {what: (.invocationMessage | said)}
    elif $d.kind == "terminal" then {command: ($d.commandLine.toolEdited? // $d.commandLine.userEdited? // $d.commandLine.original? // $d.command // "" | str)}
    elif ($d.rawInput | type) == "object" then $d.rawInput else {what: (.invocationMessage | said)} end;
def out: .resultDetails | objects | .output | if type == "string" then text(.) elif type == "array" then .[] | objects | .value // empty | text(str) else empty end;
# A result may be a tree of what was printed into the prompt, whose leaves (type 2) have the texts.
def words: if type == "object" and (.node | type) == "object" then [.node | .. | objects | select(.type == 2) | (if .lineBreakBefore then "\n" else "" end) + (.text // "" | str)] | join("") | ltrimstr("\n") else str end;
def tokens: . as $u | usage(.in; .out; null; null; null);
def turn: .timestamp as $at | (.result.metadata.resolvedModel? // .modelId // "unknown" | str | sub("^copilot/"; "")) as $model | .result.metadata? as $m
  | ((if .isSystemInitiated == true then beside("system"; [text(.message.text? // "" | str)]) else user([text(.message.text? // "" | str)]) end) + {timestamp: $at, id: .requestId}),
    (if ($m.toolCallRounds? | type) == "array" and $m.toolCallRounds != [] then
       $m.toolCallRounds[]
       | (assistant([.thinking.text? // "" | joined | select(. != "") | thinking(.)] + [.response // "" | str | select(. != "") | text(.)] + [.toolCalls[]? | call(.id; .name; .arguments)]; {model: $model}) + {timestamp: $at}),
         (.toolCalls[]? | .id as $id | ($m.toolCallResults | objects | .[$id | str]) // empty | result($id; [.content[]? | text(.value | words)]; false) + {timestamp: $at})
     else
       [.response[]? | objects | select(.kind == "toolInvocationSerialized" or .kind == "thinking" or .kind == "markdownContent" or (.kind // "") == "")] as $parts
       | if $parts == [] then empty else
           (assistant([$parts[] | if .kind == "toolInvocationSerialized" then call(.toolCallId; .toolId; args) elif .kind == "thinking" then .value | joined | select(. != "") | thinking(.)
              else .value // .content | said | select(. != "") | text(.) end]; {model: $model, join: true}) + {timestamp: $at}),
           ($parts[] | select(.kind == "toolInvocationSerialized") | .toolSpecificData.terminalCommandState.exitCode? as $code | (.isConfirmed.type? == 0) as $denied
             | select(.isComplete != false or $denied) | result(.toolCallId; if $denied then [text("The user rejected this tool call")] else [out] end; $denied) | ended($code) + {timestamp: $at})
         end
     end),
    (if .result.errorDetails? or .isCanceled == true then assistant([]; {model: $model, stopReason: (if .isCanceled == true then "aborted" else "error" end), errorMessage: (.result.errorDetails.message? // "canceled" | str)}) + {timestamp: $at} else empty end),
    ({in: (.promptTokens // $m.promptTokens?), out: (.completionTokens // $m.outputTokens?)} | if .in or .out then {type: "usage", kind: "call", provider: "github-copilot", model: $model, timestamp: $at, usage: tokens} else empty end);
# A file of lines is a log of changes of the document: what is set, cut at a length and appended, or taken out. It is put together at the end.
def place: map(if type != "number" then str elif . < 0 or . > 100000 then error("no place \(.) in a list") else . end);
def changed($e): ($e.k | place) as $k
  | if $e.kind == 1 then setpath($k; $e.v) elif $e.kind == 3 then delpaths([$k])
    else setpath($k; (getpath($k) | arrays) // [] | (if ($e.i | type) == "number" then .[:$e.i] else . end) + ($e.v // [])) end;
def value:
  if .kind == 0 and (.v | type) == "object" then set({log: null}), push({log: .})
  elif (.kind == 1 or .kind == 2 or .kind == 3) and (.k | type) == "array" then push({log: .})
  elif .requestId and .message then turn
  elif $kind == "end" then skip, (reduce ($state.log // [])[] as $e (null; if $e.kind == 0 then $e.v else changed($e) end) | objects
    | (.requests[]? | turn), (.customTitle | strings | select(. != $info.title) | title(.)))
  elif .sessionId then skip
  else empty end;
