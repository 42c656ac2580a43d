//go:build unix

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/test/drawn"
	secrets "github.com/sess-tools/sess/internal/test/planted"
	"github.com/sess-tools/sess/pkg/js"
)

// A straddled are tokens that stand across the places where tools cut texts, so many characters in front of them.
type straddled struct {
	before int
	tokens []string
	seed   uint64
}

// textCuts are where tools cut: titles, subjects, rows, lines and quotations of a brief, results in a prompt, pieces.
var textCuts = []int{60, 78, 80, 100, 119, 120, 158, 160, 240, 500, 1500, 2000, 3000}

// text is words of which the cut is behind the first so many characters of a token.
func (s *straddled) text(cut int) string {
	s.seed++
	token := secrets.New(s.seed).GitHub()
	s.tokens = append(s.tokens, token)
	words := strings.Repeat("needle in a haystack of words ", cut/30+1)
	if cut -= s.before + 1; cut < 0 {
		return token
	}
	return words[:cut] + " " + token + " and more words behind it"
}

// lines are a session whose texts are so cut. The first prompt is that of the cut first.
func (s *straddled) lines(id, cwd string, first int) string {
	var b strings.Builder
	b.WriteString(js.Object(js.StringField("type", "session"), js.RawField("version", "3"), js.StringField("id", id), js.StringField("timestamp", "2026-01-02T03:04:05.000Z"), js.StringField("cwd", cwd)) + "\n")
	n, parent := 0, "null"
	add := func(message string) {
		n++
		entry := js.Quote(fmt.Sprintf("%08x", n))
		b.WriteString(js.Object(js.StringField("type", "message"), js.RawField("id", entry), js.RawField("parentId", parent), js.StringField("timestamp", "2026-01-02T03:05:00.000Z"), js.RawField("message", message)) + "\n")
		parent = entry
	}
	user := func(text string) { add(js.Object(js.StringField("role", "user"), js.StringField("content", text))) }
	user(s.text(first))
	for i, cut := range textCuts {
		call := fmt.Sprintf("c%d", i)
		add(js.Object(js.StringField("role", "assistant"), js.RawField("content", `[`+js.Object(js.StringField("type", "text"), js.StringField("text", s.text(cut)))+`,`+
			js.Object(js.StringField("type", "toolCall"), js.StringField("id", call), js.StringField("name", "bash"), js.RawField("arguments", js.Object(js.StringField("command", s.text(cut)))))+`]`),
			js.StringField("model", "m"), js.StringField("provider", "p"), js.StringField("stopReason", "toolUse")))
		add(js.Object(js.StringField("role", "toolResult"), js.StringField("toolCallId", call), js.StringField("toolName", "bash"), js.RawField("content", `[`+js.Object(js.StringField("type", "text"), js.StringField("text", s.text(cut)))+`]`),
			js.RawField("isError", fmt.Sprint(i%2 == 0))))
		user(s.text(cut))
	}
	add(js.Object(js.StringField("role", "assistant"), js.RawField("content", `[`+js.Object(js.StringField("type", "text"), js.StringField("text", s.text(500)))+`]`), js.StringField("model", "m"), js.StringField("provider", "p"), js.StringField("stopReason", "stop")))
	return b.String()
}

// fragment is the shortest part of a token that must not be left.
const fragment = 8

// leftOf returns the first part of a token that a text has.
func leftOf(text string, tokens []string) string {
	parts := map[string]bool{}
	for _, token := range tokens {
		for i := len("ghp_"); i+fragment <= len(token); i++ {
			parts[token[i:i+fragment]] = true
		}
	}
	for i := 0; i+fragment <= len(text); i++ {
		if parts[text[i:i+fragment]] {
			return text[max(0, i-60):min(len(text), i+60)]
		}
	}
	return ""
}

