//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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
