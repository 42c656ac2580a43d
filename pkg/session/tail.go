package session

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
)

// A Tail is what an append needs to know of a session: its header and its
// leaf, found without reading what lies between.
type Tail struct {
	Header Header
	Leaf   Entry // the last entry that has an id; the zero Entry if there is none, and for version 1
}

// ReadTail reads the header from the start and the leaf from the end of the
// first size bytes of r. Its errors are those of Read.
func ReadTail(r io.ReaderAt, size int64) (Tail, error) {
	var t Tail
	var err error
	if t.Header, err = ReadHeader(io.NewSectionReader(r, 0, size)); err != nil {
		return t, err
	}
	if t.Header.Version < 2 {
		return t, nil
	}
	t.Leaf, err = lastEntry(r, size, t.Header.offset+1)
	return t, err
}

// LastEntry returns the last entry with an id in the first size bytes of r; the entry is empty if there is
// none. The header of a session is no entry.
func LastEntry(r io.ReaderAt, size int64) (Entry, error) { return lastEntry(r, size, 0) }

// lastEntry is LastEntry for the lines from an offset on.
func lastEntry(r io.ReaderAt, size, from int64) (Entry, error) {
	for l, err := range jsonl.Backward(r, size) {
		if err != nil || l.Offset < from {
			return Entry{}, err
		}
		if e, err := ParseEntry(l.Text()); err == nil && e.typ != TypeSession && e.id != "" {
			return e, nil
		}
	}
	return Entry{}, nil
}

// ReadHeader reads the lines of r up to the header, and little more. Its errors
// are those of Read.
func ReadHeader(r io.Reader) (Header, error) { return readHeader(r, 0) }

// ReadOrigin is ReadHeader, and reads so many entries behind a header that does not name the agent as [Header.Origin] wants.
func ReadOrigin(r io.Reader) (Header, error) {
	return readHeader(io.LimitReader(r, originBytes), originEntries)
}

func readHeader(r io.Reader, entries int) (Header, error) {
	rd := reader{s: &Session{}}
	for l, err := range jsonl.Lines(&growingReader{r, usualHeader}) {
		if err != nil {
			return Header{}, err
		}
		data := l.Data
		if l.Number == 1 {
			data = data[len(bom(data)):]
		}
		if err := rd.take(parseLine(l, data, keepLine)); err != nil {
			return Header{}, err
		}
		if rd.opened && (len(rd.s.Entries) >= entries || rd.s.Header.Origin().Harness != "") {
			return rd.s.Header, nil
		}
	}
	if rd.opened {
		return rd.s.Header, nil
	}
	if rd.s.Lines == 0 {
		return Header{}, problem(0, 0, Empty, "", "not a session: empty")
	}
	return Header{}, problem(1, 0, NoHeader, "", "not a session: no session header")
}

// usualHeader is how many bytes hold nearly every header.
const usualHeader = 4 << 10

// A growingReader reads little at first and each time twice as much.
type growingReader struct {
	r    io.Reader
	next int // bytes
}

func (f *growingReader) Read(p []byte) (int, error) {
	n, err := f.r.Read(p[:min(f.next, len(p))])
	f.next = min(2*f.next, 64<<10)
	return n, err
}

// AsProblem returns err as a Problem, if it is one.
func AsProblem(err error) (Problem, bool) { return errors.AsType[Problem](err) }

// ErrWhole is returned by ReadRecent for a session that has to be read whole.
var ErrWhole = errors.New("the whole session has to be read")

// recentLimit is how many bytes ReadRecent reads back before it gives up: from
// there on reading forward, which the system reads ahead of, is faster.
const recentLimit = 8 << 20

// A Recent is the end of a session: as much of the path to its leaf as the context needs.
type Recent struct {
	Path     []Entry   // from the first entry that the newest compaction keeps, or the root, to the leaf
	Problems []Problem // a torn tail; it has no line number
}

