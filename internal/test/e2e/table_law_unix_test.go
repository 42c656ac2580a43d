//go:build unix

package e2e

import (
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/sess-tools/sess/internal/test/drawn"
)

// A drawnSite is a remote that machines push to, and the tables that others make of it.
type drawnSite struct {
	*testing.T
	*rand.Rand
	dir   string
	flags []string
	next  int
	days  map[string]int // of the sessions that were made, by id
	made  map[string]int // how often
	done  []string

	deletes bool // sessions are deleted there, which tables lose with --prune in a full round
	behind  bool // something came of which the journal says nothing
}

func (f *drawnSite) run(args ...string) result {
	f.Helper()
	r := runCommand(f.T, f.dir, "", append([]string{"SESS_REMOTE=" + filepath.Join(f.dir, "remote")}, args...)...)
	// A listing that is behind has sessions that were deleted, or as they were before they were made again.
	if r.status > 1 && args[0] != "sh" && !(f.behind && f.deletes && r.status == 3 && (strings.Contains(r.stderr, "no such session") || strings.Contains(r.stderr, "the listing has another id or day"))) {
		f.Fatalf("%q: status %d\n%s\nbehind %q", args, r.status, r.stderr, f.done)
	}
	return r
}

// table is the command that makes tables.
func (f *drawnSite) table(out string) []string {
	return append([]string{"sess-table", "-o", out}, append(slices.Clone(f.flags), "remote:")...)
}

// file is the one of a session on a machine.
func (f *drawnSite) file(machine, id string) string {
	return filepath.Join(f.dir, machine, "--w--", fmt.Sprintf("2026-01-%02dT03-04-05-678Z_%s.jsonl", 1+f.days[id], id))
}

// add adds a line to a file, which may be new.
func (f *drawnSite) add(path, line string) {
	check(f.T, os.MkdirAll(filepath.Dir(path), 0o700))
	h, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	check(f.T, err)
	_, err = h.WriteString(line + "\n")
	check(f.T, err)
	check(f.T, h.Close())
}

// begin begins a session on a machine.
func (f *drawnSite) begin(machine, id string) {
	f.days[id] = f.IntN(5)
	// A log only grows, so its size tells its bytes: a session that is made again has another one.
	more := strings.Repeat("w", 10_000*f.made[id])
	f.made[id]++
	if f.IntN(4) == 0 {
		more += `","redacted":true,"y":"`
	}
	f.add(f.file(machine, id), fmt.Sprintf(`{"type":"session","version":3,"id":"%s","timestamp":"2026-01-%02dT03:04:05.678Z","cwd":"/w","x":"%s"}`, id, 1+f.days[id], more))
}

// grow adds a prompt to a session.
func (f *drawnSite) grow(path string) {
	f.next++
	text := fmt.Sprint("prompt ", f.next)
	if f.IntN(3) == 0 {
		text = "key=AKIA" + "Z7QXW3RT5PLM2K4N"
	}
	f.add(path, fmt.Sprintf(`{"type":"message","id":"e%d","parentId":null,"timestamp":"2026-01-09T03:04:06.000Z","message":{"role":"user","content":"%s","timestamp":1}}`, f.next, text))
}

// one draws a file that matches, "" for none.
func (f *drawnSite) one(pattern string) string {
	list, err := filepath.Glob(filepath.Join(f.dir, pattern))
	check(f.T, err)
	if len(list) == 0 {
		return ""
	}
	return list[f.IntN(len(list))]
}

// harm damages a file that no program needs.
func (f *drawnSite) harm(path string) {
	data, err := os.ReadFile(path)
	if err != nil || len(data) == 0 {
		return
	}
	switch at := f.IntN(len(data)); f.IntN(4) {
	case 0:
		check(f.T, os.Remove(path))
		return
	case 1:
		data = data[:at]
	case 2:
		data[at] ^= 1
	default:
		data = nil
	}
	check(f.T, os.WriteFile(path, data, 0o600))
}

// lose has a session away from the remote and from all machines.
func (f *drawnSite) lose(id string) {
	for _, pattern := range []string{"remote/v1/s/*/" + id, "remote/v1/i/*/" + id, "m*/--w--/*_" + id + ".jsonl", "m*/--w--/.*_" + id + ".jsonl*"} {
		list, err := filepath.Glob(filepath.Join(f.dir, pattern))
		check(f.T, err)
		for _, path := range list {
			check(f.T, os.RemoveAll(path))
		}
	}
}

