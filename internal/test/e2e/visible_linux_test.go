package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/test/scripttest"
)

// shown runs a shell line with a terminal as standard output and standard error, and returns
// what that gets. The line may end with any status.
func shown(t *testing.T, dir, line string, vars ...string) string {
	t.Helper()
	c := exec.Command("/bin/sh", "-c", line)
	c.Dir, c.Env = dir, append(append(env(dir), "TERM=xterm"), vars...)
	text, err := scripttest.AtTerminal(t, 100, c, func(c *exec.Cmd, terminal *os.File) { c.Stdout, c.Stderr = terminal, terminal })
	if _, ok := err.(*exec.ExitError); err != nil && !ok {
		t.Fatalf("%s: %v", line, err)
	}
	return strings.ReplaceAll(text, "\r\n", "\n")
}

// ours are the sequences that the tools themselves write: colours, and a line of progress
// that is begun again.
var ours = regexp.MustCompile("\x1b\\[(0|1|2|31|32|33|35|36|1;31|1;32|1;34)m|\r(\x1b\\[K)?")

// acting returns what of a text could act on a terminal.
func acting(text string) string {
	var found strings.Builder
	if !utf8.ValidString(text) {
		found.WriteString("bytes that are not UTF-8 ")
	}
	for i, r := range ours.ReplaceAllString(text, "") {
		switch {
		case r == '\n', r == '\t':
		case r < 0x20, r >= 0x7f && r < 0xa0, r == 0x061c, r == 0x200e, r == 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
			fmt.Fprintf(&found, "%U at %d ", r, i)
		}
	}
	return found.String()
}

// hostile returns a directory with sessions in which everything that can be named is
// hostile to a terminal.
func hostile(t *testing.T) string {
	t.Helper()
	// In JSON as an escape, and as the character where that is allowed.
	return hostileWith(t, `\u001b]0;x\u0007\u001b[5m`+"\u009b5m\u0085\x7f\u202e\u2066", "n\x1b]0;x\a\u009b5m\u202e\xff.jsonl")
}

// hostileWith returns a directory with sessions, in the names, ids and texts of which evil stands, as in a string of JSON.
// One is in a file of that name.
func hostileWith(t *testing.T, evil, file string) string {
	t.Helper()
	dir := t.TempDir()
	line := func(text string) string { return strings.ReplaceAll(text, "EVIL", evil) + "\n" }
	header := line(`{"type":"session","version":3,"id":"id-EVIL","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w/EVIL","title":"EVIL"}`)
	entries := line(`{"type":"message","id":"a0-EVIL","parentId":null,"timestamp":"2026-01-02T03:04:05.678Z","message":{"role":"user","content":"needle EVIL"}}`) +
		line(`{"type":"message","id":"a1","parentId":"a0-EVIL","timestamp":"2026-01-02T03:04:06.678Z","message":{"role":"assistant","content":[{"type":"thinking","thinking":"EVIL"},{"type":"text","text":"EVIL needle"},{"type":"toolCall","id":"c-EVIL","name":"read-EVIL","arguments":{"path":"EVIL","EVIL":"EVIL"}}],"model":"m-EVIL","provider":"p-EVIL","stopReason":"EVIL","usage":{"input":1,"output":2,"cacheRead":0,"cacheWrite":0,"totalTokens":3,"cost":{"total":0}}}}`) +
		line(`{"type":"message","id":"a2","parentId":"a1","timestamp":"2026-01-02T03:04:07.678Z","message":{"role":"toolResult","toolCallId":"c-EVIL","toolName":"read-EVIL","content":[{"type":"text","text":"needle EVIL ghp_`+strings.Repeat("aB3", 12)+`"}],"isError":true}}`) +
		line(`{"type":"label","id":"a3","parentId":"a2","timestamp":"2026-01-02T03:04:08.678Z","targetId":"a1","label":"EVIL"}`) +
		line(`{"type":"session_info","id":"a4","parentId":"a3","timestamp":"2026-01-02T03:04:08.678Z","name":"needle EVIL"}`) +
		line(`{"type":"compaction","id":"a5","parentId":"a4","timestamp":"2026-01-02T03:04:09.678Z","summary":"EVIL","firstKeptEntryId":"a1","tokensBefore":99,"EVIL":"EVIL"}`) +
		line(`{"type":"what-EVIL","id":"a6","parentId":"a1","timestamp":"EVIL","EVIL":"needle EVIL"}`)
	whole := header + entries
	write(t, dir, "s.jsonl", whole)
	write(t, dir, "plain.jsonl", strings.Replace(header, `id-`+evil, "other", 1)+entries)
	write(t, dir, file, whole)
	write(t, dir, "bad.jsonl", whole+"{\"EVIL\x1b[5m\u009b\n"+line(`{"type":"message","id":"a1","parentId":"gone-EVIL","timestamp":"2026-01-02T03:04:09.678Z","message":{"role":"user","content":"EVIL\xff\x9b"}}`)+`{"torn`+"\x1b\u009b")
	check(t, os.MkdirAll(dir+"/store/--w--", 0o700))
	write(t, dir+"/store/--w--", "2026-01-02T03-04-05-000Z_x\x1b\u009b5m.jsonl", whole)
	return dir
}

