package main

import (
	"path"
	"slices"
	"strings"
)

// A table says which command lines run with which samples.
type table struct {
	samples *samples
	units   []unit
}

func (t *table) add(in inputs, lines ...string) {
	t.units = append(t.units, commands(t.samples.dir, in, lines...)...)
}

// matrix is every sample with every tool that reads such, in every form.
func matrix(s *samples) []unit {
	t := &table{samples: s}
	rich := s.small("pi/", "omp/18/", "v2/session")
	plain := s.small("omp/13/", "omp/edge/", "omp/genuine/", "omp/damaged/", "codex/compact/")
	for _, f := range s.find(".jsonl", "pi/sessions/", "omp/legacy/") {
		if !slices.Contains(rich, f) { // a large one is only read
			t.add(inputs{"s.jsonl": f}, slices.Concat(paths, trees[:5], checks[:6])...)
		}
	}
	for _, f := range rich {
		in := inputs{"s.jsonl": f}
		t.add(in, slices.Concat(paths, pathsMore, trees, checks, forks, plans(), compactions, appends, exports, filters)...)
		if strings.HasPrefix(f, "pi/") || strings.HasPrefix(f, "v2/") {
			t.add(in, segmented...)
		}
	}
	for _, f := range plain {
		t.add(inputs{"s.jsonl": f}, slices.Concat(paths, trees[:5], checks[:6], forks[:2], compactions[:2], appends[:1], exports[:3])...)
	}
	t.blobs()
	t.listings()
	t.stores()
	t.imports()
	t.homes()
	t.mistakes()
	return t.units
}

// paths are the forms of a path, for every session.
var paths = product("sess-path", []string{
	"", "--as context", "--as messages", "--as openai", "--as anthropic", "--as text", "--as markdown", "--as state",
	"--leaf newest-message --as context", "--leaf longest --as messages", "--leaf root", "--leaf .~1 --as openai",
	"--budget 200 --as messages", "--strict --no-header",
}, "s.jsonl")

// pathsMore are what else sess-path does, for the sessions worth it.
var pathsMore = product("sess-path", []string{
	"--leaf last --as state", "--leaf newest-message --as text", "--leaf longest --as anthropic", "--leaf root --as messages",
	"--leaf .~1", "--leaf .~2 --as context", "--leaf .^ --as state", "--leaf 'nowhere'",
	"--budget 50 --as openai", "--budget 1000 --as anthropic", "--budget 2k --as text", "--budget 300", "--budget 0 --as context",
	"--with-system --as openai", "--with-system --as anthropic", "--with-system --as messages --budget 500", "--with-system --as context",
	"--reinject after-summary --as messages", "--reinject before-last-user --as openai", "--reinject after-summary --with-system --as context",
	"--no-header --leaf .~1", `--where '.type == "message"'`, `--where '.message.role == "user"' --as text`,
	"--jq .type", "--jq .id -r", "--as messages --jq .role -r", "--as openai --jq 'length'", "--as context --jq keys",
	"-q --as text", "-v --as context",
}, "s.jsonl")

var trees = product("sess-tree", []string{
	"", "--full", "--heads", "--labels", "--json", "--dot", "--leaf newest-message", "--heads --json", "--leaf .~1 --color always",
}, "s.jsonl")

var checks = append(product("sess-check", []string{
	"", "--json", "--strict", "--repair -n", "--repair --relink -n", "--migrate -n", "--repair --migrate -n", "--repair --relink -o out.jsonl",
	"--migrate -o out.jsonl", "-v",
}, "s.jsonl"), `printf 's.jsonl\0missing.jsonl\0' | sess-check -0 --json`)

var forks = product("sess-fork", []string{
	"", "--branches", "--at .~1", "--at root -o out.jsonl", "--branches --title 'a name' --cwd /elsewhere -n", "--store --cwd .", "--at longest -o out.jsonl",
}, "s.jsonl")

