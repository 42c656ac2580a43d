//go:build unix

package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/test/corpus"
)

// A row of sess-watch --json.
type watchRow struct{ Kind, Entry, State, Text, Tool string }

// watching runs sess-watch and gives its rows to what it returns, which waits for one that is wanted.
func watching(t *testing.T, dir string, args ...string) func(what string, ok func(watchRow) bool) {
	t.Helper()
	c := command(dir, append([]string{"sess-watch", "--json"}, args...)...)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.Stderr = os.Stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	rows := make(chan watchRow, 10_000)
	go func() {
		defer close(rows)
		in := bufio.NewReader(out)
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				return
			}
			var r watchRow
			if json.Unmarshal([]byte(line), &r) == nil {
				rows <- r
			}
		}
	}()
	t.Cleanup(func() {
		_ = c.Process.Kill()
		for range rows {
			continue
		}
		_ = c.Wait()
	})
	return func(what string, ok func(watchRow) bool) {
		t.Helper()
		late := time.After(time.Minute)
		for {
			select {
			case r, open := <-rows:
				if !open {
					t.Fatalf("%s: it ended", what)
				}
				if ok(r) {
					return
				}
			case <-late:
				t.Fatalf("%s: nothing came", what)
			}
		}
	}
}

func isState(r watchRow) bool { return r.Kind == "state" }

// once is the state that sess-watch --once tells.
func once(t *testing.T, dir, file string) watchRow {
	t.Helper()
	var r watchRow
	if err := json.Unmarshal([]byte(runCommand(t, dir, "", "sess-watch", "-q", "--once", "--json", "--settle", "0s", file).stdout), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// A session that is written in pieces, renamed, cut short and made anew has at each point where it rests the state
// of reading it whole, and each of its entries is told once (rename-over, unlink-and-new-inode,
// truncate-and-regrow, torn-tail-is-no-entry, 50-MB-line-in-pieces in small).
func TestWatchReplays(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 2026))
	for _, name := range []string{"pi/large-session", "omp/13"} {
		paths := corpus.Sessions(t, strings.Split(name, "/")[0])
		for _, path := range paths {
			if !strings.Contains(path, name) {
				continue
			}
			replayed(t, r, corpus.Session(t, path))
			break
		}
	}
	big := strings.Repeat("x", 3<<20)
	replayed(t, r, []byte(good+`{"type":"message","id":"b0000001","parentId":null,"timestamp":"2026-01-02T03:04:05.678Z","message":{"role":"user","content":"`+big+`"}}`+"\n"+
		`{"type":"message","id":"b0000002","parentId":"b0000001","timestamp":"2026-01-02T03:04:06.678Z","message":{"role":"assistant","content":[{"type":"text","text":"done"}],"stopReason":"stop"}}`+"\n"))
}

func replayed(t *testing.T, r *rand.Rand, data []byte) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "s.jsonl")
	head := strings.IndexByte(string(data), '\n') + 1
	put := func(data []byte) {
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(data[:head])
	wait := watching(t, dir, "--settle", "0s", "--after", "null", "s.jsonl")
	wait("the first state", isState)
	last := once(t, dir, "s.jsonl")
	for at, step := head, 0; at < len(data); step++ {
		at = min(len(data), at+1+r.IntN(max(1, len(data)/4)))
		switch step % 3 {
		case 0: // in place
			put(data[:at])
		case 1: // over it
			if err := os.WriteFile(file+".new", data[:at], 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(file+".new", file); err != nil {
				t.Fatal(err)
			}
		case 2: // shorter, then away, then there again
			put(data[:head])
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
			put(data[:at])
		}
		want := once(t, dir, "s.jsonl")
		if want == last {
			continue
		}
		last = want
		wait(fmt.Sprintf("step %d, %d of %d bytes, state %s at %s", step, at, len(data), want.State, want.Entry), func(r watchRow) bool {
			return r.Kind == "state" && r.State == want.State && r.Entry == want.Entry
		})
	}
}

// Each entry is told once, an entry only when nothing changes it any more.
func TestWatchEntries(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "s.jsonl", good)
	wait := watching(t, dir, "--settle", "0s", "s.jsonl")
	wait("the first state", isState)
	seen := map[string]int{}
	entry := func(text string) func(watchRow) bool {
		return func(r watchRow) bool {
			if r.Kind == "entry" {
				seen[r.Text]++
			}
			return r.Kind == "entry" && r.Text == text
		}
	}
	scripted(t, dir, "sess-append -q -t one s.jsonl; sess-append -q -r assistant -t two s.jsonl")
	wait("the reply", entry("two"))
	now := time.Now()
	if err := os.Chtimes(filepath.Join(dir, "s.jsonl"), now, now); err != nil { // mtime-touched-no-event
		t.Fatal(err)
	}
	scripted(t, dir, "sed 's/\"text\":\"one\"/\"text\":\"six\"/' s.jsonl >t && cat t >s.jsonl") // same-length-rewrite
	scripted(t, dir, "sess-append -q -t three s.jsonl; sess-append -q -r assistant -t four s.jsonl")
	wait("the next reply", entry("four"))
	for text, n := range seen {
		if n != 1 {
			t.Errorf("%s was told %d times", text, n)
		}
	}
	if len(seen) != 4 {
		t.Errorf("told: %v", seen)
	}
}

