package merge

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"os"

	"github.com/sess-tools/sess/internal/core/index"
)

// A Report says what a merge did.
type Report struct {
	Common  int // lines that the first copy and another one have
	Ours    int // lines that only the first copy has
	Theirs  int // lines that it has not
	Heads   int
	Leaf    string
	Changed bool // the result is not the first copy
	Rewrite bool // nor the first copy with lines behind it
	Clashes []Clash
}

// A Result is a merged session that has not been written.
type Result struct {
	Report
	m      *merger
	first  *side
	copies int
	copy   *sequence

	leadFrom *side
	lead     index.Range // of leadFrom
	leadText string      // if there is no leadFrom
}

// count fills in the report.
func (m *merger) count(r *Result, sides []*side) {
	ours := sides[0].copy
	inOurs, inTheirs := ours.has(), make([]func(int) bool, 0, len(sides))
	for _, s := range sides[1:] {
		inTheirs = append(inTheirs, s.copy.has())
	}
	for n := range r.copy.lines() {
		shared := false
		for _, has := range inTheirs {
			shared = shared || has(n)
		}
		switch {
		case !inOurs(n):
			r.Theirs++
		case shared:
			r.Common++
		default:
			r.Ours++
		}
	}
	if n, ok := r.copy.leaf(); ok {
		r.Leaf = m.set.idOf(n)
	}
	r.Heads = r.copy.heads()
	r.Rewrite = r.leadFrom != sides[0] && !m.sameLead(r, sides[0]) || !r.copy.beginsWith(ours)
	r.Changed = r.Rewrite || r.copy.length() != ours.length()
}

// sameLead reports whether the lines in front of the entries are those of a side.
func (m *merger) sameLead(r *Result, s *side) bool {
	mine, err := io.ReadAll(io.NewSectionReader(s.R, s.lead.Start, s.lead.End))
	if err != nil || r.leadFrom == nil {
		return err == nil && string(mine) == r.leadText
	}
	other, err := io.ReadAll(io.NewSectionReader(r.leadFrom.R, r.lead.Start, r.lead.End))
	return err == nil && bytes.Equal(mine, other)
}

// blank reports whether a line has nothing but white space.
func (m *merger) blank(n int) bool {
	if m.set.idOf(n) != "" {
		return false
	}
	line, err := m.line(n)
	return err == nil && len(bytes.TrimSpace(line)) == 0
}

// Added returns the lines that are behind those of the first copy, if that is all that
// there is to do.
func (r *Result) Added() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		skip := r.first.copy.length()
		for n := range r.copy.lines() {
			if skip--; skip >= 0 {
				continue
			}
			if line, err := r.m.line(n); !yield(line, err) || err != nil {
				return
			}
		}
	}
}

// Content returns the merged session, to be written until ctx ends. An error of a copy is
// a [SourceError], any other that of the writer or of ctx.
func (r *Result) Content(ctx context.Context) io.WriterTo { return content{ctx, r} }

type content struct {
	ctx context.Context
	r   *Result
}

// WriteTo writes the merged session.
func (c content) WriteTo(w io.Writer) (int64, error) {
	r, out := c.r, &writer{w: w, ctx: c.ctx, windows: map[*side]*window{}}
	if r.leadFrom != nil {
		out.add(r.leadFrom, r.lead, "")
	} else {
		out.text(r.leadText)
	}
	for n := range r.copy.lines() {
		ref := r.m.refs[n]
		if ref.source == madeLine {
			out.text(r.m.made[ref.at] + "\n")
		} else {
			s, feed := r.m.sides[ref.source], ""
			end := ref.end() + 1
			if end > s.Size {
				end, feed = s.Size, "\n"
			}
			out.add(s, index.Range{Start: ref.at, End: end}, feed)
		}
		if out.err != nil {
			break
		}
	}
	out.flush()
	out.empty()
	return out.n, out.err
}

// A writer copies ranges of sources, those that touch at once, and short ones through
// memory: copies that were written in turns are put together line by line.
type writer struct {
	w       io.Writer
	ctx     context.Context
	from    *side
	run     index.Range
	out     []byte // not written yet
	windows map[*side]*window
	n       int64
	err     error
}

// A window is a part of a source.
type window struct {
	at   int64
	data []byte
}

const (
	shortRun   = 64 << 10 // in bytes
	windowSize = 256 << 10
)

func (w *writer) add(s *side, r index.Range, feed string) {
	if w.from != s || w.run.End != r.Start {
		w.flush()
		w.from, w.run = s, index.Range{Start: r.Start, End: r.Start}
	}
	w.run.End = r.End
	if feed != "" {
		w.text(feed)
	}
}

func (w *writer) text(s string) {
	w.flush()
	w.out = append(w.out, s...)
}

// flush ends the run.
func (w *writer) flush() {
	run, s := w.run, w.from
	w.from, w.run = nil, index.Range{}
	switch {
	case s == nil || w.err != nil:
	case run.End-run.Start < shortRun:
		var data []byte
		if data, w.err = w.short(s, run); w.err == nil {
			if w.out = append(w.out, data...); len(w.out) >= shortRun {
				w.empty()
			}
		}
	default:
		if w.empty(); w.err == nil {
			w.long(s, run)
		}
	}
}

// empty writes what has gathered.
func (w *writer) empty() {
	if w.err == nil {
		w.err = w.ctx.Err()
	}
	if w.err == nil && len(w.out) > 0 {
		var n int
		n, w.err = w.w.Write(w.out)
		w.n += int64(n)
	}
	w.out = w.out[:0]
}

// short returns a range that is no longer than a window.
func (w *writer) short(s *side, r index.Range) ([]byte, error) {
	v := w.windows[s]
	if v == nil {
		v = &window{}
		w.windows[s] = v
	}
	if r.Start < v.at || r.End > v.at+int64(len(v.data)) {
		if v.data == nil {
			v.data = make([]byte, windowSize)
		}
		v.at, v.data = r.Start, v.data[:min(windowSize, s.Size-r.Start)]
		if n, err := s.R.ReadAt(v.data, v.at); n < len(v.data) {
			return nil, &SourceError{s.Name, shortened(err)}
		}
	}
	return v.data[r.Start-v.at : r.End-v.at], nil
}

func (w *writer) long(s *side, r index.Range) {
	if f, ok := s.R.(*os.File); ok {
		w.err = index.Copy(w.w, f, []index.Range{r})
		w.n += r.End - r.Start
		if errors.Is(w.err, index.ErrSource) {
			w.err = &SourceError{s.Name, w.err}
		}
		return
	}
	n, err := io.Copy(w.w, io.NewSectionReader(s.R, r.Start, r.End-r.Start))
	w.n += n
	if w.err = err; err == nil && n < r.End-r.Start {
		w.err = &SourceError{s.Name, io.ErrUnexpectedEOF}
	}
}
