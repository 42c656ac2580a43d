# What the maps share. A map has three parts: whole is the document, with $list where its list stands; head is the list's beginning,
# and item what a message adds to it. $s is the session that exchange.go makes, without its messages, of which one is the
# input of item: so one at a time is in memory.

# The text of a message or of a content; what has no text is named.
def text:
  if type == "string" then .
  elif type == "array" then
    [.[] | if .type == "text" then .text // "" elif .type == "image" then "[image \(.mimeType // "of unknown type")]" else empty end] | join("\n")
  elif type == "object" and .role == "bashExecution" then "$ \(.command // "")\n\(.output // "")"
  elif type == "object" then (.content // .summary // "") | text
  else "" end;

def blocks($kind): .content | if type == "array" then map(select(type == "object" and .type == $kind)) else [] end;
def thinking: [blocks("thinking")[].thinking // "" | select(. != "")] | join("\n");
def calls: blocks("toolCall");
def arguments: .arguments | if type == "object" then . else {} end;
def number: if type == "number" then . else 0 end;
def prompttokens: (.input | number) + (.cacheRead | number) + (.cacheWrite | number);
def some: with_entries(select(.value != null and .value != "" and .value != []));

# What a role is called by APIs.
def apirole: if . == "assistant" then "assistant" elif . == "toolResult" then "tool" elif . == "system" or . == "developer" then "system" else "user" end;

# Tools as APIs define them. Sessions have their names, and sometimes all of them.
def definitions: [(.tools // [])[] | if type == "string" then {name: .} else . end | select(type == "object" and (.name | type) == "string")
  | {type: "function", function: ({name, description, parameters: (.parameters // .inputSchema)} | some)}];
