//go:build unix && !solaris && !aix

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// A tool needs two and a half times the memory of a session's longest line at
// most, and what any program needs.
const (
	memoryFactor = 2.5
	memoryBase   = 24 << 20
)

// huge are the command lines that meet the huge line; "<" at the end stands for
// the session on standard input.
var huge = [][]string{
	{"sess-path", "s.jsonl"},
	{"sess-path", "--as", "state", "s.jsonl"},
	{"sess-path", "--as", "messages", "s.jsonl"},
	{"sess-path", "--as", "context", "s.jsonl"},
	{"sess-path", "--as", "openai", "s.jsonl"},
	{"sess-path", "--as", "anthropic", "s.jsonl"},
	{"sess-path", "--as", "text", "s.jsonl"},
	{"sess-path", "--as", "markdown", "s.jsonl"},
	{"sess-path", "<"},
	{"sess-fork", "s.jsonl"},
	{"sess-fork", "-o", "out/o.jsonl", "s.jsonl"},
	{"sess-fork", "--all", "--store", "s.jsonl"},
	{"sess-tree", "s.jsonl"},
	{"sess-check", "s.jsonl"},
	{"sess-compact", "--plan", "s.jsonl"},
	{"sess-append", "--dry-run", "-t", "new", "--parent", "aaaa0001", "s.jsonl"},
	{"sess-append", "-t", "new", "s.jsonl"},
	{"sess-append", "-t", "new", "<"},
	{"sess-append", "-t", "new", "torn.jsonl"},
	{"sess-ls", "."},
	{"sess-ls", "--count", "."},
	{"sess-ls", "--count", "--json", "."},
	{"sess-ls", "--count", "--name", "xt", "."},
}

// One line of 64 MiB; of 1 GiB with SESS_HUGE=1, which takes minutes and as much
// disk as six of them.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("moves hundreds of megabytes: not with -short")
	}
	size := 64 << 20
	if os.Getenv("SESS_HUGE") != "" {
		size = 1 << 30
	}
	for _, args := range huge {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			dir := t.TempDir()
			name := args[len(args)-1]
			if !strings.HasSuffix(name, ".jsonl") {
				name = "s.jsonl"
			}
			line := longLine(t, filepath.Join(dir, name), size)
			if err := os.Mkdir(filepath.Join(dir, "out"), 0o700); err != nil {
				t.Fatal(err)
			}
			peak := peakMemory(t, dir, args)
			t.Logf("%.2f times the line", float64(peak)/float64(line))
			if float64(peak) > memoryFactor*float64(line)+memoryBase {
				t.Errorf("%d MiB for a line of %d", peak>>20, line>>20)
			}
		})
	}
}

// longLine makes a session with one entry of about size bytes, and returns its
// length. Its text has escapes, so that what a tool reads of it is not what stands
// in the file, and what it shows of it is neither. The test holds little of it: on Linux the
// peak of a child counts from that of its parent.
func longLine(t *testing.T, path string, size int) int {
	t.Helper()
	before, after, _ := strings.Cut(first, "first question")
	if strings.HasPrefix(filepath.Base(path), "torn") {
		after = "" // and no end of the line
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	_, err = f.WriteString(header + before)
	chunk := strings.Repeat(`text with a \"word\" in it, \u001b[1mbold\u001b[0m, and the end of a line\n`, 1<<14)
	n := 0
	for ; n < size && err == nil; n += len(chunk) {
		_, err = f.WriteString(chunk)
	}
	if err == nil {
		_, err = f.WriteString(after)
	}
	if err != nil {
		t.Fatal(err)
	}
	return n + len(before) + len(after)
}

// peakMemory runs a command line and returns the most memory it had, in bytes.
func peakMemory(t *testing.T, dir string, args []string) int64 {
	t.Helper()
	// Not into memory of ours: a child's peak counts what it had before exec.
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	c := exec.Command(filepath.Join(bin, args[0]), args[1:]...)
	if last := len(args) - 1; args[last] == "<" {
		in, err := os.Open(filepath.Join(dir, "s.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		c = exec.Command(filepath.Join(bin, args[0]), args[1:last]...)
		c.Stdin = in
	}
	c.Dir, c.Env, c.Stdout = dir, env(dir), null
	if r := wait(t, c); r.status > 1 {
		t.Errorf("status %d: %s", r.status, r.stderr)
	}
	peak := c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss //nolint:forcetypeassert // that of unix
	if runtime.GOOS != "darwin" {
		peak *= 1024
	}
	return peak
}

