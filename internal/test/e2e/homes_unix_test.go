//go:build unix

package e2e

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/pkg/js"
)

// homesOf are where agents keep their sessions below the home directory, each with files of testdata.
var homesOf = map[string]map[string]string{
	"claude": {
		".claude/projects/-w/11111111-1111-4111-8111-111111111111.jsonl": "claude/genuine/tools.jsonl",
		".claude/projects/-x/22222222-2222-4222-8222-222222222222.jsonl": "claude/genuine/branch.jsonl",
	},
	"codex":   {".codex": "codex/home"},
	"copilot": {".copilot/session-state/s1/events.jsonl": "agents/copilot/made.jsonl"},
	"cursor":  {".cursor/projects/w-p/agent-transcripts/s1/s1.jsonl": "agents/cursor/made.jsonl"},
	"droid":   {".factory/sessions/-w-p/s1.jsonl": "agents/droid/made.jsonl"},
	"roo":     {".config/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks/1793613600000/api_conversation_history.json": "agents/roo/words.json"},
	"gemini":  {".gemini/tmp/p/chats/session-1.jsonl": "agents/gemini/made.jsonl"},
	"grok":    {".grok/sessions/%2Fw%2Fp/s1/updates.jsonl": "agents/grok/made.jsonl"},
	"kimi":    {".kimi-code/sessions/w/s1/agents/main/wire.jsonl": "agents/kimi/made.jsonl"},
	"kimicli": {".kimi/sessions/h/s1/context.jsonl": "agents/kimicli/made.jsonl"},
	"omp":     {".omp/agent/sessions": "omp/genuine/out18/sessions"},
	"pi":      {".pi/agent/sessions/--w--": "pi/genuine/1.5"},
	"qwen":    {".qwen/projects/-w/chats/s1.jsonl": "agents/qwen/made.jsonl"},
}

// besideOf are files beside sessions, whose text they are.
var besideOf = map[string]string{
	".kimi/kimi.json":                          `{"work_dirs":[{"path":"/w"}]}`,
	".kimi/sessions/h/s1/state.json":           `{"custom_title":"A title"}`,
	".kimi/sessions/h/s1/wire.jsonl":           `{"timestamp":1772600700.5,"message":{"type":"StatusUpdate","payload":{"token_usage":{"input_other":7,"output":5},"message_id":"m1"}}}` + "\n",
	".gemini/tmp/p/.project_root":              "/w/p\n",
	".copilot/session-state/s1/workspace.yaml": "name: The parser\n",
}

// everyHome makes homes of agents in a directory, and returns their names.
func everyHome(t *testing.T, dir string) []string {
	t.Helper()
	var agents []string
	for agent, files := range homesOf {
		agents = append(agents, agent)
		for to, from := range files {
			from, to = filepath.Join(corpus.Dir(), filepath.FromSlash(from)), filepath.Join(dir, filepath.FromSlash(to))
			if fi, err := os.Stat(from); err == nil && fi.IsDir() {
				check(t, corpus.Unpack(from, to))
				continue
			}
			formatstest.Put(t, to, readFile(t, from))
		}
	}
	for to, text := range besideOf {
		formatstest.Put(t, filepath.Join(dir, filepath.FromSlash(to)), text)
	}
	return slices.Sorted(slices.Values(agents))
}

// listingOf are command lines that print what there is of an agent, AGENT.
var listingOf = []string{
	"sess-ls --json --agent AGENT", "sess-stat --json --by session,project --agent AGENT", "sess-calls --json --agent AGENT",
	"sess-history --json --agent AGENT", "sess-grep -c . --agent AGENT",
}

// listedOf is what the command lines print in a directory of the home, and how each ends.
func listedOf(t *testing.T, home, in, agent string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, line := range listingOf {
		r := runCommand(t, home, "", "sh", "-c", "cd '"+in+"'; "+strings.ReplaceAll(line, "AGENT", agent)+" 2>&1; echo status $?")
		out[line] = r.stdout
	}
	return out
}

// same compares what command lines print.
func same(t *testing.T, what string, want, got map[string]string) {
	t.Helper()
	for line := range want {
		if want[line] != got[line] {
			t.Errorf("%s: %s prints\n%s\nwant\n%s", what, line, got[line], want[line])
		}
	}
}

