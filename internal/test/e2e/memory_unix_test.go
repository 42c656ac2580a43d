//go:build unix && !solaris && !aix

package e2e

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/sess-tools/sess/internal/test/drawn"
)

// A tool needs two and a half times the memory of a session's longest line at
// most, and what any program needs.
const (
	memoryFactor = 2.5
	memoryBase   = 24 << 20
)

// A shape is what stands before and behind the text of a huge entry.
type shape struct{ before, after string }

var shapes = map[string]shape{
	"text": cutAt(first, "first question"),
	"string": cutAt(`{"type":"message","id":"aaaa0001","parentId":null,"timestamp":"2026-01-02T03:05:00.000Z",`+
		`"message":{"role":"user","content":"*","timestamp":1767323100000}}`+"\n", "*"),
	"call": cutAt(strings.Replace(second, `{"type":"text","text":"first answer of the session"}`,
		`{"type":"toolCall","id":"c1","name":"write","arguments":{"path":"x","content":"*"}}`, 1), "*"),
	"bash": cutAt(`{"type":"message","id":"aaaa0001","parentId":null,"timestamp":"2026-01-02T03:05:00.000Z",`+
		`"message":{"role":"bashExecution","command":"ls","output":"*","exitCode":0,"timestamp":1767323100000}}`+"\n", "*"),
	"compaction": cutAt(`{"type":"compaction","id":"aaaa0001","parentId":null,"timestamp":"2026-01-02T03:05:00.000Z",`+
		`"summary":"*","firstKeptEntryId":"aaaa0001","tokensBefore":5}`+"\n", "*"),
}

func cutAt(line, text string) shape {
	before, after, _ := strings.Cut(line, text)
	return shape{before, after}
}

// converted are command lines that turn the huge entry into another JSON text,
// which they hold beside it. Where its text is decoded too, that is one more.
var converted = []struct {
	shape  string
	factor float64
	form   string
}{
	{"string", memoryFactor, "openai"},
	{"string", memoryFactor, "markdown"},
	{"call", memoryFactor, "openai"},
	{"call", memoryFactor, "anthropic"},
	{"call", memoryFactor, "text"},
	{"call", memoryFactor, "markdown"},
	{"bash", memoryFactor, "messages"}, // the entry, and the message made of it
	{"bash", 3.25, "openai"},           // and the text of that
	{"bash", 3.25, "text"},
	{"compaction", memoryFactor, "entries"},
	{"compaction", memoryFactor, "context"},
	{"compaction", 3.25, "messages"}, // the entry, the summary message, and the user message of that
	{"compaction", 4.25, "openai"},   // and its text
}

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
	{"sess-path", "--where", ".message.role == \"user\"", "s.jsonl"},
	{"sess-path", "<"},
	{"sess-export", "-q", "codex", "s.jsonl"},
	{"sess-export", "-q", "codex", "--for", "paginated", "s.jsonl"},
	{"sess-fork", "s.jsonl"},
	{"sess-fork", "-o", "out/o.jsonl", "s.jsonl"},
	{"sess-fork", "--branches", "--store", "s.jsonl"},
	{"sess-tree", "s.jsonl"},
	{"sess-check", "s.jsonl"},
	{"sess-compact", "--plan", "s.jsonl"},
	{"sess-append", "--dry-run", "-t", "new", "--parent", "aaaa0001", "s.jsonl"},
	{"sess-append", "-t", "new", "s.jsonl"},
	{"sess-append", "-t", "new", "<"},
	{"sess-append", "-t", "new", "torn.jsonl"},
	{"sess-grep", "-c", "in it", "s.jsonl"},
	{"sess-grep", "-c", "in it", "<"},
	{"sess-grep", "-q", "zzz", "s.jsonl"},
	{"sess-grep", "-l", `"word"\s.*$`, "s.jsonl"},
	{"sess-grep", "-v", "zzz", "s.jsonl"},
	{"sess-grep", "in it", "s.jsonl"},
	{"sess-grep", "-o", "in it", "<"},
	{"sess-grep", "-A1", "in it", "s.jsonl"},
	{"sess-grep", "--json", "in it", "s.jsonl"},
	{"sess-grep", "--lines", "in it", "s.jsonl"},
	{"sess-ls", "."},
	{"sess-ls", "--exact", "."},
	{"sess-ls", "--exact", "--json", "."},
	{"sess-ls", "--exact", "--title", "xt", "."},
}