// How a wait ends.
func TestWatchUntil(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "new.jsonl", good[:strings.IndexByte(good, '\n')+1])
	scripted(t, dir, "for f in user done failed; do cp new.jsonl $f.jsonl; sess-append -q -t go $f.jsonl; done; sess-append -q -r assistant -t ok done.jsonl; sess-append -q -r assistant --stop-reason error -t no failed.jsonl")
	for _, tt := range []struct {
		line   string
		status int
		say    string
	}{
		{"--until waiting done.jsonl", 0, ""},
		{"--until answered,failed done.jsonl user.jsonl", 0, ""},
		{"--until answered --every --timeout 1ms done.jsonl user.jsonl", 1, "no such state within 1ms"},
		{"--until working user.jsonl", 0, ""},
		{"--until failed --settle 0s done.jsonl", 1, "the session is answered"},
		{"--until answered --settle 0s failed.jsonl", 1, "the session is failed"},
		{"--until failed --settle 0s failed.jsonl", 0, ""},
		{"--until failed --settle 1h --timeout 1ms failed.jsonl", 1, "no such state"},
		{"--until waiting --timeout 1ms user.jsonl", 1, "no such state"},
		{"--until done user.jsonl", 2, "unknown state done"},
		{"--once --until failed user.jsonl", 2, "--until"},
		{"--every user.jsonl", 2, "--every"},
		{"none.jsonl", 2, "none.jsonl"},
		{"--until waiting --after nowhere user.jsonl", 2, "nowhere"},
		{"--until working user.jsonl -- false", 5, "false"},
		{"--until working user.jsonl -- sess-none", 2, "sess-none"},
		{"--until working user.jsonl --", 2, "no command after --"},
		{"--once -a", 1, ""},
	} {
		args := strings.Fields(tt.line)
		r := runCommand(t, dir, "", append([]string{"sess-watch"}, args...)...)
		if r.status != tt.status || !strings.Contains(r.stderr, tt.say) {
			t.Errorf("%s: status %d, %s, want %d", tt.line, r.status, r.stderr, tt.status)
		}
		if has := strings.Contains(r.stdout, ":state:"); has != (tt.status == 0 || tt.status == 1 && !strings.Contains(tt.line, "--once") || tt.status == 5) && !strings.Contains(tt.line, "--every") {
			t.Errorf("%s: %s", tt.line, r.stdout)
		}
	}
	ran := runCommand(t, dir, "", "sess-watch", "-q", "--until", "working", "user.jsonl", "--", "sh", "-c", "cat >row; echo said")
	if ran.status != 0 || ran.stdout != "" || ran.stderr != "said\n" || !strings.HasSuffix(readFile(t, filepath.Join(dir, "row")), ":state:working\n") {
		t.Errorf("the command: %+v, %s", ran, readFile(t, filepath.Join(dir, "row")))
	}
	if r := scripted(t, dir, "sess-watch --after null --until working user.jsonl | true; echo ${PIPESTATUS:-0}"); r.stderr != "" {
		t.Errorf("a reader that is gone: %s", r.stderr)
	}
	if r := runCommand(t, dir, good, "sess-watch", "-"); r.status != 2 || !strings.Contains(r.stderr, "standard input does not change") {
		t.Errorf("standard input: %+v", r)
	}
}

// The sessions of other agents are followed where they are: a growing file, a database, a draft of our own.
func TestWatchAgents(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	claude := func(n int, role, text string) string {
		stop := ""
		if role == "assistant" {
			stop = `"id":"m` + fmt.Sprint(n) + `","model":"m","stop_reason":"end_turn",`
		}
		return fmt.Sprintf(`{"parentUuid":null,"sessionId":"0b0d3e4e-1111-4222-8333-444455556666","type":%q,"uuid":"0b0d3e4e-1111-4222-8333-4444555566%02d","timestamp":"2026-01-02T03:04:%02d.000Z","cwd":"/w","version":"2.1.300","message":{"role":%q,%s"content":[{"type":"text","text":%q}]}}`+"\n", role, n, n, role, stop, text)
	}
	store := filepath.Join(dir, ".claude/projects/-w")
	if err := os.MkdirAll(store, 0o700); err != nil {
		t.Fatal(err)
	}
	name := ".claude/projects/-w/0b0d3e4e-1111-4222-8333-444455556666.jsonl"
	write(t, dir, name, claude(1, "user", "go"))
	wait := watching(t, dir, "--agent", "claude")
	wait("the first state", isState)
	write(t, dir, name, claude(1, "user", "go")+claude(2, "assistant", "done"))
	wait("claude answers", func(r watchRow) bool { return r.State == "answered" })
	write(t, dir, name, claude(1, "user", "go")+claude(2, "assistant", "done")+claude(3, "user", "more"))
	wait("the user goes on", func(r watchRow) bool { return r.State == "working" })

	scripted(t, dir, "sess-new --store --defer >name; sess-append -q -t hello \"$(cat name)\"") // draft-becomes-session
	wait = watching(t, dir, strings.TrimSpace(readFile(t, filepath.Join(dir, "name"))))
	wait("the first state", isState)
	scripted(t, dir, "sess-append -q -r assistant -t hi \"$(cat name)\"")
	wait("the draft is a session", func(r watchRow) bool { return r.State == "answered" })
	scripted(t, dir, "sess-append -q -t again \"$(cat name)\"")
	wait("it goes on", func(r watchRow) bool { return r.State == "working" })
}