// hostileLines are command lines of all tools in all their forms.
var hostileLines = []string{
	"path --as entries", "path --as context", "path --as messages", "path --as openai", "path --as anthropic", "path --as text", "path --as markdown", "path --as state",
	"path --jq .", "path --raw --jq .message.content", "path --raw --jq .id", "path --last 1", "path --where true", "path --strict", "path --leaf nope",
	"show", "show --no-pager", "show --ansi --color always", "show --text", "show --markdown", "show --html", "show --ansi --color never",
	"tree", "tree --full", "tree --json", "tree --dot", "tree --heads", "tree --heads --json", "tree --labels", "tree --labels --json", "tree --color always",
	"stat", "stat --json", "stat --csv", "stat --usage --by model,provider,session,project", "stat --usage --by session --tree", "stat --usage --by model --json", "stat --usage --by model --csv",
	"stat --usage --by model --plot bars", "stat --context --by tool,file", "stat --context --by entry", "stat --context --by file --json", "stat --compactions", "stat --compactions --csv", "stat --compactions --json", "stat --color always --usage --by model",
	"stat --context --svg -", "stat --context --plot bars",
	"check", "check --json", "check --strict", "check --repair --dry-run", "check --migrate --dry-run",
	"redact", "redact --check", "redact --check --json", "redact --check --sarif", "redact --check --github", "redact --as hash",
	"compact --dry-run", "compact --dry-run --json", "compact --print-prompt", "compact --keep 1 -- echo hi",
	"export -q codex", "export -q opencode", "export -q claude", "export -q pi", "export omp", "export -v codex",
	"import", "import --list pi", "import --detect", "import pi", "import omp", "import --dry-run pi", "import --losses /dev/stdout pi",
	"fork", "fork --leaf a1", "fork --dry-run",
	"merge plain.jsonl", "merge s.jsonl", "merge --json --dry-run s.jsonl", "merge --dry-run s.jsonl",
	"append -t x --dry-run", "append -t x --print entry --dry-run",
	"seg status", "seg cat", "seg tail 3", "seg get a1", "seg verify",
	"ls", "turn --print-prompt -t x",
}

