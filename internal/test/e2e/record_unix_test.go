//go:build unix && !solaris && !aix

package e2e

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/pkg/jsonl"
)

// sampleStream is what an agent printed.
func sampleStream(t *testing.T, program, scenario string) string {
	t.Helper()
	return string(corpus.Golden(t, "streams/"+program)[scenario+"/stdout"])
}

// TestRecordPasses: what passes is the stream to the byte, whatever becomes of the session.
func TestRecordPasses(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"claude", "codex", "copilot", "gemini", "omp-13", "omp-18", "opencode", "pi-0.73", "pi-0.87", "qwen"} {
		for name, data := range corpus.Golden(t, "streams/"+program) {
			if strings.HasSuffix(name, "/stored") || strings.Contains(name, "14d-") || strings.HasSuffix(name, "14c-json-fatal/stdout") {
				continue
			}
			t.Run(program+"/"+name, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				write(t, dir, "s.jsonl", header)
				r := runCommand(t, dir, string(data), "sess-record", "s.jsonl")
				if r.status != 0 || r.stdout != string(data) {
					t.Errorf("status %d, %d bytes of %d, %s", r.status, len(r.stdout), len(data), r.stderr)
				}
				script(t, dir, "sess-check s.jsonl >&2")
			})
		}
	}
}

// TestRecordFullDisk: the stream passes on a full disk, too, and what was recorded is kept
// where there is room.
func TestRecordFullDisk(t *testing.T) {
	t.Parallel()
	disk, dir := smallDisk(t), t.TempDir()
	write(t, disk, "s.jsonl", header)
	fill(t, filepath.Join(disk, "filler"))
	stream := sampleStream(t, "claude", "04-parallel")
	r := runCommand(t, dir, stream, "sess-record", filepath.Join(disk, "s.jsonl"))
	if r.status != 2 || r.stdout != "" || !strings.Contains(r.stderr, "no space left on device") {
		t.Errorf("status %d, %d bytes, %s", r.status, len(r.stdout), r.stderr)
	}
	r = runCommand(t, dir, stream, "sess-record", "--best-effort", filepath.Join(disk, "s.jsonl"))
	if r.status != 0 || r.stdout != stream || !strings.Contains(r.stderr, "no space left on device") {
		t.Errorf("status %d, %d bytes of %d, %s", r.status, len(r.stdout), len(stream), r.stderr)
	}
	if got := readFile(t, filepath.Join(disk, "s.jsonl")); got != header {
		t.Errorf("the session was changed: %s", got)
	}
	_, apply, found := strings.Cut(r.stderr, "to add it: ")
	if !found {
		t.Fatalf("kept nowhere: %s", r.stderr)
	}
	check(t, os.Remove(filepath.Join(disk, "filler")))
	script(t, dir, apply)
	if got := script(t, dir, "sess-path --as text "+filepath.Join(disk, "s.jsonl")); !strings.Contains(got, "Reading both.") {
		t.Errorf("added %s", got)
	}
}

// TestRecordLocked: a writer that holds the session does not hold up the stream, and is
// waited for at the end.
func TestRecordLocked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := write(t, dir, "s.jsonl", header)
	held, err := jsonl.OpenAppender(context.Background(), path, jsonl.Options{})
	check(t, err)
	stream := sampleStream(t, "pi-0.87", "03-tool")
	in, out, end := piped(t, command(dir, "sess-record", "--wait", "1h", "s.jsonl"))
	passed := bufio.NewReader(out)
	for line := range strings.Lines(stream) { // each comes out before the next goes in
		_, err := io.WriteString(in, line)
		check(t, err)
		if got, err := passed.ReadString('\n'); got != line {
			t.Fatalf("passed %.100q, %v", got, err)
		}
	}
	if got := readFile(t, path); got != header {
		t.Errorf("written while it is locked: %s", got)
	}
	check(t, held.Close())
	in.Close()
	checkRun(t, end(), 0, "sess-record", "")
	if got := script(t, dir, "sess-path --as text s.jsonl"); !strings.Contains(got, "It says eins, zwei, drei.") {
		t.Errorf("recorded %s", got)
	}
}

