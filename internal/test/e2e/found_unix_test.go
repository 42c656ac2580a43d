//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A kept session is what an agent keeps of one: a file with one prompt. In path and text, ID is its id, CWD its working
// directory, DIR that directory as Claude Code calls it, and SAID the prompt.
type kept struct{ path, text string }

func claudeLine(sidechain string) string {
	return `{"parentUuid":null,"isSidechain":` + sidechain + `,"type":"user","message":{"role":"user","content":"SAID"},"uuid":"u-SAID","timestamp":"2026-01-02T03:04:05.000Z","cwd":"CWD","sessionId":"ID","version":"2.1.330"}` + "\n"
}

const (
	piText = `{"type":"session","version":3,"id":"ID","timestamp":"2026-01-02T03:04:05.000Z","cwd":"CWD"}` + "\n" +
		`{"type":"message","id":"aaaaaaa1","parentId":null,"timestamp":"2026-01-02T03:04:05.000Z","message":{"role":"user","content":"SAID","timestamp":1767323045000}}` + "\n"
	geminiText = `{"sessionId":"ID","projectHash":"x","startTime":"2026-01-02T03:04:05.000Z","lastUpdated":"2026-01-02T03:04:05.000Z","kind":"main"}` + "\n" +
		`{"id":"m-SAID","timestamp":"2026-01-02T03:04:05.000Z","type":"user","content":[{"text":"SAID"}]}` + "\n"
	codexText = `{"timestamp":"2026-01-02T03:04:05.000Z","type":"session_meta","payload":{"id":"ID","timestamp":"2026-01-02T03:04:05.000Z","cwd":"CWD","originator":"codex_cli_rs","cli_version":"0.169.0","source":SOURCE}}` + "\n" +
		`{"timestamp":"2026-01-02T03:04:06.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"SAID"}]}}` + "\n"
	firstID  = "11111111-1111-4111-8111-111111111111"
	secondID = "22222222-2222-4222-8222-222222222222"
)

// put makes the file of a session, written to some minutes after the first of the year.
func (k kept) put(t *testing.T, dir, id, said string, minutes int) string {
	t.Helper()
	name := func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}
	r := strings.NewReplacer("ID", id, "CWD", dir, "DIR", strings.Map(name, dir), "SAID", said)
	path := filepath.Join(dir, filepath.FromSlash(r.Replace(k.path)))
	check(t, os.MkdirAll(filepath.Dir(path), 0o700))
	check(t, os.WriteFile(path, []byte(r.Replace(k.text)), 0o600))
	at := time.Date(2026, 1, 1, 0, minutes, 0, 0, time.UTC)
	check(t, os.Chtimes(path, at, at))
	return path
}

