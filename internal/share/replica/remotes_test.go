package replica

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/share/remote"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/pkg/session"
)

// partFile is the file of a part in a directory.
func partFile(name, number string) string {
	return filepath.Join(name, "v1", "s", remote.Shard(testID), testID, number)
}

// A remote that was restored from a backup has fewer parts. If another machine has pushed
// since, it has as many as before, and one of them is another one.
func TestWentBackAndOnAgain(t *testing.T) {
	t.Parallel()
	d := t.TempDir()
	name := filepath.Join(d, "remote")
	log, a, b := ready(t, name), filepath.Join(d, "a.jsonl"), filepath.Join(d, "b.jsonl")
	write(t, a, header)
	for _, id := range []string{"1", "2"} {
		add(t, a, entry(id, ""))
		mustRun(t, Push, a, options(log))
	}
	write(t, b, content(t, a))
	mustRun(t, Push, b, options(log))
	add(t, a, entry("ours", ""))
	mustRun(t, Push, a, options(log))
	os.Remove(partFile(name, "000000000003"))
	add(t, b, entry("their", ""))
	os.Remove(StateFile(b)) // as on a machine that has seen nothing yet
	mustRun(t, Push, b, options(log))
	for _, run := range []runner{Pull, Push} {
		if _, err := run(t.Context(), a, options(log)); !errors.Is(err, remote.ErrWentBack) {
			t.Errorf("%v", err)
		}
	}
	o := options(log)
	o.Reseed = true
	mustRun(t, Push, a, o)
	mustRun(t, Pull, b, options(log))
	if got := content(t, b); got != content(t, a) || got != inRemote(t, log) || strings.Count(got, `"ours"`) != 1 || strings.Count(got, `"their"`) != 1 {
		t.Errorf("a\n%s\nb\n%s", content(t, a), got)
	}
}

// Behind a gap nothing is read, and what is in front of it is. Who has the lines can go on there.
func TestGapIsReadUpTo(t *testing.T) {
	t.Parallel()
	d := t.TempDir()
	name := filepath.Join(d, "remote")
	log, path := ready(t, name), filepath.Join(d, "s.jsonl")
	write(t, path, header)
	mustRun(t, Push, path, options(log))
	old := content(t, path)
	add(t, path, entry("1", ""))
	mustRun(t, Push, path, options(log))
	write(t, partFile(name, "000000000100"), entry("stray", ""))
	behind := filepath.Join(d, "behind.jsonl")
	write(t, behind, old)
	if r, err := Pull(t.Context(), behind, options(log)); !errors.Is(err, remote.ErrGap) || r.Got != 1 || content(t, behind) != content(t, path) {
		t.Errorf("%+v, %v\n%s", r, err, content(t, behind))
	}
	add(t, path, entry("2", ""))
	if r, err := Push(t.Context(), path, options(log)); !errors.Is(err, remote.ErrGap) || r.Sent != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	o := options(log)
	o.Reseed = true
	if r, err := Push(t.Context(), path, o); err != nil || r.Sent != 1 || r.N != 3 {
		t.Errorf("%+v, %v", r, err)
	}
	os.Remove(partFile(name, "000000000100"))
	mustRun(t, Pull, behind, options(log))
	if content(t, behind) != content(t, path) {
		t.Errorf("after all\n%s", content(t, behind))
	}
}

// The beginning of a line is not dropped because the remote's line begins so as well.
func TestTornTailStays(t *testing.T) {
	t.Parallel()
	d := t.TempDir()
	log, path := ready(t, filepath.Join(d, "remote")), filepath.Join(d, "s.jsonl")
	write(t, path, header)
	mustRun(t, Push, path, options(log))
	theirs, ours := entry("theirs", ""), entry("ours", "")
	if _, err := log.Append(t.Context(), testID, 1, 2, []byte(theirs)); err != nil {
		t.Fatal(err)
	}
	half, _, _ := strings.Cut(ours, "ours")
	if !strings.HasPrefix(theirs, half) {
		t.Fatal("they begin otherwise")
	}
	add(t, path, half)
	mustRun(t, Pull, path, options(log))
	add(t, path, strings.TrimPrefix(ours, half))
	if want := header + theirs + ours; content(t, path) != want {
		t.Errorf("%s\nwant\n%s", content(t, path), want)
	}
}

// A file that was changed is read again although its size and time are as they were.
func TestTimesSetBack(t *testing.T) {
	t.Parallel()
	d := t.TempDir()
	log, path := ready(t, filepath.Join(d, "remote")), filepath.Join(d, "s.jsonl")
	write(t, path, header, entry("abc", ""))
	fi, err := os.Stat(path)
	must.Do(t, err)
	mustRun(t, Push, path, options(log))
	s, _ := loadState(path, log.Name())
	was := disk.StampOf(fi)
	s.File = &was // as if it had been a second later
	must.Do(t, saveState(path, s))
	write(t, path, header, entry("xyz", ""))
	must.Do(t, os.Chtimes(path, time.Time{}, fi.ModTime()))
	if r, err := Push(t.Context(), path, options(log)); err != nil || r.Sent != 1 || r.Got != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

// Lines from a remote that no program would append are named, and an entry that is there with
// other words is no secret.
func TestSuspectLines(t *testing.T) {
	t.Parallel()
	d := t.TempDir()
	log, path := ready(t, filepath.Join(d, "remote")), filepath.Join(d, "s.jsonl")
	write(t, path, header, entry("a", ""), entry("b", "a"))
	mustRun(t, Push, path, options(log))
	forged := entry("a", "b")
	if _, err := log.Append(t.Context(), testID, 1, 2, []byte(forged+header+"\x00\x00\n"+entry("c", "b"))); err != nil {
		t.Fatal(err)
	}
	var said []string
	o := options(log)
	o.Warn = func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }
	mustRun(t, Pull, path, o)
	all := strings.Join(said, "\n")
	for _, want := range []string{`the entry "a" comes again with other bytes`, "a second header", "bytes of zero"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q does not say %q", all, want)
		}
	}
	if len(said) != 3 || content(t, path) != inRemote(t, log) {
		t.Errorf("%d warnings: %q", len(said), said)
	}
}

// Lines that would be damage for everybody are not pushed.
func TestDamageStaysHere(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]string{"header": header, "zeros": "\x00\x00\n", "zeros inside": `{"type":"custom","id":"z` + "\x00" + `"}` + "\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := t.TempDir()
			log, path := ready(t, filepath.Join(d, "remote")), filepath.Join(d, "s.jsonl")
			write(t, path, header, entry("a", ""), line)
			if _, err := Push(t.Context(), path, options(log)); !errors.Is(err, session.ErrMalformed) {
				t.Errorf("%v", err)
			}
			if has, err := log.Has(t.Context(), testID); err != nil || has {
				t.Errorf("pushed all the same: %v, %v", has, err)
			}
		})
	}
}