// Nothing of a session, of a file's name or of a command line acts on a terminal, whatever
// the tool and its form. Colours are there.
func TestTerminalGetsNoControlCharacters(t *testing.T) {
	t.Parallel()
	dir := hostile(t)
	lines := []string{
		"sess-ls .", "sess-ls --json .", "sess-ls --paths .", "sess-ls -0 .", "sess-ls --all", "sess-ls --usage .", "sess-ls --all --color always", "sess-ls --agent all", "sess-ls --json --all",
		"sess-history --all", "sess-history -a", "sess-history -a --json", "sess-history -a -0", "sess-history .",
		"sess-grep -a needle", "sess-grep -l needle .", "sess-grep -L nothing .", "sess-grep -c needle .", "sess-grep --json needle .", "sess-grep --lines needle .", "sess-grep -o 'needle.*' .",
		"sess-grep --color always --in all -C 2 needle .", "sess-grep --in all needle s.jsonl", "sess-grep --color always needle .",
		"sess-stat .", "sess-stat --all --by project,session", "sess-redact --check .", "sess-redact --check --all", "sess-doctor", "sess-doctor --json",
		"sess-new --cwd \"$EVIL\"", "sess-new --cwd \"$EVIL\" --name \"$EVIL\" -o \"$EVIL.jsonl\"", "sess-new --store --cwd \"/$EVIL\"",
		"sess-append -t \"$EVIL\" -o \"$EVIL\"", "sess-new | sess-append -t \"$EVIL\"", "sess-new | sess-append -t \"$EVIL\" --print entry",
		"sess-path \"$EVIL\"", "sess \"$EVIL\"", "sess-sync \"$EVIL\"", "sess-grep '(' \"$EVIL\"", "sess-show -o \"$EVIL/\" s.jsonl", "sess-show -o \"$EVIL.html\" s.jsonl",
		"sess-sync --remote \"dir:$PWD/r$EVIL\" push s.jsonl plain.jsonl", "sess-sync init r; sess-sync push --remote r s.jsonl; export SESS_REMOTE=r; sess-sync ls; sess-sync ls --json; sess-sync cat \"$(head -c 300 s.jsonl | sess-path --jq .id 2>/dev/null)\"",
		"sess-seg migrate plain.jsonl; sess-seg status plain.v2; sess-seg cat plain.v2; sess-seg tail 2 plain.v2; sess-seg verify plain.v2; sess-seg path plain.v2",
		"sess-record s2.jsonl --reply text -- printf '\\033[5m\\302\\2335m\\342\\200\\256\\377'", "sess-import --homes", "sess-import pi --list .", "sess-import pi --all -o made .",
		"sess-turn -t hi plain.jsonl -- printf '\\033[5m\\302\\2335m\\342\\200\\256\\377'",
	}
	for _, line := range hostileLines {
		tool, rest, _ := strings.Cut(line, " ")
		for _, file := range []string{"s.jsonl", "bad.jsonl", `"$NAME"`} {
			if before, command, ok := strings.Cut(rest, " -- "); ok {
				lines = append(lines, "sess-"+tool+" "+before+" "+file+" -- "+command)
				continue
			}
			lines = append(lines, strings.TrimSpace("sess-"+tool+" "+rest)+" "+file)
		}
	}
	vars := []string{"EVIL=e\x1b]0;x\a\u009b5m\u0085\u202e\x7f\xff", "NAME=n\x1b]0;x\a\u009b5m\u202e\xff.jsonl"}
	colours := 0
	for _, line := range lines {
		text := shown(t, dir, line, append(vars, "SESS_PAGER=cat")...)
		if found := acting(text); found != "" {
			t.Errorf("%s: %s in %.2000q", line, found, text)
		}
		colours += strings.Count(text, "\x1b[1")
	}
	if colours < 50 {
		t.Errorf("there are %d colours: the tools see no terminal", colours)
	}
}