// TestRecordUndelayed: a piece of a line passes before the line ends.
func TestRecordUndelayed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "s.jsonl", header)
	in, out, end := piped(t, command(dir, "sess-record", "--reply", "text", "s.jsonl"))
	for _, piece := range "grüße" {
		n, err := io.WriteString(in, string(piece))
		check(t, err)
		_, err = io.ReadFull(out, make([]byte, n))
		check(t, err)
	}
	in.Close()
	if r := end(); r.status != 0 {
		t.Errorf("status %d: %s", r.status, r.stderr)
	}
}

// TestRecordKilled: whatever came before a kill, at any line and in its midst, the session
// has whole entries, results behind their calls, and goes on.
func TestRecordKilled(t *testing.T) {
	t.Parallel()
	stream := sampleStream(t, "claude", "04b-slow-parallel")
	step := size(len(stream)/12, len(stream)/60)
	for cut := 0; cut <= len(stream); cut += step {
		t.Run(fmt.Sprint(cut), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, dir, "s.jsonl", header)
			c := command(dir, "sess-record", "--prompt", "go", "s.jsonl")
			in, err := c.StdinPipe()
			check(t, err)
			end := begin(t, c)
			_, _ = io.WriteString(in, stream[:cut])
			time.Sleep(time.Duration(cut%7) * time.Millisecond) // anywhere in the work
			_ = c.Process.Kill()
			in.Close()
			if r := end(); r.status != 128+int(syscall.SIGKILL) {
				t.Fatalf("status %d: %s", r.status, r.stderr)
			}
			script(t, dir, "sess-check s.jsonl && sess-append -q -t on s.jsonl && sess-path --as anthropic s.jsonl >request && sess-check s.jsonl")
		})
	}
}

// TestRecordSignals: an interrupt, which whoever prints gets too, does not end a recording;
// what else ends programs ends it, with what came so far.
func TestRecordSignals(t *testing.T) {
	t.Parallel()
	stream := sampleStream(t, "pi-0.87", "01-text")
	said, _, _ := strings.Cut(stream, `"text_end"`)
	half := strings.LastIndex(said, "\n") + 1
	for sig, want := range map[syscall.Signal]struct {
		status int
		stop   string
	}{syscall.SIGINT: {0, "stop"}, syscall.SIGTERM: {130, "aborted"}, syscall.SIGHUP: {130, "aborted"}} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			needs(t, sig)
			dir := t.TempDir()
			write(t, dir, "s.jsonl", header)
			c := command(dir, "sess-record", "s.jsonl")
			in, out, end := piped(t, c)
			_, err := io.WriteString(in, stream[:half])
			check(t, err)
			_, err = io.ReadFull(out, make([]byte, half)) // it is at work
			check(t, err)
			check(t, c.Process.Signal(sig))
			if want.status == 0 {
				_, _ = io.WriteString(in, stream[half:])
				in.Close()
			}
			rest, _ := io.ReadAll(out)
			got := end()
			if got.status != want.status || want.status == 0 && string(rest) != stream[half:] {
				t.Errorf("status %d, want %d: %s", got.status, want.status, got.stderr)
			}
			last := script(t, dir, `sess-path --jq '.message.stopReason // empty' -r s.jsonl | tail -n 1`)
			if strings.TrimSpace(last) != want.stop {
				t.Errorf("the reply ended with %q, want %q", last, want.stop)
			}
		})
	}
}

