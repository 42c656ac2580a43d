// Package corpus opens the sessions and the golden answers of testdata, and
// the examples of the documentation, for tests. Large files are kept
// compressed, and the golden answers of one program version are one archive.
package corpus

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/pkg/session"
)

// Dir returns the path of testdata.
func Dir() string { return filepath.Join(Root(), "testdata") }

// Root returns the directory of the checkout that the test is of: go test runs it in the directory of
// its package. The compiler does not know the place, because of -trimpath.
func Root() string {
	for dir := began; ; dir = filepath.Dir(dir) {
		data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		switch {
		case err == nil && bytes.HasPrefix(data, []byte("module github.com/sess-tools/sess\n")):
			return dir
		case dir == filepath.Dir(dir):
			panic("the test does not run in a checkout")
		}
	}
}

// began is the working directory before a test changes it.
var began, _ = os.Getwd()

// Session returns the bytes of the session at path, relative to testdata and
// without the .zst of a compressed one.
func Session(t testing.TB, path string) []byte {
	t.Helper()
	name := filepath.Join(Dir(), filepath.FromSlash(path))
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		data, err = readCompressed(name + ".zst")
	}
	must.Do(t, err)
	return data
}

// PiSessions returns the paths of the sessions that pi's golden answers are about.
func PiSessions(t testing.TB) []string {
	t.Helper()
	return append(Sessions(t, "pi/sessions"), Sessions(t, "pi/genuine")...)
}

// Sessions returns the paths, relative to testdata, of all sessions below dir.
func Sessions(t testing.TB, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(filepath.Join(Dir(), dir), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(Dir(), strings.TrimSuffix(path, ".zst"))
		if strings.HasSuffix(rel, ".jsonl") {
			out = append(out, filepath.ToSlash(rel))
		}
		return err
	})
	must.Do(t, err)
	return out
}

// Golden returns the files of an archive of golden answers, such as
// "pi/golden/1.5", by name.
func Golden(t testing.TB, archive string) map[string][]byte {
	t.Helper()
	data, err := readCompressed(filepath.Join(Dir(), filepath.FromSlash(archive)+".tar.zst"))
	must.Do(t, err)
	files := map[string][]byte{}
	if err := eachFile(data, func(name string, _ bool, data []byte) error {
		files[name] = data
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return files
}

// PiName returns the name the golden answers of pi use for a session: that of
// its file, or for a genuine one its version and the end of its id.
func PiName(path string) string {
	base := strings.TrimSuffix(filepath.Base(path), ".jsonl")
	if dir := filepath.Dir(path); strings.HasPrefix(dir, "pi/genuine/") {
		return "genuine-" + filepath.Base(dir) + "-" + base[strings.LastIndexByte(base, '-')+1:]
	}
	return base
}

// Turns returns a conversation of about 30000 tokens, as sess-append --entries takes it.
func Turns() string {
	var b strings.Builder
	long := strings.Repeat("and so it went on, word for word, ", 60)
	for n := range 60 {
		fmt.Fprintf(&b, `{"role":"user","content":"do step %d"}`+"\n", n)
		if n == 10 {
			b.WriteString(`{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"make"}}]}` + "\n")
			b.WriteString(`{"role":"toolResult","toolCallId":"c1","toolName":"bash","content":"ok"}` + "\n")
		}
		fmt.Fprintf(&b, `{"role":"assistant","content":"step %d: %s"}`+"\n", n, long)
	}
	return b.String()
}

// Unpack copies the files below from, a directory of testdata, to the directory
// to. Compressed files are decompressed, except those that codex itself
// compresses, and an archive becomes a directory. Golden answers are left out.
func Unpack(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.Contains(path, "/golden/") {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		read, name := os.ReadFile, filepath.Join(to, rel)
		if ext := filepath.Ext(name); ext == ".gz" || ext == ".zst" && !strings.Contains(path, "/codex/home/") {
			read, name = readCompressed, strings.TrimSuffix(name, ext)
		}
		data, err := read(path)
		if err != nil {
			return err
		}
		dir, isArchive := strings.CutSuffix(name, ".tar")
		if !isArchive {
			return write(name, data)
		}
		return eachFile(data, func(name string, isDir bool, data []byte) error {
			name = filepath.Join(dir, filepath.Clean("/"+name))
			if isDir { // some are empty
				return os.MkdirAll(name, 0o755)
			}
			return write(name, data)
		})
	})
}

func write(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o644)
}

// readCompressed returns the content of a file whose name ends in .zst or .gz.
func readCompressed(name string) ([]byte, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(name, ".gz") {
		r, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		return io.ReadAll(r)
	}
	d, err := zstd.NewReader(nil)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.DecodeAll(data, nil)
}

// eachFile calls f for each file and directory of a tar archive.
func eachFile(archive []byte, f func(name string, isDir bool, data []byte) error) error {
	for r := tar.NewReader(bytes.NewReader(archive)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		data, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		if err := f(h.Name, h.Typeflag == tar.TypeDir, data); err != nil {
			return err
		}
	}
}

