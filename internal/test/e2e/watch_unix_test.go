//go:build unix

package e2e

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/formatstest"
)

// A row of sess-watch --json.
type watchRow struct{ Kind, Path, Entry, State, Text, Tool string }

// watching runs sess-watch and gives its rows to what it returns, which waits for one that is wanted.
func watching(t *testing.T, dir string, args ...string) func(what string, ok func(watchRow) bool) {
	t.Helper()
	return watched(t, command(dir, append([]string{"sess-watch", "--json"}, args...)...))
}

func watched(t *testing.T, c *exec.Cmd) func(what string, ok func(watchRow) bool) {
	t.Helper()
	out, err := c.StdoutPipe()
	check(t, err)
	c.Stderr = os.Stderr
	check(t, c.Start())
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
	check(t, json.Unmarshal([]byte(runCommand(t, dir, "", "sess-watch", "-q", "--once", "--json", "SESS_SETTLE=0s", file).stdout), &r))
	return r
}

const watchHead = `{"type":"session","version":3,"id":"019b0000-0000-7000-8000-00000000000a","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}` + "\n"

// A turn is an entry of a watched session, with the number of the one before it.
func turn(n int, role, text, stop string) string {
	if stop != "" {
		stop = `,"stopReason":` + corpus.Quote(stop)
	}
	before := ""
	if n > 1 {
		before = fmt.Sprint("e", n-1)
	}
	return corpus.Line("message", fmt.Sprint("e", n), before, `"message":{"role":"`+role+`","content":[{"type":"text","text":`+corpus.Quote(text)+`}]`+stop+`}`) + "\n"
}

// A bell is a session that is watched behind others. When its changes are told, those of the others are.
type bell struct {
	t    *testing.T
	dir  string
	wait func(string, func(watchRow) bool)
	told []string
}

// ring returns what was told of the other sessions since the last time: entries, and states with theirs.
func (b *bell) ring() string {
	b.t.Helper()
	for _, line := range []string{turn(2, "assistant", "ding", "stop"), ""} { // the second look begins behind the first
		write(b.t, b.dir, "bell.jsonl", watchHead+turn(1, "user", "ring", "")+line)
		b.wait("the bell", func(r watchRow) bool {
			if filepath.Base(r.Path) != "bell.jsonl" {
				b.told = append(b.told, strings.TrimSpace(r.State+" "+r.Entry))
				return false
			}
			return r.State == map[bool]string{true: "working", false: "answered"}[line == ""]
		})
	}
	told := strings.Join(b.told, ", ")
	b.told = nil
	return told
}

// rung watches sessions, and the bell.
func rung(t *testing.T, dir string, args ...string) *bell {
	t.Helper()
	write(t, dir, "bell.jsonl", watchHead+turn(1, "user", "ring", ""))
	b := &bell{t: t, dir: dir, wait: watching(t, dir, append(args, "bell.jsonl")...)}
	// Before it is read first the bell may not be written anew: what is named and empty at that moment is refused.
	b.wait("the first states", func(r watchRow) bool { return isState(r) && filepath.Base(r.Path) == "bell.jsonl" })
	b.ring()
	return b
}

