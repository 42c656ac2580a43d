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

// Material makes what the examples of the man pages take for granted, from a file turns
// with [Turns]: a session s.jsonl that is worth compacting, with a label and a tool call; an old
// session; a prompt; a session in pi's directory.
const Material = `
sess-new > s.jsonl
sess-append -e s.jsonl < turns > ids
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

// Stock puts sessions of the working directory into the store.
const Stock = `
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
