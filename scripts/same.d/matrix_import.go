package main

import (
	"path"
	"strings"
)

// imports are the samples of each other agent's, in every way to import one.
func (t *table) imports() {
	for _, f := range t.samples.find(".jsonl", "claude/") {
		t.importing("claude", f, "s.jsonl")
	}
	for _, f := range t.samples.find(".jsonl", "codex/rollouts/") {
		t.importing("codex", f, path.Base(f))
	}
	for _, f := range t.samples.find(".jsonl.zst", "codex/home/") {
		t.importing("codex", f, path.Base(f))
	}
	for _, f := range t.samples.find(".json", "opencode/exports", "opencode/genuine") {
		t.importing("opencode", f, "s.json")
	}
	for _, f := range t.samples.find("", "aider/") {
		t.importing("aider", f, path.Base(f))
	}
	for _, f := range t.samples.small("pi/sessions/", "omp/damaged/", "omp/18/") {
		t.importing("omp", f, "s.jsonl")
	}
	for _, f := range t.samples.find(".db", "opencode/databases", "zeroclaw/") {
		format, _, _ := strings.Cut(f, "/")
		name := map[string]string{"opencode": "opencode.db", "zeroclaw": path.Base(f)}[format]
		t.importing(format, f, name)
		t.add(inputs{name: f}, "sess-import --all -o out --losses lost "+name, "sess-import --recent "+name,
			"sess-import "+format+" --all --store "+name, "sess-import --session 1 "+name, "sess-import "+format+" --all -n -o out "+name)
	}
	for _, f := range t.samples.find(".json", "claude/", "zeroclaw/") {
		t.add(inputs{"chat.json": f}, "sess-import chat.json", "sess-import --detect chat.json", "sess-import openai chat.json", "sess-import anthropic --losses lost chat.json")
	}
	for _, f := range t.samples.small("pi/sessions/", "omp/18/") { // there and back again
		for _, format := range []string{"claude", "codex", "omp", "opencode", "zeroclaw"} {
			t.add(inputs{"s.jsonl": f}, "sess-export -q "+format+" s.jsonl >out && sess-import -q "+format+" - <out")
		}
		t.add(inputs{"s.jsonl": f}, "sess-path --as openai s.jsonl | sess-import openai", "sess-path --as anthropic --system s.jsonl | sess-import anthropic")
	}
}

func (t *table) importing(format, sample, name string) {
	t.add(inputs{name: sample}, "sess-import --detect "+name, "sess-import "+name, "sess-import "+format+" "+name, "sess-import "+format+" --list "+name,
		"sess-import "+format+" --strict -o out.jsonl "+name, "sess-import "+format+" --losses lost --cwd /elsewhere "+name+" | sess-path --as text",
		"sess-import "+format+" --all -o out "+name)
}

// homes are the stores of other agents in their places.
func (t *table) homes() {
	homes := map[string]inputs{
		"codex":    {".codex": "codex/rollouts/0.169/home"},
		"claude":   {".claude/projects/-tmp-w": "claude/genuine"},
		"opencode": {".local/share/opencode/opencode.db": "opencode/databases-1.18/04-forked.db"},
		"pi":       {".pi/agent/sessions/--w--": "pi/genuine/1.5"},
		"omp":      {".omp/agent/sessions": "omp/genuine/out18/sessions"},
		"zeroclaw": {".zeroclaw/workspace/sessions/sessions.db": "zeroclaw/sessions.db", ".zeroclaw/workspace/memory.db": "zeroclaw/memory.db"},
		"aider":    {".aider.chat.history.md": "aider/sample1.md"},
	}
	for _, format := range []string{"aider", "claude", "codex", "omp", "opencode", "pi", "zeroclaw"} {
		t.add(homes[format], "sess-import "+format+" --list", "sess-import "+format+" --recent", "sess-import "+format+" --all -o out",
			"sess-import "+format+" --all --store --losses lost", "sess-import "+format+" --list --recent", "sess-import "+format,
			"sess-import "+format+" --session 01", "sess-import "+format+" --session zz", "sess-ls --agent "+format, "sess-ls --json --agent "+format+" --limit 2",
			"sess-ls --agent all --usage", "sess-path --as text "+format+":", "sess-path --as openai "+format+":01", "sess-tree "+format+":",
			"sess-fork -o out.jsonl "+format+":", "sess-compact --plan --keep 100 "+format+":", "sess-export claude "+format+":", "sess-check "+format+":",
			"sess-append -t hi "+format+":")
	}
	t.add(homes["codex"], "sess-ls --agent codex --sort size --paths", "sess-ls --agent codex --where '.messages > 5' --json", "sess-ls --agent codex --since 2026-01-01 --name a",
		"sess-export codex -o .codex --index .codex/none", "sess-ls --agent codex -0", "sess-ls --agent codex --usage")
}