// takingOut are command lines that promise to print nothing of a secret in the session FILE.
var takingOut = []string{
	"sess-handoff --brief FILE", "sess-handoff --to codex --budget 3k FILE && cat .codex/sessions/*/*/*/*.jsonl; rm -rf .codex", "sess-handoff --to pi --brief FILE && cat .pi/agent/sessions/*/*.jsonl; rm -rf .pi", "sess-handoff --to claude -n -v FILE",
	"sess-handoff --to codex --budget 3k FILE -- sh -c 'cat >seen; echo \"## Goal\"; echo done'; cat seen; rm -rf .codex seen",
	"sess-compact --redact --print-prompt --keep 1 FILE", "sess-compact --redact --keep 1 --max-prompt 9000 FILE -- sh -c 'cat >>seen; echo \"## Goal\"; echo done'; cat seen; rm seen",
	"sess-compact --redact --print-prompt --branch 00000005 FILE", "sess-turn --no-store --redact -t x FILE -- cat",
	"sess-calls --redact FILE", "sess-calls --redact --json FILE", "sess-calls --redact --simple FILE", "sess-assert --no-call '*' --github FILE", "sess-assert --no-call '*' --json FILE", "sess-assert --no-call '*' --junit FILE", "sess-assert --no-call '*' --sarif FILE", "sess-assert --strict --no-call 'run:echo*' FILE; sess-calls --redact FILE",
	"sess-show --redact --as html FILE -o -", "sess-show --redact --as text FILE", "sess-show --redact --as markdown FILE", "sess-show --redact --summary FILE", "sess-export --redact codex -o out FILE; cat out; rm -rf out", "sess-export --redact claude -o out FILE; cat out; rm -rf out", "sess-export --redact sft FILE", "sess-export --redact atif FILE",
	"sess-table --content --redact -o tables FILE; cat tables/*/*/*.parquet | tr -cd '[:print:]'; rm -rf tables", "sess-redact FILE", "sess-redact FILE -o r.jsonl && sess-ls r.jsonl; sess-tree r.jsonl; rm r.jsonl", "sess-redact --check FILE",
}

// Redaction comes before every cut: of a token that stands across one nothing is left, wherever in it that is.
func TestCutsLeaveNothing(t *testing.T) {
	t.Parallel()
	var all []straddled
	for before := 1; before < 40; before++ {
		all = append(all, straddled{before: before, seed: uint64(before) << 20})
	}
	for _, s := range drawn.Third(t, all) {
		t.Run(fmt.Sprint(s.before), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for _, first := range []int{80, 1500} {
				text := s.lines(fmt.Sprintf("01a1fc13-4173-73d3-8273-%012d", first), dir, first)
				path := write(t, dir, "s.jsonl", text)
				for _, line := range takingOut {
					r := runCommand(t, dir, "", "sh", "-c", strings.ReplaceAll(line, "FILE", "s.jsonl"))
					if part := leftOf(r.stdout+r.stderr, s.tokens); part != "" {
						t.Errorf("%s, cut at %d: %q", line, first, part)
					}
					if len(r.stdout) < 100 && !strings.Contains(line, "--check") && !strings.Contains(line, "sess-redact FILE -o") {
						t.Errorf("%s: status %d, it shows nothing: %s%s", line, r.status, r.stdout, r.stderr)
					}
					check(t, os.WriteFile(path, []byte(text), 0o600))
				}
			}
		})
	}
}

// An id of a call that looks like a secret keeps nobody from a prompt and from reading, and is in neither.
func TestSecretIDs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := straddled{before: 7, seed: 5}
	id := secrets.New(78).GitHub()
	check(t, os.MkdirAll(filepath.Join(dir, "store", "--w--"), 0o700))
	text := strings.ReplaceAll(s.lines("01a1fc13-4173-73d3-8273-e3e1ca1285c1", dir, 80), `"c3"`, `"`+id+`"`)
	write(t, dir, "s.jsonl", text)
	write(t, filepath.Join(dir, "store", "--w--"), "2026-01-02T03-04-05-000Z_01a1fc13-4173-73d3-8273-e3e1ca1285c1.jsonl", text)
	for _, line := range []string{
		"sess-compact --redact --print-prompt --keep 1 s.jsonl", "sess-handoff --to pi s.jsonl >/dev/null && cat .pi/agent/sessions/*/*.jsonl",
		`printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}' '{"jsonrpc":"2.0","method":"notifications/initialized"}' '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read","arguments":{"session":"01a1fc13-4173-73d3-8273-e3e1ca1285c1"}}}' | sess-mcp`,
	} {
		r := runCommand(t, dir, "", "sh", "-c", line)
		if part := leftOf(r.stdout, append(s.tokens, id)); part != "" || !strings.Contains(r.stdout, "needle in a haystack") || r.status != 0 {
			t.Errorf("%s: %q: status %d: %s%.300s", line, part, r.status, r.stderr, r.stdout)
		}
	}
}

