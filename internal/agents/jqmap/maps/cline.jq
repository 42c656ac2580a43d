module {
  interface: 1, name: "cline", summary: "sessions of the Cline CLI (experimental)", provider: "cline", grows: false, # a session is written anew
  homes: ["$CLINE_SESSION_DATA_DIR", "$CLINE_DATA_DIR/sessions", "$CLINE_DIR/data/sessions", "~/.cline/data/sessions"],
  files: ["*/*.messages.json"], each: "messages", beside: ["%.json"],
  program: "Cline", resume: ["cline", "--id", "ID"], zero: ["run_commands"],
  tools: {run: ["run_commands"], read: ["read_files"], write: ["editor"], search: ["search_codebase"], fetch: ["fetch_web_content"], ask: ["ask_question"], agent: ["spawn_agent", "use_subagents"]},
  signs: ["\"origin\""], kind: ["role"], time: ["ts"]
};
def detect: .[0] | (.sessionId | type) == "string" and (.agent | type) == "string" and (.origin | type) == "object";
# A helper's messages are a file of their own in the directory of the session.
def info: .values[0] as $s | (.path | split("/") | [.[-2], (.[-1] | rtrimstr(".messages.json"))]) as [$dir, $file] | (.beside["%.json"] | objects) // {} | . as $m
  | ($s.agent // "lead" | . != "lead") as $helper
  | {id: (if $helper then "agent-\($file)" else $s.sessionId end), parent: (if $helper then $m.session_id // $dir else null end), cwd: $m.cwd, title: (if $helper then null else $m.metadata.title? end),
     created: $m.started_at, modified: $s.updated_at};
def plain: sub("^<user_input mode=\"[a-z]*\">"; "") | sub("</user_input>$"; "");
def out: if type == "array" then [.[] | if (.result? // null) != null then text(.result | str) else anthropic_block end] else anthropic_blocks end;
def failed: .is_error == true or any(.content | arrays | .[] | objects; .success == false);
def code: [.content | arrays | .[] | objects | .error | strings | capture("exited with code (?<n>[0-9]{1,9})") | .n | tonumber][0];
def tokens: . as $u | usage(.inputTokens; .outputTokens; .cacheReadTokens; .cacheWriteTokens; null) | costing(.cost // 0 | counted) | reporting($u);
def value:
  if $kind == "user" then
    (.content[]? | select(.type == "tool_result") | failed as $failed | code as $code | result(.tool_use_id; .content | out; $failed) | ended($code)),
    (.content | anthropic_blocks | map(if .type == "text" then .text |= plain else . end) | if . == [] then empty else user(.) end)
  elif $kind == "assistant" then
    assistant(.content | anthropic_blocks; {model: (.modelInfo.id? // "unknown")} + (if .metrics then {usage: (.metrics | tokens)} else {} end))
  elif .sessionId or $kind == "end" then skip
  else empty end;
