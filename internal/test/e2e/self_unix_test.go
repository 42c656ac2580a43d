//go:build unix && !solaris && !aix

package e2e

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// inSession runs a command line as an agent does that tells by variables which session runs.
func inSession(t *testing.T, dir, line string, variables ...string) result {
	t.Helper()
	c := command(dir, "sh", "-c", line)
	c.Env = append(c.Env, variables...)
	return wait(t, c)
}

const (
	claudeSays = "CLAUDE_CODE_SESSION_ID=11111111-1111-4111-8111-111111111111"
	codexSays  = "CODEX_THREAD_ID=22222222-2222-4222-8222-222222222222"
)

// self: is the session that an agent says it runs, in every tool that takes an address; with none, and with several, it is a
// usage error. Nothing writes to it.
func TestSelfAddress(t *testing.T) {
	t.Parallel()
	dir := threeSessions(t)
	for _, tool := range slices.Sorted(maps.Keys(newest)) {
		for _, tt := range []struct {
			address   string
			variables []string
			says      string // with status 2; "" for the session
		}{
			{"self:", []string{claudeSays}, ""},
			{"self:claude", []string{claudeSays, codexSays}, ""},
			{"self:", []string{codexSays, "SESS_SELF=claude:11111111-1111-4111-8111-111111111111"}, ""},
			{"self:", nil, "hint: SESS_SELF=AGENT:ID names it"},
			{"self:codex", []string{claudeSays}, "nothing says which session is running"},
			{"self:", []string{claudeSays, codexSays}, "codex:22222222-2222-4222-8222-222222222222, claude:11111111-1111-4111-8111-111111111111"},
		} {
			line := strings.ReplaceAll(newest[tool], "ADDRESS", tt.address)
			r := inSession(t, dir, line, tt.variables...)
			switch {
			case tt.says == "" && (r.status != 0 || !strings.Contains(r.stdout+r.stderr, "11111111") || strings.Contains(r.stdout, "22222222")):
				t.Errorf("%s, %s: status %d\n%.300s\n%s", line, tt.variables, r.status, r.stdout, r.stderr)
			case tt.says != "" && (!strings.HasPrefix(line, "!") && r.status != 2 || r.stdout != "" || !strings.Contains(r.stderr, tt.says)):
				t.Errorf("%s, %s: status %d, want 2\n%.300s\n%s", line, tt.variables, r.status, r.stdout, r.stderr)
			}
		}
	}
	write(t, dir, "s.jsonl", header)
	for _, line := range []string{"sess-append -t x self:", "sess-record self: </dev/null", "sess-append -t x self:sess"} {
		r := inSession(t, dir, line, "SESS_SELF=sess:"+filepath.Join(dir, "s.jsonl"))
		if r.status != 2 || !strings.Contains(r.stderr, "never written to") || readFile(t, filepath.Join(dir, "s.jsonl")) != header {
			t.Errorf("%s: status %d, %s", line, r.status, r.stderr)
		}
	}
}

// --no-self leaves out the running session, its copies in the store and in the remote, and its sub-agents, and nothing else.
func TestNoSelf(t *testing.T) {
	t.Parallel()
	dir := threeSessions(t)
	script(t, dir, `
		id=11111111-1111-4111-8111-111111111111
		mkdir -p "$(dirname .claude/projects/*/$id.jsonl)/$id/subagents"
		sed 's/"isSidechain":false/"isSidechain":true,"agentId":"a77"/; s/"uuid":"1/"uuid":"9/; s/"parentUuid":"1/"parentUuid":"9/' .claude/projects/*/$id.jsonl >"$(dirname .claude/projects/*/$id.jsonl)/$id/subagents/agent-a77.jsonl"
		sess-import claude --session $id --store >/dev/null
		sess-import claude --session 33333333 --store >/dev/null
		file=$(sess-new --store --cwd . --from "$(ls store/*/*_$id.jsonl)")
		sess-append -q -r user -t 'needle of a fork' "$file"
		sess-sync -q init "$PWD/remote"
		sess-sync -q push --remote "$PWD/remote" store/*/*_1*.jsonl store/*/*_3*.jsonl`)
	own := []string{"11111111", "a77", "of a fork"}
	for line, others := range map[string]int{
		"sess-ls --agent claude --json":           2,
		"sess-ls --all --json":                    1,
		"sess-ls remote: --json":                  1,
		"sess-grep --agent claude needle":         2,
		"sess-grep --all needle":                  1,
		"sess-grep needle remote:":                1,
		"sess-calls --agent claude":               2,
		"sess-calls --all":                        1,
		"sess-history --agent claude --json":      2,
		"sess-history --all --json":               1,
		"sess-grep needle claude:11111111":        0,
		"sess-grep needle store/*/*_111*.jsonl":   0,
		"sess-grep --max-tokens 400 --all needle": 1,
	} {
		for _, says := range []string{claudeSays, "SESS_SELF=claude:11111111-1111-4111-8111-111111111111", "SESS_SELF=sess:" + glob(t, dir+"/store/*/*_1*.jsonl")[0]} {
			env := []string{says, "SESS_REMOTE=" + dir + "/remote"}
			bare := inSession(t, dir, line, "SESS_REMOTE="+dir+"/remote")
			r := inSession(t, dir, line+" --no-self", env...)
			rows := strings.Count(r.stdout, "\n")
			if rows != others || rows == 0 && r.status != 1 || rows > 0 && r.status != 0 {
				t.Errorf("%s, %s: status %d, %d rows, want %d\n%s%s", line, says, r.status, rows, others, r.stdout, r.stderr)
			}
			if !strings.Contains(line, "--max-tokens") && strings.Count(bare.stdout, "\n") <= rows {
				t.Errorf("%s: nothing is left out", line)
			}
			for _, text := range own {
				if strings.Contains(r.stdout, text) {
					t.Errorf("%s, %s: has %s\n%s", line, says, text, r.stdout)
				}
			}
		}
	}
	for says, want := range map[string]bool{"OPENCODE=1": true, "CLAUDECODE=1": false} {
		r := inSession(t, dir, "sess-grep --no-self --all needle", says)
		if r.status != 0 || strings.Contains(r.stderr, "opencode does not say") != want {
			t.Errorf("%s: status %d, %s", says, r.status, r.stderr)
		}
	}
}

// sess-record tells the command in which session it is recorded, whatever the agent around says.
func TestRecordSetsSelf(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "a,b.jsonl", header)
	for _, line := range []string{
		`sess-record --reply text -q a,b.jsonl -- sh -c 'sess-path self: | head -n 1 >seen; echo done'`,
		`sess-record --reply text -q --create new.jsonl -- sh -c 'sess-ls --paths self: >seen; echo done'`,
	} {
		r := inSession(t, dir, line, claudeSays, "SESS_SELF=codex:x")
		if r.status != 0 {
			t.Fatalf("%s: status %d, %s", line, r.status, r.stderr)
		}
		want := header
		if strings.Contains(line, "new.jsonl") {
			want = filepath.Join(dir, "new.jsonl") + "\n"
		}
		if got := readFile(t, filepath.Join(dir, "seen")); got != want {
			t.Errorf("%s: the command saw %q, want %q", line, got, want)
		}
	}
}
