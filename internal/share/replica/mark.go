package replica

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sess-tools/sess/internal/core/bucket"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/core/parallel"
	"github.com/sess-tools/sess/internal/share/remote"
)

// A Mark says up to where the sessions of a store and a remote were brought up to date, in one direction: what of the remote
// was seen, and which files were done with, by their names, times and sizes. It is a cache: without it all sessions are looked at,
// and so they are once a day. Settle and Owe may be called concurrently.
type Mark struct {
	name  string
	clock func() time.Time
	head  markHead
	was   []markFile // by path
	paths []string   // of was, of the files that Same has met
	met   int
	fresh map[string]disk.Stamp // of files that are not as they were, if they do not change just now
	mu    sync.Mutex
	now   map[uint64]markFile
	young []string // the paths of files that changed when they were done with
	owed  map[string]bool
}

// A markHead is the first line of a mark. Behind it stand its files, in recordSize bytes each.
type markHead struct {
	Format    string   `json:"format"`
	Version   int      `json:"version"`
	Remote    string   `json:"remote"`
	Store     string   `json:"store"`
	Direction string   `json:"direction"`
	Place     string   `json:"place"` // see [remote.Log]
	Full      int64    `json:"full"`  // when all sessions were looked at, in milliseconds since the epoch
	Pages     int      `json:"pages"` // requests of a listing of all
	Owed      []string `json:"owed"`  // keys of sessions that could not be brought up to date
	SHA256    string   `json:"sha256"`
}

const (
	markFormat  = "sess-sync mark"
	markVersion = 1
	recordSize  = 32
	// markAge is the age from which on all sessions are looked at again.
	markAge = 24 * time.Hour
	// mostOwed is how many sessions a mark may owe.
	mostOwed = 1000
	maxMark  = 1 << 30
	mostNews = 1000 // objects of a journal, or messages
)

// A markFile is a file that was done with: the beginnings of the SHA-256 of its path, of its stamp and of its session's key, and
// the last part that it had. The stamp is 0 for a file that changed just then.
type markFile struct{ path, stamp, key, n uint64 }

func short(parts ...[]byte) uint64 {
	sum := sha256.Sum256(bytes.Join(parts, []byte{0}))
	return binary.BigEndian.Uint64(sum[:])
}

func shortStamp(s disk.Stamp) uint64 {
	var b [32]byte
	for i, n := range []uint64{uint64(s.Size), uint64(s.Mtime), uint64(s.Ctime), s.Number} {
		binary.BigEndian.PutUint64(b[8*i:], n)
	}
	return short(b[:])
}

// markName returns the file of a mark, "" for none: then there is no place for it.
func markName(remote, store, direction string) string {
	dir, err := disk.CacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, marksOf(remote)+bucket.SumOf([]byte(store + "\x00" + direction))[:16])
}

func marksOf(remote string) string { return "marks-" + bucket.SumOf([]byte(remote))[:16] + "-" }

// ForgetMarks removes all marks of a remote, in all directions.
func ForgetMarks(remote string) error {
	dir, err := disk.CacheDir()
	if err != nil {
		return nil
	}
	list, _ := os.ReadDir(dir) // none, or one that cannot be read: then no mark is read either
	var errs []error
	for _, e := range list {
		if strings.HasPrefix(e.Name(), marksOf(remote)) {
			if err := os.Remove(filepath.Join(dir, e.Name())); !errors.Is(err, fs.ErrNotExist) {
				errs = append(errs, err)
			}
		}
	}
	return errors.Join(errs...)
}

// OpenMark reads the mark of a remote and a store, in a direction, which is any text. One that is too old, torn or of something
// else is as good as none.
func OpenMark(name, store, direction string, clock func() time.Time) *Mark {
	if abs, err := filepath.Abs(store); err == nil {
		store = abs
	}
	m := &Mark{
		name: markName(name, store, direction), clock: clock,
		head:  markHead{Format: markFormat, Version: markVersion, Remote: name, Store: store, Direction: direction},
		fresh: map[string]disk.Stamp{}, now: map[uint64]markFile{}, owed: map[string]bool{},
	}
	head, was, ok := readMark(m.name)
	age := clock().Sub(time.UnixMilli(head.Full))
	if ok && head.Remote == name && head.Store == store && head.Direction == direction && age >= 0 && age < markAge {
		m.head, m.was, m.paths = head, was, make([]string, len(was))
	}
	return m
}