// What may happen to a file is told as what it makes of the session, each entry once and when nothing changes it any more.
func TestWatchFiles(t *testing.T) {
	t.Parallel()
	whole := watchHead + turn(1, "user", "go", "") + turn(2, "assistant", "one", "stop")
	third, fourth := turn(3, "user", "more", ""), turn(4, "assistant", "two", "stop")
	big := turn(3, "user", strings.Repeat("x", 50_000_000), "")
	slot := func(title string) string {
		return `{"type":"title","v":1,"title":"` + title + `","updatedAt":"2026-01-02T03:04:05.000Z","pad":"  "}` + "\n"
	}
	for _, tt := range []struct {
		name, start string
		do          func(t *testing.T, path string, told func() string) // the last step
		want        string
	}{
		{"answered-then-user-types", whole, func(t *testing.T, path string, _ func() string) { appendTo(t, path, third) }, "working e3"},
		{"each entry once", whole, func(t *testing.T, path string, told func() string) {
			appendTo(t, path, third+fourth)
			if rows := told(); rows != "e3, e4, answered e4" {
				t.Errorf("a turn: %s", rows)
			}
			appendTo(t, path, turn(5, "user", "and more", ""))
		}, "working e5"},
		{"a reply without a reason, settled", whole + third, func(t *testing.T, path string, _ func() string) { appendTo(t, path, turn(4, "assistant", "two", "")) }, "e4, answered e4"},
		{"rename-over", whole, func(t *testing.T, path string, _ func() string) {
			write(t, filepath.Dir(path), "new", whole+third)
			check(t, os.Rename(filepath.Join(filepath.Dir(path), "new"), path))
		}, "working e3"},
		{"unlink-and-new-inode", whole, func(t *testing.T, path string, told func() string) {
			check(t, os.Remove(path))
			if rows := told(); rows != "" {
				t.Errorf("it is gone: %s", rows)
			}
			write(t, filepath.Dir(path), filepath.Base(path), whole+third)
		}, "working e3"},
		{"same-length-rewrite", watchHead + turn(1, "user", "go", "") + turn(2, "assistant", "one", "toolUse"), func(t *testing.T, path string, _ func() string) {
			write(t, filepath.Dir(path), filepath.Base(path), watchHead+turn(1, "user", "go", "")+turn(2, "assistant", "six", "aborted"))
		}, "stopped e2"},
		{"truncate-and-regrow", whole, func(t *testing.T, path string, told func() string) {
			check(t, os.Truncate(path, int64(len(watchHead))))
			if rows := told(); rows != "empty" {
				t.Errorf("cut short: %s", rows)
			}
			appendTo(t, path, whole[len(watchHead):]+third)
		}, "working e3"},
		{"mtime-touched-no-event", whole, func(t *testing.T, path string, _ func() string) { check(t, os.Chtimes(path, time.Now(), time.Now())) }, ""},
		{"torn-tail-is-no-entry", whole, func(t *testing.T, path string, told func() string) {
			appendTo(t, path, third+fourth[:len(fourth)/2])
			if rows := told(); rows != "working e3" {
				t.Errorf("half of a line: %s", rows)
			}
			appendTo(t, path, fourth[len(fourth)/2:])
		}, "e3, e4, answered e4"},
		{"50-MB-line-in-pieces", whole, func(t *testing.T, path string, told func() string) {
			for piece := range slices.Chunk([]byte(big), len(big)/3+1) {
				if rows := told(); rows != "" {
					t.Errorf("a piece: %s", rows)
				}
				appendTo(t, path, string(piece))
			}
		}, "working e3"},
		{"title-slot-in-place", slot("one") + whole, func(t *testing.T, path string, _ func() string) {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			check(t, err)
			_, err = f.WriteAt([]byte(slot("two")), 0)
			check(t, errors.Join(err, f.Close()))
		}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := write(t, dir, "s.jsonl", tt.start)
			b := rung(t, dir, "SESS_SETTLE=0s", "s.jsonl")
			tt.do(t, path, b.ring)
			if rows := b.ring(); rows != tt.want {
				t.Errorf("told %q, want %q", rows, tt.want)
			}
		})
	}
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	check(t, err)
	_, err = f.WriteString(text)
	check(t, errors.Join(err, f.Close()))
}

// 1,000-sessions: of many sessions each is looked at, and none is kept.
func TestWatchThousand(t *testing.T) {
	t.Parallel()
	dir, long := t.TempDir(), turn(1, "user", strings.Repeat("x", 60_000), "")
	check(t, os.Mkdir(filepath.Join(dir, "many"), 0o700))
	for n := range 1000 {
		write(t, dir, fmt.Sprintf("many/s%03d.jsonl", n), watchHead+long)
	}
	c := command(dir, "sess-watch", "--json", "many")
	wait := watched(t, c)
	for range 1000 {
		wait("the first states", isState)
	}
	for _, name := range []string{"s000.jsonl", "s500.jsonl", "s999.jsonl"} {
		appendTo(t, filepath.Join(dir, "many", name), turn(2, "assistant", "one", "stop"))
		wait(name, func(r watchRow) bool { return isState(r) && r.State == "answered" && filepath.Base(r.Path) == name })
	}
	if about, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.Process.Pid)); err == nil { // where there is such a file
		var kB int
		if _, most, _ := strings.Cut(string(about), "VmHWM:"); most != "" {
			_, err = fmt.Sscan(most, &kB)
		}
		if check(t, err); kB > 40_000 {
			t.Errorf("it took %d kB", kB)
		}
	}
}