// Head is the header line of a session that tests write.
const Head = `{"type":"session","version":3,"id":"s1","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/p"}`

// Join returns lines as the text of a file.
func Join(lines ...string) string { return strings.Join(lines, "\n") + "\n" }

// Line is an entry of the type, with further members behind the four that every
// entry has. The parent is "" for a root.
func Line(typ, id, parent string, more ...string) string {
	p := "null"
	if parent != "" {
		p = Quote(parent)
	}
	return fmt.Sprintf(`{"type":%s,"id":%s,"parentId":%s,"timestamp":"2026-01-02T03:04:06.000Z"%s}`,
		Quote(typ), Quote(id), p, strings.Join(append([]string{""}, more...), ","))
}

// User is an entry with a user's message.
func User(id, parent, text string) string {
	return Line("message", id, parent, `"message":{"role":"user","content":[{"type":"text","text":`+Quote(text)+`}],"timestamp":1}`)
}

// Label is an entry that gives target a name.
func Label(id, parent, target, name string) string {
	return Line("label", id, parent, `"targetId":`+Quote(target), `"label":`+Quote(name))
}

// Quote returns s as a JSON string.
func Quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// Parse reads a session of the given lines, with [Head] before them.
func Parse(t testing.TB, lines ...string) *session.Session {
	t.Helper()
	return ParseText(t, Join(append([]string{Head}, lines...)...))
}

// ParseText reads the session that a text is.
func ParseText(t testing.TB, text string) *session.Session {
	t.Helper()
	s, err := session.Read(strings.NewReader(text))
	must.Do(t, err)
	return s
}

// Entry returns the entry that a line is.
func Entry(t testing.TB, raw string) session.Entry {
	t.Helper()
	e, err := session.ParseEntry(raw)
	must.Do(t, err)
	return e
}

// Read reads a session of testdata.
func Read(t testing.TB, path string) (*session.Session, error) {
	t.Helper()
	return session.Read(bytes.NewReader(Session(t, path)))
}

// LLM stands for a command line LLM: it reads its prompt to the end and
// answers with the headings the prompt asks for.
const LLM = `#!/bin/sh
if grep -q '## Original Request'; then
	printf '## Original Request\nDo it.\n\n'
fi
printf '## Goal\nIt is to be done.\n'
`

// Stubs are what stands for other programs in examples, by name: LLM, a person who
// chooses, and agents and servers that print streams.
func Stubs() map[string]string {
	stream := func(lines ...string) string { return "cat <<'END'\n" + strings.Join(lines, "\n") + "\nEND\n" }
	claude := stream(
		`{"type":"system","subtype":"init","session_id":"s1","claude_code_version":"2.1.330","model":"m1"}`,
		`{"type":"assistant","message":{"id":"m1","role":"assistant","model":"m1","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"make"}}],"usage":{"input_tokens":9,"output_tokens":1}},"session_id":"s1","uuid":"u1"}`,
		`{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]},"session_id":"s1","uuid":"u2"}`,
		`{"type":"assistant","message":{"id":"m2","role":"assistant","model":"m1","content":[{"type":"text","text":"The build passes."}],"usage":{"input_tokens":19,"output_tokens":1}},"session_id":"s1","uuid":"u3"}`,
		`{"type":"result","subtype":"success","is_error":false,"result":"The build passes.","stop_reason":"end_turn","usage":{"input_tokens":28,"output_tokens":12},"total_cost_usd":0.01,"session_id":"s1","uuid":"u4"}`)
	return map[string]string{
		"my-llm": LLM, "any-llm": LLM,
		"fzf":    "#!/bin/sh\ntr '\\0\\n' '\\n ' | { read -r one; cat >/dev/null; printf '%s\\n' \"$one\"; }\n", // takes the first
		"claude": "#!/bin/sh\ncase \" $* \" in *' stream-json '*)\n" + claude + "exit ;;\nesac\n" + strings.TrimPrefix(LLM, "#!/bin/sh\n"),
		"codex": "#!/bin/sh\ncat >/dev/null\n" + stream(
			`{"type":"thread.started","thread_id":"th1"}`, `{"type":"turn.started"}`,
			`{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"Done."}}`,
			`{"type":"turn.completed","usage":{"input_tokens":9,"cached_input_tokens":0,"output_tokens":3}}`),
		"pi": "#!/bin/sh\n" + stream(
			`{"type":"session","version":3,"id":"p1","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}`, `{"type":"agent_start"}`,
			`{"type":"message_end","message":{"role":"user","content":[{"type":"text","text":"say hi"}],"timestamp":1767323046000}}`,
			`{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"hi"}],"api":"a","provider":"p","model":"m1","usage":{"input":9,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":10,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":1767323047000}}`,
			`{"type":"agent_end","messages":[]}`),
		"curl": "#!/bin/sh\ncat >/dev/null\n" + stream(
			`data: {"id":"c1","object":"chat.completion.chunk","model":"m1","choices":[{"index":0,"delta":{"role":"assistant","content":"It "}}]}`, ``,
			`data: {"id":"c1","object":"chat.completion.chunk","model":"m1","choices":[{"index":0,"delta":{"content":"scatters."},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":3}}`, ``,
			`data: [DONE]`, ``),
	}
}

