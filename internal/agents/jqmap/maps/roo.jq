module {
  interface: 1, name: "roo", summary: "tasks of Roo Code, Cline and Kilo Code in an editor (experimental)", provider: "roo", grows: false, # a task is written anew
  homes: ["~"],
  files: [".config/*/User/globalStorage/*/tasks/*/api_conversation_history.json", "Library/Application Support/*/User/globalStorage/*/tasks/*/api_conversation_history.json",
    "AppData/Roaming/*/User/globalStorage/*/tasks/*/api_conversation_history.json", ".vscode-server*/data/User/globalStorage/*/tasks/*/api_conversation_history.json",
    ".local/share/code-server/User/globalStorage/*/tasks/*/api_conversation_history.json", ".vscode-mock/global-storage/tasks/*/api_conversation_history.json"],
  each: ".", beside: ["history_item.json", "ui_messages.json"], program: "Roo Code",
  tools: {write: ["search_and_replace", "apply_patch", "new_file"], search: ["list_files", "list_code_definition_names"], fetch: ["browser_action"], ask: ["ask_followup_question", "plan_mode_respond"], agent: ["new_task"], plan: ["update_todo_list"]},
  signs: ["<task>", "<user_message>", "<environment_details>", "<feedback>"], kind: ["role"], time: ["ts"]
};
def detect: .[0] == {} and .[1].role == "user" and (.[1].content | tostring | test("<(task|user_message|environment_details|feedback)>"));
def stated: [.values[].content? | tostring | capture("Current (Working|Workspace) Directory \\((?<p>[^)]+)\\)") | .p][0];
# What a reply used stands in it, or else is what ui_messages.json says of the request with its number.
def info: . as $in | (.path | split("/")[-2]) as $id | ([.beside["history_item.json"] | objects][0] // {}) as $h | ([.beside["ui_messages.json"] | arrays][0] // []) as $ui
  | {id: $id, cwd: ($h.workspace // ($in | stated)), title: ($h.task // ([$ui[0] | objects | .text][0])), created: ([$id | tonumber?][0] // $ui[0].ts? // $in.values[1].ts? // null),
     modified: ($h.ts // $ui[-1].ts? // null), parent: $h.parentTaskId, asked: [$ui[] | objects | select(.say == "api_req_started" or .say == "deleted_api_reqs") | [.text | strings | fromjson? | objects][0] // {}]};
def plain: gsub("(?s)<environment_details>.*?</environment_details>"; "")
  | ([capture("(?s)<(task|user_message|feedback|answer)>\\n?(?<q>.*?)\\n?</(task|user_message|feedback|answer)>").q][0] // .) | sub("\\s+$"; "");
def block: if .type == "reasoning" then thinking(.text // ([.summary | arrays | .[] | .text? // str] | join("\n"))) else anthropic_block end;
def blocks: if type == "array" then [.[] | block] elif . == null then [] else [text(str)] end;
def filled: map(select(.type != "text" or .text != ""));
# Results of calls are blocks of their own, or words, "[NAME for …] Result:", which answer the calls in their order.
def heading: "^\\[[a-z_]+( for [^\\n]*)?\\] Result:\\s*";
def code: [.[] | .text? // "" | strings | capture("(?i)exit code:? (?<n>[0-9]{1,9})") | .n | tonumber][0];
def failed: any(.[] | .text? // "" | strings; test("^(\\[[^\\n]*\\] Result:)?\\s*(The tool execution failed|The user denied this operation|\\{\"status\":\"(denied|error)\")"));
def answer($id; $blocks): ($blocks | code) as $code | ($blocks | failed) as $failed
  | result($id; [$blocks[] | if .type == "text" then .text |= sub(heading; "") else . end] | filled; $failed) | ended($code);
def parts: reduce .[] as $b ({said: [], out: []}; if $b.type == "text" and ($b.text | test(heading)) then .out += [[$b]] elif .out == [] then .said += [$b] else .out[-1] += [$b] end);
# The program's words in the user's name.
def its: .type == "text" and (.text | test("^\\[(TASK RESUMPTION|ERROR)\\]"));
# Before there were calls, a tool was called in XML, the last one of a reply.
def names: ["execute_command", "read_file", "write_to_file", "apply_diff", "search_files", "list_files", "list_code_definition_names", "browser_action", "use_mcp_tool", "access_mcp_resource", "ask_followup_question",
  "attempt_completion", "switch_mode", "new_task", "update_todo_list", "replace_in_file", "insert_content", "search_and_replace", "plan_mode_respond", "fetch_instructions"];
def xml($n): . as $s
  | [names[] as $name | $s | match("(?s)<\($name)>(?<b>.*?)</\($name)>"; "g") | {at: .offset, name: $name, inner: .captures[0].string}] | sort_by(.at)[-1] // null
  | if . == null then null else call("call \($n)"; .name; [.inner // "" | scan("(?s)<([a-z_]+)>\\n?(.*?)\\n?</[a-z_]+>") | {key: .[0], value: .[1]}] | from_entries) end;
def told: . as $u | usage((.prompt // 0); .completion; .cached; null; null) | reporting($u);
def asked: . as $u | usage((.tokensIn // 0) + (.cacheReads // 0) + (.cacheWrites // 0); .tokensOut; .cacheReads; .cacheWrites; null) | costing($u.cost | counted);
# State: n, the number of the next reply; open, the calls of the last one.
def value: . as $v
  | if $kind == "user" then
      ([.content | arrays | .[] | objects | select(.type == "tool_result")]) as $results
      | ($results[] | (.content | blocks) as $out | (.is_error == true or ($out | failed)) as $failed | result(.tool_use_id; $out; $failed) | ended($out | code)),
        ((.content | blocks | map(if .type == "text" then .text |= plain else . end) | filled) as $b | ($b | parts) as $p | (($state.open // []) - [$results[].tool_use_id]) as $open
         | if $v.isSummary == true then compaction([$b[] | .text? // empty] | join("\n"); null; 0)
           elif $open == [] then (if $b == [] then (if $results == [] then skip else empty end) else $b | (map(select(its)) | if . == [] then empty else beside("program"; .) end), (map(select(its | not)) | if . == [] then empty else user(.) end) end)
           else ($p.out | to_entries[] | select($open[.key]) | answer($open[.key]; .value)),
             ($p.said | (map(select(its)) | if . == [] then empty else beside("program"; .) end), (map(select(its | not)) | if . == [] then empty else user(.) end)), skip end),
        set({open: null})
    elif $kind == "assistant" then
      (.content | blocks) as $b | ([$b[] | select(.type == "text") | .text] | join("\n")) as $s | (if any($b[]; .type == "toolCall") then null else $s | xml($state.n // 0) end) as $x
      | ($info.asked[$state.n // 0] // {}) as $u
      | if .isSummary == true then compaction($s; null; 0)
        else assistant($b + (if $x then [$x] else [] end); {model: (.modelInfo.modelId? // "unknown")}
            + (if (.metrics.tokens? | type) == "object" then {usage: (.metrics.tokens | told)} elif $u.tokensIn or $u.tokensOut then {usage: ($u | asked)} else {} end)),
          set({n: (($state.n // 0) + 1), open: (if $x then [$x.id] else [$b[] | select(.type == "toolCall") | .id] end)}) end
    elif $v == {} then if $info.parent then subagent else skip end
    elif $kind == "end" then skip
    else empty end;
