// Package memo remembers between runs what was said of a session: texts that a program made of files, kept for as long as the files are
// the same.
//
// An entry is one file in the user's cache, so that writers take nothing from each other. It has the build of the program
// and the files that it was made of: by path, device, number, size and the times of their last change. It counts while all of that
// is the same, its text is whole, and the files were two seconds old when reading them began: a file system may give two changes
// one time. An entry that does not count is as if it were not there, and no error of the cache is one of the program.
package memo

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/sess-tools/sess/internal/core/disk"
)

// nameSize is the size of the name of an entry in bytes, which are two digits each.
const nameSize = 16

// most is the largest entry in bytes.
const most = 16 << 20

// A Memo is the entries of one user. The nil pointer remembers nothing. It may be used concurrently.
type Memo struct {
	dir, build string
	now        func() time.Time
	wrote      atomic.Bool
}

// In returns the memo of a build in a directory, by a clock.
func In(dir, build string, now func() time.Time) *Memo {
	return &Memo{dir: dir, build: build, now: now}
}

// Now is the time by the clock of the memo.
func (m *Memo) Now() time.Time { return m.now() }

// Open returns the memo of this user and this build of the program, nil where SESS_CACHE is off or there is no place for one.
func Open() *Memo {
	dir, err := Dir()
	if err != nil || dir == "" {
		return nil
	}
	self, err := os.Executable()
	if err != nil {
		return nil
	}
	build, ok := stampOf(self)
	if !ok || build.Size < 0 {
		return nil
	}
	text, err := json.Marshal(build)
	if err != nil {
		return nil
	}
	return In(dir, string(text), time.Now)
}

// Variable turns the memo off, where it is "off".
const Variable = "SESS_CACHE"

// Dir returns the directory of the entries, which need not be there; "" where SESS_CACHE is off.
func Dir() (string, error) {
	if os.Getenv(Variable) == "off" {
		return "", nil
	}
	dir, err := disk.CacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "said"), nil
}

// Size returns how many entries there are, and their size in bytes.
func Size(dir string) (entries int, size int64) {
	list, _ := os.ReadDir(dir) // one that cannot be read has none
	for _, e := range list {
		if fi, err := e.Info(); err == nil && fi.Mode().IsRegular() {
			entries, size = entries+1, size+fi.Size()
		}
	}
	return entries, size
}

// A stamp is a file as it was at a moment. The size is -1 where there is none.
type stamp struct {
	Path   string `json:"path"`
	Device uint64 `json:"device"`
	disk.Stamp
}

// stampOf returns a file as it is; ok is false where that cannot be told.
func stampOf(path string) (s stamp, ok bool) {
	path, err := filepath.Abs(path)
	if err != nil {
		return s, false
	}
	s.Path = path
	fi, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		s.Size = -1
		return s, true
	}
	if err != nil || !fi.Mode().IsRegular() {
		return s, false
	}
	s.Stamp, s.Device = disk.StampOf(fi), disk.Device(fi)
	return s, s.Ctime != 0
}

// A Key says of which files, as they are, a text is made, and in words which text it is.
type Key struct {
	name  string
	what  []string
	files []stamp
	begun int64 // when reading the files began, in nanoseconds since the epoch
}

// Key returns the key for a text of files, of which the first is there, that are read from a moment on: the words name the text,
// and every other thing that it depends on. Ok is false where nothing is remembered.
func (m *Memo) Key(begun time.Time, what []string, files ...string) (k Key, ok bool) {
	if m == nil || len(files) == 0 {
		return k, false
	}
	k.what, k.begun = what, begun.UnixNano()
	for _, path := range files {
		s, ok := stampOf(path)
		if !ok {
			return k, false
		}
		k.files = append(k.files, s)
	}
	sum := sha256.Sum256([]byte(strings.Join(append(slices.Clone(what), k.files[0].Path), "\x00")))
	k.name = hex.EncodeToString(sum[:nameSize])
	return k, k.files[0].Size >= 0
}

