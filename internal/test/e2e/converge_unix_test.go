//go:build unix

package e2e

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// seeds is how many random runs TestRemoteConverge does. SESS_CONVERGE=1000 is what
// the protocol has to stand.
func seeds(t *testing.T) int {
	t.Helper()
	n := size(4, 20)
	if text := os.Getenv("SESS_CONVERGE"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

// Three machines append, compact, push and pull at the same time, as a seed says, and
// are killed in the middle of that. When all have pushed and pulled, all have the same
// bytes, with each entry that was acknowledged once.
func TestRemoteConverge(t *testing.T) {
	t.Parallel()
	eachSeed(t, seeds(t), converge)
}

// eachSeed does n runs, and logs how often they did what.
func eachSeed(t *testing.T, n int, run func(t *testing.T, seed uint64) map[string]int) {
	t.Helper()
	done := map[string]int{}
	var mu sync.Mutex
	t.Cleanup(func() { t.Log(done) })
	for seed := range n {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			counts := run(t, uint64(seed))
			mu.Lock()
			defer mu.Unlock()
			for what, n := range counts {
				done[what] += n
			}
		})
	}
}

// converge does one run and returns how often it did what.
func converge(t *testing.T, seed uint64) map[string]int {
	dir, id := agentStore(t)
	f := &fleet{t: t, dir: dir, done: map[string]int{}, acked: map[string]string{}}
	f.do(0, "sess-sync", "init", "remote")
	f.do(0, "sess-sync", "push", "s.jsonl")
	machines := []string{"m0.jsonl", "m1.jsonl", "m2.jsonl"}
	var wg sync.WaitGroup
	for m, name := range machines {
		write(t, dir, name, readFile(t, filepath.Join(dir, "s.jsonl")))
		r := rand.New(rand.NewPCG(seed, uint64(m)))
		wg.Go(func() {
			for range 5 + r.IntN(5) {
				f.act(r, name)
			}
		})
	}
	wg.Wait()
	for _, name := range machines {
		f.do(1, "sess-sync", "push", "-q", name)
	}
	for _, name := range machines {
		f.do(1, "sess-sync", "pull", "-q", name)
	}
	want := f.do(0, "sess-sync", "cat", id)
	for _, name := range machines {
		if got := readFile(t, filepath.Join(dir, name)); got != want {
			t.Errorf("%s differs from the remote: %d bytes, want %d", name, len(got), len(want))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(f.acked)) {
		if n := strings.Count(want, `"id":"`+id+`"`); n != 1 {
			t.Errorf("%s by %s is there %d times", id, f.acked[id], n)
		}
	}
	f.do(0, "sess-sync", "check")
	f.do(0, "sess-check", machines[0])
	return f.done
}

// A fleet is machines that share a remote.
type fleet struct {
	t   *testing.T
	dir string

	mu    sync.Mutex
	done  map[string]int
	acked map[string]string // id: by what
}

// do runs a command, which may have a status of at most most, and returns what it prints.
func (f *fleet) do(most int, args ...string) string {
	c := command(f.dir, args...)
	c.Env = append(c.Env, "SESS_REMOTE="+f.dir+"/remote")
	r := wait(f.t, c)
	if r.status > most {
		f.t.Errorf("%v: status %d, %s", args, r.status, r.stderr)
	}
	return r.stdout
}

// act does something on one machine.
func (f *fleet) act(r *rand.Rand, name string) {
	what := []string{"append", "append", "compact", "push", "push", "pull", "killed append", "killed push", "killed push", "killed pull"}[r.IntN(10)]
	args := map[string][]string{
		"append":  {"sess-append", "-t", fmt.Sprintf("message %d", r.Uint32()), name},
		"compact": {"sess-compact", "-q", "--keep", fmt.Sprint(1 + r.IntN(200)), name},
		"push":    {"sess-sync", "push", "-q", name},
		"pull":    {"sess-sync", "pull", "-q", name},
	}[strings.TrimPrefix(what, "killed ")]
	var ids string
	if strings.HasPrefix(what, "killed ") {
		ids = killed(f.t, f.dir, "", time.Duration(r.Int64N(int64(15*time.Millisecond))), append([]string{"sh", "-c", `SESS_REMOTE=$PWD/remote exec "$@"`, "sh"}, args...)...)
	} else {
		ids = f.do(1, args...)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.done[what]++
	if args[0] == "sess-sync" { // prints paths
		return
	}
	for id := range strings.Lines(ids) {
		if strings.HasSuffix(id, "\n") {
			f.acked[strings.TrimSuffix(id, "\n")] = name + ": " + what
		}
	}
}

// Three machines go on with twenty sessions at the same time, and push and pull all of them by listings, which are old as soon as
// they are made; some runs are killed. When all have pushed and pulled, all have the same files, with each entry that was
// acknowledged once.
func TestRemoteConvergeAll(t *testing.T) {
	t.Parallel()
	eachSeed(t, max(1, seeds(t)/4), convergeAll)
}

func convergeAll(t *testing.T, seed uint64) map[string]int {
	const sessions, machines = 20, 3
	dir := t.TempDir()
	f := &fleet{t: t, dir: dir, done: map[string]int{}, acked: map[string]string{}}
	on := func(m int, args ...string) []string {
		return append([]string{"sh", "-c", fmt.Sprintf(`SESS_DIR=$PWD/m%d SESS_REMOTE=$PWD/remote exec "$@"`, m), "sh"}, args...)
	}
	file := func(m, i int) string {
		return filepath.Join(dir, fmt.Sprintf("m%d/--w--/2026-01-02T03-04-05-678Z_s%02d.jsonl", m, i))
	}
	f.do(0, "sess-sync", "init", "remote")
	for m := range machines {
		check(t, os.MkdirAll(filepath.Dir(file(m, 0)), 0o700))
		for i := range sessions {
			write(t, filepath.Dir(file(m, i)), filepath.Base(file(m, i)), fmt.Sprintf(`{"type":"session","version":3,"id":"s%02d","timestamp":"2026-01-02T03:04:05.678Z","cwd":"/w"}`+"\n", i))
		}
	}
	var wg sync.WaitGroup
	for m := range machines {
		r := rand.New(rand.NewPCG(seed, uint64(m)))
		wg.Go(func() {
			for range 8 {
				for range 1 + r.IntN(4) {
					id := f.do(0, on(m, "sess-append", "-t", fmt.Sprint("message ", r.Uint32()), file(m, r.IntN(sessions)))...)
					f.mu.Lock()
					f.acked[strings.TrimSpace(id)] = fmt.Sprint("machine ", m)
					f.mu.Unlock()
				}
				args := on(m, "sess-sync", []string{"push", "pull"}[r.IntN(2)], "-q", "-a")
				if r.IntN(3) == 0 {
					killed(t, dir, "", time.Duration(r.Int64N(int64(60*time.Millisecond))), args...)
				} else {
					f.do(1, args...)
				}
			}
		})
	}
	wg.Wait()
	for _, do := range []string{"push", "pull"} {
		for m := range machines {
			f.do(1, on(m, "sess-sync", do, "-q", "-a")...)
		}
	}
	all := ""
	for i := range sessions {
		want := f.do(0, "sess-sync", "cat", fmt.Sprintf("s%02d", i))
		for m := range machines {
			if got := readFile(t, file(m, i)); got != want {
				t.Errorf("session %d of machine %d differs from the remote: %d bytes, want %d", i, m, len(got), len(want))
			}
		}
		all += want
	}
	for id, by := range f.acked {
		if n := strings.Count(all, `"id":"`+id+`"`); n != 1 {
			t.Errorf("%s by %s is there %d times", id, by, n)
		}
	}
	f.do(0, "sess-sync", "check")
	return f.done
}
