package session

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
)

// ErrWhole is returned by ReadRecent for a session that has to be read whole.
var ErrWhole = errors.New("the whole session has to be read")

// recentLimit is how many bytes ReadRecent reads back before it gives up: from
// there on reading forward, which the system reads ahead of, is faster.
const recentLimit = 8 << 20

// A Recent is the end of a session: as much of the path to its leaf as says what
// is in the context.
type Recent struct {
	Path     []Entry   // from the first entry that the newest compaction keeps, or the root, to the leaf
	Problems []Problem // a torn tail; it has no line number
}

// ReadRecent reads the first size bytes of r from their end, as far as the
// context of the leaf needs: [Project] of the path it returns has the messages
// that it has of the whole path. The error is ErrWhole for a session that this
// cannot be said of without reading all of it: one that is not of version 3, that
// has no compaction within 8 MiB, or where anything but a torn tail is odd.
// Reading the whole of it then tells what.
func ReadRecent(r io.ReaderAt, size int64) (*Recent, error) {
	h, err := ReadHeader(io.NewSectionReader(r, 0, size))
	if _, odd := IsProblem(err); odd {
		return nil, ErrWhole
	}
	if err != nil {
		return nil, err
	}
	if h.Version != Version {
		return nil, ErrWhole
	}
	b := recently{seen: map[string]bool{}}
	var passed []jsonl.Line // from the end on, not yet looked at
	for l, err := range jsonl.Backward(nearEnd{r, size - recentLimit}, size) {
		if err != nil {
			return nil, err
		}
		if l.Offset <= h.offset {
			break
		}
		if passed = append(passed, l); !b.compact && goesOn(l.Data) {
			continue // what is looked for may not be in all that can be read
		}
		for _, l := range passed {
			if b.line(l); b.odd {
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

// goesOn reports whether a line looks like an entry that no path ends with, at a
// glance: neither a root, nor one that begins a context. It may be wrong either way.
func goesOn(line []byte) bool {
	if bytes.HasPrefix(line, []byte(`{"type":`)) {
		line, _, _ = bytes.Cut(line[:min(len(line), 256)], []byte(`,"timestamp":`))
	}
	return bytes.Contains(line, []byte(`"parentId":"`)) &&
		!bytes.Contains(line, []byte(TypeCompaction)) && !bytes.Contains(line, []byte(TypeResetBoundary))
}

// nearEnd reads what is not before an offset: a line that begins there must not be looked for
// all the way, and not be held, by somebody who has no use for it.
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

// recently is the state of reading a path backward.
type recently struct {
	path     []Entry // leaf first
	problems []Problem
	want     string          // id of the entry to be found next
	until    string          // id of the entry to end with, "" for the root
	seen     map[string]bool // ids of the lines passed
	compact  bool            // the newest compaction has been met
	done     bool            // the path is complete
	odd      bool            // it cannot be told from here
}

func (b *recently) line(l jsonl.Line) {
	if l.Torn && !js.Valid(l.Data) {
		b.problems = append(b.problems, problem(0, l.Offset, Torn, "", tornText, len(l.Data)))
		return
	}
	if b.odd = !js.Valid(l.Data); b.odd {
		return
	}
	e := scan(l.Text())
	e.offset = l.Offset
	if b.odd = !isObject(e.raw) || e.typ == TypeSession || e.id == "" || b.seen[e.id]; b.odd {
		return
	}
	b.seen[e.id] = true
	if len(b.path) == 0 || e.id == b.want {
		b.take(e)
	}
}

// take puts an entry on the path.
func (b *recently) take(e Entry) {
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
	b.odd = !b.done && b.seen[b.want] // behind its child, or twice, or a cycle
}
