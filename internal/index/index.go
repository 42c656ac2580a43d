// Package index finds the path of a session in its file without reading more of
// a line than its head: type, id and parentId.
//
// It is the fast way for what only copies: a session of any size costs one pass
// over its bytes, and some thirty bytes of memory an entry. What it promises:
//
//   - A path is a list of ranges of the file, whole lines, root first. A
//     session without branches is one range.
//   - The path is the one that package session finds, or [ErrNotPlain]: on anything
//     that is more than a plain, undamaged session of version 3 (a line that
//     cannot be an entry, an id that occurs twice, a parent that is missing, a
//     cycle, a title slot, another version) the caller has to take the way of
//     session.Read, which explains what it found.
//   - Lines are not validated. A line is taken for an entry if it begins and
//     ends as an object does and has an id in its head. That a member of the
//     head stands twice in one object goes unseen: the first counts here.
//   - The file may grow meanwhile: what counts are its first size bytes.
//
// Ids are compared by a seeded hash of 64 bits, ids of up to seven bytes by
// themselves. Two of a million different ids share a hash with a probability of
// 3 in 10⁸.
package index

import (
	"bytes"
	"errors"
	"hash/maphash"
	"io"
	"runtime"
	"slices"
	"unsafe"

	"github.com/sess-tools/sess/pkg/js"
)

// ErrNotPlain is returned for a session that is not plain: see the package comment.
var ErrNotPlain = errors.New("not a plain session")

// An Index is the tree of a plain session: where each entry begins, what it is
// called, and, where that is not the entry before it, what it hangs from.
type Index struct {
	r      io.ReaderAt
	starts []int64  // of each entry; one more: where the last one ends
	ids    []uint64 // hash of each entry's id
	bends  []bend   // in file order
	seed   maphash.Seed

	compactions []int // entry numbers
	others      []int // entry numbers of all that are neither messages nor extensions' data
	fragment    int64 // length of a last line that is left out, as it is torn
	unended     bool  // the last line is an entry, but lacks its line feed
}

// A bend is an entry that does not hang from the one before it.
type bend struct {
	entry  int
	id     uint64 // hash of the parent's id, 0 for a root
	parent int    // number of the parent, -1 if there is none
}

// dividedSize is the size in bytes from which on a file is worth dividing.
const dividedSize = 64 << 20

// New reads the first size bytes of r, once. Where there are several
// processors the two halves of a large file are read at the same time, else all
// of it from the front, so that the system reads ahead. The error is ErrNotPlain, or
// one of r.
func New(r io.ReaderAt, size int64) (*Index, error) {
	return newIndex(r, size, size >= dividedSize && min(runtime.NumCPU(), runtime.GOMAXPROCS(0)) > 1)
}

func newIndex(r io.ReaderAt, size int64, divided bool) (*Index, error) {
	front := &scanner{r: r, size: size}
	if header, err := front.next(); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	} else if err != nil || !plainHeader(header) {
		return nil, ErrNotPlain
	}
	x := &Index{r: r, seed: maphash.MakeSeed()}
	if err := x.scanAll(front, divided); err != nil {
		return nil, err
	}
	x.starts = append(x.starts, size-x.fragment)
	if Repeats(x.ids) {
		return nil, ErrNotPlain
	}
	x.resolve()
	return x, x.checkKept()
}

// scanAll adds the entries of all lines that front has not shown yet.
func (x *Index) scanAll(front *scanner, divided bool) error {
	middle, ok := int64(0), false
	if divided {
		middle, ok = lineAfter(front.r, front.size/2)
	}
	at := front.at + int64(front.from)
	if !ok || middle <= at {
		return x.scan(front)
	}
	y := &Index{seed: x.seed}
	behind := make(chan error, 1)
	go func() { behind <- y.scan(&scanner{r: front.r, size: front.size, at: middle}) }()
	if err := errors.Join(x.scan(&scanner{r: front.r, size: middle, at: at}), <-behind); err != nil {
		return err
	}
	x.join(y)
	return nil
}