// How a wait ends.
func TestWatchUntil(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	old := watchHead + turn(1, "user", "go", "")
	write(t, dir, "old.jsonl", old+turn(2, "assistant", "no", "error"))
	write(t, dir, "new.jsonl", watchHead)
	scripted(t, dir, "for f in user done failed; do cp new.jsonl $f.jsonl; sess-append -q -t go $f.jsonl; done; mkdir damaged; cp user.jsonl damaged; echo none >damaged/no.jsonl; sess-append -q -r assistant -t ok done.jsonl; sess-append -q -r assistant --set stopReason=error -t no failed.jsonl")
	for _, tt := range []struct {
		name, line string
		status     int
		say, last  string // on standard error, and the state of the last row
	}{
		{"waiting", "--state waiting done.jsonl", 0, "", "answered"},
		{"the first one", "--state answered,failed done.jsonl user.jsonl", 0, "", "working"},
		{"every one", "--state answered --every --timeout 1ms done.jsonl user.jsonl", 1, "timed out after 1ms", "working"},
		{"working", "--state working user.jsonl", 0, "", "working"},
		{"other-end-is-1", "--state failed SESS_SETTLE=0s done.jsonl", 1, "the session is answered", "answered"},
		{"the agent failed", "--state answered SESS_SETTLE=0s failed.jsonl", 1, "the session is failed", "failed"},
		{"failed", "--state failed SESS_SETTLE=0s failed.jsonl", 0, "", "failed"},
		{"it may try again", "--state failed SESS_SETTLE=1h --timeout 1ms failed.jsonl", 1, "timed out after 1ms", "working"},
		{"settle-by-entry-time", "--state failed SESS_SETTLE=1h old.jsonl", 0, "", "failed"},
		{"timeout-while-working", "--state waiting --timeout 1ms user.jsonl", 1, "timed out after 1ms", "working"},
		{"a state there is not", "--state done user.jsonl", 2, "unknown state done", ""},
		{"once and state", "--once --state failed user.jsonl", 2, "--state", ""},
		{"every without until", "--every user.jsonl", 2, "--every", ""},
		{"no such file", "none.jsonl", 2, "none.jsonl", ""},
		{"no such entry", "--state waiting --after nowhere user.jsonl", 2, "nowhere", ""},
		{"exec-fails", "--state working user.jsonl -- false", 5, "false", "working"},
		{"no such command", "--state working user.jsonl -- sess-none", 2, "sess-none", ""},
		{"no command", "--state working user.jsonl --", 2, "no command after --", ""},
		{"nothing to watch", "--once -a", 1, "", ""},
		{"one of those that are named cannot be read", "--state working user.jsonl damaged/no.jsonl", 2, "no.jsonl", ""},
		{"one of those that are found cannot be read", "--state working damaged", 0, "no.jsonl", "working"},
		{"and every one is wanted", "--state working --every damaged", 2, "no.jsonl", "working"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := runCommand(t, dir, "", append([]string{"sess-watch"}, strings.Fields(tt.line)...)...)
			if r.status != tt.status || !strings.Contains(r.stderr, tt.say) {
				t.Errorf("status %d, %s, want %d", r.status, r.stderr, tt.status)
			}
			if _, last, _ := strings.Cut(r.stdout[strings.LastIndexByte(strings.TrimSpace(r.stdout), '\n')+1:], ":state:"); strings.TrimSpace(last) != tt.last {
				t.Errorf("the last row says %q, want %q: %s", last, tt.last, r.stdout)
			}
		})
	}
	if r := runCommand(t, dir, good, "sess-watch", "-"); r.status != 2 || !strings.Contains(r.stderr, "standard input does not change") {
		t.Errorf("standard input: %+v", r)
	}
	t.Run("reader-gone-141", func(t *testing.T) {
		t.Parallel()
		from, to, err := os.Pipe()
		check(t, errors.Join(err, from.Close()))
		c := command(dir, "sess-watch", "user.jsonl")
		c.Stdout = to
		if r := wait(t, c); r.status != 141 || r.stderr != "" {
			t.Errorf("%+v", r)
		}
	})
}

// A command gets each row of a state, one at a time; what it prints is no row.
func TestWatchCommand(t *testing.T) {
	t.Parallel()
	t.Run("exec-slow", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		path := write(t, dir, "s.jsonl", watchHead+turn(1, "user", "go", ""))
		end := begin(t, command(dir, "sess-watch", "--state", "answered", "s.jsonl", "--", "sh", "-c", "cat >>log; until test -e on; do sleep 0.01; done; echo ended >>log; echo said"))
		scripted(t, dir, "until test -s log; do sleep 0.01; done")
		appendTo(t, path, turn(2, "assistant", "one", "stop"))
		write(t, dir, "on", "")
		r := end()
		if r.status != 0 || r.stdout != "e1:state:working\ne2:assistant:one\ne2:state:answered\n" && r.stdout != "e1:state:working\ne1:user:go\ne2:assistant:one\ne2:state:answered\n" || r.stderr != "said\nsaid\n" {
			t.Errorf("%+v", r)
		}
		if log := readFile(t, filepath.Join(dir, "log")); log != "e1:state:working\nended\ne2:state:answered\nended\n" {
			t.Errorf("the command was run as %q", log)
		}
	})
}

