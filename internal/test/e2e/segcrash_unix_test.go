//go:build unix

package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// segTime is how long the tests run that are the better the longer they do:
// SESS_SEG=30s is what a store has to stand.
func segTime(t *testing.T) time.Duration {
	t.Helper()
	lasting := 2 * time.Second
	if testing.Short() {
		lasting = 500 * time.Millisecond
	}
	if text := os.Getenv("SESS_SEG"); text != "" {
		var err error
		if lasting, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	return lasting
}

// Four processes append to one store and four read it: each reader sees all that
// was acknowledged before it began, in an order that does not change, and the chain
// verifies at each moment.
func TestSegmentedWriters(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	segmented(t, dir, segSession(3))
	until := time.Now().Add(segTime(t))
	var acked sync.Map
	var appended, reads atomic.Int64
	var wg sync.WaitGroup
	for k := range 4 {
		wg.Go(func() {
			for n := 0; time.Now().Before(until) && !t.Failed(); n++ {
				id := fmt.Sprintf("w%d-%d", k, n)
				r := runCommand(t, dir, segLine(id, "a0000003")+segLine(id+"b", id), "SESS_WAIT=1m", "sess-seg", "append", "--segment", "20000", "s.v2")
				if r.status != 0 || r.stdout != id+"\n"+id+"b\n" {
					t.Errorf("%+v", r)
					return
				}
				acked.Store(id+"b", true)
				appended.Add(2)
			}
		})
	}
	for k := range 4 {
		wg.Go(func() {
			before := ""
			for time.Now().Before(until) && !t.Failed() {
				before = segRead(t, dir, k, before, &acked)
				reads.Add(1)
			}
		})
	}
	wg.Wait()
	r := runCommand(t, dir, "", "sess-seg", "verify", "-v", "s.v2")
	if r.status != 0 || !strings.Contains(r.stderr, fmt.Sprintf(" %d entries,", appended.Load()+3)) {
		t.Errorf("%d were appended: %+v", appended.Load(), r)
	}
	t.Logf("%d entries appended, %d times read", appended.Load(), reads.Load())
}

// segRead reads the store once, and compares it with what was seen before.
func segRead(t *testing.T, dir string, k int, before string, acked *sync.Map) string {
	var wanted []string
	acked.Range(func(id, _ any) bool {
		wanted = append(wanted, id.(string))
		return true
	})
	switch k {
	case 0:
		if r := runCommand(t, dir, "", "SESS_WAIT=1m", "sess-seg", "verify", "s.v2"); r.status != 0 || r.stdout != "" {
			t.Errorf("%+v", r)
		}
		return ""
	case 1:
		if r := runCommand(t, dir, "", "sess-seg", "tail", "5", "s.v2"); r.status != 0 || strings.Count(r.stdout, "\n") > 5 || !strings.HasSuffix(r.stdout, "}\n") {
			t.Errorf("%+v", r)
		}
		return ""
	}
	r := runCommand(t, dir, "", []string{"sess-seg", "sess-path"}[k%2], []string{"cat", "--no-header"}[k%2], "s.v2")
	if k == 3 { // the path of some leaf
		if r.status != 0 || !strings.Contains(r.stdout, `"a0000001"`) {
			t.Errorf("%+v", r)
		}
		return ""
	}
	if r.status != 0 || !strings.HasPrefix(r.stdout, before) {
		t.Errorf("status %d, %s: what was read before is no prefix of %d bytes", r.status, r.stderr, len(r.stdout))
	}
	for _, id := range wanted {
		if !strings.Contains(r.stdout, `"id":"`+id+`"`) {
			t.Errorf("%s was acknowledged, and is not there", id)
		}
	}
	return r.stdout
}

// killed runs a command line and kills it after a time. It returns what it printed
// by then.
func killed(t *testing.T, dir, stdin string, after time.Duration, args ...string) string {
	t.Helper()
	c := command(dir, args...)
	var out strings.Builder
	c.Stdin, c.Stdout = strings.NewReader(stdin), &out
	check(t, c.Start())
	timer := time.AfterFunc(after, func() { _ = c.Process.Kill() })
	_ = c.Wait() // killed or not
	timer.Stop()
	return out.String()
}

// The tool is killed at any moment of whatever it does. What it had acknowledged is
// there, what comes next puts the store in order by itself or by recover, and
// nothing that was there before is lost.
func TestSegmentedKilled(t *testing.T) {
	t.Parallel()
	until := time.Now().Add(segTime(t))
	for k := range 2 {
		wg := &sync.WaitGroup{}
		wg.Go(func() {
			r := rand.New(rand.NewPCG(7, uint64(k)))
			rounds := 0
			for ; time.Now().Before(until) && !t.Failed(); rounds++ {
				killRound(t, r)
			}
			t.Logf("%d rounds", rounds)
		})
		t.Cleanup(wg.Wait)
	}
}

// killRound kills each kind of change once, on a store of its own.
func killRound(t *testing.T, r *rand.Rand) {
	dir, err := os.MkdirTemp("", "sess-killed-")
	if err != nil {
		t.Error(err)
		return
	}
	defer os.RemoveAll(dir)
	const n = 40
	content := segSession(n)
	write(t, dir, "s.jsonl", content)
	moment := func() time.Duration { return time.Duration(r.Int64N(int64(12 * time.Millisecond))) }
	want := func(what, prefix string) string {
		rec := runCommand(t, dir, "", "sess-seg", "recover", "s.jsonl")
		cat := runCommand(t, dir, "", "sess-seg", "cat", "s.jsonl")
		if cat.status != 0 && strings.Contains(cat.stderr, "no such file") { // the file is the session
			cat.stdout = readFile(t, filepath.Join(dir, "s.jsonl"))
		} else if v := runCommand(t, dir, "", "sess-seg", "verify", "s.v2"); v.status != 0 {
			t.Errorf("after killing %s: %+v", what, v)
		}
		if rec.status != 0 || !strings.HasPrefix(cat.stdout, prefix) {
			t.Errorf("after killing %s: %+v; %d bytes, want %d\n%s", what, rec, len(cat.stdout), len(prefix), cat.stderr)
		}
		return cat.stdout
	}
	killed(t, dir, "", moment(), "sess-seg", "migrate", "--segment", "2000", "s.jsonl")
	want("migrate", content)
	if left := leftovers(dir); len(left) > 1 || len(left) == 1 && filepath.Base(left[0]) != "s.v2" {
		t.Errorf("left behind: %v", left)
	}
	if m := runCommand(t, dir, "", "sess-seg", "migrate", "--segment", "2000", "s.jsonl"); m.status != 0 {
		t.Errorf("migrating: %+v", m)
	}
	parent := fmt.Sprintf("a%07d", n)
	for i := range 3 {
		id := fmt.Sprint("k", i)
		line := segLine(id, parent)
		acked := killed(t, dir, line, moment(), "sess-seg", "append", "--segment", "2000", "s.v2")
		after := runCommand(t, dir, "", "sess-seg", "cat", "s.v2").stdout
		switch {
		case after == content+line:
			content, parent = after, id
		case after != content || acked != "":
			t.Errorf("append printed %q, and %d bytes became %d", acked, len(content), len(after))
		}
		// The next one mends what the last one left, without recover.
		more := segLine(id+"m", parent)
		if m := runCommand(t, dir, more, "sess-seg", "append", "--segment", "2000", "s.v2"); m.status == 0 {
			content, parent = content+more, id+"m"
		} else if strings.Contains(m.stderr, "the parent") || strings.Contains(m.stderr, "id is taken") {
			t.Errorf("appending on: %+v", m)
		}
		if got := runCommand(t, dir, "", "sess-seg", "cat", "s.v2").stdout; !strings.HasSuffix(got, more) {
			t.Errorf("after append: %.300q", got[max(0, len(got)-300):])
		} else {
			content = got // the killed one may have been mended into the store
		}
	}
	runCommand(t, dir, "", "sess-seg", "checkpoint", "s.v2")
	killed(t, dir, segLine("z1", parent), moment(), "sess-seg", "append", "s.v2")
	killed(t, dir, "", moment(), "sess-seg", "checkpoint", "s.v2")
	want("checkpoint", content)
	killed(t, dir, "", moment(), "sess-seg", "rebuild-index", "s.v2")
	want("rebuild-index", content)
	killed(t, dir, "", moment(), "sess-seg", "rollback-to", "1", "s.v2")
	want("rollback-to", content)
	killed(t, dir, "", moment(), "sess-seg", "rollback", "s.jsonl")
	want("rollback", content) // in the store, or carried into the file
	if got := readFile(t, filepath.Join(dir, "s.jsonl")); !strings.HasPrefix(got, segSession(n)) {
		t.Error("the file was changed")
	}
}