// What a runner of CI takes for its command is none in text, rows and messages of any tool, in whatever a session names.
func TestRunnerGetsNoCommands(t *testing.T) {
	t.Parallel()
	const file = "::error::##[error]n.jsonl"
	dir := hostileWith(t, `::error::x ##[stop-commands]x\n::add-mask::x\r::debug::x\n \u200b::notice::x ##vso[task.complete]x\u2028##\u00ad[error]x\u0000::group::x`, file)
	command := regexp.MustCompile(`^[\s\p{Z}]*::|##[A-Za-z]*\[`)
	unseen := regexp.MustCompile(`[\p{Cf}\x00-\x08\x0b\x0c\x0e-\x1f\x7f]+`)
	ofTheTool := regexp.MustCompile(`^::error file=[^:]*::`)
	lines := []string{
		"sess-ls .", "sess-ls --usage .", "sess-ls --all", "sess-history --all", "sess-history .", "sess-grep -a error", "sess-grep -I error .", "sess-grep -o 'error.*' .", "sess-grep --in all -C 2 needle .",
		"sess-stat .", "sess-stat --all --by project,session", "sess-redact --check .", "sess-calls .", "sess-calls --simple .", "sess-assert --no-call '*' .", "sess-assert --github --no-call '*' .", "sess-assert --junit --no-call '*' .",
		"sess-git .", "sess-watch --once .", "sess-doctor", "sess-path '::error::x'", "sess-path '##[error]x'", "sess-grep '(' '##[error]'", "sess-import --homes", "sess-import pi --list .",
		"sess-record s2.jsonl --print text --reply text -- printf '::error::x\\n##[error]x\\n'", "sess-turn -t hi plain.jsonl -- printf '::error::x\\n##[error]x\\n'",
	}
	for _, line := range hostileLines {
		tool, rest, _ := strings.Cut(line, " ")
		if tool == "export" || rest == "show --html" || strings.Contains(rest, "--raw") || strings.Contains(rest, "--print-prompt") || strings.Contains(rest, "--html") {
			continue // which is for programs: text that a user asks for as it is
		}
		for _, name := range []string{"s.jsonl", "bad.jsonl", "'./" + file + "'", "'" + file + "'"} {
			if before, command, ok := strings.Cut(rest, " -- "); ok {
				lines = append(lines, "sess-"+tool+" "+before+" "+name+" -- "+command)
				continue
			}
			lines = append(lines, strings.TrimSpace("sess-"+tool+" "+rest)+" "+name)
		}
	}
	seen := 0
	for _, line := range lines {
		c := exec.Command("/bin/sh", "-c", line)
		c.Dir, c.Env = dir, append(env(dir), "GITHUB_ACTIONS=true")
		text, err := c.CombinedOutput()
		if _, ok := err.(*exec.ExitError); err != nil && !ok {
			t.Fatalf("%s: %v", line, err)
		}
		for printed := range strings.FieldsFuncSeq(string(text), func(r rune) bool { return r == '\n' || r == '\r' }) {
			printed = ofTheTool.ReplaceAllString(printed, "file ")
			if json.Valid([]byte(printed)) || strings.HasPrefix(printed, "{") {
				continue
			}
			if printed = unseen.ReplaceAllString(printed, ""); command.MatchString(printed) {
				t.Errorf("%s: %.300q", line, printed)
			}
			seen += strings.Count(printed, "error")
		}
	}
	if seen < 200 {
		t.Errorf("what was hostile was printed %d times: the test shows nothing", seen)
	}
	// Text for a file, and for a program where no runner reads, is what it was.
	for vars, into := range map[string]string{"GITHUB_ACTIONS=true": " > o; cat o", "CI=true": ""} {
		c := exec.Command("/bin/sh", "-c", "sess-path --as text s.jsonl"+into)
		c.Dir, c.Env = dir, append(env(dir), vars)
		if text, err := c.Output(); err != nil || !strings.Contains(string(text), "\n::add-mask::x") {
			t.Errorf("%s: %v: %.500q", vars, err, text)
		}
	}
}

// On a terminal rows of several directories say of which; elsewhere they are what they were.
func TestDirectoryColumns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	scripted(t, dir, `for p in one two; do s=$(sess-new --store --cwd "$HOME/projects/$p"); sess-append -q -t "needle in $p" "$s"; done`)
	for _, line := range []string{"sess-ls --all", "sess-history --all", "sess-grep --all needle"} {
		text := ours.ReplaceAllString(shown(t, dir, line), "")
		for _, want := range []string{" one ", " two "} {
			if !strings.Contains(" "+strings.ReplaceAll(text, "\n", "\n ")+" ", want) {
				t.Errorf("%s: no %q in %q", line, want, text)
			}
		}
		if piped := runCommand(t, dir, "", strings.Fields(line)...).stdout; strings.Contains(piped, "~") {
			t.Errorf("%s in a pipe: %q", line, piped)
		}
	}
	scripted(t, dir, `s=$(sess-new --store --cwd "$HOME/projects/one"); sess-append -q -t "more" "$s"`)
	for _, line := range []string{"sess-ls --cwd projects/one", "sess-history --cwd projects/one"} {
		if text := shown(t, dir, line); strings.Contains(text, "projects") {
			t.Errorf("%s has one directory: %q", line, text)
		}
	}
}
