//go:build unix

package memo

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/test/must"
)

// later is a clock by which all files are settled.
func later() time.Time { return time.Now().Add(time.Hour) }

// touched changes a file until its stamp is another one: a file system has a clock of its own.
func touched(t *testing.T, path string, change func()) {
	t.Helper()
	before, _ := stampOf(path)
	for range 100_000 {
		change()
		if after, _ := stampOf(path); after != before {
			return
		}
	}
	t.Error("the stamp of a changed file is as it was")
}

// A memo with one entry of two files, of which the second is not there.
func remembered(t *testing.T) (m *Memo, key func() Key, source, entry string) {
	t.Helper()
	source = must.Write(t, t.TempDir(), "source", "one")
	m = In(filepath.Join(t.TempDir(), "sess", "said"), "b1", later)
	key = func() Key {
		k, ok := m.Key(later(), []string{"row", "x"}, source, source+"-wal")
		if !ok {
			t.Fatal("no key")
		}
		return k
	}
	m.Put(key(), []byte("text\n"))
	if text, ok := m.Get(key()); !ok || string(text) != "text\n" {
		t.Fatalf("%q, %v", text, ok)
	}
	return m, key, source, filepath.Join(m.dir, key().name)
}

// An entry counts while its files are as they were.
func TestEntryGoesWithItsFiles(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(t *testing.T, source string){
		"grown": func(t *testing.T, source string) { must.Do(t, os.WriteFile(source, []byte("one more"), 0o600)) },
		"cut":   func(t *testing.T, source string) { must.Do(t, os.Truncate(source, 1)) },
		"replaced": func(t *testing.T, source string) {
			must.Do(t, os.WriteFile(source+"~", []byte("two"), 0o600))
			must.Do(t, os.Rename(source+"~", source))
		},
		"rewritten, with its time": func(t *testing.T, source string) {
			fi, err := os.Stat(source)
			must.Do(t, err)
			must.Do(t, os.WriteFile(source, []byte("two"), 0o600))
			must.Do(t, os.Chtimes(source, fi.ModTime(), fi.ModTime()))
		},
		"another file came": func(t *testing.T, source string) { must.Do(t, os.WriteFile(source+"-wal", nil, 0o600)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, key, source, _ := remembered(t)
			changed := source
			if strings.HasPrefix(name, "another") {
				changed += "-wal"
			}
			old := key()
			touched(t, changed, func() { change(t, source) })
			if text, ok := m.Get(key()); ok {
				t.Errorf("it still says %q", text)
			}
			m.Put(old, []byte("of what it was\n")) // it was read before the change
			if text, ok := m.Get(key()); ok {
				t.Errorf("it says %q of another file", text)
			}
		})
	}
}

// What is torn, of another build, of another key or not the user's alone is as if it were not there, and no error.
func TestDamagedEntryIsNone(t *testing.T) {
	t.Parallel()
	m, key, source, entry := remembered(t)
	whole := must.Read(t, entry)
	for n := range len(whole) {
		must.Do(t, os.WriteFile(entry, []byte(whole[:n]), 0o600))
		if text, ok := m.Get(key()); ok {
			t.Errorf("%d bytes of %d say %q", n, len(whole), text)
		}
	}
	for n := range len(whole) {
		flipped := []byte(whole)
		flipped[n] ^= 1
		must.Do(t, os.WriteFile(entry, flipped, 0o600))
		if text, ok := m.Get(key()); ok && string(text) != "text\n" {
			t.Errorf("with byte %d changed it says %q", n, text)
		}
	}
	must.Do(t, os.WriteFile(entry, []byte(whole), 0o600))
	other := In(m.dir, "b2", later)
	if _, ok := other.Get(key()); ok {
		t.Error("another build takes it")
	}
	k, _ := m.Key(later(), []string{"row", "y"}, source, source+"-wal")
	must.Do(t, os.Rename(entry, filepath.Join(m.dir, k.name)))
	if _, ok := m.Get(k); ok {
		t.Error("another key takes it")
	}
	must.Do(t, os.Symlink(filepath.Join(m.dir, k.name), entry))
	if _, ok := m.Get(key()); ok {
		t.Error("a link is followed")
	}
	must.Do(t, os.Remove(entry))
	must.Do(t, syscall.Mkfifo(entry, 0o600))
	if _, ok := m.Get(key()); ok {
		t.Error("a FIFO is read")
	}
	must.Do(t, os.Remove(entry))
	must.Do(t, os.WriteFile(entry, []byte(whole), 0o644)) //nolint:gosec // that is the fault
	if _, ok := m.Get(key()); ok {
		t.Error("a file that others may read is taken")
	}
}

// Files that are not settled when reading begins are not remembered: a change may leave their times.
func TestYoungFileIsNotRemembered(t *testing.T) {
	t.Parallel()
	source := must.Write(t, t.TempDir(), "source", "one")
	m := In(t.TempDir(), "b", time.Now)
	for _, begun := range []time.Time{time.Now(), time.Now().Add(-time.Hour)} { // as by a clock that was set back
		k, ok := m.Key(begun, []string{"row"}, source)
		if m.Put(k, []byte("x")); !ok {
			t.Fatal("no key")
		}
		if _, ok := m.Get(k); ok {
			t.Error("it is remembered")
		}
	}
}

// Where there is no room, no right or no place, nothing is remembered, and nothing fails. Entries are the user's alone.
func TestPlaces(t *testing.T) {
	t.Parallel()
	m, key, source, entry := remembered(t)
	for path, mode := range map[string]os.FileMode{entry: 0o600, m.dir: 0o700 | os.ModeDir, filepath.Dir(m.dir): 0o700 | os.ModeDir} {
		if fi, err := os.Stat(path); err != nil || fi.Mode() != mode {
			t.Errorf("%s: %v, %v", path, fi.Mode(), err)
		}
	}
	file := must.Write(t, t.TempDir(), "file", "")
	In(file, "b1", later).Put(key(), []byte("x"))
	var none *Memo
	if _, ok := none.Key(later(), nil, source); ok {
		t.Error("nothing has a key")
	}
	none.Close()
	if _, ok := m.Key(later(), nil, source+"-none"); ok {
		t.Error("what is not there has a key")
	}
	if n, size := Size(m.dir); n != 1 || size == 0 {
		t.Errorf("%d entries, %d bytes", n, size)
	}
}

// With the next write an entry goes whose source is gone, and so does one that is torn; other files stay.
func TestSweep(t *testing.T) {
	t.Parallel()
	m, key, source, entry := remembered(t)
	gone := must.Write(t, t.TempDir(), "gone", "x")
	k, _ := m.Key(later(), []string{"row"}, gone)
	m.Put(k, []byte("x"))
	foreign, torn := must.Write(t, m.dir, "foreign", "x"), must.Write(t, m.dir, "00112233445566778899aabbccddeeff", "{")
	must.Do(t, os.Remove(gone))
	In(m.dir, "b1", later).Close() // which wrote nothing
	if n, _ := Size(m.dir); n != 4 {
		t.Errorf("%d entries", n)
	}
	m.Put(key(), []byte("text\n"))
	m.Close()
	if _, err := os.Stat(filepath.Join(m.dir, k.name)); !os.IsNotExist(err) {
		t.Error("the entry of a source that is gone stays")
	}
	if _, err := os.Stat(torn); !os.IsNotExist(err) {
		t.Error("a torn entry stays")
	}
	if _, err := os.Stat(foreign); err != nil {
		t.Errorf("the file of another program: %v", err)
	}
	if _, err := os.Stat(entry); err != nil {
		t.Errorf("the entry of %s: %v", source, err)
	}
}
