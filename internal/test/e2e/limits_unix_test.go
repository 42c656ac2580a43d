//go:build unix && !solaris && !aix

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	secrets "github.com/sess-tools/sess/internal/test/planted"
)

// A map of the user's that is a pipe, a link to what has no end, a directory or far too large ends its own sessions alone, at
// once and by name.
func TestOwnMapsAreFiles(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		make func(path string) error
		says string
	}{
		"a pipe":       {func(path string) error { return syscall.Mkfifo(path, 0o600) }, "is a named pipe"},
		"a device":     {func(path string) error { return os.Symlink("/dev/zero", path) }, "not a regular file"},
		"a directory":  {func(path string) error { return os.Mkdir(path, 0o700) }, "is a directory"},
		"too large":    {func(path string) error { return os.WriteFile(path, make([]byte, 1<<20+1), 0o600) }, "more than a mebibyte"},
		"without end":  {func(path string) error { return os.Symlink(filepath.Base(path), path) }, "too many levels"},
		"not there":    {func(path string) error { return os.Symlink("nowhere", path) }, "no such file"},
		"large enough": {func(path string) error { return os.WriteFile(path, make([]byte, 1<<20), 0o600) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			maps := filepath.Join(dir, ".config", "sess", "agents")
			check(t, os.MkdirAll(maps, 0o700))
			check(t, tt.make(filepath.Join(maps, "mine.jq")))
			if r := limited(t, dir, "sess-ls", "--agent", "claude"); strings.Contains(r.stderr, "mine") || r.status > 1 {
				t.Errorf("sess-ls of another agent: %d %s", r.status, r.stderr)
			}
			if r := limited(t, dir, "sess-import", "mine", "s.jsonl"); r.status == 0 || !strings.Contains(r.stderr, tt.says) || !strings.Contains(r.stderr, "mine") {
				t.Errorf("sess-import: %d %s", r.status, r.stderr)
			}
		})
	}
}

// sess-record refuses a session that is a pipe or a device, before the agent runs.
func TestRecordWantsAFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, special := range map[string]func(path string) error{
		"pipe":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"device": func(path string) error { return os.Symlink("/dev/null", path) },
	} {
		check(t, special(filepath.Join(dir, name)))
		for _, flags := range [][]string{nil, {"--create"}, {"--best-effort"}} {
			r := limited(t, dir, append(append([]string{"sess-record"}, flags...), name, "--", "touch", "ran")...)
			if r.status != 2 || !strings.Contains(r.stderr, "not a regular file") {
				t.Errorf("%s %v: %d %s", name, flags, r.status, r.stderr)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
		t.Error("the agent ran")
	}
}

// A session that disappears while it is watched, or that something else takes the place of, is told once, and watched again
// when it is back.
func TestWatchTellsWhatIsGone(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		put  func(path string) error
		says string
	}{
		"gone":        {nil, "no such file"},
		"a directory": {func(path string) error { return os.Mkdir(path, 0o700) }, "is a directory"},
		"a pipe":      {func(path string) error { return syscall.Mkfifo(path, 0o600) }, "is a named pipe"},
		"a device":    {func(path string) error { return os.Symlink("/dev/zero", path) }, "not a regular file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, dir, "s.jsonl", good)
			c := command(dir, "sess-watch", "--timeout", "1m", "s.jsonl")
			out, errs := firstWrite(), firstWrite()
			c.Stdout, c.Stderr = out, errs
			check(t, c.Start())
			<-out.begun // it has read the session
			path := filepath.Join(dir, "s.jsonl")
			check(t, os.Remove(path))
			if tt.put != nil {
				check(t, tt.put(path))
			}
			ended := make(chan error, 1)
			go func() { ended <- c.Wait() }()
			select {
			case err := <-ended:
				t.Fatalf("it ended: %v: %q", err, errs.text())
			case <-errs.begun:
			}
			time.Sleep(time.Second) // in which it is told once more, if ever
			_ = c.Process.Kill()
			<-ended
			// It may have looked between the two.
			if text := errs.text(); strings.Count(text, "warning") != 1 || !strings.Contains(text, "s.jsonl") ||
				!strings.Contains(text, tt.says) && !strings.Contains(text, "no such file") {
				t.Errorf("%q", text)
			}
		})
	}
	dir := t.TempDir()
	write(t, dir, "s.jsonl", good)
	c := command(dir, "sess-watch", "-q", "--timeout", "4s", "s.jsonl")
	time.AfterFunc(time.Second, func() { _ = os.Remove(filepath.Join(dir, "s.jsonl")) })
	if r := wait(t, c); r.stderr != "" && strings.Contains(r.stderr, "warning") {
		t.Errorf("-q: %q", r.stderr)
	}
}

