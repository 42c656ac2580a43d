package corpus

import "strings"

// LLM stands for a command line LLM: it reads its prompt to the end and
// answers with the headings the prompt asks for.
const LLM = `#!/bin/sh
if grep -q '## Original Request'; then
	printf '## Original Request\nDo it.\n\n'
fi
printf '## Goal\nIt is to be done.\n'
`

// Stubs are what stands for other programs in examples, by name: LLM, a person who
// chooses, and agents and servers that print streams.
func Stubs() map[string]string {
	stream := func(lines ...string) string { return "cat <<'END'\n" + strings.Join(lines, "\n") + "\nEND\n" }
	claude := stream(
		`{"type":"system","subtype":"init","session_id":"s1","claude_code_version":"2.1.330","model":"m1"}`,
		`{"type":"assistant","message":{"id":"m1","role":"assistant","model":"m1","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"make"}}],"usage":{"input_tokens":9,"output_tokens":1}},"session_id":"s1","uuid":"u1"}`,
		`{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]},"session_id":"s1","uuid":"u2"}`,
		`{"type":"assistant","message":{"id":"m2","role":"assistant","model":"m1","content":[{"type":"text","text":"The build passes."}],"usage":{"input_tokens":19,"output_tokens":1}},"session_id":"s1","uuid":"u3"}`,
		`{"type":"result","subtype":"success","is_error":false,"result":"The build passes.","stop_reason":"end_turn","usage":{"input_tokens":28,"output_tokens":12},"total_cost_usd":0.01,"session_id":"s1","uuid":"u4"}`)
	return map[string]string{
		"my-llm": LLM, "any-llm": LLM,
		"fzf":    "#!/bin/sh\ntr '\\0\\n' '\\n ' | { read -r one; cat >/dev/null; printf '%s\\n' \"$one\"; }\n", // takes the first
		"claude": "#!/bin/sh\ncase \" $* \" in *' stream-json '*)\n" + claude + "exit ;;\nesac\n" + strings.TrimPrefix(LLM, "#!/bin/sh\n"),
		"codex": "#!/bin/sh\ncat >/dev/null\n" + stream(
			`{"type":"thread.started","thread_id":"th1"}`, `{"type":"turn.started"}`,
			`{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"Done."}}`,
			`{"type":"turn.completed","usage":{"input_tokens":9,"cached_input_tokens":0,"output_tokens":3}}`),
		"pi": "#!/bin/sh\n" + stream(
			`{"type":"session","version":3,"id":"p1","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}`, `{"type":"agent_start"}`,
			`{"type":"message_end","message":{"role":"user","content":[{"type":"text","text":"say hi"}],"timestamp":1767323046000}}`,
			`{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"hi"}],"api":"a","provider":"p","model":"m1","usage":{"input":9,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":10,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":1767323047000}}`,
			`{"type":"agent_end","messages":[]}`),
		"curl": "#!/bin/sh\ncat >/dev/null\n" + stream(
			`data: {"id":"c1","object":"chat.completion.chunk","model":"m1","choices":[{"index":0,"delta":{"role":"assistant","content":"It "}}]}`, ``,
			`data: {"id":"c1","object":"chat.completion.chunk","model":"m1","choices":[{"index":0,"delta":{"content":"scatters."},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":3}}`, ``,
			`data: [DONE]`, ``),
	}
}

// Material makes what the examples of the man pages take for granted, from a file turns
// with [Turns]: a session s.jsonl that is worth compacting, with a label and a tool call; an old
// session; a prompt; a session in pi's directory.
const Material = `
sess-new > s.jsonl
sess-append --entries s.jsonl < turns > ids
sess-append --type label --set targetId="$(sed -n 40p ids)" --set label=before-refactor s.jsonl >> ids
sess-append -r user -t 'go on' s.jsonl >> ids
echo 'what is next?' > prompt
cat > old.jsonl <<'END'
{"type":"session","id":"5f3c","timestamp":"2025-01-02T03:04:05.000Z","cwd":"/tmp"}
{"type":"message","timestamp":"2025-01-02T03:04:06.000Z","message":{"role":"user","content":"hi","timestamp":1735787046000}}
END
mkdir -p .pi/agent/sessions/--tmp--
cp s.jsonl .pi/agent/sessions/--tmp--/
`

// Stock puts sessions of the working directory into the store, and makes it that of pi's.
const Stock = `
for s in .pi/agent/sessions/*/*.jsonl; do
	sed "1s#\"cwd\":\"[^\"]*\"#\"cwd\":\"$PWD\"#" "$s" > moved && mv moved "$s"
done
sess-fork --store --cwd . --title first s.jsonl > stored
sess-new --store --title second >> stored
`

// ManExamples returns the literal blocks of the EXAMPLES section of a man page,
// as mandoc prints them.
func ManExamples(page string) []string {
	_, section, _ := strings.Cut(page, "\n.Sh EXAMPLES\n")
	section, _, _ = strings.Cut(section, "\n.Sh ")
	var out []string
	for {
		_, rest, found := strings.Cut(section, "\n.Bd -literal")
		if !found {
			return out
		}
		_, rest, _ = strings.Cut(rest, "\n")
		block, rest, _ := strings.Cut(rest, ".Ed")
		out = append(out, strings.NewReplacer(`\e`, `\`, `\-`, "-", `\&`, "").Replace(block))
		section = rest
	}
}
