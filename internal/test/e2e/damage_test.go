package e2e

import (
	"strings"
	"testing"
)

const (
	header = `{"type":"session","version":3,"id":"019b0000-0000-7000-8000-000000000001","timestamp":"2026-01-02T03:04:05.678Z","cwd":"/p"}` + "\n"
	first  = `{"type":"message","id":"aaaa0001","parentId":null,"timestamp":"2026-01-02T03:05:00.000Z","message":{"role":"user","content":[{"type":"text","text":"first question of the session"}],"timestamp":1767323100000}}` + "\n"
	second = `{"type":"message","id":"aaaa0002","parentId":"aaaa0001","timestamp":"2026-01-02T03:05:01.000Z","message":{"role":"assistant","content":[{"type":"text","text":"first answer of the session"}],"api":"a","provider":"p","model":"m","usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":1767323101000}}` + "\n"
	third  = `{"type":"message","id":"bbbb0003","parentId":"aaaa0002","timestamp":"2026-01-02T03:05:02.000Z","message":{"role":"user","content":[{"type":"text","text":"second question"}],"timestamp":1767323102000}}` + "\n"
	good   = header + first + second + third
)

// Tools that read a session, with the operand in place of FILE.
var readers = map[string][]string{
	"sess-path":    {"sess-path", "FILE"},
	"sess-fork":    {"sess-fork", "FILE"},
	"sess-compact": {"sess-compact", "--plan", "--keep", "1", "FILE"},
	"sess-append":  {"sess-append", "-t", "new", "FILE"},
}

// The damaged forms: what every tool that reads a session makes of them. A
// reader warns and goes on where it can (status 0) and names file and line.
var damaged = []struct {
	name    string
	content string
	status  int
	stderr  string // fragment; "" means silence
	ls      string // fragment of what sess-ls says, which leaves out what is no session
	append  string // fragment of what sess-append says, if it is not stderr; "-" means silence
}{
	{"good", good, 0, "", "", ""},
	{"empty", "", 3, "s.jsonl: not a session: empty", "empty", ""},
	{"no header", first + second, 3, "s.jsonl:1: not a session: it does not begin with a session header", "not a session: it does not begin with a session header", ""},
	{"version 4", strings.Replace(good, `"version":3`, `"version":4`, 1), 3, "s.jsonl:1: session version 4 is newer", "version 4", ""},
	{"pi-agent-core", `{"kind":"header","version":4,"id":"x","createdAt":1}` + "\n", 3, "s.jsonl:1: a version 4 store", "version 4 store", ""},
	{"not JSON", "what is this\nno session\n", 3, "s.jsonl:1: not a session: no session header", "no session header", ""},
	{"scalar first", "123\n" + good, 3, "s.jsonl:1: not a session", "not a session", ""},
	{"BOM", "\xef\xbb\xbf" + good, 0, "s.jsonl:1: byte order mark ignored", "", "-"},
	{"CRLF", strings.ReplaceAll(good, "\n", "\r\n"), 0, "", "", ""},
	{"blank lines", strings.ReplaceAll(good, "\n", "\n\n"), 0, "", "", ""},
	{"torn tail", good + `{"type":"message","id":"cccc`, 0, "s.jsonl:5: torn last line of 28 bytes skipped", "", "last line was torn"},
	{"no final newline", strings.TrimSuffix(good, "\n"), 0, "", "", "no line feed"},
	{"fused line", header + strings.TrimSuffix(first, "\n") + second + third, 0, "s.jsonl:2: several entries fused on one line", "", "-"},
	{"garbage line", header + "{not json\n" + first + second, 0, "s.jsonl:2: not JSON", "", "-"},
	{"NUL line", header + first + "\x00\x00\x00\x00\n" + second, 0, "s.jsonl:3: NUL bytes", "", "-"},
	{"duplicate ids", header + first + second + strings.Replace(third, "bbbb0003", "aaaa0002", 1), 0, "s.jsonl:4: id aaaa0002 stands on line 3 too", "", "-"},
	{"cycle", header + strings.Replace(first, "null", `"bbbb0003"`, 1) + second + third, 0, "s.jsonl:2: the parents of aaaa0001 form a cycle", "", "-"},
	{"missing parent", header + strings.Replace(first, "null", `"gone0000"`, 1) + second, 0, "s.jsonl:2: parent gone0000 of aaaa0001 is missing", "", "-"},
	{"invalid UTF-8", header + strings.Replace(first, "question", "\xff\xfe", 1) + second, 0, "s.jsonl:2: invalid UTF-8", "", "-"},
	{"later header", header + first + header + second, 0, "s.jsonl:3: another session header", "", "-"},
	{"scalars", header + first + "123\n[1]\nnull\n" + second, 0, "s.jsonl:3: not a JSON object", "", "-"},
	{"deep nesting", header + first + second + strings.Repeat("[", 1_000_000) + "\n", 0, "s.jsonl:4: nested deeper than 10000 levels", "", "-"},
}

