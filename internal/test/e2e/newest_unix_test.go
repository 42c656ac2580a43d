//go:build unix

package e2e

import (
	"cmp"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// newest is a command line for each tool that takes an address, ADDRESS. What it prints has the id of the session or those of
// its entries, which begin alike.
var newest = map[string]string{
	"sess-ls":      "sess-ls --json ADDRESS",
	"sess-grep":    "sess-grep needle ADDRESS",
	"sess-calls":   "sess-calls ADDRESS",
	"sess-stat":    "sess-stat --json --by session ADDRESS",
	"sess-table":   "sess-table -v -o tables-$$ ADDRESS && cat tables-$$/sessions/*/part.parquet | tr -cd '[:print:]'",
	"sess-watch":   "sess-watch --once ADDRESS",
	"sess-assert":  "! sess-assert --no-call 'run:*' ADDRESS",
	"sess-redact":  "! sess-redact --check ADDRESS && sess-redact ADDRESS",
	"sess-show":    "sess-show -v --as markdown ADDRESS",
	"sess-tree":    "sess-tree ADDRESS",
	"sess-path":    "sess-path ADDRESS",
	"sess-check":   "sess-check -v ADDRESS",
	"sess-fork":    "sess-fork ADDRESS",
	"sess-export":  "sess-export pi ADDRESS",
	"sess-import":  "sess-import ADDRESS",
	"sess-handoff": "sess-handoff --to codex -n ADDRESS",
	"sess-merge":   "sess-merge ADDRESS ADDRESS",
	"sess-turn":    "sess-turn --no-store -v -t more ADDRESS -- sh -c 'cat >/dev/null; echo done'",
}

// addressless are the tools that take no address of an agent, or write to what they are given, each with why, and with a command line
// that reads a session all the same, or looks for some.
var addressless = map[string]struct{ why, line string }{
	"sess": {"runs the others", "sess path ADDRESS"}, "sess-append": {"writes", "sess-append -t x ADDRESS"}, "sess-compact": {"writes", "sess-compact --plan ADDRESS"},
	"sess-record": {"writes", "sess-record ADDRESS -- echo hi"}, "sess-new": {"makes one", "sess-new --from ADDRESS"}, "sess-seg": {"works on stores", "sess-seg migrate ADDRESS"},
	"sess-sync": {"works on the remote", "sess-sync push --remote logs ADDRESS"}, "sess-doctor": {"looks at the machine", "sess-doctor"},
	"sess-history": {"its operands are words", "sess-history ADDRESS"}, "sess-mcp": {"takes none", "sess-mcp"}, "sess-git": {"its operands are commits and files", "sess-git ADDRESS"},
}

// linesOfTools has a command line for each tool: of [newest], or of addressless.
func linesOfTools(t *testing.T) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(bin)
	check(t, err)
	lines := map[string]string{}
	for _, e := range entries {
		if lines[e.Name()] = cmp.Or(newest[e.Name()], addressless[e.Name()].line); lines[e.Name()] == "" {
			t.Errorf("%s is in neither table", e.Name())
		}
	}
	return lines
}

// threeSessions makes two sessions of Claude Code in a directory, of which 2222… is the newer, with a sub-agent's that is newer
// still, and the newest of all elsewhere.
func threeSessions(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	scripted(t, dir, `
		project() { echo .claude/projects/"$(cd "$1" && pwd -P | tr -c 'a-zA-Z0-9\n' -)"; }
		line() {
			printf '{"parentUuid":null,"isSidechain":false,"type":"user","uuid":"%s-a","sessionId":"%s","cwd":"%s","timestamp":"2026-01-0%sT03:04:05.000Z","message":{"role":"user","content":"needle %s AKIAQ3EGRFZTQ7J4ZP2M"}}\n' "$1" "$1" "$2" "$3" "$3"
			printf '{"parentUuid":"%s-a","isSidechain":false,"type":"assistant","uuid":"%s-b","sessionId":"%s","cwd":"%s","timestamp":"2026-01-0%sT03:04:06.000Z","message":{"id":"m%s","role":"assistant","model":"m","content":[{"type":"tool_use","id":"c%s","name":"Bash","input":{"command":"ls"}}],"usage":{"input_tokens":3,"output_tokens":4}}}\n' "$1" "$1" "$1" "$2" "$3" "$3" "$3"
			printf '{"parentUuid":"%s-b","isSidechain":false,"type":"user","uuid":"%s-c","sessionId":"%s","cwd":"%s","timestamp":"2026-01-0%sT03:04:07.000Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c%s","content":"x"}]}}\n' "$1" "$1" "$1" "$2" "$3" "$3"
		}
		mkdir elsewhere
		mkdir -p "$(project .)" "$(project elsewhere)"
		line 11111111-1111-4111-8111-111111111111 "$(pwd -P)" 1 >"$(project .)"/11111111-1111-4111-8111-111111111111.jsonl
		line 22222222-2222-4222-8222-222222222222 "$(pwd -P)" 2 >"$(project .)"/22222222-2222-4222-8222-222222222222.jsonl
		line 33333333-3333-4333-8333-333333333333 "$(pwd -P)"/elsewhere 3 >"$(project elsewhere)"/33333333-3333-4333-8333-333333333333.jsonl
		touch -d 2026-01-01T04:00:00 "$(project .)"/1*.jsonl
		touch -d 2026-01-02T04:00:00 "$(project .)"/2*.jsonl`)
	return dir
}

// NAME: is one session in every tool, the newest of the agent here, and so is NAME:DIR that of a directory. --agent NAME is all of them.
func TestAnAddressNamesOneSession(t *testing.T) {
	t.Parallel()
	linesOfTools(t)
	dir := threeSessions(t)
	ids := []string{"11111111", "22222222", "33333333"}
	for _, tool := range slices.Sorted(maps.Keys(newest)) {
		for address, want := range map[string]string{"claude:": "22222222", "claude:.": "22222222", "claude:./elsewhere": "33333333"} {
			r := runCommand(t, dir, "", "sh", "-c", strings.ReplaceAll(newest[tool], "ADDRESS", address))
			for _, id := range ids {
				if got := strings.Contains(r.stdout+r.stderr, id); got != (id == want) || r.status != 0 {
					t.Errorf("%s %s: %s: %v, status %d\n%s%s", tool, address, id, got, r.status, r.stdout, r.stderr)
				}
			}
		}
	}
	for tool, line := range selecting {
		r := runCommand(t, dir, "", "sh", "-c", strings.ReplaceAll(line, "FLAGS", "--agent claude"))
		for _, id := range ids {
			if !strings.Contains(r.stdout, id) && tool != "history" {
				t.Errorf("%s --agent claude: no %s in %s%s", tool, id, r.stdout, r.stderr)
			}
		}
	}
	r := runCommand(t, dir, "", "sess-ls", "--verbose", "claude:")
	if r.stderr != "sess-ls: taking claude:22222222, the newest here of 2: needle 2 AKIAQ3EGRFZTQ7J4ZP2M\n" {
		t.Errorf("which one was taken: %q", r.stderr)
	}
	for tool, status := range map[string]int{"ls": 1, "grep needle": 2, "calls": 2, "show": 2} {
		r := runCommand(t, dir, "", "sh", "-c", "mkdir -p none; cd none; sess-"+tool+" claude:")
		if r.status != status || r.stdout != "" || !strings.Contains(r.stderr, "no session of claude in ") || !strings.Contains(r.stderr, "hint: the newest elsewhere is claude:33333333") {
			t.Errorf("%s where there is none: %+v", tool, r)
		}
	}
}