func (f *drawnSite) step() {
	machine, out := []string{"m0", "m1"}[f.IntN(2)], []string{"t0", "t1"}[f.IntN(2)]
	push := []string{"SESS_DIR=" + filepath.Join(f.dir, machine), "sess-sync", "push", "-q", "-a"}
	what := ""
	switch f.IntN(22) {
	case 0, 1, 2:
		what = "new"
		f.next++
		f.begin(machine, fmt.Sprintf("s%d", f.next))
		f.run(push...)
	case 3, 4, 5, 6:
		what = "grown"
		for range 1 + f.IntN(2) {
			if path := f.one(machine + "/--w--/*.jsonl"); path != "" {
				f.grow(path)
			}
		}
		f.run(push...)
	case 7:
		what = "pull"
		f.run("SESS_DIR="+filepath.Join(f.dir, machine), "sess-sync", "pull", "-q", "-a")
	case 8:
		if path := f.one("m*/--w--/*.jsonl"); path != "" && f.deletes {
			what = "deleted"
			_, id, _ := strings.Cut(strings.TrimSuffix(filepath.Base(path), ".jsonl"), "_")
			f.lose(id)
			if f.behind = true; f.IntN(2) == 0 { // and it is made again, on this day or another one
				what = "made again"
				f.begin(machine, id)
				f.run(append(push, "--reseed")...)
			}
		}
	case 9:
		if path := f.one("remote/v1/j/*/*"); path != "" {
			what, f.behind = "a lost object of the journal", true
			check(f.T, os.Remove(path))
		}
	case 10:
		what = "all listed"
		f.listAll()
	case 11, 12, 13:
		what = "killed " + out
		killed(f.T, f.dir, "", time.Duration(f.Int64N(int64(40*time.Millisecond))), append([]string{"SESS_REMOTE=" + filepath.Join(f.dir, "remote")}, f.table(out)...)...)
	case 14:
		what = "a full disk " + out
		f.run(append([]string{"sh", "-c", fmt.Sprintf(`ulimit -f %d && exec "$@"`, f.IntN(12)), "sh"}, f.table(out)...)...)
	case 15:
		if path := f.one([]string{"t*/.sess-table.mark", "t*/.sess-table.cache", ".cache/sess/cards-*"}[f.IntN(3)]); path != "" {
			what = "harm " + path
			f.harm(path)
		}
	case 16:
		if path := f.one("t*/*/day=*"); path != "" {
			what = "a lost part"
			check(f.T, os.RemoveAll(path))
		}
	case 17, 18:
		what = "parts away " + out
		if path := f.one(machine + "/--w--/*.jsonl"); path != "" { // what came last cannot be read for a while
			f.grow(path)
			f.run(push...)
			_, id, _ := strings.Cut(strings.TrimSuffix(filepath.Base(path), ".jsonl"), "_")
			away := f.one("remote/v1/s/*/" + id)
			check(f.T, os.Rename(away, filepath.Join(f.dir, "away")))
			runCommand(f.T, f.dir, "", append([]string{"SESS_REMOTE=" + filepath.Join(f.dir, "remote")}, f.table(out)...)...)
			check(f.T, os.Rename(filepath.Join(f.dir, "away"), away))
		}
	default:
		what = "table " + out
		f.run(f.table(out)...)
	}
	f.done = append(f.done, what)
}

// listAll has the next run list all sessions, as it does once a day: the journal has an object that is none.
func (f *drawnSite) listAll() {
	now := time.Now().UTC()
	path := filepath.Join(f.dir, "remote/v1/j", now.Format("2006-01-02"), now.Format("150405.000")+"-"+fmt.Sprintf("%026d", f.next))
	f.next++
	f.add(path, "none")
}

// parts are the files of tables that have rows, by name.
func (f *drawnSite) parts(out string) map[string]string {
	all, top := map[string]string{}, filepath.Join(f.dir, out)
	check(f.T, filepath.WalkDir(top, func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".parquet") {
			data := readFile(f.T, path)
			if p, err := parquet.OpenFile(strings.NewReader(data), int64(len(data))); err != nil || p.NumRows() > 0 { // a day that was pruned is empty
				all[strings.TrimPrefix(path, top)] = data
			}
		}
		return err
	}))
	return all
}

// same holds tables to those that are made from nothing.
func (f *drawnSite) same(when string) {
	f.Helper()
	check(f.T, os.RemoveAll(filepath.Join(f.dir, "anew")))
	check(f.T, os.RemoveAll(filepath.Join(f.dir, "none")))
	f.run(append([]string{"sh", "-ec", `mkdir -p none; export XDG_CACHE_HOME=$PWD/none; exec "$@"`, "sh"}, f.table("anew")...)...)
	want := f.parts("anew")
	for _, out := range []string{"t0", "t1"} {
		if got := f.parts(out); !maps.Equal(got, want) {
			f.Fatalf("%s: %s has %q, want %q, of these bytes, behind %q", when, out, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)), f.done)
		}
	}
}

// TestTablesDrawn: whatever came to a remote, and whatever befell those who make tables of it, a run that ends well has all that marks
// promise, and behind a round that lists all sessions the tables are those that are made from nothing.
func TestTablesDrawn(t *testing.T) {
	t.Parallel()
	for n, r := range drawn.Cases(t, 1000) {
		f := &drawnSite{T: t, Rand: r, dir: filepath.Join(t.TempDir(), fmt.Sprint(n)), days: map[string]int{}, made: map[string]int{}}
		check(t, os.MkdirAll(filepath.Join(f.dir, "remote"), 0o700))
		f.deletes = r.IntN(2) == 0
		for flag, given := range map[string]bool{"--prune": f.deletes, "--content": r.IntN(2) == 0, "--redact": r.IntN(3) == 0} {
			if given {
				f.flags = append(f.flags, flag)
			}
		}
		f.run("sess-sync", "init", "remote")
		for range 10 + r.IntN(10) {
			f.step()
		}
		f.run(f.table("t0")...)
		f.run(f.table("t1")...)
		if !f.behind {
			f.same("by the mark")
		}
		f.listAll()
		f.run(f.table("t0")...)
		f.run(f.table("t1")...)
		f.same("behind a full round")
		for _, out := range []string{"t0", "t1"} {
			if again := f.run(f.table(out)...); again.status != 1 {
				t.Fatalf("again: status %d, behind %q", again.status, f.done)
			}
		}
		check(t, os.RemoveAll(f.dir))
	}
}