// TestRecordCommand: the status is the command's, also where it is ended by a signal, and
// an interrupt from the terminal reaches it.
func TestRecordCommand(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, script string
		status       int
	}{
		{"ended well", `cat stream`, 0},
		{"failed", `cat stream; exit 7`, 7},
		{"killed", `cat stream; kill -KILL $$`, 137},
		{"reads on", `cat stream; cat >read`, 0},
		{"left behind", `cat stream & exit 3`, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, dir, "s.jsonl", header)
			stream := sampleStream(t, "opencode", "03-tool")
			write(t, dir, "stream", stream)
			r := runCommand(t, dir, "input", "sess-record", "s.jsonl", "--", "sh", "-c", c.script)
			if r.status != c.status || r.stdout != stream {
				t.Errorf("status %d, want %d: %d bytes of %d, %s", r.status, c.status, len(r.stdout), len(stream), r.stderr)
			}
			if got := script(t, dir, "sess-path --as text s.jsonl"); !strings.Contains(got, "eins") {
				t.Errorf("recorded %s", got)
			}
			if c.name == "reads on" && readFile(t, filepath.Join(dir, "read")) != "input" {
				t.Error("the command did not get standard input")
			}
		})
	}
}

// oneAnswer is a stream with one whole answer that waits for its end.
const oneAnswer = `{"type":"system","subtype":"init","session_id":"c-1","model":"m1"}
{"type":"assistant","message":{"id":"m2","role":"assistant","model":"m1","content":[{"type":"text","text":"It runs."}],"usage":{"input_tokens":19,"output_tokens":1}},"session_id":"c-1","uuid":"u3"}
`

// TestRecordLeftBehind: what an agent started and left behind, such as a server that keeps
// standard output, does not keep the recording: it ends with the status of the agent, and has
// what came.
func TestRecordLeftBehind(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "s.jsonl", header)
	write(t, dir, "stream", oneAnswer)
	r := runCommand(t, dir, "", "sess-record", "s.jsonl", "--", "sh", "-c", `sleep 300 2>/dev/null & echo $! >pid; cat stream; exit 3`)
	left := strings.TrimSpace(readFile(t, filepath.Join(dir, "pid")))
	script(t, dir, "kill "+left) // it was not ended
	if r.status != 3 || r.stdout != oneAnswer {
		t.Errorf("status %d, %q: %s", r.status, r.stdout, r.stderr)
	}
	if got := readFile(t, filepath.Join(dir, "s.jsonl")); !strings.Contains(got, "It runs.") || !strings.Contains(got, `"stopReason":"error"`) {
		t.Errorf("recorded %s", got)
	}
}

// TestRecordLateSignal: a signal that comes when the command is gone ends the recording at
// once, whoever keeps standard output.
func TestRecordLateSignal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "s.jsonl", header)
	write(t, dir, "stream", oneAnswer)
	// Who keeps it says something all the time, so it is no silence that ends the recording.
	c := command(dir, "sess-record", "s.jsonl", "--", "sh", "-c", `(while echo; do sleep 0.2; done) 2>/dev/null & cat stream; exit 3`)
	out, err := c.StdoutPipe()
	check(t, err)
	end := begin(t, c)
	passed := bufio.NewReader(out)
	for blank := 0; blank < 4; { // the command has exited by then, or is about to
		line, err := passed.ReadString('\n')
		check(t, err)
		if line == "\n" {
			blank++
		}
	}
	for range 2 { // the first one may still meet the command
		_ = c.Process.Signal(syscall.SIGTERM)
	}
	go func() { _, _ = io.Copy(io.Discard, passed) }()
	if got := end(); got.status != 3 && got.status != 128+int(syscall.SIGTERM) {
		t.Errorf("status %d: %s", got.status, got.stderr)
	}
	if got := readFile(t, filepath.Join(dir, "s.jsonl")); !strings.Contains(got, "It runs.") {
		t.Errorf("recorded %s", got)
	}
}