// plans are the ways to plan a compaction.
func plans() []string {
	var out []string
	for _, strategy := range []string{"keep-recent", "keep-user", "last-turn"} {
		for _, keep := range []string{"20k", "2000", "100"} {
			out = append(out, "sess-compact --plan --strategy "+strategy+" --keep "+keep+" s.jsonl")
		}
		out = append(out, "sess-compact --print-prompt --strategy "+strategy+" --keep 100 s.jsonl")
	}
	return out
}

// compactions are what sess-compact does besides; the first are for all sessions.
var compactions = append(product("sess-compact", []string{
	"--plan --keep 100", "--if-needed -n --window 10000 --reserve 1000", "--keep 100 -n", "--report --keep 100",
	"--report --json --keep 100", "--report-of .", "--if-needed -n --window 200000", "--if-needed -n --window 2000 --reserve 100 --estimator usage",
	"--keep 100", "--keep 100 --json", "--strategy last-turn", "--strategy keep-user --keep 200 -n", "--if-needed --window 3000 --reserve 500 --keep 100 -n",
	"--if-needed --window 900000 -n", "--first-kept .~2 --plan", "--first-kept .~1 -n", "--plan --estimator cjk --keep 100",
	"--plan --estimator bytes4 --keep 100", "--print-prompt --keep 100 --max-prompt 3000", "--print-prompt --keep 100 --instructions 'be brief'",
	"--prune --plan", "--prune --prune-protect 10 --json", "--branch .~3 -n", "--branch root --print-prompt", "--branch .~2",
	"--keep 100 --min-gain 50% -n", "--expect-leaf nowhere --keep 100 -n",
	"-v --keep 100 -n",
}, "s.jsonl"),
	"printf '## Goal\\nDo it.\\n' | sess-compact --keep 100 --summary-file - s.jsonl",
	"printf 'no heading\\n' | sess-compact --keep 100 --summary-file - s.jsonl",
	"sess-compact --keep 100 --retries 0 --json s.jsonl -- sh -c 'cat >prompt; echo \"## Goal\"; echo ok'",
	"sess-compact --keep 100 --retries 0 s.jsonl -- false",
	"sess-compact --keep 100 --max-prompt 2000 --retries 0 -n s.jsonl -- sh -c 'cat >>prompts; echo \"## Goal\"; echo \"$SESS_CHUNK\"'",
)

// appends are each kind of entry; the first are for all sessions.
var appends = append(product("sess-append", []string{
	"-r user -t hi", "-n -r assistant -t hello --model m1 --provider p1",
	"-r assistant -t hello --model m1 --provider p1 --set api=a1 --set stopReason=stop --usage-json '{\"input\":1,\"output\":2}'",
	"-n -r system -t rules", "-n -r toolResult --tool-call-id c1 --set toolName=bash -t ok", "-r toolResult --tool-call-id c1 --set toolName=bash --error -t bad",
	"--label here", "--label here --at .~1", "--label '' -n", "-n --type session_info --set name=new", "-n --type model_change --set provider=p --set modelId=m",
	"-n --type thinking_level_change --set thinkingLevel=high", "-n --type custom --set customType=x --set-json 'data={\"a\":[1,2]}'",
	"-n --type custom_message --set customType=x --set content=text --set-json display=true", "-n --type branch_summary --set fromId=root --set summary=s",
	"-n --type compaction --set summary=s --set firstKeptEntryId=x --set-json tokensBefore=1", "-n --type nothing", "--type nothing --force-type --set a=b",
	"-n --parent .~1 -t elsewhere", "--parent null -t root", "--expect-leaf nowhere -t hi", "--expect-leaf . --json -t hi",
	"--tail refuse -t hi", "--tail end-line -t hi", "-v -q -t ''",
}, "s.jsonl"),
	"printf 'from a pipe' | sess-append -r user s.jsonl",
	`printf '{"role":"user","content":"one"}\n{"role":"assistant","content":[{"type":"text","text":"two"}]}\n' | sess-append --entries s.jsonl`,
	`printf '{"type":"custom","customType":"x"}\nnot json\n' | sess-append --entries s.jsonl`,
)