// lineAfter returns where the first line begins behind an offset, if that is not
// far.
func lineAfter(r io.ReaderAt, at int64) (int64, bool) {
	buf := make([]byte, blockSize)
	n, _ := r.ReadAt(buf, at) // an error will come up again
	feed := bytes.IndexByte(buf[:n], '\n')
	return at + int64(feed) + 1, feed >= 0
}

// scan adds the entries of the lines that s shows.
func (x *Index) scan(s *scanner) error {
	guess := int((s.size-s.at)/1024) + 16 // memory that is not used is not taken
	x.ids, x.starts = make([]uint64, 0, guess), make([]int64, 0, guess)
	for {
		l, err := s.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = x.add(l)
		}
		if err != nil {
			return err
		}
	}
}

// join adds the entries of the second half.
func (x *Index) join(y *Index) {
	n := len(x.ids)
	for i, b := range y.bends {
		if i == 0 && n > 0 && b.id != 0 && b.id == x.ids[n-1] {
			continue // of its half the first entry always is one
		}
		x.bends = append(x.bends, bend{entry: n + b.entry, id: b.id})
	}
	for _, c := range y.compactions {
		x.compactions = append(x.compactions, n+c)
	}
	for _, r := range y.others {
		x.others = append(x.others, n+r)
	}
	x.ids, x.starts = append(x.ids, y.ids...), append(x.starts, y.starts...)
	x.fragment, x.unended = y.fragment, y.unended
}

// plainHeader reports whether a line is the header of a session of version 3.
func plainHeader(l line) bool {
	if l.torn || !js.Valid(l.head) {
		return false
	}
	var typ, version string
	for key, value := range js.Members(string(l.head)) {
		switch js.Unquote(key) {
		case "type":
			typ = value
		case "version":
			version = value
		}
	}
	return typ == `"session"` && version == "3"
}

// add adds the entry on a line.
func (x *Index) add(l line) error {
	if l.torn {
		if x.unended = js.Valid(l.head); !x.unended {
			x.fragment = int64(len(l.head))
			return nil
		}
	}
	h, ok := headOf(l.head)
	if !ok || !l.closed || len(h.id) == 0 || string(h.typ) == "session" {
		return ErrNotPlain
	}
	n := len(x.ids)
	id, parent := x.hash(h.id), x.hash(h.parent)
	if n == 0 || parent == 0 || parent != x.ids[n-1] {
		x.bends = append(x.bends, bend{entry: n, id: parent})
	}
	switch string(h.typ) {
	case "message", "custom", "custom_message":
	case "compaction":
		x.compactions = append(x.compactions, n)
		fallthrough
	default:
		x.others = append(x.others, n)
	}
	x.ids = append(x.ids, id)
	x.starts = append(x.starts, l.start)
	return nil
}

// hash returns a number for an id, 0 for none.
func (x *Index) hash(id []byte) uint64 {
	if len(id) == 0 {
		return 0
	}
	return max(1, maphash.Bytes(x.seed, id))
}

// checkKept looks at what compactions keep. That an entry is not there, or only
// later, is for the caller to tell.
func (x *Index) checkKept() error {
	for _, n := range x.compactions {
		raw, err := x.Line(n)
		if err != nil {
			return err
		}
		if !js.Valid(raw) {
			return ErrNotPlain
		}
		kept := ""
		for key, value := range js.Members(unsafe.String(unsafe.SliceData(raw), len(raw))) {
			if js.Unquote(key) == "firstKeptEntryId" && value[0] == '"' {
				kept = js.Unquote(value)
			}
		}
		if i, ok := x.Find(kept); !ok || i > n {
			return ErrNotPlain
		}
	}
	return nil
}

// Len returns the number of entries.
func (x *Index) Len() int { return len(x.ids) }

// Start returns where the first entry begins, behind the header.
func (x *Index) Start() int64 { return x.starts[0] }

// Fragment returns the length in bytes of a torn last line, which no path
// holds; 0 if there is none.
func (x *Index) Fragment() int64 { return x.fragment }

// Find returns the number of the entry that id names.
func (x *Index) Find(id string) (int, bool) {
	n := slices.Index(x.ids, x.hash([]byte(id)))
	return n, n >= 0 && id != ""
}