// A watchedOutput keeps the output of a program; begun is closed at the first of it.
type watchedOutput struct {
	begun chan struct{}
	mu    sync.Mutex
	b     strings.Builder
}

func firstWrite() *watchedOutput { return &watchedOutput{begun: make(chan struct{})} }

func (w *watchedOutput) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.b.Len() == 0 {
		close(w.begun)
	}
	return w.b.Write(p)
}

func (w *watchedOutput) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.String()
}

// Compressed files beside sessions are said, since they are not read.
func TestPackedSessionsAreSaid(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "a.jsonl", good)
	for _, tool := range []string{"sess-assert --max-calls 9", "sess-calls", "sess-grep question", "sess-redact --check"} {
		if r := runCommand(t, dir, "", append(strings.Fields(tool), ".")...); strings.Contains(r.stderr, "compressed") {
			t.Errorf("%s: %s", tool, r.stderr)
		}
	}
	write(t, dir, "b.jsonl.gz", "x")
	write(t, dir, "c.jsonl.zst", "x")
	for _, tool := range []string{"sess-assert --max-calls 9", "sess-calls", "sess-grep question", "sess-redact --check"} {
		r := runCommand(t, dir, "", append(strings.Fields(tool), ".")...)
		if !strings.Contains(r.stderr, "compressed") || !strings.Contains(r.stderr, "b.jsonl.gz") || !strings.Contains(r.stderr, "c.jsonl.zst") {
			t.Errorf("%s: %d %s", tool, r.status, r.stderr)
		}
	}
}

// The exchange formats hold a message at a time.
func TestExchangeMemory(t *testing.T) {
	dir := t.TempDir()
	var b strings.Builder
	b.WriteString(`{"type":"session","version":3,"id":"01a3f000-0000-7000-8000-000000000001","timestamp":"2026-01-02T03:04:05.678Z","cwd":"/p"}` + "\n")
	parent := "null"
	add := func(n int, message string) {
		fmt.Fprintf(&b, `{"type":"message","id":"%08x","parentId":%s,"timestamp":"2026-01-02T03:05:00.000Z","message":%s}`+"\n", n, parent, message)
		parent = fmt.Sprintf(`"%08x"`, n)
	}
	const many = 10_000
	for n := range many {
		add(2*n+1, fmt.Sprintf(`{"role":"assistant","content":[{"type":"text","text":"ok"},{"type":"toolCall","id":"c%d","name":"bash","arguments":{"command":"echo"}}],"model":"m","provider":"p","usage":{"input":1,"output":1}}`, n))
		add(2*n+2, fmt.Sprintf(`{"role":"toolResult","toolCallId":"c%d","toolName":"bash","content":[{"type":"text","text":"ok"}],"isError":false}`, n))
	}
	write(t, dir, "s.jsonl", b.String())
	limit := int64(64<<20 + 3*b.Len())
	forms := [][]string{{"otlp"}, {"otlp", "--content"}, {"atif"}, {"sft"}}
	for _, form := range forms {
		c := command(dir, append(append([]string{"sess-export", "-q"}, form...), "s.jsonl", "-o", strings.Join(form, "")+".json")...)
		if r := wait(t, c); r.status != 0 {
			t.Fatalf("%v: %d %s", form, r.status, r.stderr)
		}
		used := c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss //nolint:forcetypeassert // that of unix
		if runtime.GOOS != "darwin" {
			used <<= 10 // which counts in bytes
		}
		if used > limit {
			t.Errorf("%v: %d MB, may have %d", form, used>>20, limit>>20)
		}
	}
	for _, form := range forms { // a program that is started counts the memory of the one that starts it
		text, err := os.ReadFile(filepath.Join(dir, strings.Join(form, "")+".json"))
		if err != nil || !json.Valid(text) || strings.Count(string(text), `"c9999"`) == 0 {
			t.Errorf("%v: %v, or not JSON, or not whole", form, err)
		}
	}
}