// settledAt reports whether the files were settled at a moment, in nanoseconds since the epoch.
func (k Key) settledAt(at int64) bool {
	return !slices.ContainsFunc(k.files, func(s stamp) bool { return s.Age(time.Unix(0, at)) < disk.StampAge })
}

// A head is the first line of an entry.
type head struct {
	Build string   `json:"build"`
	What  []string `json:"what"`
	Files []stamp  `json:"files"`
	Begun int64    `json:"begun"` // when reading the files began, in nanoseconds since the epoch
	Sum   string   `json:"sum"`   // the SHA-256 of the text
}

// Get returns the text of a key, if it is remembered.
func (m *Memo) Get(k Key) (text []byte, ok bool) {
	h, text, ok := read(filepath.Join(m.dir, k.name))
	if !ok || h.Build != m.build || !slices.Equal(h.What, k.what) || !slices.Equal(h.Files, k.files) || !k.settledAt(h.Begun) || h.Sum != sumOf(text) {
		return nil, false
	}
	return text, true
}

func sumOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// read reads an entry.
func read(path string) (h head, text []byte, ok bool) {
	f, err := os.OpenFile(path, os.O_RDONLY|disk.NoFollow|disk.Nonblock, 0)
	if err != nil {
		return h, nil, false
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil || !fi.Mode().IsRegular() || !disk.Private(fi) || fi.Size() > most {
		return h, nil, false
	}
	data := make([]byte, fi.Size())
	if _, err := io.ReadFull(f, data); err != nil {
		return h, nil, false
	}
	line, text, ok := bytes.Cut(data, []byte("\n"))
	return h, text, ok && json.Unmarshal(line, &h) == nil
}

// Put remembers the text that was made of a key's files, if they are still as they were then.
func (m *Memo) Put(k Key, text []byte) {
	if len(text) > most/2 || !k.settledAt(k.begun) {
		return
	}
	for _, was := range k.files {
		if is, ok := stampOf(was.Path); !ok || is != was {
			return
		}
	}
	line, err := json.Marshal(head{m.build, k.what, k.files, k.begun, sumOf(text)})
	if err != nil || os.MkdirAll(m.dir, 0o700) != nil {
		return
	}
	f, err := os.CreateTemp(m.dir, ".new-*") // mode 0600
	if err != nil {
		return
	}
	_, err = f.Write(slices.Concat(line, []byte("\n"), text))
	if err := disk.Closing(f, err); err != nil || os.Rename(f.Name(), filepath.Join(m.dir, k.name)) != nil {
		_ = os.Remove(f.Name()) // it was ours
		return
	}
	m.wrote.Store(true)
}

// Close removes, if something was written, the entries whose source is gone and what writers left that were killed. Where another
// process does that just now, it does nothing.
func (m *Memo) Close() {
	if m == nil || !m.wrote.Swap(false) {
		return
	}
	lock, err := os.OpenFile(filepath.Join(m.dir, ".lock"), os.O_RDWR|os.O_CREATE|disk.NoFollow|disk.Nonblock, 0o600)
	if err != nil {
		return
	}
	defer lock.Close()
	if ok, err := disk.Flock(lock); err != nil || !ok {
		return
	}
	list, _ := os.ReadDir(m.dir)
	for _, e := range list {
		path := filepath.Join(m.dir, e.Name())
		if strings.HasPrefix(e.Name(), ".new-") {
			if fi, err := e.Info(); err == nil && time.Since(fi.ModTime()) > time.Hour {
				_ = os.Remove(path)
			}
			continue
		}
		if name, err := hex.DecodeString(e.Name()); err != nil || len(name) != nameSize || !e.Type().IsRegular() {
			continue // it is no entry
		}
		h, _, ok := read(path)
		if ok && len(h.Files) > 0 {
			if _, err := os.Stat(h.Files[0].Path); !errors.Is(err, fs.ErrNotExist) {
				continue
			}
		}
		_ = os.Remove(path)
	}
}
