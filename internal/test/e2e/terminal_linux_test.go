package e2e

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/test/scripttest"
)

// onTerminal runs a tool with a terminal as standard output, and returns what that gets.
func onTerminal(t *testing.T, dir string, args ...string) string {
	t.Helper()
	return onColumns(t, dir, 0, args...)
}

// onColumns is onTerminal for one that says how wide it is; 0 is one that does not.
func onColumns(t *testing.T, dir string, columns uint16, args ...string) string {
	t.Helper()
	return throughTerminal(t, dir, columns, func(c *exec.Cmd, terminal *os.File) { c.Stdout = terminal }, args...)
}

// throughTerminal runs a tool that stream gives a terminal, and returns all that the terminal gets.
func throughTerminal(t *testing.T, dir string, columns uint16, stream func(*exec.Cmd, *os.File), args ...string) string {
	t.Helper()
	text, err := scripttest.AtTerminal(t, columns, command(dir, args...), stream)
	if err != nil {
		t.Fatalf("%v: %v: %s", args, err, text)
	}
	return strings.ReplaceAll(text, "\r\n", "\n")
}

// A format alone on a terminal waits for nothing, and says how to get at what the agent
// has.
func TestImportOnATerminal(t *testing.T) {
	t.Parallel()
	_, terminal := scripttest.OpenTerminal(t, 0, 0)
	for format, want := range map[string]bool{"codex": true, "openai": false} {
		dir := t.TempDir()
		c := command(dir, "sess-import", format)
		c.Stdin = terminal
		r := wait(t, c)
		if r.status != 2 || strings.Contains(r.stderr, "hint: --recent, --session ID, --list or --all read the sessions that "+format+" keeps") != want {
			t.Errorf("%s: status %d, %s", format, r.status, r.stderr)
		}
	}
}

// No escape sequence of a transcript reaches a terminal, in no form but the entries
// byte for byte. A pipe gets the data as it is.
func TestNothingActsOnATerminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const evil = "\\u001b]52;c;x\\u0007 \u009b31m \x7f \u202e"
	write(t, dir, "s.jsonl", `{"type":"session","version":3,"id":"019b0000-0000-7000-8000-000000000001","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/p"}`+"\n"+
		`{"type":"message","id":"a0000001","parentId":null,"timestamp":"2026-01-02T03:04:05.678Z","message":{"role":"user","content":[{"type":"text","text":"`+evil+`"}],"timestamp":1}}`+"\n"+
		`{"type":"session_info","id":"a0000002","parentId":"a0000001","timestamp":"2026-01-02T03:04:05.678Z","name":"`+evil+`"}`+"\n")
	for _, line := range []string{
		"sess-path --as context", "sess-path --as messages", "sess-path --as openai", "sess-path --as anthropic",
		"sess-path --as state", "sess-path --as text", "sess-path --as markdown", "sess-path --jq .message", "sess-path --as openai --jq .",
		"sess-export -q codex", "sess-export -q opencode", "sess-export -q claude", "sess-export -q pi",
	} {
		args := append(strings.Fields(line), "s.jsonl")
		text := onTerminal(t, dir, args...)
		if i := strings.IndexFunc(text, func(r rune) bool { return r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || r == 0x202e }); i >= 0 || !strings.Contains(text, "9b31m") {
			t.Errorf("%v: %q", args, text)
		}
		if piped := runCommand(t, dir, "", args...).stdout; strings.HasPrefix(piped, "{") && !strings.Contains(piped, "\u009b31m") {
			t.Errorf("%v through a pipe: %q", args, piped)
		}
	}
}

// Nor does one of an answer, which ends its line there.
func TestTurnOnATerminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := write(t, dir, "s.jsonl", good)
	got := onTerminal(t, dir, "sess-turn", "-t", "x", "s.jsonl", "--", "printf", `\033]0;title\007caf\303\251`)
	if want := `\u001b]0;title\u0007café` + "\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if added := strings.TrimPrefix(readFile(t, path), good); !strings.Contains(added, `"text":"café"`) {
		t.Errorf("stored %s", added)
	}
}

