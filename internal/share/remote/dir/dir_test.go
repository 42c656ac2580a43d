package dir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/core/bucket"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/share/remote"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/internal/test/remotetest"
)

var testTime = time.UnixMilli(0)

func quiet(string, ...any) {}

func place(t *testing.T, claim func(*os.Root, string, string) error) (string, remotetest.Remote) {
	name := filepath.Join(t.TempDir(), "remote")
	return name, remotetest.Remote{
		Open: func(t testing.TB) remote.Log {
			must.Do(t, Make(name))
			b, err := opened(name)
			must.Do(t, err)
			t.Cleanup(func() { b.Close() })
			b.claim = claim
			return remote.Over(b, quiet)
		},
		Plant: func(t testing.TB, at, data string) {
			at = filepath.Join(name, at)
			must.Do(t, errors.Join(os.MkdirAll(filepath.Dir(at), 0o700), os.WriteFile(at, []byte(data), 0o600)))
		},
	}
}

func TestContract(t *testing.T) {
	t.Parallel()
	remotetest.Run(t, func(t *testing.T) remotetest.Remote {
		_, r := place(t, disk.Claim)
		return r
	})
}

// An engine that looks and then renames lets several writers have one number. The race
// has to see that, and so has the probe.
func TestRaceSeesStatThenRename(t *testing.T) {
	t.Parallel()
	const writers = 8 // of the race, and of the probe
	var mu sync.Mutex
	waiting := map[string][]chan struct{}{}
	_, r := place(t, func(dir *os.Root, from, to string) error {
		_, err := dir.Lstat(to)
		if err == nil {
			return fs.ErrExist
		}
		// All look before one of them renames.
		c := make(chan struct{})
		mu.Lock()
		waiting[to] = append(waiting[to], c)
		if len(waiting[to]) == writers {
			for _, c := range waiting[to] {
				close(c)
			}
		}
		mu.Unlock()
		<-c
		return dir.Rename(from, to)
	})
	var logs []remote.Log
	for range writers {
		logs = append(logs, r.Open(t))
	}
	if err := remotetest.Race(t.Context(), logs, 1); err == nil || !strings.Contains(err.Error(), "won") {
		t.Errorf("the race: %v", err)
	}
	if err := logs[0].Init(t.Context()); !errors.Is(err, remote.ErrUnsafe) {
		t.Errorf("the probe: %v", err)
	}
	if _, err := remotetest.Parts(t.Context(), logs[0], "x", 0); !errors.Is(err, remote.ErrNoRemote) {
		t.Errorf("a remote was made all the same: %v", err)
	}
}

// What a hostile or broken directory holds is never followed, waited for or taken for
// a part.
func TestHostile(t *testing.T) {
	t.Parallel()
	name, r := place(t, disk.Claim)
	l := r.Open(t)
	must.Do(t, l.Init(t.Context()))
	outside := filepath.Join(filepath.Dir(name), "outside")
	must.Do(t, errors.Join(os.Mkdir(outside, 0o700), os.WriteFile(filepath.Join(outside, "000000000001"), []byte("{}\n"), 0o600)))
	session := func(key string) string {
		at := filepath.Join(name, "v1", "s", remote.Shard(key), key)
		must.Do(t, os.MkdirAll(filepath.Dir(at), 0o700))
		return at
	}
	must.Do(t, os.Symlink(outside, session("linkdir")))
	for key, make := range map[string]func(part string) error{
		"link":  func(part string) error { return os.Symlink(filepath.Join(outside, "000000000001"), part) },
		"fifo":  mkfifo,
		"dir":   func(part string) error { return os.Mkdir(part, 0o700) },
		"empty": func(part string) error { return os.WriteFile(part, nil, 0o600) },
		"torn":  func(part string) error { return os.WriteFile(part, []byte("{}"), 0o600) },
	} {
		at := session(key)
		must.Do(t, errors.Join(os.MkdirAll(at, 0o700), make(filepath.Join(at, "000000000001"))))
	}
	for _, key := range []string{"linkdir", "link", "fifo", "dir", "empty", "torn"} {
		list, err := remotetest.Parts(t.Context(), l, key, 0)
		if len(list) > 0 || err == nil && key != "linkdir" && key != "dir" {
			t.Errorf("%s: %d parts, %v", key, len(list), err)
		}
		if _, err := l.Append(t.Context(), key, 0, 1, []byte("{\"x\":1}\n")); err == nil {
			t.Errorf("%s: written through", key)
		}
	}
	if got, err := os.ReadDir(outside); err != nil || len(got) != 1 {
		t.Errorf("outside: %v, %v", got, err)
	}
	if _, err := l.Append(t.Context(), "../../x", 0, 1, []byte("{}\n")); err == nil {
		t.Error("a key left the directory")
	}
}

