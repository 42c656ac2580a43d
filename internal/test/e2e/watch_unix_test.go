//go:build unix

package e2e

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/test/corpus"
)

// A row of sess-watch --json.
type watchRow struct{ Kind, Path, Entry, State, Text, Tool string }

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
// of reading it whole, and each of its entries is told once.
func TestWatchReplays(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"pi/large-session", "omp/13"} {
		for _, path := range corpus.Sessions(t, strings.Split(name, "/")[0]) {
			if strings.Contains(path, name) {
				replayed(t, 2026, "", "s.jsonl", corpus.Session(t, path))
				break
			}
		}
	}
}

// The same, of sessions of people, which are no part of the project: those below SESS_WILD, of Claude Code and codex where
// they keep them, and all of them imported. SESS_SEED is what the pieces are of.
func TestWatchReplaysWild(t *testing.T) {
	t.Parallel()
	root := os.Getenv("SESS_WILD")
	if root == "" {
		t.Skip("SESS_WILD names no directory with sessions of people")
	}
	seed, err := strconv.ParseUint(cmp.Or(os.Getenv("SESS_SEED"), strconv.FormatInt(time.Now().Unix(), 10)), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("SESS_SEED=%d", seed)
	stores := map[string]string{"claude": ".claude/projects/-w/%s.jsonl", "codex": ".codex/sessions/2026/01/02/rollout-2026-01-02T03-04-05-%s.jsonl"}
	id := regexp.MustCompile(`"(?:session_?[iI]d|id)": ?"([0-9a-f]{8}-[0-9a-f-]{27})"`)
	for _, path := range slices.Sorted(sessionFiles(t, root, "full.json", "full.jsonl")) {
		agent := strings.Split(strings.TrimPrefix(path, filepath.Clean(root)+"/"), "/")[0]
		name := strings.TrimPrefix(filepath.Dir(path), filepath.Clean(root)+"/")
		agent, _, _ = strings.Cut(agent, "-")
		dir := t.TempDir()
		if r := runCommand(t, dir, "", "sess-import", "-q", "-o", "s.jsonl", path); r.status != 0 {
			t.Logf("%s: no session that is read: %s", name, r.stderr)
			continue
		}
		t.Run(name+" imported", func(t *testing.T) {
			t.Parallel()
			replayed(t, seed, "", "s.jsonl", []byte(readFile(t, filepath.Join(dir, "s.jsonl"))))
		})
		data := []byte(readFile(t, path))
		if found := id.FindSubmatch(data); stores[agent] != "" && found != nil && runCommand(t, dir, "", "sess-import", "-q", "-o", "its.jsonl", agent, path).status == 0 {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				replayed(t, seed, agent+":"+string(found[1]), fmt.Sprintf(stores[agent], found[1]), data)
			})
		}
	}
}

// sessionFiles are those below a directory that have one of the names.
func sessionFiles(t *testing.T, root string, names ...string) iter.Seq[string] {
	t.Helper()
	return func(yield func(string) bool) {
		err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if err == nil && slices.Contains(names, filepath.Base(path)) && !yield(path) {
				return fs.SkipAll
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// replayed writes the data of a session to a file, and watches it by its name, or by that of the file.
func replayed(t *testing.T, seed uint64, name, file string, data []byte) {
	t.Helper()
	r, dir := rand.New(rand.NewPCG(seed, 0)), t.TempDir()
	name = cmp.Or(name, file)
	file = filepath.Join(dir, file)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	put := func(file string, data []byte) {
		t.Helper()
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	head := 0 // what is a session at all
	for readable := false; !readable && head < len(data); readable = runCommand(t, dir, "", "sess-watch", "-q", "--once", name).status == 0 {
		head += strings.IndexByte(string(data[head:])+"\n", '\n') + 1
		put(file, data[:head])
	}
	wait, told := watching(t, dir, "--settle", "0s", "--after", "null", name), map[string]int{}
	until := func(what string, ok func(watchRow) bool) {
		t.Helper()
		wait(what, func(r watchRow) bool {
			if r.Kind == "entry" {
				told[r.Entry]++
			}
			return ok(r)
		})
	}
	until("the first state", isState)
	last := once(t, dir, name)
	for at, step := head, 0; at < len(data); step++ {
		at = min(len(data), at+1+r.IntN(max(1, len(data)/4)))
		switch r.IntN(3) {
		case 0: // in place
			put(file, data[:at])
		case 1: // over it
			put(file+".new", data[:at])
			if err := os.Rename(file+".new", file); err != nil {
				t.Fatal(err)
			}
		case 2: // shorter, then away, then there again
			put(file, data[:head])
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
			put(file, data[:at])
		}
		want := once(t, dir, name)
		if want.State == last.State && want.Entry == last.Entry {
			continue
		}
		last = want
		until(fmt.Sprintf("step %d, %d of %d bytes, state %s at %s", step, at, len(data), want.State, want.Entry), func(r watchRow) bool {
			return r.Kind == "state" && r.State == want.State && r.Entry == want.Entry
		})
	}
	for _, id := range stable(t, dir, name, last.State) {
		if told[id] == 0 {
			until("the entry "+id, func(r watchRow) bool { return r.Kind == "entry" && r.Entry == id })
		}
	}
	for id, n := range told {
		if n != 1 {
			t.Errorf("%s was told %d times", id, n)
		}
	}
}

// stable are the ids of the entries of a session that nothing changes any more: while the agent works, those before the
// last message.
func stable(t *testing.T, dir, name, state string) (out []string) {
	t.Helper()
	messages := 0
	text := ""
	if agent, id, ok := strings.Cut(name, ":"); ok {
		text = runCommand(t, dir, "", "sess-import", "-q", "-o", "-", agent, "--session", id).stdout
	} else {
		text = readFile(t, filepath.Join(dir, name))
	}
	for line := range strings.Lines(text) {
		var e struct {
			ID, Type string
			Message  struct{ Role string }
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		if e.Type == "session" {
			continue
		}
		if slices.Contains([]string{"user", "assistant", "toolResult"}, e.Message.Role) {
			messages = len(out)
		}
		out = append(out, e.ID)
	}
	if state == "working" {
		out = out[:messages]
	}
	return out
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