// The prompt, the report and the entry to be quote a session, and do not act either. At a
// terminal the wait for a summary is told, and not with -q.
func TestCompactOnATerminal(t *testing.T) {
	t.Parallel()
	const head = `","timestamp":"2026-01-02T03:04:06.000Z",`
	dir := t.TempDir()
	write(t, dir, "s.jsonl", `{"type":"session","version":3,"id":"01900000-0000-7000-8000-000000000001","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}`+"\n"+
		`{"type":"message","id":"aaaa0001","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"a \u001b]52;c;aGk=\u0007 \u009b31m \u202ered, and `+strings.Repeat("word ", 60)+`","timestamp":1}}`+"\n"+
		`{"type":"message","id":"aaaa0002","parentId":"aaaa0001`+head+`"message":{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"echo \u001b[31m \u009b1m \u202e"}}],"stopReason":"toolUse","timestamp":1}}`+"\n"+
		`{"type":"message","id":"aaaa0003","parentId":"aaaa0002`+head+`"message":{"role":"toolResult","toolCallId":"c1","toolName":"bash","content":[{"type":"text","text":"\u001b[31m"}],"isError":false,"timestamp":1}}`+"\n"+
		`{"type":"message","id":"aaaa0004","parentId":"aaaa0003`+head+`"message":{"role":"user","content":"second","timestamp":1}}`+"\n"+
		`{"type":"message","id":"aaaa0005","parentId":"aaaa0004`+head+`"message":{"role":"assistant","content":[{"type":"text","text":"on it"}],"stopReason":"stop","timestamp":1}}`+"\n")
	write(t, dir, "evil", "x\x1b[31m\u202e\n")
	for line, want := range map[string]string{
		"--print-prompt --keep 1":                        `\u001b]52;c;aGk=\u0007 \u009b31m \u202ered`,
		"--print-prompt --branch .~2":                    "second",
		"--report --keep 1":                              "tokens",
		"--report --json --keep 1":                       `"tokensBefore"`,
		"-n --no-require --keep 1 --summary-file ./evil": "compaction",
	} {
		text := onTerminal(t, dir, append(append([]string{"sess-compact"}, strings.Fields(line)...), "s.jsonl")...)
		if !strings.Contains(text, want) || strings.ContainsAny(text, "\x1b\u009b\u202e") {
			t.Errorf("%s: %q", line, text)
		}
	}
	if text := runCommand(t, dir, "", "sess-compact", "--print-prompt", "--keep", "1", "s.jsonl").stdout; !strings.Contains(text, "\x1b]52;c;aGk=\x07 \u009b31m \u202ered") {
		t.Errorf("a pipe gets %q", text)
	}
	asking := regexp.MustCompile(`^sess-compact: asking printf, \d\.\d kB\n`)
	for _, flag := range []string{"-n", "-nq"} {
		args := []string{"sess-compact", flag, "--no-require", "--keep", "1", "s.jsonl", "--", "printf", `## Goal\n- x\n`}
		text := throughTerminal(t, dir, 0, func(c *exec.Cmd, terminal *os.File) { c.Stderr = terminal }, args...)
		if asking.MatchString(text) != (flag == "-n") {
			t.Errorf("%s: %q", flag, text)
		}
		if r := runCommand(t, dir, "", args...); r.stderr != "" {
			t.Errorf("%s: without a terminal: %s", flag, r.stderr)
		}
	}
}

func TestGrepOnATerminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "s.jsonl", `{"type":"session","version":3,"id":"s1","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}`+"\n"+
		`{"type":"message","id":"a\u001b[1m1","parentId":null,"timestamp":"2026-01-02T03:04:05.000Z","message":{"role":"user","content":"x `+strings.Repeat("pad ", 200)+
		`\u001b]8;;http://x\u0007needle\u009b1m\u202e and on"}}`+"\n")
	for _, args := range [][]string{{}, {"--json"}, {"--lines"}, {"-o"}} {
		text := onTerminal(t, dir, append(append([]string{"sess-grep", "--color", "never"}, args...), "needle", "s.jsonl")...)
		if !strings.Contains(text, "needle") || strings.ContainsAny(text, "\x1b\x07\u009b\u202e") {
			t.Errorf("%q: %q", args, text)
		}
	}
	text := onTerminal(t, dir, "sess-grep", "--color", "always", "-H", "needle", "s.jsonl")
	if clean := strings.NewReplacer("\x1b[35m", "", "\x1b[1;31m", "", "\x1b[36m", "", "\x1b[32m", "", "\x1b[33m", "", "\x1b[0m", "").Replace(text); strings.Contains(clean, "\x1b") || len([]rune(clean)) > 130 ||
		!strings.Contains(text, "\x1b[1;31mneedle\x1b[0m") {
		t.Errorf("in colour: %q", text)
	}
}

func TestHistoryOnATerminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	scripted(t, dir, `s=$(sess-new --store --cwd /w); printf 'a \033]8;;http://x\007needle\033[1m\nand %0300d' 1 | sess-append -q "$s"; sess-append -q -t short "$s"; sess-append -q -t short "$s"`)
	for _, flag := range []string{"--all", "--json"} {
		text := onTerminal(t, dir, "sess-history", "--color", "never", "-a", flag)
		if !strings.Contains(text, "needle") || strings.ContainsAny(text, "\x1b\x07") {
			t.Errorf("%s: %q", flag, text)
		}
	}
	lines := strings.Split(strings.ReplaceAll(onTerminal(t, dir, "sess-history", "--color", "never", "-a"), "\r\n", "\n"), "\n")
	if len(lines) != 3 || !strings.HasSuffix(lines[0], "  short  x2") || !strings.HasSuffix(lines[1], "...") || len([]rune(lines[1])) > 80 {
		t.Errorf("%q", lines)
	}
}

// With nothing to list a person is told how many sessions other agents have.
func TestNothingOnATerminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ptmx, terminal := scripttest.OpenTerminal(t, 0, 0)
	said := func(args ...string) string {
		c := command(dir, args...)
		c.Stderr = terminal
		if err := c.Run(); err == nil {
			t.Errorf("%v: status 0", args)
		}
		line := make([]byte, 1024)
		n, err := ptmx.Read(line)
		check(t, err)
		return strings.Join(strings.Fields(string(line[:n])), " ") // it is broken between words
	}
	if got := said("sess-ls", "-a"); !strings.Contains(got, "--agent all has 0 sessions of other agents") {
		t.Errorf("sess-ls: %q", got)
	}
	scripted(t, dir, `mkdir .codex && sess-new -o s.jsonl && sess-append -q -t hi s.jsonl && sess-export -q codex -o .codex s.jsonl`)
	for _, args := range [][]string{{"sess-ls", "--all"}, {"sess-grep", "-a", "x"}, {"sess-history", "-a"}, {"sess-stat", "--cwd", "/x"}} {
		if got := said(args...); !strings.Contains(got, "--agent all has 1 session of other agents") {
			t.Errorf("%v: %q", args, got)
		}
	}
}