// A part that is missing is damage, also where a writer is about to go on behind it.
func TestGap(t *testing.T) {
	t.Parallel()
	name, r := place(t, disk.Claim)
	l := r.Open(t)
	must.Do(t, l.Init(t.Context()))
	for n := range uint64(4) {
		if _, err := l.Append(t.Context(), "k", remote.Pos(n), n+1, []byte("{}\n")); err != nil {
			t.Fatal(err)
		}
	}
	part := func(n string) string { return filepath.Join(name, "v1", "s", remote.Shard("k"), "k", "00000000000"+n) }
	os.Remove(part("2"))
	for _, n := range []uint64{0, 1, 2} {
		if _, err := remotetest.Parts(t.Context(), l, "k", remote.Pos(n)); !errors.Is(err, remote.ErrDamaged) {
			t.Errorf("behind part %d: %v", n, err)
		}
	}
	os.Remove(part("4"))
	if _, err := remotetest.Parts(t.Context(), l, "k", 4); !errors.Is(err, remote.ErrWentBack) {
		t.Errorf("behind part 4: %v", err)
	}
}

// A full disk, or one that cannot be written to, gets the error of the kind, and no
// name is taken.
func TestErrors(t *testing.T) {
	t.Parallel()
	if _, err := Open(filepath.Join(t.TempDir(), "none"), quiet); !errors.Is(err, remote.ErrNoRemote) {
		t.Errorf("no directory: %v", err)
	}
	_, r := place(t, func(*os.Root, string, string) error { return errors.ErrUnsupported })
	if err := r.Open(t).Init(t.Context()); !errors.Is(err, remote.ErrUnsafe) {
		t.Errorf("no links: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, r = place(t, disk.Claim)
	l := r.Open(t)
	must.Do(t, l.Init(ctx))
	if _, err := l.Append(ctx, "k", 0, 1, []byte("{}\n")); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := remotetest.Parts(ctx, l, "k", 0); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestKeptNotes: what a killed run wrote is told by the next one that keeps notes; what a live one wrote, by itself.
func TestKeptNotes(t *testing.T) {
	t.Parallel()
	_, r := place(t, disk.Claim)
	r.Plant(t, "v1/remote.json", string(remote.Marker(testTime)))
	kept := filepath.Join(t.TempDir(), "cache")
	open := func() remote.Log {
		l := r.Open(t)
		remote.KeepNotes(l, kept)
		return l
	}
	left := func() int {
		list, err := os.ReadDir(kept)
		must.Do(t, err)
		return len(list)
	}
	first := r.Open(t)
	must.Do(t, first.PutCard(t.Context(), remote.Card{ID: "s0", Made: "2026-01-02T03:04:05.000Z"}))
	_, err := first.Tell(t.Context(), "")
	must.Do(t, err)
	_, from, _, err := first.News(t.Context(), "", 100)
	must.Do(t, err)
	told := func(l remote.Log) string {
		_, err := l.Tell(t.Context(), "")
		must.Do(t, errors.Join(err, l.Close()))
		notes, next, ok, err := first.News(t.Context(), from, 100)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		from = next
		return fmt.Sprint(notes)
	}

	killed, live := open(), open()
	for i, l := range []remote.Log{killed, live} {
		_, err := l.Append(t.Context(), fmt.Sprint("k", i), 0, 1, []byte("{}\n"))
		must.Do(t, err)
	}
	must.Do(t, killed.PutCard(t.Context(), remote.Card{ID: "k0", N: 1, Made: "2026-01-02T03:04:05.000Z"}))
	must.Do(t, killed.Close()) // it has not told
	if got := told(open()); got != "[{k0 1 2026-01}]" {
		t.Errorf("of the killed one: %s", got)
	}
	if n := left(); n != 1 {
		t.Errorf("%d files while one run lives", n)
	}
	if got := told(live); got != "[{k1 1 }]" {
		t.Errorf("of the live one: %s", got)
	}
	if got := told(open()); got != "[]" || left() != 0 {
		t.Errorf("again: %s, and %d files", got, left())
	}

	// A line may be torn, or damaged.
	file := filepath.Join(kept, "untold-"+bucket.SumOf([]byte(first.Name()))[:16]+"-X")
	must.Do(t, os.WriteFile(file, []byte("{\"key\":\"k3\",\"n\":4}\n{\"key\":\"../x\",\"n\":1}\nnone\n{\"key\":\"k4\""), 0o600))
	if got := told(open()); got != "[{k3 4 }]" || left() != 0 {
		t.Errorf("of a torn file: %s, and %d files", got, left())
	}
}
