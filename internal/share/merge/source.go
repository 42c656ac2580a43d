package merge

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/core/index"
	"github.com/sess-tools/sess/internal/core/parallel"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
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
	slot   string      // oh-my-pi's title slot, a separate line
	lead   index.Range // all up to the header
	same   int64       // so many bytes, in whole lines, are those that the first one begins with
	copy   *sequence
	torn   []byte // a last line that is left out
}

// reader returns the bytes behind an offset.
func (s *side) reader(ctx context.Context, at int64) io.Reader {
	return disk.Reader{Ctx: ctx, R: io.NewSectionReader(s.R, at, s.Size-at)}
}

// readLead reads the lines up to the header, and compares the beginnings.
func (s *side) readLead(ctx context.Context, first *side) (err error) {
	if err = s.readHeader(ctx); err != nil {
		return err
	}
	if first != s {
		s.same, err = begins(ctx, first.Source, s.Source)
	}
	if s.same < s.lead.End || first.lead != s.lead {
		s.same = s.lead.End
	}
	return err
}

func (s *side) readHeader(ctx context.Context) (err error) {
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
	at     int64 // in the source, or the number of the made line
	size   int64 // in bytes, without the line feed
	source int   // its number, or madeLine
}

func (r ref) end() int64 { return r.at + r.size }

// A block is lines that were parsed.
type block struct {
	lines  []line
	places []index.Range
	parser *parser
	torn   []byte
	data   jsonl.Block
}

// body reads the lines behind an offset. Several goroutines parse them; they are added
// in order.
func (m *merger) body(ctx context.Context, number int, at int64) error {
	s := m.sides[number]
	var failed error
	read := func(yield func(jsonl.Block) bool) {
		for b, err := range jsonl.Blocks(s.reader(ctx, at)) {
			if failed = err; err != nil || !yield(b) {
				return
			}
		}
	}
	for b := range parallel.Map(context.Background(), 2*runtime.GOMAXPROCS(0), read, parseBlock) {
		m.expect(s.copy, b)
		for i, l := range b.lines {
			place := b.places[i]
			if _, fresh := s.copy.add(l); fresh {
				m.refs = append(m.refs, ref{at: at + place.Start, size: place.End - place.Start, source: number})
			}
		}
		s.torn = b.torn
		b.data.Free()
		blocks.Put(b)
	}
	return failed
}

// expect makes room for as many lines as the rest has, going by the ones of a block.
func (m *merger) expect(c *sequence, b *block) {
	bytes := int64(len(b.data.Data))
	if lines := int(m.unread / max(1, bytes) * int64(len(b.lines))); cap(m.refs) < len(m.refs)+len(b.lines) {
		lines += lines/16 + len(b.lines)
		m.refs = slices.Grow(m.refs, lines)
		m.set.grow(lines)
		c.entries = slices.Grow(c.entries, lines)
	}
	m.unread -= bytes
}

// blocks are used again: a large session has thousands.
var blocks = sync.Pool{New: func() any { return &block{parser: newParser()} }}

func parseBlock(_ context.Context, b jsonl.Block) *block {
	out := blocks.Get().(*block)
	*out = block{data: b, parser: out.parser, lines: out.lines[:0], places: out.places[:0]}
	p := out.parser
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
				continue
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

// A parser reads of lines what a merge has to know.
type parser struct {
	pick                  *js.Pick
	id, parent, time, typ js.Value
}

func newParser() *parser {
	p := &parser{}
	p.pick = js.NewPick([]js.Want{
		{Name: "id", Into: &p.id}, {Name: "parentId", Into: &p.parent}, {Name: "timestamp", Into: &p.time}, {Name: "type", Into: &p.typ},
	}, "", nil)
	return p
}

// parse reads a line. It is an entry if [session.Read] takes it for one and it has an id;
// valid says whether it is JSON at all. The id and the parent may be parts of data.
func (p *parser) parse(data []byte) (l line, valid bool) {
	l = line{Time: noTime, Sum: sumOf(data)}
	if !p.pick.Valid(data) {
		return l, false
	}
	if typ, _ := p.typ.Text(); typ == session.TypeSession || bytes.TrimLeft(data, " \t\r")[0] != '{' {
		return l, true
	}
	l.ID, _ = p.id.Text()
	l.Parent, _ = p.parent.Text()
	if text, ok := p.time.Text(); ok {
		l.Time = instant(text)
	}
	return l, true
}

// instant returns the time that a timestamp names. One without a zone is UTC here,
// since the order must not depend on the machine.
func instant(text string) int64 {
	if !strings.HasSuffix(text, "Z") {
		if ms, ok := js.ParseTime(text + "Z"); ok {
			return ms
		}
	}
	if ms, ok := js.ParseTime(text); ok {
		return ms
	}
	return noTime
}