// One line of 32 MiB, for a third of the command lines; of 64 MiB for all of them with SESS_DRAW=full; of 1 GiB with SESS_HUGE=1, which takes
// minutes and as much disk as six of them.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("moves hundreds of megabytes: not with -short")
	}
	long := size(32<<20, 64<<20)
	if os.Getenv("SESS_HUGE") != "" {
		long = 1 << 30
	}
	for _, args := range drawn.Third(t, huge) {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			dir := t.TempDir()
			name := args[len(args)-1]
			if !strings.HasSuffix(name, ".jsonl") {
				name = "s.jsonl"
			}
			line := longLine(t, filepath.Join(dir, name), shapes["text"], long)
			check(t, os.Mkdir(filepath.Join(dir, "out"), 0o700))
			wantMemory(t, dir, args, line, memoryFactor)
		})
	}
	for _, c := range drawn.Third(t, converted) {
		t.Run(c.shape+" "+c.form, func(t *testing.T) {
			dir := t.TempDir()
			line := longLine(t, filepath.Join(dir, "s.jsonl"), shapes[c.shape], long)
			wantMemory(t, dir, []string{"sess-path", "--as", c.form, "s.jsonl"}, line, c.factor)
		})
	}
}

func wantMemory(t *testing.T, dir string, args []string, line int, factor float64) {
	t.Helper()
	peak := peakMemory(t, dir, args)
	t.Logf("%.2f times the line", float64(peak)/float64(line))
	if float64(peak) > factor*float64(line)+memoryBase {
		t.Errorf("%d MiB for a line of %d", peak>>20, line>>20)
	}
}

// longLine makes a session with one entry of about size bytes, and returns its
// length. Its text has escapes, so that what a tool reads of it is not what stands
// in the file, and what it shows of it is neither. The test holds little of it: on Linux the
// peak of a child counts from that of its parent.
func longLine(t *testing.T, path string, s shape, size int) int {
	t.Helper()
	if strings.HasPrefix(filepath.Base(path), "torn") {
		s.after = "" // and no end of the line
	}
	f, err := os.Create(path)
	check(t, err)
	defer f.Close()
	_, err = f.WriteString(header + s.before)
	chunk := strings.Repeat(`text with a \"word\" in it, \u001b[1mbold\u001b[0m, and the end of a line\n`, 1<<14)
	n := 0
	for ; n < size && err == nil; n += len(chunk) {
		_, err = f.WriteString(chunk)
	}
	if err == nil {
		_, err = f.WriteString(s.after)
	}
	check(t, err)
	return n + len(s.before) + len(s.after)
}

// peakMemory runs a command line and returns the most memory it had, in bytes.
func peakMemory(t *testing.T, dir string, args []string) int64 {
	t.Helper()
	// Not into memory of ours: a child's peak counts what it had before exec.
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	check(t, err)
	defer null.Close()
	c := command(dir, args...)
	if last := len(args) - 1; args[last] == "<" {
		in, err := os.Open(filepath.Join(dir, "s.jsonl"))
		check(t, err)
		defer in.Close()
		c = command(dir, args[:last]...)
		c.Stdin = in
	}
	c.Stdout = null
	if r := wait(t, c); r.status > 1 {
		t.Errorf("status %d: %s", r.status, r.stderr)
	}
	peak := c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss //nolint:forcetypeassert // that of unix
	if runtime.GOOS != "darwin" {
		peak *= 1024
	}
	return peak
}

