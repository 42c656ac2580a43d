//go:build unix

package e2e

import (
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
	check(t, err)
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
				answeredEarly(t, seed, agent, data)
			})
		}
	}
}

// answeredEarly looks whether a session, cut behind some of its lines, is answered though more of the turn follows.
func answeredEarly(t *testing.T, seed uint64, agent string, data []byte) {
	t.Helper()
	dir, lines := t.TempDir(), slices.Collect(strings.Lines(string(data)))
	roles := func(n int) (out []string) {
		write(t, dir, "cut.jsonl", strings.Join(lines[:n], ""))
		text := runCommand(t, dir, "", "sess-import", "-q", "-o", "-", agent, "cut.jsonl").stdout
		write(t, dir, "s.jsonl", text)
		for line := range strings.Lines(text) {
			var e struct{ Message struct{ Role string } }
			check(t, json.Unmarshal([]byte(line), &e))
			if e.Message.Role != "" {
				out = append(out, e.Message.Role)
			}
		}
		return out
	}
	whole := roles(len(lines))
	cuts := rand.New(rand.NewPCG(seed, 1)).Perm(len(lines))
	for _, n := range cuts[:min(100, len(cuts))] {
		said := roles(n + 1)
		if len(said) == 0 || len(said) >= len(whole) || whole[len(said)] != "assistant" && whole[len(said)] != "toolResult" {
			continue
		}
		var r watchRow
		check(t, json.Unmarshal([]byte(runCommand(t, dir, "", "sess-watch", "-q", "--once", "--json", "SESS_SETTLE=1000000h", "s.jsonl").stdout), &r))
		if r.State == "answered" {
			t.Errorf("behind line %d it is answered, and a message of role %s follows", n+1, whole[len(said)])
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
	check(t, os.MkdirAll(filepath.Dir(file), 0o700))
	put := func(file string, data []byte) {
		t.Helper()
		check(t, os.WriteFile(file, data, 0o600))
	}
	head := 0 // what is a session at all
	for readable := false; !readable && head < len(data); readable = runCommand(t, dir, "", "sess-watch", "-q", "--once", name).status == 0 {
		head += strings.IndexByte(string(data[head:])+"\n", '\n') + 1
		put(file, data[:head])
	}
	wait, told := watching(t, dir, "SESS_SETTLE=0s", "--after", "null", name), map[string]int{}
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
			check(t, os.Rename(file+".new", file))
		case 2: // shorter, then away, then there again
			put(file, data[:head])
			check(t, os.Remove(file))
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
		check(t, json.Unmarshal([]byte(line), &e))
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
