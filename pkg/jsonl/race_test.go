package jsonl

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/core/disk"
)

// appendLines appends lines "NAME 0", "NAME 1", …, opening the log for each.
func appendLines(t *testing.T, path, name string, n int) error {
	for i := range n {
		a, err := OpenAppender(t.Context(), path, Options{})
		if err != nil {
			return err
		}
		err = a.Append(fmt.Appendf(nil, `"%s %d %s"`, name, i, strings.Repeat("x", 5000)))
		if err := errors.Join(err, a.Close()); err != nil {
			return err
		}
	}
	return nil
}

// wantAll checks that the lines of all writers are there, whole and in order.
func wantAll(t *testing.T, path string, names []string, n int) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	next := map[string]int{}
	for l, err := range Lines(f) {
		if err != nil {
			t.Fatal(err)
		}
		var name, pad string
		var i int
		if _, err := fmt.Sscanf(string(l.Data), `"%s %d %s`, &name, &i, &pad); err != nil || len(pad) != 5001 || l.Torn {
			t.Fatalf("line %d is damaged: %.40q", l.Number, l.Data)
		}
		if i != next[name] {
			t.Errorf("line %d: %s has %d, want %d", l.Number, name, i, next[name])
		}
		next[name] = i + 1
	}
	for _, name := range names {
		if next[name] != n {
			t.Errorf("%s: %d of %d lines", name, next[name], n)
		}
	}
	wantAlone(t, path)
}

// Appenders that wait for the lock while the log is replaced under them must
// find the new one. Without the look at the path after locking, lines vanish.
func TestReplaceRace(t *testing.T) {
	t.Parallel()
	const n = 50
	path := newLog(t, "")
	names := []string{"a", "b", "c", "d"}
	var writers, renamer sync.WaitGroup
	stop := make(chan struct{})
	renamer.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(200 * time.Microsecond): // or nobody else gets the lock
			}
			if err := replace(t.Context(), path); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for _, name := range names {
		writers.Go(func() {
			if err := appendLines(t, path, name, n); err != nil {
				t.Error(err)
			}
		})
	}
	writers.Wait()
	close(stop)
	renamer.Wait()
	wantAll(t, path, names, n)
}

// replace renames a copy over a log that it holds locked.
func replace(ctx context.Context, path string) error {
	h, err := acquire(newPatience(ctx, DefaultWait), disk.OS{}, path)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(path)
	if err == nil {
		err = disk.Replace(disk.OS{}, path+".tmp", path, data, false)
	}
	return errors.Join(err, h.release())
}

const (
	childEnv = "JSONL_TEST_CHILD"
	raceEnv  = "GORACE=atexit_sleep_ms=0" // under -race each exit takes a second otherwise
)

// TestChild is not a test of its own: other tests run it as a second process,
// which does what the environment says.
func TestChild(t *testing.T) {
	task, path, found := strings.Cut(os.Getenv(childEnv), ":")
	if !found {
		t.Skip("runs in a child process only")
	}
	switch task {
	case "limit":
		childLimit(t, path)
	default:
		if err := appendLines(t, path, task, 50); err != nil {
			t.Fatal(err)
		}
	}
}

func child(t *testing.T, task, path string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), testBinary(t), "-test.run=^TestChild$", "-test.v")
	cmd.Env = append(os.Environ(), raceEnv, childEnv+"="+task+":"+path)
	return cmd
}