// TestRecordFullPipe: TERM ends a recording whose output nobody reads, the messages with it or apart, or its messages alone, when it has ended
// the command, and what had passed is recorded.
func TestRecordFullPipe(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		output, messages bool // that nobody reads
		script           string
	}{
		"one pipe":       {true, true, `cat stream; exec cat /dev/zero`},
		"messages apart": {true, false, `cat stream; exec cat /dev/zero`},
		"messages alone": {false, true, `echo '{"torn'; echo '{"torn'; cat stream; exec sleep 300`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, dir, "s.jsonl", header)
			second := strings.ReplaceAll(strings.SplitAfter(oneAnswer, "\n")[1], `"m2"`, `"m3"`)
			write(t, dir, "stream", oneAnswer+second) // with which the first is whole
			_, out := pipe(t)
			c := command(dir, "sess-record", "--prompt", "go", "s.jsonl", "--", "sh", "-c", tt.script)
			if tt.output {
				c.Stdout = out
			} else {
				clog(t, out)
			}
			if tt.messages {
				c.Stderr = out
			}
			check(t, c.Start())
			ended := make(chan error, 1)
			go func() { ended <- c.Wait() }()
			for late := time.Now().Add(longestRun); !strings.Contains(readFile(t, filepath.Join(dir, "s.jsonl")), "It runs."); time.Sleep(10 * time.Millisecond) {
				if time.Now().After(late) {
					t.Fatal("nothing is recorded")
				}
			}
			time.Sleep(300 * time.Millisecond) // the pipe is full, and the command waits
			check(t, c.Process.Signal(syscall.SIGTERM))
			select {
			case <-ended:
			case <-time.After(10 * time.Second): // a second, on a machine that is not busy
				_ = c.Process.Kill()
				t.Fatal("it does not end")
			}
			if got := c.ProcessState.ExitCode(); got != 128+int(syscall.SIGTERM) {
				t.Errorf("status %d", got)
			}
			if got := readFile(t, filepath.Join(dir, "s.jsonl")); !strings.Contains(got, `"customType":"sess:run"`) {
				t.Errorf("how it ended is not recorded: %s", got)
			}
		})
	}
}

// clog writes as much into a pipe as has room.
func clog(t *testing.T, pipe *os.File) {
	t.Helper()
	raw, err := pipe.SyscallConn()
	check(t, err)
	check(t, raw.Write(func(fd uintptr) bool {
		check(t, syscall.SetNonblock(int(fd), true))
		for {
			if _, err := syscall.Write(int(fd), make([]byte, 4096)); err != nil {
				check(t, syscall.SetNonblock(int(fd), false))
				return true
			}
		}
	}))
}

// TestRecordLeftInPipe: all of what a command left in the pipe passes, though somebody else
// keeps standard output.
func TestRecordLeftInPipe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "s.jsonl", header)
	const size = 1 << 20
	c := command(dir, "sess-record", "--reply", "text", "s.jsonl", "--", "sh", "-c", fmt.Sprintf(`sleep 300 2>/dev/null & echo $! >pid; head -c %d /dev/zero | tr '\0' x`, size))
	out, err := c.StdoutPipe()
	check(t, err)
	end := begin(t, c)
	var got int
	buf := make([]byte, 64<<10)
	for got < size {
		n, err := out.Read(buf)
		if got += n; err != nil {
			break
		}
	}
	if got != size {
		t.Errorf("%d bytes of %d passed", got, size)
	}
	_, _ = io.Copy(io.Discard, out)
	if r := end(); r.status != 0 {
		t.Errorf("status %d: %s", r.status, r.stderr)
	}
	script(t, dir, "kill $(cat pid)")
}

