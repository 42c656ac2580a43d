// Package index finds the path of a session in its file without reading more of
// a line than its head: type, id and parentId.
//
// It is the fast way for programs that only copy: a session of any size costs one pass over its
// bytes, and some thirty bytes of memory an entry. Its promises:
//
//   - A path is a list of ranges of the file, whole lines, root first. A
//     session without branches is one range.
//   - The path is the one that package session finds, or [ErrNotPlain]: on anything
//     that is more than a plain, undamaged session of version 3 (a line that
//     cannot be an entry, an id that occurs twice, a parent that is missing, a
//     cycle, a title slot, another version) the caller has to take the way of
//     session.Read, which explains each problem.
//   - Lines are not validated. A line is taken for an entry if it begins and
//     ends as an object does and has an id in its head. That a member of the
//     head stands twice in one object goes unseen: the first counts here.
//   - The file may grow meanwhile: what counts are its first size bytes.
//
// Ids are compared by their hashes: see [session.Skeleton].
package index

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"unsafe"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// ErrNotPlain is returned for a session that is not plain: see the package comment.
var ErrNotPlain = errors.New("not a plain session")

// An Index is the tree of a plain session, and where each entry begins.
type Index struct {
	*session.Skeleton
	r      io.ReaderAt
	header session.Header
	starts []int64 // of each entry; one more: where the last one ends

	compactions []int // entry numbers
	others      []int // entry numbers of all that are neither messages nor extensions' data
	fragment    int64 // length of a last line that is left out, as it is torn
	unended     bool  // the last line is an entry, but lacks its line feed
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
	first, err := front.next()
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	header, ok := plainHeader(first)
	if err != nil || !ok {
		return nil, ErrNotPlain
	}
	x := &Index{r: r, header: header, Skeleton: session.NewSkeleton(roomFor(front))}
	if err := x.scanAll(front, divided); err != nil {
		return nil, err
	}
	x.starts = append(x.starts, size-x.fragment)
	if x.Repeats() {
		return nil, ErrNotPlain
	}
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
	back := &scanner{r: front.r, size: front.size, at: middle}
	y := &Index{Skeleton: x.Beside(roomFor(back))}
	behind := make(chan error, 1)
	go func() { behind <- y.scan(back) }()
	if err := errors.Join(x.scan(&scanner{r: front.r, size: middle, at: at}), <-behind); err != nil {
		return err
	}
	n := x.Len()
	x.Join(y.Skeleton)
	for _, c := range y.compactions {
		x.compactions = append(x.compactions, n+c)
	}
	for _, r := range y.others {
		x.others = append(x.others, n+r)
	}
	x.starts = append(x.starts, y.starts...)
	x.fragment, x.unended = y.fragment, y.unended
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

// roomFor is how many entries s may show: memory that is not used is not taken.
func roomFor(s *scanner) int { return int((s.size-s.at)/1024) + 16 }

// scan adds the entries of the lines that s shows.
func (x *Index) scan(s *scanner) error {
	x.starts = make([]int64, 0, roomFor(s))
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

// plainHeader returns the header on a line of a session of version 3.
func plainHeader(l line) (h session.Header, ok bool) {
	if l.torn {
		return h, false
	}
	h, err := session.HeaderOf(l.head)
	return h, err == nil && js.Member(h.Raw(), "version") == "3"
}

// add adds the entry on a line.
func (x *Index) add(l line) error {
	if l.torn {
		if x.unended = js.Valid(l.head); !x.unended {
			x.fragment = int64(len(l.head))
			return nil
		}
	}
	h, ok := usualHead(l.head)
	if !ok { // of members that repeat this one may take the first
		h, ok = anyHead(l.head)
	}
	if !ok || !l.closed || len(h.id) == 0 || string(h.typ) == "session" {
		return ErrNotPlain
	}
	n := x.Len()
	x.Add(h.id, h.parent)
	switch string(h.typ) {
	case "message", "custom", "custom_message":
	case "compaction":
		x.compactions = append(x.compactions, n)
		fallthrough
	default:
		x.others = append(x.others, n)
	}
	x.starts = append(x.starts, l.start)
	return nil
}

// checkKept checks that the entries which compactions keep come before them. The caller reports an entry that
// is missing or comes later.
func (x *Index) checkKept() error {
	if len(x.compactions) == 0 {
		return nil
	}
	kept := make([]string, len(x.compactions))
	for i, n := range x.compactions {
		e, err := x.Entry(n)
		if err != nil {
			return err
		}
		kept[i] = e.Str("firstKeptEntryId")
	}
	for i, n := range x.FindAll(kept) {
		if n < 0 || n > x.compactions[i] {
			return ErrNotPlain
		}
	}
	return nil
}

// Header returns the header.
func (x *Index) Header() session.Header { return x.header }

// Start returns where the first entry begins, behind the header.
func (x *Index) Start() int64 { return x.starts[0] }

// Fragment returns the length in bytes of a torn last line, which no path
// holds; 0 if there is none.
func (x *Index) Fragment() int64 { return x.fragment }

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
	return joined(path), leaf < x.Len()-1 || !x.unended, nil
}

// Spans returns the path from the root to entry leaf. The error is ErrNotPlain if a parent is
// missing, or stands behind its child.
func (x *Index) Spans(leaf int) ([]session.Stretch, error) {
	path, plain := x.Skeleton.Path(leaf)
	if !plain {
		return nil, ErrNotPlain
	}
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

// Others returns the numbers of the entries that are neither messages nor data of
// extensions. They are few, as a rule, and a session's name, labels and compactions
// are among them.
func (x *Index) Others() []int { return x.others }

// Offset returns where an entry begins, in bytes.
func (x *Index) Offset(n int) int64 { return x.starts[n] }

// Entry reads an entry. The error is ErrNotPlain if it is damaged, or one of reading.
func (x *Index) Entry(n int) (session.Entry, error) {
	raw := make([]byte, x.starts[n+1]-x.starts[n])
	if _, err := x.r.ReadAt(raw, x.starts[n]); err != nil {
		return session.Entry{}, err
	}
	raw = bytes.TrimSuffix(raw, []byte("\n"))
	e, err := session.ParseEntry(unsafe.String(unsafe.SliceData(raw), len(raw))) // a line may be huge
	if err != nil {
		return session.Entry{}, ErrNotPlain
	}
	return e, nil
}