func TestProcessesAppend(t *testing.T) {
	t.Parallel()
	path := newLog(t, "")
	names := []string{"p", "q"}
	var wg sync.WaitGroup
	for _, name := range names {
		cmd := child(t, name, path)
		wg.Go(func() {
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	wg.Wait()
	wantAll(t, path, names, 50)
}

// A torn tail that a live writer completes within the grace is not mended.
func TestForeignWriterWithinGrace(t *testing.T) {
	t.Parallel()
	for rest, want := range map[string]string{
		"\"b\":2}\n":       "{\"b\":2}\n1\n",
		"\"b\":2}":         "{\"b\":2}\n1\n",
		"\"b\":2}\n{}\n":   "{\"b\":2}\n{}\n1\n",
		"\"b\":2}\n{\"c\"": "{\"b\":2}\n    \n1\n", // that one is dead after all
	} {
		t.Run(rest, func(t *testing.T) {
			t.Parallel()
			path := newLog(t, "{")
			looks := 0
			d := faultyDisk{hook: func(name string, f *faultyFile) {
				if name != "x.jsonl" {
					return
				}
				f.readAt = func(f disk.File, p []byte, off int64) (int, error) {
					n, err := f.ReadAt(p, off)
					// The whole tail is read after its last byte: then the
					// first look is over.
					if looks++; looks == 2 {
						foreignAppend(t, path, rest)
					}
					return n, err
				}
			}}
			a, err := openAppender(t.Context(), d, path, Options{Grace: time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			defer a.Close()
			if err := a.Append([]byte("1")); err != nil {
				t.Fatal(err)
			}
			wantFile(t, path, want)
		})
	}
}

// Between opening and appending, others may append.
func TestForeignWriterBeforeAppend(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ before, foreign, want string }{
		"whole line":      {"{}\n", "[]\n", "{}\n[]\n1\n"},
		"ended our tail":  {"{}", "\n", "{}\n1\n"},
		"completed it":    {"{\"a", "\":1}\n", "{\"a\":1}\n1\n"},
		"torn":            {"{}\n", "[", "{}\n \n1\n"},
		"torn and longer": {"{", "\"b\"", "    \n1\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := newLog(t, tt.before)
			a := mustOpen(t, path, Options{Grace: time.Millisecond})
			foreignAppend(t, path, tt.foreign)
			if err := a.Append([]byte("1")); err != nil {
				t.Fatal(err)
			}
			wantFile(t, path, tt.want)
		})
	}
}

// A writer that comes back to life while its fragment is saved is left alone.
func TestForeignWriterWhileSaving(t *testing.T) {
	t.Parallel()
	path := newLog(t, "{")
	d := faultyDisk{hook: func(name string, f *faultyFile) {
		if name == "x.jsonl.torn" {
			f.sync = func(f disk.File) error {
				foreignAppend(t, path, "}\n")
				return f.Sync()
			}
		}
	}}
	a, err := openAppender(t.Context(), d, path, Options{Grace: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if err := a.Append([]byte("1")); err != nil {
		t.Fatal(err)
	}
	wantFile(t, path, "{}\n1\n")
	if a.Mended() != (Mend{}) {
		t.Errorf("mended %v", a.Mended())
	}
}

// A tail that grows at every look is somebody at work: busy, not torn.
func TestForeignWriterKeepsGrowing(t *testing.T) {
	t.Parallel()
	path := newLog(t, "{")
	d := faultyDisk{hook: func(name string, f *faultyFile) {
		if name == "x.jsonl" {
			f.readAt = func(f disk.File, p []byte, off int64) (int, error) {
				n, err := f.ReadAt(p, off)
				foreignAppend(t, path, "x")
				return n, err
			}
		}
	}}
	_, err := openAppender(t.Context(), d, path, Options{Wait: 20 * time.Millisecond, Grace: time.Millisecond})
	if !errors.Is(err, ErrUnfinished) || strings.Count(err.Error(), path) != 1 {
		t.Errorf("got %v, want ErrUnfinished", err)
	}
	wantAlone(t, path)
}

// A line that went into a replaced or deleted log must not be acknowledged.
func TestReplacedWithoutLock(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]error{"replaced": ErrChanged, "deleted": os.ErrNotExist} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := newLog(t, "{}\n")
			a := mustOpen(t, path, Options{})
			if err := os.Rename(path, path+".old"); err != nil {
				t.Fatal(err)
			}
			if name == "replaced" {
				writeFile(t, path, "[]\n")
			}
			for range 2 {
				if err := a.Append([]byte("1")); !errors.Is(err, want) || strings.Count(err.Error(), path) != 1 {
					t.Errorf("got %v, want %v and the name once", err, want)
				}
			}
			wantFile(t, path+".old", "{}\n1\n")
		})
	}
}
