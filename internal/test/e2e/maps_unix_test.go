//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A made-up agent that is one file, a map, is known to every tool that knows agents: by its name, the kinds of its tools, the
// line that goes on with its sessions, and the variable that names the running one.
func TestMadeUpAgent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const at = `"at":"2026-01-02T03:04:05.000Z"`
	scripted(t, dir, `
		mkdir -p .config/sess/agents .made/one
		cat > .config/sess/agents/made.jq <<'MAP'
# All that there is of this agent.
module {
  interface: 1, name: "made", program: "Made Up", summary: "sessions of Made Up", homes: "~/.made", files: ["*/*.log"], signs: ["hello"],
  tools: {run: "zap", read: ["look"]}, resume: ["madeup", "--go-on", "ID"], running: "MADE_SESSION_ID", mark: "MADE_UP",
  kind: ["kind"], id: "id", time: ["at"]
};
def detect: any(.[]; .hello);
def info: {id: .values[0].hello, cwd: "/w", created: .values[0].at};
def value: if $kind == "say" then user([text(.text)])
  elif $kind == "call" then assistant([call(.id; .tool; .input)]; {model: "m"})
  elif $kind == "result" then result(.call; [text(.text)]; false)
  elif .hello or $kind == "end" then skip else empty end;
MAP
		printf '%s\n' '{"hello":"session-1",`+at+`}' '{"kind":"say","id":"a","text":"zap it",`+at+`}' \
			'{"kind":"call","id":"c1","tool":"zap","input":{"command":"make test"},`+at+`}' '{"kind":"result","id":"r1","call":"c1","text":"fine",`+at+`}' \
			'{"kind":"call","id":"c2","tool":"look","input":{"path":"a.txt"},`+at+`}' '{"kind":"result","id":"r2","call":"c2","text":"a",`+at+`}' > .made/one/x.log`)
	for line, want := range map[string]string{
		"sess-ls --agent made --all":                          "zap it",
		"sess-ls --agent made --all --json":                   `"resume":"cd /w && madeup --go-on session-1"`,
		"sess-import made --list":                             `"resume":"cd /w && madeup --go-on session-1"`,
		"sess-import made --session session-1 -o -":           `"text":"zap it"`,
		"sess-calls --json --kind run made:session-1":         `"kind":"run"`,
		"sess-calls --json --kind read --agent made":          `"tool":"look"`,
		"sess-assert --call run made:session-1 && echo y":     "y",
		"sess-grep --agent made 'zap it'":                     "zap it",
		"sess-history --agent made":                           "zap it",
		"sess-path --as text made:/w":                         "zap it",
		"sess-path --complete list -- ma":                     "made:",
		"sess-ls --complete list -- --agent m":                "made",
		"sess-doctor":                                         "ok    maps         made: ",
		"sess-path mad:session-1 2>&1":                        "made:session-1",
		"MADE_SESSION_ID=session-1 sess-path --as text self:": "zap it",
		"MADE_UP=1 sess-grep --no-self --agent made zap 2>&1": "Made Up does not say which session is running",
	} {
		if r := wait(t, command(dir, "sh", "-c", line)); !strings.Contains(r.stdout, want) {
			t.Errorf("%s has no %s: %+v", line, want, r)
		}
	}
}

// A map of the user's makes the sessions of one more agent readable by every tool, and one that is broken is told by
// sess-doctor and hides nothing.
func TestOwnMaps(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	scripted(t, dir, `
		mkdir -p .config/sess/agents .mine/one
		cat > .config/sess/agents/mine.jq <<'MAP'
module {
  interface: 1, name: "mine", summary: "mine", homes: ["~/.mine"], files: ["*/*.log"], signs: ["hello"],
  kind: ["kind"], id: "id"
};
def detect: any(.[]; .hello);
def info: {id: .values[0].hello};
def value: if $kind == "say" then user([text(.text)]) elif .hello or $kind == "end" then skip else empty end;
MAP
		echo 'module {' > .config/sess/agents/broken.jq
		printf '%s\n' '{"hello":"session-1"}' '{"kind":"say","id":"a","text":"a planted needle"}' '{"kind":"odd","id":"b"}' > .mine/one/x.log`)
	for _, args := range [][]string{
		{"sess-ls", "--agent", "mine", "--all"},
		{"sess-path", "--as", "text", "mine:session-1"},
		{"sess-show", "mine:session-1"},
		{"sess-grep", "--agent", "mine", "needle"},
		{"sess-tree", "mine:session-1"},
		{"sess-history", "--agent", "mine"},
		{"sess-import", "-o", "-", "mine:session-1"},
		{"sess-import", "-o", "-", "--map", ".config/sess/agents/mine.jq", ".mine/one/x.log"},
		{"sess-import", "-o", "-", ".mine/one/x.log"},
	} {
		if r := runCommand(t, dir, "", args...); r.status != 0 || !strings.Contains(r.stdout, "planted needle") {
			t.Errorf("%v: %+v", args, r)
		}
	}
	if r := runCommand(t, dir, "", "sess-ls", "--agent", "all", "--all"); !strings.Contains(r.stdout, "planted needle") || !strings.Contains(r.stderr, "broken.jq:2:1: unexpected EOF") {
		t.Errorf("with a broken map: %+v", r)
	}
	for what, want := range map[string]string{"mine": "ok    maps         mine: ", "broken": "warn  maps         broken: "} {
		if r := runCommand(t, dir, "", "sess-doctor"); !strings.Contains(r.stdout, want) {
			t.Errorf("%s: %s", what, r.stdout)
		}
	}
	if r := runCommand(t, dir, "", "sess-path", "broken:x"); r.status == 0 || !strings.Contains(r.stderr, "broken.jq:") {
		t.Errorf("%+v", r)
	}
	check(t, os.Remove(filepath.Join(dir, ".config/sess/agents/mine.jq")))
	if r := runCommand(t, dir, "", "sess-ls", "--agent", "mine"); r.status != 2 || !strings.Contains(r.stderr, `invalid value "mine" for --agent`) {
		t.Errorf("without the map: %+v", r)
	}
}
