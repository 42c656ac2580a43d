package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// large is a session of more than size bytes with branches.
func large(size int) string {
	r := rand.New(rand.NewPCG(3, 1))
	var b strings.Builder
	b.WriteString(header)
	parent, before := "null", "null"
	for i := 0; b.Len() < size; i++ {
		id := fmt.Sprintf("%08x", i)
		if i%50 == 49 {
			parent = before // the entries between are a branch that was left
		}
		if i%50 == 40 {
			before = parent
		}
		fmt.Fprintf(&b, `{"type":"message","id":"%s","parentId":%s,"timestamp":"2026-01-02T03:05:00.000Z","message":{"role":"user","content":[{"type":"text","text":"question %d %s"}],"timestamp":1767323100000}}`+"\n",
			id, parent, i, strings.Repeat("word ", r.IntN(4000)))
		parent = `"` + id + `"`
	}
	return b.String()
}

// The path of a large session, of whose lines only the heads are read, is the
// one found by reading all of it, as SESS_BLOBS has it done; into a pipe, a file and a
// file that is appended to.
func TestLargePath(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	content := large(34 << 20)
	write(t, dir, "s.jsonl", content)
	write(t, dir, "torn.jsonl", content+`{"type":"message","id":"torn","par`)
	write(t, dir, "unended.jsonl", strings.TrimSuffix(content, "\n"))
	write(t, dir, "odd.jsonl", content+"\n"+`{"type":"custom","id":"x","parentId":"00000000"}`+"\n")
	for _, args := range [][]string{
		{"s.jsonl"},
		{"--leaf", "00000100", "s.jsonl"},
		{"--leaf", "0000010", "s.jsonl"},
		{"--no-header", "s.jsonl"},
		{"torn.jsonl"},
		{"unended.jsonl"},
		{"odd.jsonl"},
		{"--leaf", "000000", "s.jsonl"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			want := runCommand(t, dir, "", append([]string{"SESS_BLOBS=.", "sess-path"}, args...)...)
			got := runCommand(t, dir, "", append([]string{"sess-path"}, args...)...)
			if got != want {
				t.Errorf("status %d, %d bytes, %q; want %d, %d bytes, %q",
					got.status, len(got.stdout), got.stderr, want.status, len(want.stdout), want.stderr)
			}
		})
	}
	want := runCommand(t, dir, "", "sess-path", "s.jsonl").stdout
	for _, redirection := range []string{"> out", ">> out", "| cat > out"} {
		if r := runCommand(t, dir, "", "sh", "-c", ": > out; sess-path < s.jsonl "+redirection); r.status != 0 || r.stderr != "" {
			t.Errorf("%s: status %d, %s", redirection, r.status, r.stderr)
		}
		if got := readFile(t, filepath.Join(dir, "out")); got != want {
			t.Errorf("%s: %d bytes, want %d", redirection, len(got), len(want))
		}
	}
}

// What takes no more than the tail of a session reads no more, however large it
// is: the bytes read are those that the kernel has counted.
func TestBoundedReading(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/io"); err != nil {
		t.Skip("no /proc/self/io here")
	}
	const bound = 4 << 20 // the tools themselves are mapped, not read
	dir := t.TempDir()
	write(t, dir, "s.jsonl", large(17<<20))
	if r := runCommand(t, dir, "", "sess-compact", "--keep", "3000", "s.jsonl"); r.status != 0 {
		t.Fatal(r.stderr)
	}
	for _, args := range [][]string{
		{"sess-append", "-t", "more", "s.jsonl"},
		{"sess-path", "--as", "messages", "s.jsonl"},
		{"sess-path", "--as", "openai", "s.jsonl"},
		{"sess-ls", "--json", "."},
	} {
		t.Run(strings.Join(args[:2], " "), func(t *testing.T) {
			c := exec.Command("sh", "-c", `"$@" >/dev/null && cat /proc/$$/io`, "sh", filepath.Join(bin, args[0]))
			c.Args = append(c.Args, args[1:]...)
			c.Dir, c.Env = dir, env(dir)
			r := wait(t, c)
			var n int64
			if _, err := fmt.Sscanf(r.stdout, "rchar: %d", &n); err != nil || r.status != 0 {
				t.Fatalf("status %d, %s%s", r.status, r.stdout, r.stderr)
			}
			if n > bound {
				t.Errorf("%d bytes were read", n)
			}
		})
	}
}

// What is said of the context and the state of a large session from its tail and
// the heads of its lines is what reading all of it says.
func TestLargeState(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var b strings.Builder
	b.WriteString(strings.Replace(header, `"cwd"`, `"title":"a title","cwd"`, 1))
	b.WriteString(`{"type":"thinking_level_change","id":"think","parentId":null,"timestamp":"2026-01-02T03:05:00.000Z","thinkingLevel":"high"}` + "\n")
	b.WriteString(`{"type":"label","id":"label","parentId":"think","timestamp":"2026-01-02T03:05:00.000Z","targetId":"think","label":"here"}` + "\n")
	b.WriteString(strings.Replace(strings.TrimPrefix(large(17<<20), header), `"parentId":null`, `"parentId":"label"`, 1))
	write(t, dir, "s.jsonl", b.String())
	for _, args := range [][]string{
		{"sess-append", "-r", "assistant", "--model", "m", "--provider", "p", "-t", "an answer", "s.jsonl"},
		{"sess-compact", "--keep", "3000", "s.jsonl"},
		{"sess-append", "-r", "assistant", "--model", "m2", "--provider", "p", "-t", "another", "s.jsonl"},
	} {
		if r := runCommand(t, dir, "", args...); r.status != 0 {
			t.Fatal(r.stderr)
		}
	}
	for _, as := range []string{"context", "state", "messages", "openai", "anthropic", "text"} {
		want := runCommand(t, dir, "", "sess-path", "--as", as, "--strict", "s.jsonl")
		got := runCommand(t, dir, "", "sess-path", "--as", as, "s.jsonl")
		if got != want || got.status != 0 || len(got.stdout) < 50 {
			t.Errorf("%s: status %d, %q\n%.2000s\nwant status %d, %q\n%.2000s", as, got.status, got.stderr, got.stdout, want.status, want.stderr, want.stdout)
		}
	}
}