// The newest session of an agent is one that a person goes on with, though a sub-agent writes just now.
func TestNewestIsMain(t *testing.T) {
	t.Parallel()
	main := map[string]kept{
		"claude": {".claude/projects/DIR/ID.jsonl", claudeLine("false")},
		"codex":  {".codex/sessions/2026/01/02/rollout-2026-01-02T03-04-05-ID.jsonl", strings.Replace(codexText, "SOURCE", `"cli"`, 1)},
		"gemini": {".gemini/tmp/x/chats/session-ID.jsonl", geminiText},
		"pi":     {".pi/agent/sessions/--x--/1_ID.jsonl", piText},
		"omp":    {".omp/agent/sessions/--x--/1_ID.jsonl", piText},
	}
	subs := map[string][]kept{
		"claude": {
			{".claude/projects/DIR/" + firstID + "/subagents/agent-a.jsonl", claudeLine("true")},
			{".claude/projects/DIR/" + firstID + "/subagents/workflows/wf_1/agent-b.jsonl", claudeLine("true")},
			{".claude/projects/DIR/agent-c.jsonl", claudeLine("true")},
			{".claude/projects/DIR/ID.jsonl", claudeLine("true")},
		},
		"codex": {{
			".codex/sessions/2026/01/02/rollout-2026-01-02T03-05-05-ID.jsonl",
			strings.Replace(codexText, "SOURCE", `{"subagent":{"thread_spawn":{"parent_thread_id":"`+firstID+`","depth":1}}}`, 1),
		}},
		"gemini": {{".gemini/tmp/x/chats/" + firstID + "/ID.jsonl", geminiText}},
		"pi":     {{".pi/agent/sessions/--x--/1_" + firstID + "/r/run-0/session.jsonl", piText}},
		"omp":    {{".omp/agent/sessions/--x--/1_" + firstID + "/0-Look.jsonl", piText}},
	}
	for agent, k := range main {
		t.Run(agent, func(t *testing.T) {
			t.Parallel()
			dir, err := filepath.EvalSymlinks(t.TempDir())
			check(t, err)
			k.put(t, dir, firstID, "the main one", 1)
			if agent == "gemini" {
				write(t, filepath.Join(dir, ".gemini/tmp/x"), ".project_root", dir)
			}
			for i, sub := range subs[agent] {
				sub.put(t, dir, secondID, "a part", 2+i)
			}
			for _, line := range []string{"sess-path --as text " + agent + ":", "sess-path --as text " + agent + ":" + dir, "sess-ls --recent --json --agent " + agent} {
				if r := scripted(t, dir, line); !strings.Contains(r.stdout, "the main one") || strings.Contains(r.stdout, "a part") {
					t.Errorf("%s:\n%s%s", line, r.stdout, r.stderr)
				}
			}
			if r := scripted(t, dir, "sess-ls --paths --all --subagents only --agent "+agent); strings.Count(r.stdout, "\n") != len(subs[agent]) && agent != "claude" {
				t.Errorf("sub-agents:\n%s%s", r.stdout, r.stderr)
			}
		})
	}
}

// With a limit, what is found first of several agents is in the newest session, whichever agent has it.
func TestNewestOfAllAgents(t *testing.T) {
	t.Parallel()
	const call = `{"type":"message","id":"aaaaaaa2","parentId":"aaaaaaa1","timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"make SAID"}}],"timestamp":1767323046000}}` + "\n"
	const used = `{"parentUuid":"u-SAID","isSidechain":false,"type":"assistant","message":{"id":"m1","role":"assistant","model":"m","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"make SAID"}}]},"uuid":"a-SAID","timestamp":"2026-01-02T03:04:05.000Z","cwd":"CWD","sessionId":"ID","version":"2.1.330"}` + "\n"
	for _, newest := range []string{"pi", "claude"} {
		dir := t.TempDir()
		claude := claudeLine("false") + used
		if newest == "claude" {
			claude = strings.ReplaceAll(claude, "03:04:05", "03:04:09")
		}
		last := map[string]int{newest: 1} // the file that was written to last
		kept{".pi/agent/sessions/--x--/1_ID.jsonl", piText + call}.put(t, dir, firstID, "fox pi", 1+last["pi"])
		kept{".claude/projects/DIR/ID.jsonl", claude}.put(t, dir, secondID, "fox claude", 1+last["claude"])
		for _, line := range []string{"sess-grep --agent all --all --limit 1 fox", "sess-calls --agent all --all --limit 1"} {
			if r := scripted(t, dir, line); !strings.Contains(r.stdout, "fox "+newest) {
				t.Errorf("%s is the newest, and %s prints\n%s%s", newest, line, r.stdout, r.stderr)
			}
		}
	}
}