// The sessions of other agents are followed where they are.
func TestWatchAgents(t *testing.T) {
	t.Parallel()
	is := func(state string) func(watchRow) bool {
		return func(r watchRow) bool { return r.Kind == "state" && r.State == state }
	}
	t.Run("a growing file", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		claude := func(n int, role, text string) string {
			stop := ""
			if role == "assistant" {
				stop = `"id":"m` + fmt.Sprint(n) + `","model":"m","stop_reason":"end_turn",`
			}
			return fmt.Sprintf(`{"parentUuid":null,"sessionId":"0b0d3e4e-1111-4222-8333-444455556666","type":%q,"uuid":"0b0d3e4e-1111-4222-8333-4444555566%02d","timestamp":"2026-01-02T03:04:%02d.000Z","cwd":"/w","version":"2.1.300","message":{"role":%q,%s"content":[{"type":"text","text":%q}]}}`+"\n", role, n, n, role, stop, text)
		}
		name := ".claude/projects/-w/0b0d3e4e-1111-4222-8333-444455556666.jsonl"
		check(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		path := write(t, dir, name, claude(1, "user", "go"))
		wait := watching(t, dir, "--agent", "claude")
		wait("the first state", is("working"))
		appendTo(t, path, claude(2, "assistant", "done"))
		wait("claude answers", is("answered"))
		appendTo(t, path, claude(3, "user", "more"))
		wait("the user goes on", is("working"))
	})
	t.Run("draft-becomes-session", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		scripted(t, dir, "sess-new --store --defer >name; sess-append -q -t hello \"$(cat name)\"")
		wait := watching(t, dir, strings.TrimSpace(readFile(t, filepath.Join(dir, "name"))))
		wait("the first state", is("working"))
		scripted(t, dir, "sess-append -q -r assistant -t hi \"$(cat name)\"")
		wait("the draft is a session", is("answered"))
		scripted(t, dir, "sess-append -q -t again \"$(cat name)\"")
		wait("it goes on", is("working"))
	})
	t.Run("zst-while-watched", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		from := filepath.Join(corpus.Dir(), "codex/home/sessions/2026/11/21/rollout-2026-11-21T03-02-55-01a1fc0e-91f6-7160-bf5c-f00cf0fdb18c.jsonl.zst")
		packed := []byte(readFile(t, from))
		zr, err := zstd.NewReader(nil)
		check(t, err)
		plain, err := zr.DecodeAll(packed, nil)
		check(t, err)
		path := filepath.Join(dir, ".codex/sessions/2026/11/21", strings.TrimSuffix(filepath.Base(from), ".zst"))
		check(t, os.MkdirAll(filepath.Dir(path), 0o700))
		check(t, os.WriteFile(path, plain[:strings.LastIndex(string(plain), `"role":"assistant"`)], 0o600))
		wait := watching(t, dir, "codex:01a1fc0e-91f6-7160-bf5c-f00cf0fdb18c")
		wait("the first state", is("working"))
		check(t, os.WriteFile(path+".zst", packed, 0o600))
		check(t, os.Remove(path))
		wait("it was compressed when it had ended", is("answered"))
		event := func(kind string) {
			plain = append(plain, `{"timestamp":"2026-11-21T03:10:00.000Z","type":"event_msg","payload":{"type":"`+kind+`"}}`+"\n"...)
		}
		event("turn_aborted")
		zw, err := zstd.NewWriter(nil)
		check(t, err)
		check(t, os.WriteFile(path+".zst", zw.EncodeAll(plain, nil), 0o600))
		wait("the other file is the one that changes", is("stopped"))
		event("task_started")
		check(t, os.WriteFile(path, plain, 0o600))
		check(t, os.Remove(path+".zst"))
		wait("it goes on", is("working"))
	})
	t.Run("db-locked", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		check(t, os.MkdirAll(filepath.Join(dir, ".local/share/opencode"), 0o700))
		path := write(t, dir, ".local/share/opencode/opencode.db", string(corpus.Golden(t, "opencode/homes-1.18")["01-plain/opencode.db"]))
		b := rung(t, dir, "opencode:/srv/sample/opencode/genuine/01-plain/proj")
		formatstest.Locked(t, path, []string{
			"PRAGMA cache_size=1", // what does not fit is written at once, and nobody reads meanwhile
			`UPDATE message SET data = json_remove(data, '$.finish', '$.time.completed') || printf('%.*c', 100000, ' ') WHERE data ->> '$.role' = 'assistant'`,
		}, func() {
			if r := runCommand(t, dir, "", "sess-watch", "--once", "opencode:"); r.status == 0 {
				t.Errorf("the database is not locked: %s", r.stdout)
			}
			if rows := b.ring(); rows != "" {
				t.Errorf("told of a locked database: %s", rows)
			}
		})
		if rows := b.ring(); !strings.HasPrefix(rows, "working msg_") {
			t.Errorf("told %q", rows)
		}
	})
}