// nothingLeft are the forms that leave too short a path to compact.
var nothingLeft = map[string]bool{"duplicate ids": true, "fused line": true}

func TestDamagedSessions(t *testing.T) {
	t.Parallel()
	for _, d := range damaged {
		for tool, args := range readers {
			t.Run(d.name+"/"+tool, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				path := write(t, dir, "s.jsonl", d.content)
				r := runCommand(t, dir, "", operands(args, "s.jsonl")...)
				want := d.stderr
				if tool == "sess-append" && d.append != "" {
					want = strings.TrimPrefix(d.append, "-")
				}
				status := d.status
				if tool == "sess-compact" && nothingLeft[d.name] {
					status = 1
				}
				checkRun(t, r, status, tool, want)
				after := readFile(t, path)
				if tool != "sess-append" || d.status != 0 {
					if after != d.content {
						t.Errorf("the session was changed")
					}
				} else if !strings.HasPrefix(after, strings.TrimSuffix(keptPrefix(d.content), "\n")) {
					t.Errorf("bytes were lost: %q", after)
				}
				if status != 0 && r.stdout != "" {
					t.Errorf("stdout %q", r.stdout)
				}
			})
		}
		t.Run(d.name+"/sess-ls", func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, dir, "s.jsonl", d.content)
			status := 0
			if d.ls != "" {
				status = 1
			}
			checkRun(t, runCommand(t, dir, "", "sess-ls", dir), status, "sess-ls", d.ls)
			want := d.status
			if d.stderr != "" {
				want = 3
			}
			if r := runCommand(t, dir, "", "sess-path", "--strict", "s.jsonl"); r.status != want {
				t.Errorf("sess-path --strict: status %d, want %d: %s", r.status, want, r.stderr)
			}
		})
	}
}

// keptPrefix is what an append must leave in place: all but a torn last line,
// which is blanked and saved beside the session.
func keptPrefix(content string) string {
	if i := strings.LastIndexByte(content, '\n'); strings.HasSuffix(content, "cccc") {
		return content[:i+1]
	}
	return content
}

func operands(args []string, file string) []string {
	out := append([]string(nil), args...)
	for i := range out {
		if out[i] == "FILE" {
			out[i] = file
		}
	}
	return out
}

// checkRun compares status and messages. Every line on standard error begins
// with the tool's name.
func checkRun(t *testing.T, r result, status int, tool, fragment string) {
	t.Helper()
	if r.status != status {
		t.Errorf("status %d, want %d; stderr %q", r.status, status, r.stderr)
	}
	if fragment == "" && r.stderr != "" || !strings.Contains(r.stderr, fragment) {
		t.Errorf("stderr %q, want %q", r.stderr, fragment)
	}
	for line := range strings.Lines(r.stderr) {
		if !strings.HasPrefix(line, tool+": ") {
			t.Errorf("stderr line %q", line)
		}
	}
}