func readMark(name string) (h markHead, files []markFile, ok bool) {
	f, err := os.OpenFile(name, os.O_RDONLY|disk.NoFollow|disk.Nonblock, 0)
	if err != nil {
		return h, nil, false
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil || disk.Regular(fi) != nil || !disk.Private(fi) || fi.Size() > maxMark {
		return h, nil, false
	}
	data := make([]byte, fi.Size())
	if _, err := f.ReadAt(data, 0); err != nil {
		return h, nil, false
	}
	line, rest, _ := bytes.Cut(data, []byte("\n"))
	if json.Unmarshal(line, &h) != nil || h.Format != markFormat || h.Version != markVersion || h.SHA256 != h.sum(rest) {
		return markHead{}, nil, false
	}
	for ; len(rest) >= recordSize; rest = rest[recordSize:] {
		var f markFile
		for i, to := range []*uint64{&f.path, &f.stamp, &f.key, &f.n} {
			*to = binary.BigEndian.Uint64(rest[8*i:])
		}
		files = append(files, f)
	}
	return h, files, true
}

// sum is the SHA-256 of a mark: of its head without the sum, and its files.
func (h markHead) sum(files []byte) string {
	h.SHA256 = ""
	line, _ := json.Marshal(h) // it holds texts and numbers
	return bucket.SumOf(slices.Concat(line, files))
}

// Forget makes the mark one that says nothing.
func (m *Mark) Forget() { m.head.Place, m.head.Owed, m.was, m.paths = "", nil, nil, nil }

// News asks a remote what came since. It reports false if all sessions have to be looked at.
func (m *Mark) News(ctx context.Context, l remote.Log) (news map[string]uint64, ok bool, err error) {
	from := m.head.Place
	notes, next, ok, err := l.News(ctx, from, max(mostNews, 2*m.head.Pages))
	if err != nil {
		return nil, false, err
	}
	if ok = ok && from != ""; !ok {
		m.Forget()
		m.head.Full = m.clock().UnixMilli()
	}
	m.head.Place, news = next, map[string]uint64{}
	for _, n := range notes {
		news[n.Key] = max(news[n.Key], n.N)
	}
	for _, key := range m.head.Owed {
		news[key] = Owed
	}
	return news, ok, nil
}

// Owed is the number of the part, in News, of a session that has to be asked for.
const Owed = ^uint64(0)

// Same reports whether a file was done with and is as it was then.
func (m *Mark) Same(path string) bool {
	fi, err := os.Stat(path)
	if err != nil {
		return false
	}
	s := disk.StampOf(fi)
	i, ok := m.find(path)
	if ok && m.paths[i] == "" {
		m.met++
		m.paths[i] = path
		if m.was[i].stamp == shortStamp(s) {
			return true
		}
		m.paths[i] = changed
	}
	if m.settled(s) {
		m.fresh[path] = s
	}
	return false
}

// settled reports whether a file with a stamp is as old as a stamp has to be to count.
func (m *Mark) settled(s disk.Stamp) bool { return s.Age(m.clock()) >= stampAge }

func (m *Mark) find(path string) (i int, ok bool) {
	return slices.BinarySearchFunc(m.was, short([]byte(path)), func(f markFile, path uint64) int { return cmp.Compare(f.path, path) })
}

// changed stands for the path of a file that is not as it was.
const changed = "\x00"

// Gone reports whether Same has not been asked for a file of the mark.
func (m *Mark) Gone() bool { return m.met < len(m.was) }

// Paths returns the files that are as they were, of those that have one of some keys.
func (m *Mark) Paths(want iter.Seq[string]) map[string][]string {
	keys, found := map[uint64]string{}, map[string][]string{}
	for key := range want {
		keys[short([]byte(key))] = key
	}
	for i, f := range m.was {
		if key, ok := keys[f.key]; ok && m.paths[i] != "" && m.paths[i] != changed {
			found[key] = append(found[key], m.paths[i])
		}
	}
	return found
}

// Settle says that a file, of a session with a key, was done with. If it is neither as Same found it nor as its state says, it
// changes just now, and is looked at again.
func (m *Mark) Settle(path, key string) {
	fi, err := os.Stat(path)
	if err != nil {
		return
	}
	at, err := filepath.EvalSymlinks(path)
	if err != nil {
		return
	}
	s := disk.StampOf(fi)
	st, _ := loadState(at, m.head.Remote)
	f := markFile{path: short([]byte(path)), key: short([]byte(key)), n: st.N}
	was, ok := m.fresh[path]
	old := ok && was == s || st.File != nil && *st.File == s
	if old {
		f.stamp = shortStamp(s)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.now[f.path] = f; !old {
		m.young = append(m.young, path)
	}
}

// grown looks once more at the files that changed when they were done with: in a long round most of them do not any more. A file that has
// the parts that it had, and no other line, is done with.
func (m *Mark) grown(ctx context.Context) {
	stamps := slices.Collect(parallel.Map(ctx, lookers, slices.Values(m.young), func(ctx context.Context, path string) uint64 {
		f, err := openFile(path)
		if err != nil {
			return 0
		}
		defer f.Close()
		s := disk.StampOf(f.info)
		if !m.settled(s) {
			return 0
		}
		b, err := common(ctx, f, m.head.Remote)
		if err != nil || b.n == 0 || b.n < m.now[short([]byte(path))].n || b.size != f.size() || f.torn {
			return 0
		}
		return shortStamp(s)
	}))
	for i, at := range stamps {
		id := short([]byte(m.young[i]))
		f := m.now[id]
		f.stamp = at
		m.now[id] = f
	}
}

// lookers is how many files are looked at at once.
const lookers = 8

// Owe says that a session could not be brought up to date.
func (m *Mark) Owe(key string) {
	if key == "" {
		return // the file holds no session, and is looked at each time
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.owed[key] = true
}

// List lists the remote, if that is better than to ask it for count sessions one by one.
func (m *Mark) List(ctx context.Context, l remote.Log, count int, want func(key string) bool) remote.Listing {
	if m.head.Pages > count {
		return remote.Listing{}
	}
	list, _ := remote.List(ctx, l, count, want)
	m.Listed(list)
	return list
}

// Listed keeps how many requests a listing took.
func (m *Mark) Listed(list remote.Listing) {
	if list.Whole() {
		m.head.Pages = list.Pages()
	}
}

// Save writes the mark, behind what Tell has returned. Without it the next run looks at more, so nothing is made of errors.
func (m *Mark) Save(ctx context.Context, place string) {
	if m.head.Place = place; m.name == "" || place == "" || len(m.owed) > mostOwed {
		return
	}
	m.grown(ctx)
	for i, f := range m.was {
		if _, ok := m.now[f.path]; !ok && m.paths[i] != "" && m.paths[i] != changed {
			m.now[f.path] = f
		}
	}
	m.head.Owed = slices.Sorted(maps.Keys(m.owed))
	files := slices.SortedFunc(maps.Values(m.now), func(a, b markFile) int { return cmp.Compare(a.path, b.path) })
	data := make([]byte, 0, recordSize*len(files))
	for _, f := range files {
		for _, n := range []uint64{f.path, f.stamp, f.key, f.n} {
			data = binary.BigEndian.AppendUint64(data, n)
		}
	}
	m.head.SHA256 = m.head.sum(data)
	line, err := json.Marshal(m.head)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(m.name), 0o700)
	}
	if err == nil {
		_ = disk.Replace(disk.OS{}, m.name+"-"+rand.Text(), m.name, slices.Concat(line, []byte("\n"), data), false)
	}
}

// Place is what Save takes, as of News.
func (m *Mark) Place() string { return m.head.Place }

// Has reports whether a file has part n of the remote and all in front of it, as it had when it was done with. With whole it has to have
// no line that the remote lacks. It is told by the mark and the state of the file; the remote is asked nothing.
func (m *Mark) Has(ctx context.Context, path string, n uint64, whole bool) bool {
	i, ok := m.find(path)
	if !ok {
		return false
	}
	f, err := openFile(path)
	if err != nil {
		return false
	}
	defer f.Close()
	b, err := common(ctx, f, m.head.Remote)
	return err == nil && b.n > 0 && b.n >= max(n, m.was[i].n) && (!whole || b.size == f.size())
}