// resolve finds the parents of the bends, all of them in one pass.
func (x *Index) resolve() {
	wanted := make(map[uint64]int, len(x.bends))
	for _, b := range x.bends {
		wanted[b.id] = -1
	}
	delete(wanted, 0)
	if len(wanted) > 0 {
		for n, id := range x.ids {
			if _, ok := wanted[id]; ok {
				wanted[id] = n
			}
		}
	}
	for i := range x.bends {
		x.bends[i].parent = -1
		if n, ok := wanted[x.bends[i].id]; ok {
			x.bends[i].parent = n
		}
	}
}

// A Range is a piece of a file, in bytes.
type Range struct{ Start, End int64 }

// Path returns the lines of the header and of the path from the root to entry
// leaf; -1 stands for no entry. The last line may lack its line feed: then
// ended is false.
func (x *Index) Path(leaf int) (path []Range, ended bool, err error) {
	spans, err := x.Spans(leaf)
	if err != nil {
		return nil, false, err
	}
	path = append(path, Range{0, x.starts[0]})
	for _, s := range spans {
		path = append(path, Range{x.starts[s.First], x.starts[s.Last+1]})
	}
	return joined(path), leaf < len(x.ids)-1 || !x.unended, nil
}

// A Span is a run of entries that follow each other in the file and on the path,
// by their numbers.
type Span struct{ First, Last int }

// Spans returns the path from the root to entry leaf.
func (x *Index) Spans(leaf int) (path []Span, err error) {
	bend := len(x.bends) - 1
	for at := leaf; at >= 0; {
		for x.bends[bend].entry > at {
			bend--
		}
		b := x.bends[bend]
		path = append(path, Span{b.entry, at})
		if b.id == 0 {
			break
		}
		if b.parent < 0 || b.parent >= b.entry {
			return nil, ErrNotPlain // missing, or behind: there may be a cycle
		}
		at = b.parent
	}
	slices.Reverse(path)
	return path, nil
}

// joined makes one of ranges that touch.
func joined(ranges []Range) []Range {
	out := ranges[:1]
	for _, r := range ranges[1:] {
		if last := &out[len(out)-1]; last.End == r.Start {
			last.End = r.End
		} else {
			out = append(out, r)
		}
	}
	return out
}

// Heads returns the numbers of the entries that are no parent.
func (x *Index) Heads() (heads []int) {
	parent := make([]bool, len(x.ids))
	next := 0
	for n := range x.ids {
		if next < len(x.bends) && x.bends[next].entry == n {
			if p := x.bends[next].parent; p >= 0 {
				parent[p] = true
			}
			next++
		} else {
			parent[n-1] = true
		}
	}
	for n, is := range parent {
		if !is {
			heads = append(heads, n)
		}
	}
	return heads
}

// Others returns the numbers of the entries that are neither messages nor data of
// extensions. They are few, as a rule, and a session's name, labels and compactions
// are among them.
func (x *Index) Others() []int { return x.others }

// Offset returns where an entry begins, in bytes.
func (x *Index) Offset(n int) int64 { return x.starts[n] }

// Line reads the line of an entry, with its line feed.
func (x *Index) Line(n int) ([]byte, error) {
	raw := make([]byte, x.starts[n+1]-x.starts[n])
	_, err := x.r.ReadAt(raw, x.starts[n])
	return raw, err
}

// Repeats reports whether a hash occurs twice in the list. Most are told apart
// by a bit of a field that stays in the cache, which is why this is done when
// the file has been read and not on the way; those that share a bit are compared.
func Repeats(hashes []uint64) bool {
	words := uint64(1 << 10)
	for words*2 < uint64(len(hashes)) { // some thirty bits for each
		words *= 2
	}
	once, twice := make([]uint64, words), make([]uint64, words)
	for _, h := range hashes {
		at, bit := h>>6&(words-1), uint64(1)<<(h&63)
		twice[at] |= once[at] & bit
		once[at] |= bit
	}
	shared := map[uint64]bool{}
	for _, h := range hashes {
		if twice[h>>6&(words-1)]>>(h&63)&1 == 0 {
			continue
		}
		if shared[h] {
			return true
		}
		shared[h] = true
	}
	return false
}
