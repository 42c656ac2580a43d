package walk

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

// ErrOdd is returned for a session that is not plain: see the package comment.
var ErrOdd = errors.New("not a plain session")

// An Index is the tree of a plain session: where each entry begins, what it is
// called, and, where that is not the entry before it, what it hangs from.
type Index struct {
	r      io.ReaderAt
	starts []int64  // of each entry; one more: where the last one ends
	ids    []uint64 // hash of each entry's id
	bends  []bend   // in file order
	seed   maphash.Seed

	compactions []int // entry numbers
	rare        []int // entry numbers of all that are neither messages nor extensions' data
	fragment    int64 // length of a last line that is left out, as it is torn
	unended     bool  // the last line is an entry, but lacks its line feed
}

// A bend is an entry that does not hang from the one before it.
type bend struct {
	entry  int
	id     uint64 // hash of the parent's id, 0 for a root
	parent int    // number of the parent, -1 if there is none
}

// NewIndex reads the first size bytes of r, once. Where there are several
// processors the two halves of a large file are read at the same time, else all
// of it from the front, so that the system reads ahead. The error is ErrOdd, or
// one of r.
func NewIndex(r io.ReaderAt, size int64) (*Index, error) {
	front := &scanner{r: r, size: size}
	if header, err := front.next(); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	} else if err != nil || !plainHeader(header) {
		return nil, ErrOdd
	}
	x := &Index{r: r, seed: maphash.MakeSeed()}
	if err := x.scanAll(front); err != nil {
		return nil, err
	}
	x.starts = append(x.starts, size-x.fragment)
	if Repeats(x.ids) {
		return nil, ErrOdd
	}
	x.resolve()
	return x, x.checkKept()
}

// dividedSize is the size in bytes from which on a file is worth dividing.
var dividedSize int64 = 64 << 20 // changed by tests

// scanAll adds the entries of all lines that front has not shown yet.
func (x *Index) scanAll(front *scanner) error {
	middle, ok := int64(0), false
	if front.size >= dividedSize && min(runtime.NumCPU(), runtime.GOMAXPROCS(0)) > 1 {
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
	for _, r := range y.rare {
		x.rare = append(x.rare, n+r)
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
		return ErrOdd
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
		x.rare = append(x.rare, n)
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
			return ErrOdd
		}
		kept := ""
		for key, value := range js.Members(unsafe.String(unsafe.SliceData(raw), len(raw))) {
			if js.Unquote(key) == "firstKeptEntryId" && value[0] == '"' {
				kept = js.Unquote(value)
			}
		}
		if i, ok := x.Find(kept); !ok || i > n {
			return ErrOdd
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