// ReadRecent reads the first size bytes of r from their end, as far as the
// context of the leaf needs: the context of the path it returns has the same messages
// as that of the whole path. The error is ErrWhole if that takes
// reading all of the session: it is not of version 3, it has no compaction within
// 8 MiB, or something but a torn tail is wrong with it.
func ReadRecent(r io.ReaderAt, size int64) (*Recent, error) {
	h, err := ReadHeader(io.NewSectionReader(r, 0, size))
	if _, is := AsProblem(err); is {
		return nil, ErrWhole
	}
	if err != nil {
		return nil, err
	}
	if h.Version != Version {
		return nil, ErrWhole
	}
	b := backwardPath{seen: map[string]bool{}}
	var passed []jsonl.Line // from the end on, not yet parsed
	for l, err := range jsonl.Backward(nearEnd{r, size - recentLimit}, size) {
		if err != nil {
			return nil, err
		}
		if l.Offset <= h.offset {
			break
		}
		if passed = append(passed, l); !b.compact && continuesPath(l.Data) {
			continue // the entry may be beyond the part that can be read
		}
		for _, l := range passed {
			if b.line(l); b.unclear {
				return nil, ErrWhole
			}
			if b.done {
				slices.Reverse(b.path)
				return &Recent{Path: b.path, Problems: b.problems}, nil
			}
		}
		passed = passed[:0]
	}
	return nil, ErrWhole
}

// continuesPath reports whether a line looks like an entry in the middle of a path:
// not a root, and not one that begins a context. It does not parse the line and may
// be wrong either way.
func continuesPath(line []byte) bool {
	if bytes.HasPrefix(line, []byte(`{"type":`)) {
		line, _, _ = bytes.Cut(line[:min(len(line), 256)], []byte(`,"timestamp":`))
	}
	return bytes.Contains(line, []byte(`"parentId":"`)) &&
		!bytes.Contains(line, []byte(TypeCompaction)) && !bytes.Contains(line, []byte(TypeResetBoundary))
}

// nearEnd refuses to read before an offset, so that the beginning of a huge line is
// neither searched for nor held in memory.
type nearEnd struct {
	r    io.ReaderAt
	from int64
}

func (n nearEnd) ReadAt(p []byte, at int64) (int, error) {
	if at < n.from {
		return 0, ErrWhole
	}
	return n.r.ReadAt(p, at)
}

// A backwardPath is the state of reading a path from its leaf.
type backwardPath struct {
	path     []Entry // leaf first
	problems []Problem
	want     string          // id of the entry to be found next
	until    string          // id of the entry to end with, "" for the root
	seen     map[string]bool // ids of the lines passed
	compact  bool            // the newest compaction has been met
	done     bool            // the path is complete
	unclear  bool            // the path cannot be found from here
}

func (b *backwardPath) line(l jsonl.Line) {
	if l.Torn && !js.Valid(l.Data) {
		b.problems = append(b.problems, problem(0, l.Offset, Torn, "", tornText, len(l.Data)))
		return
	}
	if b.unclear = !js.Valid(l.Data); b.unclear {
		return
	}
	e := scan(l.Text())
	e.offset = l.Offset
	if b.unclear = !isObject(e.raw) || e.typ == TypeSession || e.id == "" || b.seen[e.id]; b.unclear {
		return
	}
	b.seen[e.id] = true
	if len(b.path) == 0 || e.id == b.want {
		b.path = append(b.path, e)
		switch {
		case e.typ == TypeResetBoundary && !b.compact:
			b.done = true
		case e.typ == TypeCompaction && !b.compact:
			b.compact, b.until = true, e.Str("firstKeptEntryId")
			b.done = b.until == e.id
		}
		b.done = b.done || b.compact && e.id == b.until || e.parent == ""
		b.want = e.parent
		b.unclear = !b.done && b.seen[b.want] // behind its child, or twice, or a cycle
	}
}
