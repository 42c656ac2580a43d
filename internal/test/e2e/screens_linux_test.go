package e2e

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/core/screen"
	"github.com/sess-tools/sess/internal/test/corpus"
)

var updateScreens = flag.Bool("update-screens", false, "write testdata/screens.txt anew")

// onScreens are command lines whose rows on a terminal stand in testdata/screens.txt, with those that a pipe gets.
var onScreens = []string{
	"sess-ls --all",
	"sess-ls --all --usage",
	"sess-ls --cwd /home/u/src/lexer",
	"sess-ls --all --title nothing",
	"sess-grep --all parser",
	"sess-grep --all --in thinking,call -i -e parser -e GO 4b1f20c7",
	"sess-grep --all nothing",
	"sess-calls --all",
	"sess-calls --all --simple --kind run",
	"sess-calls --all --kind fetch",
	"sess-watch --once --all",
	"sess-stat --all --by session",
	"sess-stat --all --by day,model",
	"sess-stat 4b1f20c7",
	"sess-stat --all --by agent --cost computed",
	"sess-show --no-pager 4b1f20c7",
	"sess-show --no-pager --calls names --thinking none 4b1f20c7",
	"sess-show --no-pager 01a1fb02",
	"sess-tree 4b1f20c7",
	"sess-tree parser.jsonl",
	"sess-tree --prompts parser.jsonl",
	"sess-check bad.jsonl parser.jsonl",
	"sess-redact --check --damaged-ok bad.jsonl parser.jsonl",
	"sess-redact --check parser.jsonl",
	"sess-assert --no-call run:git* --call read --all",
	"sess-history --all",
	"sess-history --all nothing",
}

// screened makes a store whose rows are as hard to lay out as genuine ones.
func screened(t *testing.T, dir string) {
	t.Helper()
	const at = `","timestamp":"2020-11-25T13:0`
	said := func(id, parent, minute, role, content, more string) string {
		if parent != "null" {
			parent = `"` + parent + `"`
		}
		return `{"type":"message","id":"` + id + `","parentId":` + parent + `,"timestamp":"2020-11-25T13:` + minute + `.000Z","message":{"role":"` + role + `","content":` + content + more + `}}` + "\n"
	}
	call := func(id, name, arguments string) string {
		return `[{"type":"toolCall","id":"` + id + `","name":"` + name + `","arguments":` + arguments + `}]`
	}
	const spent = `,"provider":"p","model":"m","usage":{"input":1200,"output":5224,"cacheRead":89309,"cacheWrite":0,"totalTokens":95733,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":2.31}},"stopReason":"stop"`
	write(t, dir, "a", `{"type":"session","version":3,"id":"4b1f20c7-9d11-4a52-8f2e-0d7d3c1f9a10`+at+`0:00.000Z","cwd":"/home/u/src/lexer"}`+"\n"+
		said("a1b20000", "null", "01:00", "user", `"Fix the parser. It hangs on \"[[\" and on every unclosed bracket, and the tests do not show it"`, "")+
		said("a1b20001", "a1b20000", "02:00", "assistant", call("c1", "read", `{"path":"lexer.go"}`), spent)+
		said("a1b20002", "a1b20001", "02:01", "toolResult", `[{"type":"text","text":"func (l *lexer) brackets()"}]`, `,"toolCallId":"c1","toolName":"read","isError":false`)+
		said("a1b20003", "a1b20002", "02:10", "assistant", call("c2", "edit", `{"path":"lexer.go","oldText":"l.i = l.start\n","newText":"l.i++\nreturn\n"}`), spent)+
		said("a1b20004", "a1b20003", "02:11", "toolResult", `[{"type":"text","text":"edited"}]`, `,"toolCallId":"c2","toolName":"edit","isError":false`)+
		said("a1b20005", "a1b20004", "03:44", "assistant", call("c3", "bash", `{"command":"cd lexer\ngo test ./lexer"}`), spent)+
		said("a1b20006", "a1b20005", "03:52", "toolResult", `[{"type":"text","text":"ok lexer/config 0.2s\n--- FAIL: TestParser (0.00s)\n    parser_test.go:41: depth 2, want 1\nFAIL"}]`, `,"toolCallId":"c3","toolName":"bash","isError":true`)+
		said("a1b20007", "a1b20006", "04:10", "assistant", call("c4", "read", `{"path":"lexer_test.go"}`), spent)+
		said("a1b20008", "a1b20007", "04:11", "toolResult", `[{"type":"text","text":"x"}]`, `,"toolCallId":"c4","toolName":"read","isError":false`)+
		said("a1b20009", "a1b20008", "04:12", "assistant", call("c5", "read", `{"path":"lexer_test.go"}`), spent)+
		said("a1b2000a", "a1b20009", "04:13", "toolResult", `[{"type":"text","text":"x"}]`, `,"toolCallId":"c5","toolName":"read","isError":false`)+
		said("a1b2000b", "a1b2000a", "05:00", "assistant", `[{"type":"thinking","thinking":"the parser never ends"},{"type":"text","text":"Done. The loop is linear now: 1.9 s → 12 ms on the 4 MB file, and the parser gives up at a depth of 10,000 instead of growing its stack without any bound."}]`, spent)+
		said("a1b2000c", "a1b2000b", "06:00", "assistant", call("c6", "bash", `{"command":"git push origin \u001b[31mmain"}`), spent)+
		said("a1b2000d", "a1b2000c", "07:00", "user", `"push"`, "")+
		said("a1b2000e", "a1b2000d", "08:00", "user", `"push"`, ""))
	write(t, dir, "b", `{"type":"session","version":3,"id":"01a1fb02-77aa-7cc0-8b11-2f2f2f2f2f2f`+at+`0:00.000Z","cwd":"/home/u/src/サイト"}`+"\n"+
		said("5c0e77aa", "null", "10:00", "user", `"トークン数の表を日本語にしてください。行の幅は変えないで 👩‍💻 ✅ ❤️ שלום parser e\u0301 🇩🇪"`, "")+
		said("5c0e77ab", "5c0e77aa", "11:00", "assistant", `[{"type":"text","text":"表の行は parser が数えたトークンの数です。"}]`, spent)+
		said("5c0e77ac", "5c0e77ab", "12:00", "assistant", `[{"type":"text","text":"表の行は parser が数えたトークンの数です。"}]`, spent))
	parser, err := os.ReadFile(filepath.Join(corpus.Dir(), "show", "parser.jsonl"))
	check(t, err)
	write(t, dir, "parser.jsonl", strings.ReplaceAll(string(parser), "2026-11-21", "2020-11-21")) // long ago, so that rows stay
	write(t, dir, "bad.jsonl", `{"type":"session","version":3,"id":"bad","timestamp":"2020-11-25T13:00:00.000Z","cwd":"/w"}`+"\n"+
		`{"type":"message","id":"b0000000","parentId":"zz","timestamp":"2020-11-25T13:00:00.000Z","message":{"role":"user","content":"`+"ghp_"+"012345678901234567890123456789abcdef"+`"}}`+"\nno JSON\n")
	scripted(t, dir, `chmod 600 *.jsonl; touch -d 2020-11-25T13:08:00Z a; touch -d 2020-11-25T13:12:00Z b; mkdir -p store/--home-u-src-lexer-- store/--home-u-src-site--
mv a store/--home-u-src-lexer--/2020-11-25T13-00-00-000Z_4b1f20c7-9d11-4a52-8f2e-0d7d3c1f9a10.jsonl
mv b store/--home-u-src-site--/2020-11-25T13-00-00-000Z_01a1fb02-77aa-7cc0-8b11-2f2f2f2f2f2f.jsonl`)
}