var exports = append(product("sess-export", []string{
	"claude", "codex", "omp", "opencode", "pi", "pi --for pi-0.73", "omp --strict --losses lost.jsonl",
}, "s.jsonl"), "sess-export codex -o out s.jsonl", "sess-export claude -n -o out.jsonl s.jsonl", "mkdir out; sess-export codex -o out --index s.jsonl")

// filters read the session on standard input.
var filters = []string{
	"sess-path <s.jsonl", "sess-path --as text - <s.jsonl", "cat s.jsonl | sess-path --leaf .~1 --as openai", "sess-tree --json <s.jsonl", "sess-check --json <s.jsonl",
	"sess-fork <s.jsonl", "sess-append -r user -t hi <s.jsonl", "sess-compact --plan --keep 100 <s.jsonl", "sess-compact --keep 100 <s.jsonl",
	"sess-export omp <s.jsonl", "sess-import pi - <s.jsonl", "sess-import - <s.jsonl",
	"sess-fork s.jsonl | sess-append -r user -t one | sess-append -r assistant -t two | sess-path --as text", "sess-path s.jsonl | head -n 1",
}

// segmented are the life of a segmented store.
var segmented = prefixed("sess-seg migrate s.jsonl && ", []string{
	"true", "sess-seg status s.v2", "sess-seg status --json --source s.jsonl", "sess-seg verify --json s.v2", "sess-seg cat s.v2",
	"sess-seg tail 2 s.v2", "sess-seg get nowhere s.v2",
	`sess-seg get "$(sess-path --jq .id -r s.jsonl | tail -n 1)" s.v2`, "sess-seg rollback s.jsonl && sess-seg status s.v2",
	"sess-seg checkpoint s.v2 && sess-seg checkpoint --list --json s.v2", "sess-seg rebuild-index s.v2", "sess-seg recover s.v2",
	`printf '{"type":"custom","id":"abcd0001","parentId":null,"timestamp":"2026-01-02T03:04:05.000Z","customType":"x"}\n' | sess-seg append s.v2 && sess-seg rollback-to 1 s.v2`,
	"sess-path --as text s.jsonl", "sess-ls --json .", "sess-append -t hi s.jsonl", "SESS_EXTENDED=true sess-seg migrate s.jsonl", "sess-check s.v2",
})

// product returns the command lines of a tool with each of several flags.
func product(tool string, flags []string, operand string) []string {
	var out []string
	for _, f := range flags {
		out = append(out, strings.Join(strings.Fields(tool+" "+f), " ")+" "+operand)
		if strings.ContainsAny(f, "'<>") { // spaces may count, and a redirection goes last
			out[len(out)-1] = tool + " " + f + " " + operand
		}
	}
	return out
}

func prefixed(prefix string, lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = prefix + l
	}
	return out
}

// blobs is what is done with images outside the session.
func (t *table) blobs() {
	for _, f := range t.samples.find(".jsonl", "omp/13/images", "omp/18/images") {
		t.add(inputs{"s.jsonl": f, "blobs": "omp/blobs"},
			"SESS_BLOBS=blobs sess-path s.jsonl", "SESS_BLOBS=blobs sess-path --as openai s.jsonl", "SESS_BLOBS=blobs sess-path --as anthropic s.jsonl",
			"sess-check --blobs blobs s.jsonl", "sess-check --json --blobs empty s.jsonl", "SESS_BLOBS=blobs sess-export pi s.jsonl",
			"SESS_BLOBS=blobs sess-export claude s.jsonl", "SESS_BLOBS=blobs sess-export codex s.jsonl", "SESS_BLOBS=blobs sess-import omp s.jsonl")
	}
}

