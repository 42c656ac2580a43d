package address

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

const header = `{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}` + "\n"

func streams() *cli.Streams {
	return &cli.Streams{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard, Quiet: true}
}

// draft makes a draft and returns the path it will have.
func draft(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	must.Do(t, store.CreateDraft(path, strings.NewReader(header), false))
	return path
}

func target(t *testing.T, path, role string) *Target {
	t.Helper()
	tg, err := OpenTarget(t.Context(), streams(), path, TargetOptions{})
	must.Do(t, err)
	t.Cleanup(func() { tg.Close() })
	if _, err := tg.Batch.AddMessage(session.NewTextMessage(role, "text")); err != nil {
		t.Fatal(err)
	}
	return tg
}

// A name that was taken since the draft was opened: nothing is written.
func TestPublishOccupied(t *testing.T) {
	t.Parallel()
	path := draft(t)
	tg := target(t, path, "assistant")
	must.Do(t, os.WriteFile(path, []byte("theirs"), 0o600))
	err := tg.Commit()
	if !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), "nothing was written") {
		t.Errorf("got %v", err)
	}
	if must.Read(t, path) != "theirs" || must.Read(t, store.Draft(path)) != header {
		t.Error("something was lost")
	}
}

// A writer that waits for a draft's lock goes on with the session it became.
func TestWaitForPublication(t *testing.T) {
	t.Parallel()
	synctest.Test(t, waitForPublication)
}

func waitForPublication(t *testing.T) {
	path := draft(t)
	first := target(t, path, "assistant")
	second := make(chan error, 1)
	go func() {
		tg, err := OpenTarget(t.Context(), streams(), path, TargetOptions{})
		if err == nil {
			if _, err = tg.Batch.AddMessage(session.NewTextMessage("user", "second")); err == nil {
				err = errors.Join(tg.Commit(), tg.Close())
			}
		}
		second <- err
	}()
	synctest.Wait() // until it sleeps between two attempts to lock, or is done
	select {
	case err := <-second:
		t.Fatalf("did not wait: %v", err)
	default:
	}
	must.Do(t, errors.Join(first.Commit(), first.Close(), <-second))
	lines := strings.Split(must.Read(t, path), "\n")
	if len(lines) != 4 || !strings.Contains(lines[2], "second") || !strings.Contains(lines[2], `"parentId":"`+first.Batch.Leaf+`"`) {
		t.Errorf("got %q", lines)
	}
	if _, err := os.Stat(store.Draft(path)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the draft is still there: %v", err)
	}
}

// What else is appended leaves a draft a draft.
func TestNotPublished(t *testing.T) {
	t.Parallel()
	for _, role := range []string{"user", "system", "developer"} {
		path := draft(t)
		if err := target(t, path, role).Commit(); err != nil {
			t.Error(err)
		}
		if file, err := store.Locate(path); file != store.Draft(path) || err != nil {
			t.Errorf("%s: %q, %v", role, file, err)
		}
	}
}

// A reader opens the session although its draft goes away under its hands.
func TestReadDuringPublication(t *testing.T) {
	t.Parallel()
	path := draft(t)
	calls := 0
	p, err := open(t.Context(), streams(), path, func(p place) error {
		if calls++; calls == 1 {
			if err := store.Publish(path, false); err != nil {
				t.Error(err)
			}
		}
		_, err := os.ReadFile(p.file)
		return err
	})
	if err != nil || p.file != path || calls != 2 {
		t.Errorf("%+v, %v after %d calls", p, err, calls)
	}
}

func TestDeviceName(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there is no /dev")
	}
	f, err := os.Open("/dev/null")
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	if got := deviceName(f, "/no/such/directory", "/dev"); got != "/dev/null" {
		t.Errorf("got %q", got)
	}
	if got := deviceName(f, t.TempDir()); got != "" {
		t.Errorf("got %q", got)
	}
	if got := terminalName(f); got != "" {
		t.Errorf("the null device is the terminal %q", got)
	}
}