// TestRecordMemory: a recording takes memory for what waits to be read, not for what was
// recorded. As above, nothing runs beside it: the peak of a child counts what we have.
func TestRecordMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("moves hundreds of megabytes: not with -short")
	}
	dir := t.TempDir()
	write(t, dir, "session.jsonl", header)
	f, err := os.Create(filepath.Join(dir, "s.jsonl")) // what peakMemory gives as standard input
	check(t, err)
	words, n := strings.Repeat("words of a model, ", 250), 0
	for i := 0; n < size(96, 192)<<20; i++ {
		line := fmt.Sprintf(`{"type":"assistant","message":{"id":"m%d","role":"assistant","model":"m","content":[{"type":"text","text":"%s"}]},"session_id":"c","uuid":"u%d"}`+"\n",
			i, words, i)
		if _, err := f.WriteString(line); err != nil {
			t.Fatal(err)
		}
		n += len(line)
	}
	check(t, f.Close())
	const limit = 400 << 20
	if peak := peakMemory(t, dir, []string{"SESS_SYNC=never", "sess-record", "session.jsonl", "<"}); peak > limit {
		t.Errorf("%d MB for a stream of %d MB", peak>>20, n>>20)
	}
}

// wholes are the command lines that need a session of many entries to its end, and by how much more their memory may grow
// than the session does. Those that keep it whole let no garbage be that is as large. Those that look at calls do not keep it, nor
// do sums.
var wholes = []struct {
	args []string
	most float64
}{
	{[]string{"sess-stat", "--context", "s.jsonl"}, whole},
	{[]string{"sess-calls", "s.jsonl"}, 0.5},
	{[]string{"sess-assert", "--no-call", "run:git push*", "s.jsonl"}, 0.5},
	{[]string{"sess-path", "--as", "markdown", "s.jsonl"}, whole},
	{[]string{"sess-compact", "--plan", "s.jsonl"}, whole},
	{[]string{"sess-stat", "--usage", "s.jsonl"}, 1. / 3},
}

const whole = 1.7

func TestWholeMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("moves hundreds of megabytes: not with -short")
	}
	small, big := t.TempDir(), t.TempDir()
	less, more := manyEntries(t, small, 35<<20), manyEntries(t, big, 70<<20)
	for _, tt := range wholes {
		growth := float64(peakMemory(t, big, tt.args)-peakMemory(t, small, tt.args)) / float64(more-less)
		t.Logf("%s: %.2f times the session", strings.Join(tt.args, " "), growth)
		if growth > tt.most {
			t.Errorf("%s: takes %.2f times as much more as the session is longer, and may take %.2f", strings.Join(tt.args, " "), growth, tt.most)
		}
	}
}

// manyEntries makes a session of about size bytes, of turns with one call, and returns how long it is.
func manyEntries(t *testing.T, dir string, size int) (n int) {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, "s.jsonl"))
	check(t, err)
	defer f.Close()
	w := bufio.NewWriter(f)
	words, parent := strings.Repeat(`words of \"someone\", `, 200), "null"
	n, err = w.WriteString(header)
	for i := 0; n < size && err == nil; i++ {
		for k, message := range []string{
			`{"role":"user","content":[{"type":"text","text":"` + words[:len(words)/10] + `"}],"timestamp":1767323100000}`,
			fmt.Sprintf(`{"role":"assistant","content":[{"type":"thinking","thinking":"%s"},{"type":"text","text":"%s"},`+
				`{"type":"toolCall","id":"c%d","name":"bash","arguments":{"command":"go test ./p%d | head"}}],"provider":"p","model":"m","api":"a",`+
				`"usage":{"input":1,"output":2,"cacheRead":0,"cacheWrite":0,"totalTokens":3,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},`+
				`"stopReason":"toolUse","timestamp":1767323100000}`, words, words, i, i),
			fmt.Sprintf(`{"role":"toolResult","toolCallId":"c%d","toolName":"bash","content":[{"type":"text","text":"%s"}],"isError":false,"timestamp":1767323100000}`, i, words+words),
		} {
			id, m := fmt.Sprintf("%07x%d", i, k), 0
			m, err = fmt.Fprintf(w, `{"type":"message","id":"%s","parentId":%s,"timestamp":"2026-01-02T03:05:00.000Z","message":%s}`+"\n", id, parent, message)
			n, parent = n+m, `"`+id+`"`
		}
	}
	if err == nil {
		err = w.Flush()
	}
	check(t, err)
	return n
}