// listings are the forms and filters of sess-ls.
func (t *table) listings() {
	lines := product("sess-ls", []string{
		"", "--json", "--paths", "-0", "--usage", "--usage --json", "--exact", "--limit 2", "--sort created", "--sort size", "--sort messages --json",
		"--sort title --paths", "--since 2026-01-01", "--since 7d", "--until 2026-01-02", "--until 1d --paths", "--title one", "--where '.messages > 3' --json",
		"--where '.nothing' ", "--recent --paths", "--cwd /tmp", "--color always", "-v --limit 1", "-q --json --exact",
	}, "d")
	for _, d := range []string{"pi/sessions", "pi/branches", "pi/genuine/1.5", "pi/genuine/0.73", "omp/18/lineage", "omp/13/lineage", "omp/edge", "omp/damaged", "codex/compact/0.169"} {
		t.add(inputs{"d": d}, lines...)
	}
	t.add(inputs{"store": "pi/genuine"}, product("sess-ls", []string{"--all", "--all --json", "--all --paths --sort size", "--all --recent", "", "--all -0 --limit 3"}, "")...)
	t.add(inputs{"d": "omp/genuine"}, "sess-ls --all d", "sess-ls --json d/*/*/*", "sess-ls d/out13/sessions/-proj d/out18/sessions/-proj")
}

// stores are the segmented stores of another program, whole and damaged.
func (t *table) stores() {
	seen := map[string]bool{}
	for _, f := range t.samples.find("", "v2/stores/") {
		dir, _, ok := strings.Cut(f, ".v2/")
		if !ok || seen[dir] {
			continue
		}
		seen[dir] = true
		t.add(inputs{"s.v2": dir + ".v2"}, product("sess-seg", []string{
			"status", "status --json", "verify", "verify --json", "cat", "tail 3", "get e1", "recover", "rebuild-index",
			"rollback", "checkpoint", "checkpoint --list --json", "rollback-to 1", "status --source --json", "append </dev/null",
		}, "s.v2")...)
		t.add(inputs{"s.v2": dir + ".v2", "s.jsonl": "v2/session.jsonl"},
			"sess-seg status --source s.v2", "sess-seg recover s.v2", "sess-seg rollback s.jsonl && sess-path s.jsonl", "sess-path s.jsonl", "sess-append -t hi s.jsonl", "sess-path s.v2",
			"sess-seg migrate s.jsonl", "sess-ls --json .", "sess-check --json s.jsonl")
	}
}

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
		for _, format := range []string{"claude", "codex", "omp", "opencode"} {
			t.add(inputs{"s.jsonl": f}, "sess-export -q "+format+" s.jsonl >out && sess-import -q "+format+" - <out")
		}
		t.add(inputs{"s.jsonl": f}, "sess-path --as openai s.jsonl | sess-import openai", "sess-path --as anthropic --with-system s.jsonl | sess-import anthropic")
	}
}