// Two files of one id are two sessions, in each tool, and an address that means both says so.
func TestTwoFilesOfOneID(t *testing.T) {
	t.Parallel()
	for agent, files := range map[string][2]kept{
		"claude": {{".claude/projects/-w-old/ID.jsonl", claudeLine("false")}, {".claude/projects/-w-new/ID.jsonl", claudeLine("false")}},
		"gemini": {{".gemini/tmp/a/chats/session-1.jsonl", geminiText}, {".gemini/tmp/b/chats/session-1.jsonl", geminiText}},
		"pi":     {{".pi/agent/sessions/--a--/1_ID.jsonl", piText}, {".pi/agent/sessions/--b--/1_ID.jsonl", piText}},
	} {
		t.Run(agent, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			var paths, addresses []string
			for i, said := range []string{"take AKIAQ3EGRJ5TYU7XW4ZA please", "take AKIAQ3EGRJ5TYU7XW4ZB please"} {
				path := files[i].put(t, dir, firstID, said, i)
				paths = append(paths, path)
				if agent != "pi" {
					path = agent + ":" + path
				}
				addresses = append(addresses, path)
			}
			slices.Sort(addresses)
			for name, line := range selecting {
				if name == "assert" || name == "calls" || name == "stat" {
					continue // there are no calls
				}
				line = strings.Replace(line, "FLAGS", "--all --agent "+agent, 1)
				r := runCommand(t, dir, "", "sh", "-c", line)
				got := strings.Fields(r.stdout)
				if name == "redact" {
					got = nil
					for _, at := range addresses {
						if strings.Contains(r.stdout, at[len(agent)+1:]) || agent == "pi" && strings.Contains(r.stdout, at) {
							got = append(got, at)
						}
					}
				}
				if slices.Sort(got); !slices.Equal(slices.Compact(got), addresses) {
					t.Errorf("%s: got %q, want %q\n%s", line, got, addresses, r.stderr)
				}
			}
			for i, said := range []string{"ZA please", "ZB please"} {
				at := addresses[slices.IndexFunc(addresses, func(a string) bool { return strings.HasSuffix(a, paths[i]) })]
				for _, line := range []string{"sess-path --as text", "sess-show --as text", "sess-grep please", "sess-tree", "sess-ls --json"} {
					if r := scripted(t, dir, line+" "+at); !strings.Contains(r.stdout, said) || strings.Count(r.stdout, "AKIA") != strings.Count(r.stdout, said) {
						t.Errorf("%s %s: %s%s", line, at, r.stdout, r.stderr)
					}
				}
			}
			r := runCommand(t, dir, "", "sess-path", agent+":"+firstID)
			if r.status == 0 || !strings.Contains(r.stderr, paths[0]) || !strings.Contains(r.stderr, paths[1]) {
				t.Errorf("status %d: %s", r.status, r.stderr)
			}
			script(t, dir, "sess-import -q "+agent+" --all -o out")
			if got := script(t, dir, "cat out/*.jsonl | grep -c AKIA; grep -h '\"type\":\"session\"' out/*.jsonl | grep -c '\"of\":\""+firstID+"\"'"); got != "2\n1\n" {
				t.Errorf("a backup has %q", got)
			}
		})
	}
}

// Outputs that Claude Code keeps beside a session are not read, and the tools that a person trusts to see all say so.
func TestOutputsBesideSessions(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	k := kept{".claude/projects/-w/ID.jsonl", claudeLine("false")}
	k.put(t, dir, firstID, "with outputs", 1)
	k.put(t, dir, secondID, "without", 2)
	for _, name := range []string{"a.txt", "b.json"} {
		kept{".claude/projects/-w/ID/tool-results/" + name, "AKIAQ3EGRJ5TYU7XW4ZA"}.put(t, dir, firstID, "", 1)
	}
	for line, want := range map[string]bool{
		"sess-redact --check --agent claude": true, "sess-redact --check claude:" + firstID: true, "sess-redact --check claude:" + secondID: false,
		"sess-grep --agent claude outputs": true, "sess-grep -q outputs claude:" + firstID: false, "sess-grep without claude:" + secondID: false,
		"sess-show --as text claude:" + firstID: true, "sess-show --as text claude:" + secondID: false, "sess-path claude:" + firstID: false,
		"sess-doctor --offline": false,
	} {
		r := runCommand(t, dir, "", "sh", "-c", line)
		if said := strings.Contains(r.stderr, "2 outputs beside sessions of Claude Code not "); said != want {
			t.Errorf("%s: said %v, want %v: %s", line, said, want, r.stderr)
		}
	}
	if r := runCommand(t, dir, "", "sess-doctor", "--offline"); !strings.Contains(r.stdout, "claude: 2 outputs beside sessions, which no tool reads\n") {
		t.Error(r.stdout)
	}
	write(t, filepath.Join(dir, ".claude/projects/-w"), "unheard.jsonl", "{}\n")
	if r := runCommand(t, dir, "", "sess-doctor", "--offline"); !strings.Contains(r.stdout, "claude: 1 file may be sessions, and no tool reads them: ") || !strings.Contains(r.stdout, "unheard.jsonl;") {
		t.Error(r.stdout)
	}
}
