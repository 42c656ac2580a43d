package formats

import (
	"bytes"
	"io"

	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
)

// A style is what lines of a source have around their JSON. The first entry that keeps any says it, in
// "ends" and "bom", and an export gives all lines the same.
type style struct {
	bom   bool // a byte order mark is in front of the first
	lines int  // that have an end
	crlf  int  // of those, lines that end in CR LF
	first bool // the first of them does
	told  bool
}

func (s *style) line(l jsonl.Line) {
	if l.Torn {
		return
	}
	crlf := bytes.HasSuffix(l.Data, []byte("\r"))
	if s.lines++; crlf {
		s.crlf++
	}
	s.first = s.first || s.lines == 1 && crlf
}

// tell returns the members for the first entry that keeps lines, none for others.
func (s *style) tell() (fields []js.Field) {
	if s.told {
		return nil
	}
	s.told = true
	if s.first {
		fields = append(fields, js.StringField("ends", "\r\n"))
	}
	if s.bom {
		fields = append(fields, js.RawField("bom", "true"))
	}
	return fields
}

// mixed returns how many lines end otherwise than the first.
func (s *style) mixed() int {
	if s.first {
		return s.lines - s.crlf
	}
	return s.crlf
}

// styled is a content whose lines get an end and a mark of a source's.
type styled struct {
	content io.WriterTo
	crlf    bool
	bom     bool
}

// WriteTo writes the content. The error is that of w.
func (s styled) WriteTo(w io.Writer) (int64, error) {
	c := &disk.Counter{W: w}
	if s.bom {
		if _, err := io.WriteString(c, jsonl.ByteOrderMark); err != nil {
			return c.N, err
		}
	}
	if !s.crlf {
		_, err := s.content.WriteTo(c)
		return c.N, err
	}
	_, err := s.content.WriteTo(crlfWriter{c})
	return c.N, err
}

// A crlfWriter writes CR LF for each LF.
type crlfWriter struct{ w io.Writer }

func (c crlfWriter) Write(p []byte) (int, error) {
	if _, err := c.w.Write(bytes.ReplaceAll(p, []byte("\n"), []byte("\r\n"))); err != nil {
		return 0, err
	}
	return len(p), nil
}