// The rows of tools on terminals of all widths, with and without UTF-8 and colours, are those of testdata/screens.txt,
// and so are the bytes that a pipe gets. No row is wider than the terminal.
func TestScreens(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	screened(t, dir)
	var got strings.Builder
	for _, line := range onScreens {
		r := runCommand(t, dir, "", strings.Fields(line)...)
		piped := strings.ReplaceAll(r.stdout, dir, "DIR")
		fmt.Fprintf(&got, "--- %s | cat\n%s", line, strings.ReplaceAll(piped, "\t", "→"))
		if strings.ContainsAny(piped, "✗╮█") { // a title may end in …
			t.Errorf("%s: a pipe gets marks: %s", line, piped)
		}
		for _, of := range []struct {
			columns uint16
			env     string
		}{{40, "LC_ALL=C.UTF-8"}, {60, "LC_ALL=C.UTF-8"}, {80, "LC_ALL=C.UTF-8"}, {100, "LC_ALL=C.UTF-8"}, {140, "LC_ALL=C.UTF-8"}, {80, "LC_ALL=C"}, {80, "LC_ALL=C.UTF-8 colour"}} {
			env, noColour := strings.TrimSuffix(of.env, " colour"), "NO_COLOR=1 "
			if env != of.env {
				noColour = ""
			}
			text := onColumns(t, dir, of.columns, "sh", "-c", env+" TZ=UTC "+noColour+line+"; exit 0")
			fmt.Fprintf(&got, "--- %s, %d columns, %s\n%s", line, of.columns, of.env, strings.ReplaceAll(text, "\x1b", "ESC"))
			if env != of.env {
				continue
			}
			for row := range strings.Lines(text) {
				if n := screen.Columns(strings.TrimSuffix(row, "\n")); n > int(of.columns) {
					t.Errorf("%s: a row of %d columns on %d: %s", line, n, of.columns, row)
				}
				if strings.Contains(row, "\x1b") {
					t.Errorf("%s: not visible: %q", line, row)
				}
			}
		}
	}
	name := filepath.Join("testdata", "screens.txt")
	if *updateScreens {
		check(t, os.WriteFile(name, []byte(got.String()), 0o666))
	}
	want, err := os.ReadFile(name)
	check(t, err)
	if got.String() != string(want) {
		t.Errorf("not as in %s; go test -run TestScreens -update-screens writes it: see what git diff says\n%s", name, got.String())
	}
}

// Every tool that reads a session takes the name that sess-ls shows on a terminal, and the ids of entries that
// sess-grep shows.
func TestShortNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	screened(t, dir)
	scripted(t, dir, `mkdir .codex && sess-export -q codex -o .codex 4b1f20c7`)
	for _, list := range []string{"sess-ls --all", "sess-ls --agent codex"} {
		rows := strings.Split(onColumns(t, dir, 80, append(strings.Fields(list), "--color", "never")...), "\n")
		name, _, _ := strings.Cut(rows[1], " ")
		if len(name) > 16 {
			t.Errorf("%s: %q is not short", list, name)
		}
		found := strings.Split(onColumns(t, dir, 80, "sess-grep", "--color", "never", "parser", name), "\n")
		entry, _, _ := strings.Cut(strings.TrimSpace(found[1]), " ")
		for _, line := range []string{
			"sess-calls", "sess-check", "sess-grep .", "sess-path --as text", "sess-path --leaf " + entry, "sess-show --as text", "sess-stat", "sess-tree",
			"sess-watch --once", "sess-export -q pi", "sess-redact --check",
		} {
			r := runCommand(t, dir, "", append(strings.Fields(line), name)...)
			if r.status > 1 {
				t.Errorf("%s %s: status %d, %s", line, name, r.status, r.stderr)
			}
		}
	}
}