// A listing of a home is the same bytes wherever it is printed, and a session is here only where it ran.
func TestHomesInTwoDirectories(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	agents := everyHome(t, home)
	formatstest.Put(t, filepath.Join(home, "elsewhere", "x"), "")
	for _, agent := range agents {
		first := listedOf(t, home, home, agent)
		if !strings.Contains(first[listingOf[0]], `"session":`) {
			t.Errorf("%s: no session:\n%s", agent, first[listingOf[0]])
		}
		same(t, agent+" elsewhere", first, listedOf(t, home, filepath.Join(home, "elsewhere"), agent))
		if r := runCommand(t, home, "", "sess-ls", "--agent", agent, "--cwd", "."); r.stdout != "" {
			t.Errorf("%s: sessions that ran here: %s", agent, r.stdout)
		}
		if r := runCommand(t, home, "", "sess-path", agent+":"); r.status == 0 {
			t.Errorf("%s: the newest here is\n%s", agent, r.stdout)
		}
	}
}

// A directory or a session of a home may be a link: that changes nothing, and a second link to it, or a circle, adds nothing.
func TestHomesBehindLinks(t *testing.T) {
	t.Parallel()
	home, elsewhere := t.TempDir(), t.TempDir()
	agents := everyHome(t, home)
	for _, agent := range agents {
		want := listedOf(t, home, home, agent)
		var tops, places []string
		for to := range homesOf[agent] {
			top, _, _ := strings.Cut(to, "/")
			tops = append(tops, filepath.Join(home, top))
		}
		for _, top := range slices.Compact(slices.Sorted(slices.Values(tops))) {
			check(t, filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
				if err == nil && (d.IsDir() || isSession(path)) {
					places = append(places, path)
				}
				return err
			}))
		}
		for _, place := range places {
			moved := filepath.Join(elsewhere, filepath.Base(place))
			check(t, os.Rename(place, moved))
			check(t, os.Symlink(moved, place))
			same(t, place+" is a link", want, listedOf(t, home, home, agent))
			check(t, os.Remove(place))
			check(t, os.Rename(moved, place))
			if fi, err := os.Stat(place); err == nil && fi.IsDir() {
				circle := filepath.Join(place, "zz-circle")
				check(t, os.Symlink(filepath.Dir(place), circle))
				same(t, place+" has a circle", want, listedOf(t, home, home, agent))
				check(t, os.Remove(circle))
			}
		}
	}
}

// isSession reports whether a file is one that has a session, rather than one beside it.
func isSession(path string) bool {
	return strings.HasSuffix(path, ".jsonl") && filepath.Base(path) != "session_index.jsonl" && !strings.HasSuffix(path, "/s1/wire.jsonl")
}

// A file of no bytes beside a session is told once, and changes nothing else; with --strict it is a breach.
func TestHomesWithEmptyFiles(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	everyHome(t, home)
	for agent, name := range map[string]string{
		"claude": ".claude/projects/-w/33333333-3333-4333-8333-333333333333.jsonl", "copilot": ".copilot/session-state/s2/events.jsonl",
		"codex":  ".codex/sessions/2026/11/21/rollout-2026-11-21T10-00-00-01990000-0000-7000-8000-0000000001a0.jsonl",
		"gemini": ".gemini/tmp/p/chats/session-2.jsonl", "grok": ".grok/sessions/%2Fw%2Fp/s2/updates.jsonl", "kimi": ".kimi-code/sessions/w/s2/agents/main/wire.jsonl",
		"kimicli": ".kimi/sessions/h/s2/context.jsonl", "qwen": ".qwen/projects/-w/chats/s2.jsonl", "omp": ".omp/agent/sessions/-proj/2026-11-21T03-16-30-709Z_x.jsonl",
		"pi": ".pi/agent/sessions/--w--/2026-11-21T03-16-30-709Z_x.jsonl",
	} {
		gate := "sess-assert --no-call run:none-of-these --agent " + agent
		lines := append([]string{gate, "sess-redact --check --agent " + agent}, listingOf...)
		run := func(line string) (string, string) {
			r := runCommand(t, home, "", "sh", "-c", strings.ReplaceAll(line, "AGENT", agent)+"; echo status $?")
			return r.stdout, r.stderr
		}
		before := map[string][2]string{}
		for _, line := range lines {
			out, said := run(line)
			before[line] = [2]string{out, said}
		}
		formatstest.Put(t, filepath.Join(home, filepath.FromSlash(name)), "")
		for _, line := range lines {
			out, said := run(line)
			if was := before[line]; out != was[0] || strings.Count(said, "a file of no bytes, passed over") != 1 || strings.Count(said, "\n") != strings.Count(was[1], "\n")+1 {
				t.Errorf("%s: prints\n%s\nand says\n%s\nwithout the file\n%s\nand\n%s", line, out, said, was[0], was[1])
			}
		}
		for _, strict := range []string{gate + " --strict", "sess-stat --strict --agent " + agent} {
			if out, said := run(strict); !strings.HasSuffix(out, "status 1\n") || !strings.Contains(said, "files of no bytes") {
				t.Errorf("%s: %s%s", strict, out, said)
			}
		}
	}
}

