# A line for supervised fine-tuning: messages and tools, as chat completions have them.
def head: $s | if .system != null then {role: "system", content: .system} else empty end;

def item: .message as $m
  | if $m.role == "assistant" then
      ({role: "assistant", content: ($m | text), reasoning_content: ($m | thinking),
        tool_calls: [$m | calls[] | {id, type: "function", function: {name, arguments: (arguments | tojson)}}]} | some) + {content: ($m | text)},
      (.results[] | {role: "tool", tool_call_id: .call, content: (.message | text)})
    elif $m.role == "toolResult" then empty
    else {role: ($m.role | apirole), content: ($m | text)} end;

def whole: {messages: $list} + ({tools: ($s | definitions)} | some);
