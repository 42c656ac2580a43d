module {
  interface: 1, name: "antigravity", summary: "transcripts of Antigravity (experimental)", provider: "google",
  homes: ["~/.gemini"], files: ["antigravity*/brain/*/.system_generated/logs/transcript.jsonl"],
  program: "Antigravity",
  tools: {read: ["view_file", "view_file_outline", "view_code_item"], write: ["replace_file_content", "multi_replace_file_content"], search: ["find_by_name", "list_dir"],
    fetch: ["read_url_content", "search_web"], agent: ["browser_subagent"], ask: ["notify_user"], plan: ["task_boundary"]},
  signs: ["\"step_index\""], kind: ["source", "type"], time: ["created_at"], skip: ["SYSTEM/CONVERSATION_HISTORY"]
};
def detect: any(.[]; has("step_index") and (.source | type) == "string" and (.type | type) == "string");
def info: {id: ([.path | capture("/brain/(?<id>[^/]+)/") | .id][0]), created: .values[0].created_at};
def plain: gsub("(?s)<(ADDITIONAL_METADATA|USER_SETTINGS_CHANGE)>.*?</(ADDITIONAL_METADATA|USER_SETTINGS_CHANGE)>"; "")
  | ([capture("(?s)<USER_REQUEST>\\n?(?<q>.*?)\\n?</USER_REQUEST>").q][0] // .) | sub("\\s+$"; "");
def code: [.content // "" | strings | capture("(exit code:? |exited with code )(?<n>[0-9]{1,9})") | .n | tonumber][0];
# State: open, the calls of the last reply without a result: a result says no id, and comes in their order.
def value: .step_index as $n
  | if .source == "USER_EXPLICIT" then user([text(.content // "" | str | plain)])
    elif $kind == "MODEL/PLANNER_RESPONSE" then
      assistant([.thinking // "" | strings | select(. != "") | thinking(.)] + [.content // "" | strings | select(. != "") | text(.)]
        + [.tool_calls // [] | to_entries[] | call("\($n).\(.key)"; .value.name; .value.args)]; {model: "unknown"}),
      set({open: [.tool_calls // [] | to_entries[] | "\($n).\(.key)"]})
    elif .source == "MODEL" and ($state.open // []) != [] then
      (code as $code | result($state.open[0]; [text(.content // "" | str)]; .status == "ERROR") | ended($code)), set({open: $state.open[1:]})
    elif .source == "SYSTEM" or .source == "MODEL" then (if (.content // "") == "" then skip else beside(.type; [text(.content | str)]) end)
    elif $kind == "end" then skip
    else empty end;