// What a row prints as the directory of a session selects that session in each tool, and so does its address.
func TestHomesSelectWhatIsPrinted(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	agents := everyHome(t, home)
	const of = ".claude/projects/-w/11111111-1111-4111-8111-111111111111.jsonl"
	foreign := strings.ReplaceAll(readFile(t, filepath.Join(home, of)), "11111111-1111", "44444444-4444")
	cwd := js.Value(strings.SplitN(foreign[strings.Index(foreign, `"cwd":`)+len(`"cwd":`):], ",", 2)[0])
	foreign = strings.ReplaceAll(foreign, `"cwd":`+string(cwd), `"cwd":"C:\\Users\\me\\my proj"`)
	formatstest.Put(t, filepath.Join(home, ".claude/projects/C--Users-me-my-proj/44444444-4444-4111-8111-111111111111.jsonl"), foreign)
	selected := 0
	for _, agent := range agents {
		for line := range strings.Lines(runCommand(t, home, "", "sess-ls", "--json", "--agent", agent).stdout) {
			row := js.Value(line)
			address, cwd := row.Get("address").Str(), row.Get("cwd").Str()
			if r := runCommand(t, home, "", "sess-ls", "--json", address); js.Value(r.stdout).Get("session") != row.Get("session") || strings.Count(r.stdout, "\n") != 1 {
				t.Errorf("%s is\n%swant\n%s%s", address, r.stdout, line, r.stderr)
			}
			if cwd == "" {
				continue
			}
			selected++
			if r := runCommand(t, home, "", "sess-ls", "--json", "--agent", agent, "--cwd", cwd); !strings.Contains(r.stdout, line) {
				t.Errorf("sess-ls --cwd %s lacks %s: %s%s", cwd, address, r.stdout, r.stderr)
			}
			for _, tool := range []string{"sess-stat --json --by session", "sess-calls --json", "sess-history --json --copies", "sess-grep -c ."} {
				words := append(strings.Fields(tool), "--agent", agent)
				all := runCommand(t, home, "", words...)
				if r := runCommand(t, home, "", append(words, "--cwd", cwd)...); strings.Contains(all.stdout, address) && !strings.Contains(r.stdout, address) {
					t.Errorf("%s --cwd %s lacks %s: %s%s", tool, cwd, address, r.stdout, r.stderr)
				}
			}
		}
	}
	if selected < len(agents) {
		t.Errorf("%d sessions have a directory", selected)
	}
}

// A list that is told nothing takes the sessions of this directory of every agent, where the store has none of it: where it has some,
// those. A gate takes neither.
func TestListsWithoutAFlag(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.put(oneID, 2)
	here := h.do("mkdir p; cd p; pwd -P").stdout
	h.do(`sed -i "s|/p\"|` + strings.TrimSpace(here) + `\"|" claude/projects/-p/*.jsonl`)
	const claude = "claude:" + oneID
	for _, tool := range []string{"sess-ls", "sess-history", "sess-grep turn", "sess-calls"} {
		if got := h.do("cd p; export SESS_DIR=../store CLAUDE_CONFIG_DIR=$PWD/../claude; " + tool + " </dev/null"); got.status != 0 || !strings.Contains(got.stdout, claude) {
			t.Errorf("%s: status %d: %s%s", tool, got.status, got.stdout, got.stderr)
		}
		if got := h.do("cd claude; export SESS_DIR=../store CLAUDE_CONFIG_DIR=$PWD; " + tool + " </dev/null"); got.status != 1 || !strings.Contains(got.stderr, "no session of this directory") {
			t.Errorf("%s, elsewhere: status %d: %s%s", tool, got.status, got.stdout, got.stderr)
		}
	}
	stat := "cd p; export SESS_DIR=../store CLAUDE_CONFIG_DIR=$PWD/../claude; sess-stat --usage"
	if got := h.do(stat + " </dev/null"); got.status != 0 || !strings.HasPrefix(got.stdout, "2026-01-02\t4\t") {
		t.Errorf("sess-stat: status %d: %s%s", got.status, got.stdout, got.stderr)
	}
	if got := h.do(stat + " --max-cost 9 </dev/null"); strings.Contains(got.stdout, "2026-01-02") {
		t.Errorf("a limit read what it was not told: %s", got.stdout)
	}
	h.do("cd p; SESS_DIR=../store sess-new --store --title mine")
	if got := h.do("cd p; export SESS_DIR=../store CLAUDE_CONFIG_DIR=$PWD/../claude; sess-ls"); strings.Contains(got.stdout, claude) || !strings.Contains(got.stdout, "mine") {
		t.Errorf("with a session in the store: %s", got.stdout)
	}
}
