package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/core/selection"
)

// A mark says which sessions the tables have, by the sizes and times of their files or their sizes in the remote, and which parts have
// them. As long as the parts are as they were written, a session that is as it was need not be looked at. A mark is a cache: one that is
// gone, torn or wrong leads to the long way, which looks at all sessions and parts.
type mark struct {
	head markHead
	raw  []byte     // of the file
	was  []markItem // by key
	met  []bool     // those that were found

	now  map[uint64]markItem
	owed []string
}

// A markHead is the first line of a mark. Behind it stand its sessions, in markSize bytes each.
type markHead struct {
	Format  string            `json:"format"`
	Version int               `json:"version"`
	Of      string            `json:"of"`     // what the rows depend on: the program and its flags
	Remote  string            `json:"remote"` // see [selection.News], as Place
	Place   string            `json:"place"`
	Owed    []string          `json:"owed"`  // rows of sessions of the remote that could not be read
	Parts   map[string]string `json:"parts"` // stamps, by the names of parts
	SHA256  string            `json:"sha256"`
}

// A markItem is a session: the beginnings of the SHA-256 of its name, of its stamp and of its id.
type markItem struct{ key, stamp, id uint64 }

const (
	markName    = ".sess-table.mark"
	markFormat  = "sess-table mark"
	markVersion = 1
	markSize    = 24
	maxMark     = 1 << 30
	mostOwed    = 1000
	unsure      = ^uint64(0) // the stamp of a session that is looked at in any case
)

// errStale says that the mark is not that of the tables.
var errStale = errors.New("the mark does not fit")

func short(text string) uint64 {
	sum := sha256.Sum256([]byte(text))
	return binary.BigEndian.Uint64(sum[:])
}

// keyOf is what a session is known by in marks.
func keyOf(src selection.Source) uint64 {
	name := src.Name
	if src.Plain {
		if abs, err := filepath.Abs(name); err == nil {
			name = abs
		}
	}
	return short(name)
}