// Material makes what the examples of the man pages take for granted, from a file turns
// with [Turns]: a session s.jsonl that is worth compacting, with a label and a tool call; an old
// session; a prompt; a session in pi's directory.
const Material = `
sess-new > s.jsonl
sess-append --entries s.jsonl < turns > ids
sess-append --type label --set targetId="$(sed -n 40p ids)" --set label=before-refactor s.jsonl >> ids
sess-append -r user -t 'go on' s.jsonl >> ids
echo 'what is next?' > prompt
cat > old.jsonl <<'END'
{"type":"session","id":"5f3c","timestamp":"2025-01-02T03:04:05.000Z","cwd":"/tmp"}
{"type":"message","timestamp":"2025-01-02T03:04:06.000Z","message":{"role":"user","content":"hi","timestamp":1735787046000}}
END
mkdir -p .pi/agent/sessions/--tmp--
cp s.jsonl .pi/agent/sessions/--tmp--/
`

// Stock puts sessions of the working directory into the store, and makes it that of pi's.
const Stock = `
for s in .pi/agent/sessions/*/*.jsonl; do
	sed "1s#\"cwd\":\"[^\"]*\"#\"cwd\":\"$PWD\"#" "$s" > moved && mv moved "$s"
done
sess-fork --store --cwd . --title first s.jsonl > stored
sess-new --store --title second >> stored
`

// Home makes sessions of the working directory where Claude Code and codex keep theirs. It needs a
// HOME of its own.
const Home = `
claude="$HOME/.claude/projects/$(printf %s "$PWD" | tr -c a-zA-Z0-9 -)"
mkdir -p "$claude" "$HOME/.codex"
say() { sess-append -q "$@" agents.jsonl > id; }
sess-new --cwd "$PWD" -o agents.jsonl > id
say -r user -t 'Fix the parser: it hangs on "[[".'
say --entries <<'END'
{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"go test ./..."}}],"provider":"anthropic","model":"claude-sonnet-4-5","stopReason":"toolUse","usage":{"input":900,"output":40,"cacheRead":0,"cacheWrite":0,"totalTokens":940}}
{"role":"toolResult","toolCallId":"c1","toolName":"bash","isError":true,"content":[{"type":"text","text":"--- FAIL: TestBrackets\n\nCommand exited with code 1"}]}
{"role":"assistant","content":[{"type":"toolCall","id":"c2","name":"write","arguments":{"path":"lexer.go","content":"package lexer\n"}}],"provider":"anthropic","model":"claude-sonnet-4-5","stopReason":"toolUse","usage":{"input":1100,"output":60,"cacheRead":0,"cacheWrite":0,"totalTokens":1160}}
{"role":"toolResult","toolCallId":"c2","toolName":"write","content":[{"type":"text","text":"ok"}]}
{"role":"assistant","content":[{"type":"text","text":"The parser no longer hangs."}],"provider":"anthropic","model":"claude-sonnet-4-5","stopReason":"stop","usage":{"input":1300,"output":20,"cacheRead":0,"cacheWrite":0,"totalTokens":1320}}
END
sess-export -q claude -o "$claude" agents.jsonl > made
sess-export -q codex -o "$HOME/.codex" agents.jsonl >> made
rm agents.jsonl id made
`

// ManExamples returns the literal blocks of the EXAMPLES section of a man page,
// as mandoc prints them.
func ManExamples(page string) []string {
	_, section, _ := strings.Cut(page, "\n.Sh EXAMPLES\n")
	section, _, _ = strings.Cut(section, "\n.Sh ")
	var out []string
	for {
		_, rest, found := strings.Cut(section, "\n.Bd -literal")
		if !found {
			return out
		}
		_, rest, _ = strings.Cut(rest, "\n")
		block, rest, _ := strings.Cut(rest, ".Ed")
		out = append(out, strings.NewReplacer(`\e`, `\`, `\-`, "-", `\&`, "").Replace(block))
		section = rest
	}
}

// Repository is a script that makes a repository with a branch, topic, and a session that wrote what is on it.
const Repository = `git init -q -b main . && git config user.email a@example.com && git config user.name a
git commit -q --allow-empty -m root && git checkout -q -b topic
session=$(sess-new --store --cwd "$PWD")
sess-append -q -r user -t 'write a parser' "$session"
i=0; while [ $i -lt 200 ]; do i=$((i + 1)); echo "func parse$i() { return line($i) }"; done >parser.go
content=$(awk '{ printf "%s%sn", $0, "\\" }' parser.go)
printf '%s\n' '{"role":"assistant","content":[{"type":"toolCall","id":"c0","name":"write","arguments":{"path":"parser.go","content":"'"$content"'"}}],"stopReason":"toolUse"}' | sess-append -q --entries "$session"
printf '%s\n' '{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"git commit -m \"Add the parser of lines\""}}],"stopReason":"toolUse"}' | sess-append -q --entries "$session"
git add parser.go && git commit -q -m 'Add the parser of lines'
`