// An id of a call that looks like a secret is not handed over, and no other secret is; those of a rule that the file disables stay.
func TestHandoffSkips(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	token, other := secrets.New(31).GitHub(), secrets.New(32).Stripe()
	session := strings.ReplaceAll(`{"type":"session","version":3,"id":"01a3f000-0000-7000-8000-000000000001","timestamp":"2026-01-02T03:04:05.678Z","cwd":"/p"}
{"type":"message","id":"00000001","parentId":null,"timestamp":"2026-01-02T03:05:00.000Z","message":{"role":"user","content":"look at KEY","timestamp":1}}
{"type":"message","id":"00000002","parentId":"00000001","timestamp":"2026-01-02T03:05:01.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"TOKEN","name":"bash","arguments":{"command":"ls"}}],"model":"m","provider":"p","usage":{"input":1,"output":1}}}
{"type":"message","id":"00000003","parentId":"00000002","timestamp":"2026-01-02T03:05:02.000Z","message":{"role":"toolResult","toolCallId":"TOKEN","toolName":"bash","content":[{"type":"text","text":"ok"}],"isError":false}}
`, "TOKEN", token)
	write(t, dir, "s.jsonl", strings.ReplaceAll(session, "KEY", other))
	skip := func(rule string) string {
		return "SESS_REDACT=" + write(t, dir, "redact.toml", "[extend]\nuseDefault = true\ndisabledRules = ["+rule+"]\n")
	}
	whole := func(rule string, args ...string) result {
		return scripted(t, dir, skip(rule)+" HOME=$PWD sess-handoff --to pi "+strings.Join(args, " ")+" s.jsonl >/dev/null && cat .pi/agent/sessions/*/*.jsonl; rm -r .pi")
	}
	for _, r := range []result{runCommand(t, dir, "", "sess-handoff", "--brief", "s.jsonl"), whole(""), whole("", "--brief"), whole(`"github-pat"`)} {
		if r.status != 0 || strings.Contains(r.stdout, other) || strings.Contains(r.stdout, token) || !strings.Contains(r.stdout, "redacted:stripe-access-token") {
			t.Errorf("a secret: %d %s%s", r.status, r.stderr, r.stdout)
		}
	}
	if r := whole(`"stripe-access-token"`); r.status != 0 || !strings.Contains(r.stdout, other) || strings.Contains(r.stdout, token) {
		t.Errorf("a rule that is disabled: %d %s%s", r.status, r.stderr, r.stdout)
	}
	if r := runCommand(t, dir, "", "sh", "-c", skip(`"no-such-rule"`)+" sess-handoff --brief s.jsonl"); r.status != 2 || !strings.Contains(r.stderr, "no-such-rule") {
		t.Errorf("a rule that there is not: %d %s", r.status, r.stderr)
	}
}

// With --redact rows of calls have no secret, in any form, and JSON stays JSON.
func TestCallsRedact(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	token := secrets.New(33).GitHub()
	write(t, dir, "s.jsonl", strings.ReplaceAll(`{"type":"session","version":3,"id":"01a3f000-0000-7000-8000-000000000001","timestamp":"2026-01-02T03:04:05.678Z","cwd":"/p"}
{"type":"message","id":"00000002","parentId":null,"timestamp":"2026-01-02T03:05:01.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"cd x && git push https://x:TOKEN@h/r"}},{"type":"toolCall","id":"c2","name":"fetch","arguments":{"url":"https://h/?token=TOKEN"}},{"type":"toolCall","id":"c3","name":"write","arguments":{"path":"/p/TOKEN.txt","content":"x"}}],"model":"m","provider":"p","usage":{"input":1,"output":1}}}
`, "TOKEN", token))
	for _, form := range []string{"", "--plain", "--simple", "--json", "--plain --run git*"} {
		args := append(append([]string{"sess-calls"}, strings.Fields(form)...), "s.jsonl")
		if r := runCommand(t, dir, "", args...); !strings.Contains(r.stdout, token) {
			t.Errorf("%s: the test shows nothing: %s%s", form, r.stdout, r.stderr)
		}
		r := runCommand(t, dir, "", append(args, "--redact")...)
		if r.status != 0 || strings.Contains(r.stdout, token) || !strings.Contains(r.stdout, "[redacted:") {
			t.Errorf("%s: %d %s%s", form, r.status, r.stdout, r.stderr)
		}
		if strings.HasPrefix(form, "--json") {
			for row := range strings.FieldsFuncSeq(r.stdout, func(r rune) bool { return r == '\n' || r == 0 }) {
				if !json.Valid([]byte(row)) {
					t.Errorf("%s: %q", form, row)
				}
			}
		}
	}
}
