package session

import (
	"errors"
	"fmt"
	"io"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
)

// A Tail is what an append needs to know of a session: its header and its
// leaf, found without reading what lies between.
type Tail struct {
	Header Header
	Leaf   string // id of the last entry that has one, "" if none or for version 1
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
	for l, err := range jsonl.Backward(r, size) {
		if err != nil {
			return t, err
		}
		if l.Offset <= t.Header.offset {
			break
		}
		if !js.Valid(l.Data) {
			continue
		}
		text := l.Text()
		if !isObject(text) {
			continue
		}
		e := scan(text)
		if e.typ != TypeSession && e.id != "" {
			t.Leaf = e.id
			break
		}
	}
	return t, nil
}

// ReadHeader reads little more of r than the lines up to the header. Its errors
// are those of Read.
func ReadHeader(r io.Reader) (Header, error) {
	rd := reader{s: &Session{}}
	for l, err := range jsonl.Lines(&frugal{r, usualHeader}) {
		if err != nil {
			return Header{}, err
		}
		data := l.Data
		if l.Number == 1 {
			data = data[len(bom(data)):]
		}
		if err := rd.take(lookAt(l, data, whole)); err != nil {
			return Header{}, err
		}
		if rd.opened {
			return rd.s.Header, nil
		}
	}
	if rd.s.Lines == 0 {
		return Header{}, problem(0, 0, Empty, "", "not a session: empty")
	}
	return Header{}, problem(1, 0, NoHeader, "", "not a session: no session header")
}

// usualHeader is how many bytes hold nearly every header.
const usualHeader = 4 << 10

// frugal reads little at first and each time twice as much.
type frugal struct {
	r    io.Reader
	next int // bytes
}

func (f *frugal) Read(p []byte) (int, error) {
	n, err := f.r.Read(p[:min(f.next, len(p))])
	f.next = min(2*f.next, 64<<10)
	return n, err
}

// CanAppend reports whether entries may be added to a session with this
// header. A version 1 file has no ids: what is added would not join its tree.
func (h Header) CanAppend() error {
	if h.Version < 2 {
		return fmt.Errorf("%w: a version 1 session cannot be added to", ErrVersion)
	}
	return nil
}

// IsProblem returns err as a Problem, if it is one.
func IsProblem(err error) (Problem, bool) { return errors.AsType[Problem](err) }
