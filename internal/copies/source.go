package copies

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"

	"github.com/sess-tools/sess/internal/disk"
	"github.com/sess-tools/sess/internal/index"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/merge"
	"github.com/sess-tools/sess/pkg/session"
)

// A Source is a copy of a session that can be read anywhere. What counts are its first
// Size bytes.
type Source struct {
	Name string // for messages
	R    io.ReaderAt
	Size int64
}

// A side is a source that was read.
type side struct {
	Source
	header session.Header
	slot   string      // oh-my-pi's title slot, a line of its own
	lead   index.Range // all up to the header
	copy   *merge.Copy
	torn   []byte // a last line that is left out
}

// reader returns what is behind an offset.
func (s *side) reader(ctx context.Context, at int64) io.Reader {
	return disk.Reader{Ctx: ctx, R: io.NewSectionReader(s.R, at, s.Size-at)}
}

// readLead reads the lines up to the header.
func (s *side) readLead(ctx context.Context) (err error) {
	if s.header, err = session.ReadHeader(s.reader(ctx, 0)); err != nil {
		return err
	}
	for l, err := range jsonl.Lines(s.reader(ctx, 0)) {
		if err != nil {
			return err
		}
		s.lead.End = l.End()
		if l.Number == 1 {
			l.Data = bytes.TrimPrefix(l.Data, []byte(jsonl.ByteOrderMark))
		}
		if string(l.Data) == s.header.Raw() {
			return nil
		}
		if len(bytes.TrimSpace(l.Data)) > 0 {
			s.slot = string(l.Data)
		}
	}
	return session.Problem{Kind: session.NoHeader, Text: "not a session: no session header"}
}

// A ref is where a line is: in a source, or among the lines that were made.
type ref struct {
	at   int64
	size int64 // in bytes, without the line feed; above sourceBit the number of the source
}

const sourceBit = 48

func newRef(source int, at int64, size int) ref {
	return ref{at, int64(source)<<sourceBit | int64(size)}
}

func (r ref) source() int { return int(r.size >> sourceBit) }
func (r ref) len() int64  { return r.size & (1<<sourceBit - 1) }
func (r ref) end() int64  { return r.at + r.len() }

// A block is lines that were parsed.
type block struct {
	lines  []merge.Line
	places []index.Range
	torn   []byte
	data   jsonl.Block
	err    error
}

// body reads the lines behind an offset. Several goroutines parse them; they are added
// in order.
func (m *merger) body(ctx context.Context, number int, at int64) error {
	s := m.sides[number]
	work := make(chan chan block, 2*runtime.GOMAXPROCS(0))
	enough := make(chan struct{})
	defer close(enough)
	go func() {
		defer close(work)
		for b, err := range jsonl.Blocks(s.reader(ctx, at)) {
			out := make(chan block, 1)
			select {
			case work <- out:
			case <-enough:
				return
			}
			go func() { out <- parseBlock(b, err) }()
		}
	}()
	for out := range work {
		b := <-out
		if b.err != nil {
			return b.err
		}
		for i, l := range b.lines {
			place := b.places[i]
			if _, fresh := s.copy.Add(l); fresh {
				m.refs = append(m.refs, newRef(number, at+place.Start, int(place.End-place.Start)))
			}
		}
		s.torn = b.torn
		b.data.Free()
	}
	return nil
}

func parseBlock(b jsonl.Block, err error) block {
	out := block{data: b, err: err}
	p := newParser()
	for l := range b.Lines() {
		line, valid := p.parse(l.Data)
		if l.Torn && !valid {
			if len(bytes.TrimSpace(l.Data)) > 0 {
				out.torn = bytes.Clone(l.Data)
			}
			continue
		}
		out.lines = append(out.lines, line)
		out.places = append(out.places, index.Range{Start: l.Offset, End: l.Offset + int64(len(l.Data))})
	}
	return out
}

// compareSize is how many bytes of two files are compared at a time.
const compareSize = 256 << 10

// begins returns how many bytes two sources begin with that are the same, in whole
// lines.
func begins(ctx context.Context, a, b Source) (same int64, err error) {
	x, y := make([]byte, compareSize), make([]byte, compareSize)
	for at := int64(0); ; {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		n := int(min(compareSize, a.Size-at, b.Size-at))
		for _, f := range []struct {
			source Source
			buf    []byte
		}{{a, x}, {b, y}} {
			if got, err := f.source.R.ReadAt(f.buf[:n], at); got < n {
				return 0, shortened(err)
			}
		}
		equal := bytes.Equal(x[:n], y[:n])
		if !equal {
			for n = 0; x[n] == y[n]; n++ {
			}
		}
		if feed := bytes.LastIndexByte(x[:n], '\n'); feed >= 0 {
			same = at + int64(feed) + 1
		}
		if at += int64(n); !equal || n < compareSize {
			return same, nil
		}
	}
}

// shortened is the error of a file that ended before its size.
func shortened(err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF // it was truncated meanwhile
	}
	return disk.Cause(err)
}