// TestRecordReplacedSession: a session of another id that is moved to the path while a run is
// recorded gets nothing of it, and what was recorded is kept.
func TestRecordReplacedSession(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "s.jsonl", header)
	other := `{"type":"session","version":3,"id":"other","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}` + "\n"
	write(t, dir, "other", other)
	write(t, dir, "stream", oneAnswer)
	r := runCommand(t, dir, "", "sess-record", "--prompt", "go", "s.jsonl", "--", "sh", "-c", `mv other s.jsonl; cat stream`)
	if r.status != 2 || !strings.Contains(r.stderr, "another session is there now: other, not ") || !strings.Contains(r.stderr, "is kept in") {
		t.Errorf("status %d: %s", r.status, r.stderr)
	}
	if got := readFile(t, filepath.Join(dir, "s.jsonl")); got != other {
		t.Errorf("the other session has %s", got)
	}
	kept, _ := filepath.Glob(filepath.Join(dir, "s.unsent-*.jsonl"))
	if len(kept) != 1 || !strings.Contains(readFile(t, kept[0]), "It runs.") {
		t.Errorf("kept %v", kept)
	}
}

// TestRecordBound: what waits for a session that cannot be written has a bound. What is above it
// is kept in a file while the stream goes on, and nothing is lost.
func TestRecordBound(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := write(t, dir, "s.jsonl", header)
	held, err := jsonl.OpenAppender(context.Background(), path, jsonl.Options{})
	check(t, err)
	c := command(dir, "sess-record", "--wait", "0s", "--prompt", "go", "s.jsonl")
	in, err := c.StdinPipe()
	check(t, err)
	end := begin(t, c)
	const messages = 44
	words := strings.Repeat("word ", 200<<10)
	for n := range messages {
		fmt.Fprintf(in, `{"type":"assistant","message":{"id":"m%d","role":"assistant","model":"m1","content":[{"type":"text","text":"%s"}],"usage":{"input_tokens":1,"output_tokens":1}},"session_id":"c-1","uuid":"u%d"}`+"\n", n, words, n)
	}
	in.Close()
	got := end()
	check(t, held.Close())
	kept, _ := filepath.Glob(filepath.Join(dir, "s.unsent-*.jsonl"))
	answers, first := 0, 0
	for _, name := range kept {
		n := strings.Count(readFile(t, name), `"role":"assistant"`)
		answers, first = answers+n, max(first, n)
	}
	if got.status != 4 || len(kept) < 2 || answers != messages || first == messages {
		t.Errorf("status %d, %d answers in %d files: %.300s", got.status, answers, len(kept), got.stderr)
	}
}

// TestRecordPromptFirst: a recording that is killed before the agent has said a word has the
// prompt.
func TestRecordPromptFirst(t *testing.T) {
	t.Parallel()
	for _, from := range []string{"auto", "text", "claude", "pi"} {
		t.Run(from, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, dir, "s.jsonl", header)
			c := command(dir, "sess-record", "--reply", from, "--prompt", "go on", "s.jsonl", "--", "sh", "-c", `echo up; cat`)
			in, out, end := piped(t, c)
			_, err := io.ReadFull(out, make([]byte, 3))
			check(t, err)
			check(t, c.Process.Kill())
			in.Close()
			end()
			if got := script(t, dir, "sess-path --as text s.jsonl"); got != "user: go on\n" {
				t.Errorf("recorded %q", got)
			}
		})
	}
}

// TestRecordReaderGone: a reader of the stream that goes away ends it, and what came is
// recorded.
func TestRecordReaderGone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "s.jsonl", header)
	stream := sampleStream(t, "pi-0.87", "01-text")
	c := command(dir, "sess-record", "s.jsonl")
	in, err := c.StdinPipe()
	check(t, err)
	r, w, err := os.Pipe()
	check(t, err)
	c.Stdout = w
	end := begin(t, c)
	leave(t, r, w)
	w.Close()
	_, _ = io.WriteString(in, stream)
	if got := end(); got.status != 141 {
		t.Errorf("status %d: %s", got.status, got.stderr)
	}
	in.Close()
	if got := script(t, dir, "sess-path --as text s.jsonl"); !strings.Contains(got, "Say hello") {
		t.Errorf("recorded %s", got)
	}
}