// mistakes are what goes wrong.
func (t *table) mistakes() {
	for _, tool := range []string{"append", "check", "compact", "export", "fork", "import", "ls", "new", "path", "seg", "tree"} {
		name, operand := "sess-"+tool, "s.jsonl"
		if tool == "export" {
			operand = "omp s.jsonl"
		}
		other := func(s string) string { return strings.ReplaceAll(operand, "s.jsonl", s) }
		t.add(inputs{"s.jsonl": "pi/sessions/branching.jsonl", "d": "pi/branches", "db": "zeroclaw/sessions.db"},
			name+" --help", name+" -h", name+" --version", name+" --completion bash", name+" --completion zsh", name+" --completion fish", name+" --no-such-flag",
			name+" --outptu x "+operand, name+" "+other("missing.jsonl"), name+" "+other("d"), name+" "+other("db"), name+" "+other("/dev/null"), name+" "+operand+" extra",
			name+" "+other("s.jsonl/x"), name+" "+other("''"), name+" </dev/null", name+" -- "+operand, name+" "+operand+" >/dev/full", name+" "+other("no/dir/s.jsonl"),
			name+" --wait x "+operand, name+" --sync sometimes "+operand, name+" -n -o out "+operand, name+" "+other("nobody:x"))
	}
	for _, c := range []string{"migrate", "rollback", "recover", "status", "verify", "checkpoint", "rollback-to", "rebuild-index", "cat", "path", "tail", "get", "append", "nothing"} {
		t.add(nil, "sess-seg "+c+" --help", "sess-seg "+c, "sess-seg "+c+" missing.v2", "sess-seg "+c+" 1 missing.v2", "sess-seg "+c+" --no-such-flag x")
	}
	t.add(inputs{"s.jsonl": "pi/sessions/branching.jsonl"}, product("", []string{
		"sess-path --leaf zzzz", "sess-path --leaf ''", "sess-path --leaf .~99", "sess-path --leaf @none", "sess-path --leaf 0", "sess-path --as nothing", "sess-path --budget x",
		"sess-path --budget -1", "sess-path --where '('", "sess-path --jq 'error(\"x\")'", "sess-path --reinject somewhere", "sess-path --raw", "sess-path --reverse --as text",
		"sess-tree --leaf zzzz", "sess-tree --json --dot", "sess-tree --color x", "sess-check --repair", "sess-check --relink", "sess-check --repair -o s.jsonl", "sess-fork --at zzzz",
		"sess-fork --at .~1 --all", "sess-fork -o s.jsonl", "sess-compact --keep x", "sess-compact --rules 9", "sess-compact --strategy none", "sess-compact --summary missing",
		"sess-compact --plan --prompt", "sess-compact --check", "sess-compact --window 10", "sess-compact --first-kept zzzz -n", "sess-compact --report-of zzzz", "sess-append --type",
		"sess-append --type x -r user", "sess-append -r nobody -t x", "sess-append --set a", "sess-append --set-json a=b -t x", "sess-append --parent zzzz -t x", "sess-append --usage x -r assistant -t y",
		"sess-append -t x -f y", "sess-append --label a --at zzzz", "sess-append -e -t x", "sess-export nothing", "sess-export pi --for 9", "sess-export omp -o s.jsonl", "sess-export pi --db x",
		"sess-export omp --losses s.jsonl", "sess-import nothing", "sess-import pi --session zzzz", "sess-import --all", "sess-import pi -o s.jsonl", "sess-ls --sort x", "sess-ls --since x",
		"sess-ls --where '('", "sess-ls --limit x", "sess-ls --agent nobody", "sess-ls --json --paths",
	}, "s.jsonl")...)
	t.add(nil, "sess-new", "sess-new --id fixed --cwd /w --title 'a name'", "sess-new --id fixed --parent /p.jsonl -n", "printf 'be good' | sess-new --system - --task work --tools a,b",
		"sess-new --store", "sess-new --store --defer", "S=$(sess-new --store --defer) && sess-append -t hi \"$S\" && sess-append -r assistant -t yes \"$S\"", "sess-new -o s.jsonl && sess-new -o s.jsonl",
		"sess-new --id 'a/b'", "sess-new --title ''", "sess-new --defer -o s.jsonl", "sess-new --system missing", "sess-new --tools a", "sess-new -v --store --title t")
}
