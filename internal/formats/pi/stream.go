package pi

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// A stream is the reading of a session of version 3, line by line.
type stream struct {
	*conversion
	slot, header string
	opened       bool
	seen         bool // there was a line that is not blank
}

// stream reads what r holds. The error is errOld, and nothing has been made, if it
// is of version 1 or 2.
func (c *conversion) stream(r io.Reader) error {
	s := stream{conversion: c}
	for l, err := range jsonl.Lines(r) {
		if err != nil {
			return c.src.Located(err)
		}
		if l.Number == 1 {
			l.Data = bytes.TrimPrefix(l.Data, []byte("\xef\xbb\xbf"))
		}
		if err := s.line(l); err != nil {
			return err
		}
	}
	switch {
	case !s.seen:
		return c.src.Located(session.Problem{Kind: session.Empty, Text: "not a session: empty"})
	case !s.opened:
		return c.src.Located(session.Problem{Kind: session.NoHeader, Line: 1, Text: "not a session: no session header"})
	}
	return c.keepTitle(s.slot, s.header)
}

func (s *stream) line(l jsonl.Line) error {
	if len(bytes.TrimSpace(l.Data)) == 0 {
		return nil
	}
	s.seen = true
	if !js.Valid(l.Data) {
		what := "not JSON, line of %d bytes skipped"
		if l.Torn {
			what = "torn last line of %d bytes skipped"
		}
		s.b.Lose(s.src.At(l.Number), formats.KindDamage, what, len(l.Data))
		return nil
	}
	e, err := session.ParseEntry(string(l.Data))
	switch {
	case err != nil && !s.opened:
		return s.src.Located(session.Problem{Kind: session.NoHeader, Line: l.Number, Text: "not a session: the first line is no session header"})
	case err != nil:
		s.b.Lose(s.src.At(l.Number), formats.KindDamage, "not a JSON object, skipped")
		return nil
	case !s.opened:
		return s.first(e, l.Number)
	case e.Type() == session.TypeSession:
		s.b.Lose(s.src.At(l.Number), formats.KindDamage, "another session header, skipped")
		return nil
	}
	return s.entry(e)
}

// first reads what stands before the entries: a title slot perhaps, and the
// header.
func (s *stream) first(e session.Entry, line int) error {
	if isSlot(e) {
		s.slot = strings.TrimSpace(e.Raw())
		return nil
	}
	s.header = strings.TrimSpace(e.Raw())
	h, err := session.HeaderOf([]byte(s.header))
	if p, ok := errors.AsType[session.Problem](err); ok {
		p.Line = line
		return s.src.Located(p)
	}
	if h.Version < session.Version {
		return errOld
	}
	s.opened = true
	return s.b.RawHeader(titled(s.slot, s.header))
}

// isSlot reports whether a line is oh-my-pi's title slot (docs/formats/omp.md,
// title slot).
func isSlot(e session.Entry) bool {
	if e.Type() != session.TypeTitle || e.Get("v") != "1" {
		return false
	}
	for _, name := range []string{"title", "updatedAt", "pad"} {
		if !strings.HasPrefix(e.Get(name), `"`) {
			return false
		}
	}
	return true
}