func (t *table) importing(format, sample, name string) {
	t.add(inputs{name: sample}, "sess-import --detect "+name, "sess-import "+name, "sess-import "+format+" "+name, "sess-import "+format+" --list "+name,
		"sess-import "+format+" --strict -o out.jsonl "+name, "sess-import "+format+" --losses lost "+name+" | sess-path --as text",
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
		"zeroclaw": {".zeroclaw/workspace/memory/sessions.db": "zeroclaw/memory.db"},
		"aider":    {".aider.chat.history.md": "aider/sample1.md"},
	}
	for _, format := range []string{"claude", "codex", "omp", "opencode", "pi", "zeroclaw"} {
		t.add(homes[format], "sess-import "+format+" --list", "sess-import "+format+" --recent", "sess-import "+format+" --all -o out",
			"sess-import "+format+" --all --store --losses lost", "sess-import "+format+" --list --recent", "sess-import "+format,
			"sess-import "+format+" --session 01", "sess-import "+format+" --session zz", "sess-ls --agent "+format, "sess-ls --json --agent "+format+" --limit 2",
			"sess-ls --agent all --usage", "sess-path --as text "+format+":", "sess-path --as openai "+format+":01", "sess-tree "+format+":",
			"sess-fork -o out.jsonl "+format+":", "sess-compact --plan --keep 100 "+format+":", "sess-export claude "+format+":", "sess-check "+format+":",
			"sess-append -t hi "+format+":")
	}
	t.add(homes["codex"], "sess-ls --agent codex --sort size --paths", "sess-ls --agent codex --where '.messages > 5' --json", "sess-ls --agent codex --since 2026-01-01 --title a",
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
		t.add(inputs{"s.jsonl": "pi/sessions/branching.jsonl", "d": "pi/branches", "db": "zeroclaw/memory.db"},
			name+" --help", name+" -h", name+" --version", name+" --completion bash", name+" --completion zsh", name+" --completion fish", name+" --no-such-flag",
			name+" --outptu x "+operand, name+" "+other("missing.jsonl"), name+" "+other("d"), name+" "+other("db"), name+" "+other("/dev/null"), name+" "+operand+" extra",
			name+" "+other("s.jsonl/x"), name+" "+other("''"), name+" </dev/null", name+" -- "+operand, name+" "+operand+" >/dev/full", name+" "+other("no/dir/s.jsonl"),
			name+" --wait x "+operand, name+" -n -o out "+operand, name+" "+other("nobody:x"))
	}
	for _, c := range []string{"migrate", "rollback", "recover", "status", "verify", "checkpoint", "rollback-to", "rebuild-index", "cat", "tail", "get", "append", "nothing"} {
		t.add(nil, "sess-seg "+c+" --help", "sess-seg "+c, "sess-seg "+c+" missing.v2", "sess-seg "+c+" 1 missing.v2", "sess-seg "+c+" --no-such-flag x")
	}
	t.add(inputs{"s.jsonl": "pi/sessions/branching.jsonl"}, product("", []string{
		"sess-path --leaf zzzz", "sess-path --leaf ''", "sess-path --leaf .~99", "sess-path --leaf @none", "sess-path --leaf 0", "sess-path --as nothing", "sess-path --budget x",
		"sess-path --budget -1", "sess-path --where '('", "sess-path --jq 'error(\"x\")'", "sess-path --reinject somewhere", "sess-path --raw-output",
		"sess-tree --leaf zzzz", "sess-tree --json --dot", "sess-tree --color x", "sess-check --repair", "sess-check --relink", "sess-check --repair -o s.jsonl", "sess-fork --at zzzz",
		"sess-fork --at .~1 --branches", "sess-fork -o s.jsonl", "sess-compact --keep x", "sess-compact --strategy none", "sess-compact --summary-file missing",
		"sess-compact --plan --print-prompt", "sess-compact --if-needed -n", "sess-compact --window 10", "sess-compact --first-kept zzzz -n", "sess-compact --report-of zzzz", "sess-append --type",
		"sess-append --type x -r user", "sess-append -r nobody -t x", "sess-append --set a", "sess-append --set-json a=b -t x", "sess-append --parent zzzz -t x", "sess-append --usage-json x -r assistant -t y",
		"sess-append -t x -f y", "sess-append --label a --at zzzz", "sess-append --entries -t x", "sess-export nothing", "sess-export pi --for 9", "sess-export omp -o s.jsonl",
		"sess-export omp --losses s.jsonl", "sess-import nothing", "sess-import pi --session zzzz", "sess-import --all", "sess-import pi -o s.jsonl", "sess-ls --sort x", "sess-ls --since x",
		"sess-ls --where '('", "sess-ls --limit x", "sess-ls --agent nobody", "sess-ls --json --paths",
	}, "s.jsonl")...)
	t.add(nil, "sess-new", "sess-new --id fixed --cwd /w --title 'a name'", "sess-new --id fixed --from /p.jsonl -n", "printf 'be good' | sess-new --system -",
		"sess-new --store", "sess-new --store --defer", "S=$(sess-new --store --defer) && sess-append -t hi \"$S\" && sess-append -r assistant -t yes \"$S\"", "sess-new -o s.jsonl && sess-new -o s.jsonl",
		"sess-new --id 'a/b'", "sess-new --title ''", "sess-new --defer -o s.jsonl", "sess-new --system missing", "sess-new -v --store --title t")
}