// loadMark reads the mark of a directory; one that cannot be read is empty.
func loadMark(dir string) *mark {
	m := &mark{now: map[uint64]markItem{}}
	f, err := disk.OpenRegular(filepath.Join(dir, markName))
	if err != nil {
		return m
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil || !disk.Private(fi) || fi.Size() > maxMark {
		return m
	}
	data := make([]byte, fi.Size())
	if _, err := f.ReadAt(data, 0); err != nil {
		return m
	}
	var head markHead
	line, rest, _ := bytes.Cut(data, []byte("\n"))
	if json.Unmarshal(line, &head) != nil || head.Format != markFormat || head.Version != markVersion || head.SHA256 != head.sum(rest) {
		return m
	}
	m.head, m.raw = head, data
	for ; len(rest) >= markSize; rest = rest[markSize:] {
		n := func(i int) uint64 { return binary.BigEndian.Uint64(rest[8*i:]) }
		m.was = append(m.was, markItem{n(0), n(1), n(2)})
	}
	m.met = make([]bool, len(m.was))
	return m
}

// sum is the SHA-256 of a mark: of its head without the sum, and its sessions.
func (h markHead) sum(items []byte) string {
	h.SHA256 = ""
	line, _ := json.Marshal(h) // it holds texts and numbers
	sum := sha256.Sum256(slices.Concat(line, items))
	return hex.EncodeToString(sum[:])
}

// forget makes the mark one that says nothing.
func (m *mark) forget() { *m = mark{now: map[uint64]markItem{}} }

func (m *mark) find(key uint64) (int, bool) {
	return slices.BinarySearchFunc(m.was, key, func(it markItem, key uint64) int { return cmp.Compare(it.key, key) })
}

// stampOf returns the stamp of a session: of a file its size and times, in a remote its size and when it was begun. The log of a session only
// grows, so its size tells its bytes; one that was deleted there and made again begins at another time. It is "" for one that has to be read each time. It is
// sure unless the file was written to just now.
func (c *config) stampOf(src selection.Source, remote string) (stamp string, sure bool) {
	if isShared(src) {
		return fmt.Sprintf("remote %x %d %s", short(remote), src.Row.Get("size").Int(), src.Row.Get("created").Str()), true
	}
	if !src.Plain || !src.IsFile() {
		return "", false
	}
	fi, err := os.Stat(src.Name)
	if err != nil || !fi.Mode().IsRegular() {
		return "", false
	}
	s := disk.StampOf(fi)
	return fmt.Sprint(s), s.Age(c.now()) >= disk.StampAge
}

// same reports whether the tables have a session as it is.
func (c *config) same(m *mark, src selection.Source) bool {
	i, ok := m.find(keyOf(src))
	if !ok {
		return false
	}
	m.met[i] = true
	stamp, sure := c.stampOf(src, m.head.Remote) // which has to be that of the sessions, or the mark does not fit
	return sure && m.was[i].stamp == short(stamp)
}

// marks reports whether a mark can tell which sessions are as they were: if they are all in a place, and files or in the remote.
func (c *config) marks(found selection.Found) bool {
	return (c.sessions.All || c.sessions.Rows) && found.Failed == nil && !slices.ContainsFunc(found.List, func(src selection.Source) bool {
		return !src.Plain && !isShared(src)
	})
}

// find finds the sessions that are meant. By the mark it leaves out those that the tables have as they are.
func (t *tables) find(ctx context.Context, operands []string) (err error) {
	m := t.mark
	t.news = selection.News{All: true}
	if t.sessions.Rows {
		t.news.Remote = os.Getenv("SESS_REMOTE") // Shared knows more
	}
	if t.sessions.Rows && t.sessions.Since == "" {
		t.sought, t.news, err = t.sessions.Shared(ctx, t.streams, m.head.Place, m.head.Owed, func(src selection.Source) bool { return !t.same(m, src) })
		t.markable = err == nil && t.news.Place != ""
		return err
	}
	if t.sought, err = t.sessions.Find(ctx, t.streams, operands); err != nil {
		return err
	}
	if t.markable = t.marks(t.sought); !t.markable {
		m.forget()
	} else if len(m.was) > 0 {
		t.sought.List = slices.DeleteFunc(t.sought.List, func(src selection.Source) bool { return t.same(m, src) })
	}
	return nil
}

// fits reports whether the mark is that of the tables: of these flags, this remote and the parts that are there.
func (t *tables) fits(ctx context.Context) (bool, error) {
	m := t.mark
	raw, err := disk.ReadFile(filepath.Join(t.dir, markName)) // it may be that of another run by now
	if err != nil || !bytes.Equal(raw, m.raw) || m.head.Of != t.of() || m.head.Remote != t.news.Remote ||
		t.news.All && t.prune && slices.Contains(m.met, false) {
		return false, nil
	}
	if t.store != nil {
		if err := t.store.list(ctx); err != nil {
			return false, err
		}
	}
	parts, err := t.parts()
	return err == nil && maps.Equal(parts, m.head.Parts), nil
}

// of is what rows depend on.
func (t *tables) of() string {
	return fmt.Sprintf("%q %q %t %t %t", t.reader, t.names, t.content, t.redact, t.prune)
}

// parts returns the stamps of the parts that are there, by their names. Of a bucket they are those of its listing.
func (t *tables) parts() (map[string]string, error) {
	all := map[string]string{}
	if t.store != nil {
		for name, o := range t.store.there {
			if o.ETag == "" {
				return nil, errStale
			}
			all[name] = fmt.Sprint(o.Size, " ", o.ETag)
		}
		return all, nil
	}
	for _, table := range t.names {
		days, err := os.ReadDir(filepath.Join(t.dir, table))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, day := range days {
			if err := t.stat(all, filepath.Join(t.dir, table, day.Name(), partName)); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// stat adds the stamp of a part that is there.
func (t *tables) stat(all map[string]string, path string) error {
	fi, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		all[strings.TrimPrefix(path, t.dir)] = fmt.Sprint(disk.StampOf(fi))
	}
	return err
}

// placed reports whether the mark says enough of the sessions that were found. It does not if one has a copy, or stood on another day.
func (t *tables) placed(items []*item) bool {
	ids := map[uint64]*item{}
	for _, it := range items {
		ids[short(it.header.ID)] = it
	}
	for _, was := range t.mark.was {
		if it := ids[was.id]; it != nil {
			if _, there := t.have[dayOf(it.header)][it.header.ID]; was.key != keyOf(it.src) || !there {
				return false
			}
		}
	}
	return true
}

// owe takes note of a session that could not be read. It may have rows.
func (m *mark) owe(it *item) {
	if isShared(it.src) {
		m.owed = append(m.owed, string(it.src.Row))
	}
	now := markItem{key: keyOf(it.src), stamp: unsure}
	if i, ok := m.find(now.key); ok {
		now.id = m.was[i].id
	} else if now.id = short(it.header.ID); it.header.ID == "" {
		return
	}
	m.now[now.key] = now
}

// keepMark makes the mark of the tables as they are now. Without it the next run looks at more, so no error is one of this run.
func (t *tables) keepMark(items []*item) {
	m := t.mark
	if !t.markable || len(m.owed) > mostOwed {
		return
	}
	if len(items) == 0 && len(m.raw) > 0 && m.head.Place == t.news.Place && len(m.head.Owed) == 0 && (!t.news.All || !slices.Contains(m.met, false)) {
		return // it is the same
	}
	ids := map[uint64]bool{} // that have a key
	for _, owed := range m.now {
		ids[owed.id] = true
	}
	for _, it := range items {
		if it.err == nil {
			now := markItem{keyOf(it.src), unsure, short(it.header.ID)}
			if it.sure {
				now.stamp = short(it.stamp)
			}
			m.now[now.key], ids[now.id] = now, true
		}
	}
	gone := func(id uint64) { // one that comes back is looked at
		if !ids[id] {
			m.now[id] = markItem{id, unsure, id}
		}
	}
	for i, was := range m.was {
		if now, ok := m.now[was.key]; ok {
			if now.id != was.id {
				gone(was.id)
			}
			continue
		}
		if t.news.All && !m.met[i] {
			was.stamp = unsure
		}
		m.now[was.key] = was
	}
	if t.days == nil && !t.prune {
		for _, day := range t.have {
			for id := range day {
				gone(short(id))
			}
		}
	}
	if t.store != nil {
		var err error
		if t.stamps, err = t.parts(); err != nil {
			return
		}
	}
	list := slices.SortedFunc(maps.Values(m.now), func(a, b markItem) int { return cmp.Compare(a.key, b.key) })
	data := make([]byte, 0, markSize*len(list))
	for _, it := range list {
		for _, n := range []uint64{it.key, it.stamp, it.id} {
			data = binary.BigEndian.AppendUint64(data, n)
		}
	}
	head := markHead{Format: markFormat, Version: markVersion, Of: t.of(), Remote: t.news.Remote, Place: t.news.Place, Owed: m.owed, Parts: t.stamps}
	head.SHA256 = head.sum(data)
	line, err := json.Marshal(head)
	if err != nil {
		return
	}
	path := filepath.Join(t.dir, markName)
	_ = disk.Replace(disk.OS{}, disk.Temp(path), path, slices.Concat(line, []byte("\n"), data), false)
}