// sess-mcp sends nothing of a token either, in titles, rows and what was said, of sessions of an agent and of the store.
func TestCutsOfMCP(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	check(t, err)
	var tokens []string
	for _, place := range []string{".pi/agent/sessions/--x--", "store/--x--"} {
		check(t, os.MkdirAll(filepath.Join(dir, place), 0o700))
		for before := 1; before < 40; before++ {
			s := straddled{before: before, seed: uint64(before+100) << 20}
			id := fmt.Sprintf("01a1fc13-4173-73d3-%04d-%012d", len(place), before)
			write(t, filepath.Join(dir, place), "2026-01-02T03-04-05-000Z_"+id+".jsonl", s.lines(id, dir, 80))
			tokens = append(tokens, s.tokens...)
		}
	}
	for name, tt := range map[string]struct {
		arguments string
		least     int
	}{
		"sessions": {`{"tokens":20000}`, 78},
		"search":   {`{"pattern":"needle","tokens":20000}`, 78},
		"calls":    {`{"tokens":20000}`, 50},
		"read":     {`{"session":"01a1fc13-4173-73d3-0011-000000000007","tokens":20000}`, 10},
	} {
		for _, arguments := range []string{tt.arguments, strings.Replace(tt.arguments, "needle", "ghp_", 1), strings.Replace(tt.arguments, "needle", "and more words", 1), strings.Replace(tt.arguments, "20000", "997", 1)} {
			out := runCommand(t, dir, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"`+name+`","arguments":`+arguments+`}}
`, "sess-mcp").stdout
			if part := leftOf(out, tokens); part != "" {
				t.Errorf("%s %s: %q", name, arguments, part)
			}
			if n := strings.Count(out, `\n`); strings.Contains(arguments, "20000") && n < tt.least {
				t.Errorf("%s %s has %d lines: %.800s", name, arguments, n, out)
			}
		}
	}
}

// A token that is divided between the pieces of one reply, or of one prompt, is taken out of both.
func TestPiecesLeaveNothing(t *testing.T) {
	t.Parallel()
	token := secrets.New(77).GitHub()
	var all []int
	for at := 6; at < len(token)-1; at++ {
		all = append(all, at)
	}
	for _, at := range drawn.Third(t, all) {
		for form, line := range map[string]string{
			"blocks":  `{"type":"message","id":"aaaa0003","parentId":"aaaa0002","timestamp":"2026-01-02T03:04:07.678Z","message":{"role":"assistant","content":[{"type":"text","text":"the key is FIRST"},{"type":"text","text":"SECOND and so on"}],"model":"m","provider":"p","stopReason":"stop"}}` + "\n",
			"prompt":  `{"type":"message","id":"aaaa0003","parentId":"aaaa0002","timestamp":"2026-01-02T03:04:07.678Z","message":{"role":"user","content":[{"type":"text","text":"the key is FIRST"},{"type":"text","text":"SECOND and so on"}]}}` + "\n",
			"entries": `{"type":"message","id":"aaaa0003","parentId":"aaaa0002","timestamp":"2026-01-02T03:04:07.678Z","message":{"role":"assistant","responseId":"r1","content":[{"type":"text","text":"the key is FIRST"}],"model":"m","provider":"p"}}` + "\n" + `{"type":"message","id":"aaaa0004","parentId":"aaaa0003","timestamp":"2026-01-02T03:04:08.678Z","message":{"role":"assistant","responseId":"r1","content":[{"type":"text","text":"SECOND and so on"}],"model":"m","provider":"p","stopReason":"stop"}}` + "\n",
		} {
			t.Run(fmt.Sprint(form, at), func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				text := small + strings.NewReplacer("FIRST", token[:at], "SECOND", token[at:]).Replace(line) + strings.ReplaceAll(strings.SplitAfter(small, "\n")[1], "aaaa0001", "aaaa0009")
				text = strings.Replace(text, `"id":"aaaa0009","parentId":null`, `"id":"aaaa0009","parentId":"`+map[string]string{"blocks": "aaaa0003", "prompt": "aaaa0003", "entries": "aaaa0004"}[form]+`"`, 1)
				write(t, dir, "s.jsonl", text)
				check(t, os.MkdirAll(filepath.Join(dir, "store", "--w--"), 0o700))
				write(t, filepath.Join(dir, "store", "--w--"), "2026-01-02T03-04-05-000Z_01a1fc13-4173-73d3-8273-e3e1ca1285c1.jsonl", text)
				for _, line := range []string{
					"sess-compact --redact --print-prompt --keep 1 s.jsonl", "sess-show --redact --as text s.jsonl", "sess-turn --no-store --redact -t x s.jsonl -- cat", "sess-handoff --to pi s.jsonl >/dev/null && cat .pi/agent/sessions/*/*.jsonl", "sess-handoff --to pi --brief s.jsonl >/dev/null && cat .pi/agent/sessions/*/*.jsonl",
					`printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}' '{"jsonrpc":"2.0","method":"notifications/initialized"}' '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read","arguments":{"session":"01a1fc13-4173-73d3-8273-e3e1ca1285c1"}}}' | sess-mcp`,
				} {
					r := runCommand(t, dir, "", "sh", "-c", line)
					if part := leftOf(r.stdout, []string{token}); part != "" || !strings.Contains(r.stdout, "the key is") {
						t.Errorf("%s: %q: status %d: %s%.300s", line, part, r.status, r.stderr, r.stdout)
					}
				}
			})
		}
	}
}
